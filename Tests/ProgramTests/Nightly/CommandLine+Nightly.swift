import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension CommandLineTests {
    @Test func `a mistyped plugin is answered with the nearest one`() throws {
        for command in [["preview"], ["validate"], ["plugin", "info"]] {
            let run = try Greenroom.start(command + ["colorbras"]).wait()
            #expect(
                run.exit == .code(65)
                    && run.standardError.contains(#"colorbras: no plugin of this name is "#)
                    && run.standardError.contains(#"Did you mean "ColorBars"?"#), "\(run)")
        }
    }

    @Test func `output that can't be printed is an error`() throws {
        for command in ["schema", "--help", "--version", "preview ColorBars --duration 300ms"] {
            let full = try ChildProcess.run(
                "sh", ["-c", "'\(Checkout.greenroom)' \(command) > /dev/full"])
            #expect(full.exit == .code(74), "\(full)")
            #expect(full.standardError.contains("No space left on device"), "\(full)")
        }
        let some = try ChildProcess.run(
            "bash", ["-c", "set -o pipefail; trap '' PIPE; '\(Checkout.greenroom)' schema | true"])
        #expect(some.exit == .code(0), "\(some)")
    }

    @Test func `check says that a plugin without a sandbox can do all that the user can`() throws {
        let library = try TestPlugins.cCamera()
        let file = try folder.write("s.yaml", "camera: { plugin: \(library), sandbox: off }")
        let run = try Greenroom.run("check", file)
        #expect(run.text.contains("sandbox: off; it can do all that you can"), "\(run.text)")
        #expect(!run.text.contains("reads "), "\(run.text)")
    }

    @Test func `check hides the credentials of URLs`() throws {
        let file = try folder.write(
            "session.yaml",
            """
            media: { url: "rtsp://ana:geheim@camera/geheim", allow: { network: true } }
            outputs: [{ stream: "rtmp://ana:geheim@live/app/geheim" }]
            """)
        for options in [[], ["--json"]] {
            let run = try Greenroom.start(["check", file] + options).wait()
            #expect(run.exit == .code(0), "\(run)")
            #expect(run.text.contains("rtsp://**********@camera/******"), "\(run.text)")
            #expect(!run.text.contains("geheim"), "\(run.text)")
        }
    }

    @Test func `check describes each plugin's process and grants`() throws {
        let file = try folder.write(
            "s.yaml",
            """
            session: { memory-limit: 64 MB }
            camera:
              plugin: ColorBars
              pre-processors:
                - plugin: Watermark
                  settings: { path: logo.png }
                  isolation: process
                  sandbox: require
                  allow: { read: [logo.png, fonts], write: [out], devices: [/dev/x], network: true }
                  on-failure: end
            microphone: { plugin: WaveFile, settings: { path: a.wav }, isolation: process }
            share: { plugin: "\(try TestPlugins.hostile())#SteadyShare" }
            """)
        let run = try Greenroom.run("check", file)
        #expect(run.exit == .code(0), "\(run)")
        let here = String(file.dropLast("/s.yaml".count))
        let lines = run.text.split(separator: "\n").compactMap { line in
            line.firstRange(of: "in ").map { String(line[$0.lowerBound...]) }
        }
        let expected = [
            "in the host's process; on failure: end",
            "in a separate process; sandbox: require; at most 64 MB; may read \(here)/logo.png, "
                + "\(here)/fonts; may write \(here)/out; may use /dev/x; may use the network; "
                + "on failure: end",
            "in a separate process; sandbox: on; at most 64 MB; may read \(here)/a.wav; "
                + "on failure: restart",
            "in a separate process; sandbox: on; at most 64 MB; on failure: restart",
        ]
        for words in expected {
            #expect(lines.contains(words), "says nothing of \(words):\n\(run.text)")
        }
        let result = try json(try Greenroom.run("check", "--json", file).text)
        let session = try #require(result["session"] as? [String: Any])
        let plugins = try #require(session["plugins"] as? [[String: Any]])
        let key = { (name: String) in plugins.map { $0[name] as? String } }
        #expect(key("isolation") == ["host", "process", "process", "process"])
        #expect(key("on-failure") == ["end", "end", "restart", "restart"])
        #expect(key("sandbox") == [nil, "require", "on", "on"])
        #expect(key("memory-limit") == [nil, "64 MB", "64 MB", "64 MB"])
        let grants = plugins.map { $0["allow"] as? [String: Any] }
        #expect(
            grants.map { $0?["read"] as? [String] } == [
                nil, ["\(here)/logo.png", "\(here)/fonts"], ["\(here)/a.wav"], [],
            ])
        #expect(grants.map { $0?["write"] as? [String] } == [nil, ["\(here)/out"], [], []])
        #expect(grants.map { $0?["devices"] as? [String] } == [nil, ["/dev/x"], [], []])
        #expect(grants.map { $0?["network"] as? Bool } == [nil, true, false, false])
    }

    @Test func `check names the plugins that may control the session`() throws {
        let file = try folder.write(
            "s.yaml",
            """
            camera: { plugin: ColorBars, allow: { control: true } }
            microphone: { plugin: Tone, isolation: process, allow: { control: true } }
            outputs: [{ y4m: "-" }]
            """)
        let run = try Greenroom.run("check", file)
        #expect(run.exit == .code(0), "\(run)")
        #expect(
            run.text.contains("in the host's process; may control the session; on failure"),
            "\(run.text)")
        #expect(run.text.ranges(of: "may control the session").count == 2, "\(run.text)")
        let session = try #require(
            try json(try Greenroom.run("check", "--json", file).text)["session"] as? [String: Any])
        let plugins = try #require(session["plugins"] as? [[String: Any]])
        #expect(
            plugins.map { ($0["allow"] as? [String: Any])?["control"] as? Bool } == [true, true])
    }

    @Test func `check refuses isolation keys of a bundled plugin in the host's process`()
        throws
    {
        let file = try folder.write(
            "s.yaml",
            """
            camera: { plugin: ColorBars, memory-limit: 50 MB, on-failure: restart }
            microphone: { plugin: Tone, sandbox: on, isolation: process }
            """)
        let run = try Greenroom.run("check", file)
        #expect(run.exit == .code(65), "\(run)")
        let faults = run.standardError.split(separator: "\n").filter { $0.hasPrefix("\(file):") }
        let expected = [
            ("1:44: camera.memory-limit: ", "remove"), ("1:63: camera.on-failure: ", "off"),
        ]
        #expect(faults.count == expected.count, "\(run)")
        for (fault, (start, cure)) in zip(faults, expected) {
            #expect(fault.hasPrefix("\(file):\(start)") && fault.contains("bundled plugin"))
            #expect(fault.contains("Write isolation: process") && fault.contains(cure))
        }
        let cured = try Greenroom.run("check", file, "--set", "session.isolation=process")
        #expect(cured.exit == .code(0), "\(cured)")
    }

    @Test func `check describes a program that connects`() throws {
        let file = try folder.write(
            "s.yaml",
            """
            share: { connect: s.sock }
            timeline: [{ at: 1s, do: pause share }]
            """)
        let run = try Greenroom.run("check", file)
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.text.contains("a program that connects to \(folder("s.sock"))"), "\(run.text)")
        let result = try json(try Greenroom.run("check", "--json", file).text)
        let session = try #require(result["session"] as? [String: Any])
        let plugins = try #require(session["plugins"] as? [[String: Any]])
        #expect(plugins.first?["connect"] as? String == folder("s.sock"))
        #expect((session["timeline"] as? [Any])?.count == 1)
    }

    @Test func `check reports errors against plugins' descriptors, with locations`()
        throws
    {
        let file = try folder.write("s.yaml", Self.faulty)
        let run = try Greenroom.run("check", file)
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardOutput.isEmpty)
        let faults = run.standardError.split(separator: "\n").filter { $0.hasPrefix("\(file):") }
        let expected = [
            ("3:15: camera.settings.patern: ", #"Did you mean "pattern"?"#),
            ("3:38: camera.settings.pattern: ", "bars, grey"),
            ("4:23: microphone.plugin: ", #"Did you mean "Tone"?"#),
            ("5:18: share.plugin: ", "Tone is a virtual mic"),
        ]
        #expect(faults.count == expected.count, "\(run)")
        for (fault, (start, words)) in zip(faults, expected) {
            #expect(fault.hasPrefix("\(file):\(start)"))
            #expect(fault.contains(words))
        }
        #expect(run.standardError.hasSuffix("4 faults in \(file)\n"))
    }

    @Test func `check --json reports each error with its line or argument`() throws {
        let file = try folder.write("s.yaml", Self.faulty)
        let bad = try Greenroom.run("check", "--json", file, "--set", "microphone.plugin=Tone")
        #expect(bad.exit == .code(65), "\(bad)")
        let faults = try #require(try json(bad.text)["faults"] as? [[String: Any]])
        #expect(faults.compactMap { $0["line"] as? Int } == [3, 3, 5])
        #expect(faults.first?["path"] as? String == "camera.settings.patern")
        let good = try Greenroom.run(
            "check", "--json", file, "--set", "microphone.plugin=Tone", "--set",
            "camera.settings={pattern: grey}", "--set",
            "share={plugin: ColorBars, audio: {plugin: ToneShareAudio}}")
        #expect(good.exit == .code(64), "a camera is no share, as an argument: \(good.text)")
        let argument = try #require(try json(good.text)["faults"] as? [[String: Any]])
        #expect(argument.count == 1)
        #expect((argument.first?["argument"] as? String)?.hasPrefix("--set share={") == true)
    }

    @Test func `an error in an argument is a usage error, with its fix`() throws {
        let file = try folder.write("s.yaml", "camera: { plugin: ColorBars }")
        let cures = [
            (["--duration", "5"], "Write 5s."),
            (["--set", "camera.settings.pattern=gray"], "bars, grey"),
            (["--set", "camera.plugin=ColourBars"], #"Did you mean "ColorBars"?"#),
        ]
        for (arguments, cure) in cures {
            for command in ["check", "run"] {
                let run = try Greenroom.start([command, file] + arguments)
                    .wait()
                #expect(run.exit == .code(64), "\(run)")
                #expect(run.standardError.contains(cure), "\(run)")
            }
        }
        // A fault of the file decides the exit code.
        let bad = try folder.write("bad.yaml", "camera: { plugin: ColorBars, on-failure: x }")
        #expect(try Greenroom.run("check", bad, "--duration", "5").exit == .code(65))
    }

    @Test func `check includes the timeline`() throws {
        let file = try folder.write(
            "s.yaml",
            """
            session: { duration: 5s, clock: virtual, maximum: 2560x1440@30 }
            camera: { plugin: ColorBars, pre-processors: [{ plugin: Adjust }] }
            microphone: { plugin: Tone }
            timeline:
              - { at: 3s, set: camera.settings.pattern=gray }
              - { at: 1s, set: camera.settings.format=i420 }
              - { at: 1s, set: camera.settings.patern=grey }
              - { at: 1s, set: microphone.settings.rate=8000 }
              - { at: 1s, set: "camera.pre-processors[0].settings.brightness=2" }
              - { at: 3s, do: mute }
            outputs: [{ record: out }]
            """)
        let bad = try Greenroom.run("check", file)
        #expect(bad.exit == .code(65), "\(bad)")
        let expected = [
            ("5:5: timeline[0]: ", "bars, grey"),
            ("6:5: timeline[1]: ", "Live settings: pattern, counter, ball, speed"),
            ("7:5: timeline[2]: ", #"Did you mean "pattern"?"#),
            ("8:5: timeline[3]: ", "rate of Tone (microphone) is not live"),
            ("9:5: timeline[4]: ", "out of bounds"),
        ]
        let faults = bad.standardError.split(separator: "\n").filter { $0.hasPrefix("\(file):") }
        #expect(faults.count == expected.count, "\(bad)")
        for (fault, (start, words)) in zip(faults, expected) {
            #expect(fault.hasPrefix("\(file):\(start)") && fault.contains(words), "\(fault)")
        }

        let entries = "timeline=[{at: 9s, do: mute}, {at: 1s, set: camera.settings.pattern=grey}]"
        let good = try Greenroom.run("check", file, "--set", entries)
        #expect(good.exit == .code(0), "\(good)")
        #expect(good.text.contains("s, at most 2560x1440@30, for 5s, on the virtual clock"))
        #expect(
            good.text.contains("warning: timeline[0]: never executed: due at 9s"), "\(good.text)")
        let result = try json(
            try Greenroom.run(
                "check", "--json", file, "--set", entries, "--set",
                "session.more-sizes=[2560x1440@30, 1920x1080@60]"
            ).text)
        let warnings = try #require(result["warnings"] as? [[String: Any]])
        #expect(
            warnings.compactMap { $0["path"] as? String } == ["timeline[0]", "session.more-sizes"])
        let session = try #require(result["session"] as? [String: Any])
        let timeline = try #require(session["timeline"] as? [[String: String]])
        #expect(
            timeline == [
                [
                    "at": "1s", "command": "set camera.settings.pattern=grey",
                    "origin": "timeline[1]",
                ],
                ["at": "9s", "command": "mute", "origin": "timeline[0]"],
            ])
        // There are 12 standard sizes; one is new, and one has another rate.
        let table = try #require(session["table"] as? [String])
        #expect(table.count == 13 && table.prefix(2) == ["2560x1440@30", "1920x1080@60"])
    }

    @Test func `a table with too many sizes is refused`() throws {
        let file = try folder.write("s.yaml", "camera: { plugin: ColorBars }")
        for (count, exit) in [(52, Exit.code(0)), (53, .code(64))] {
            let sizes = (1...count).map { "\($0)x8@30" }.joined(separator: ", ")
            let run = try Greenroom.run("check", file, "--set", "session.more-sizes=[\(sizes)]")
            #expect(run.exit == exit, "\(run)")
            #expect(run.standardError.contains("has 65 rows") == (count == 53), "\(run)")
        }
    }

    @Test func `a session on the virtual clock needs a duration`() throws {
        let file = try folder.write("s.yaml", "camera: { plugin: ColorBars }")
        let argument = try Greenroom.run("run", file, "--virtual-clock")
        #expect(argument.exit == .code(64), "\(argument)")
        #expect(argument.standardError.contains("--duration 10s"), "\(argument)")
        let own = try folder.write(
            "own.yaml", "camera: { plugin: ColorBars }\nsession: { clock: virtual }")
        let run = try Greenroom.run("run", own)
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError.hasPrefix("\(own):2:19: session.clock: "), "\(run)")
    }

    @Test func `a missing plugin folder is reported`() throws {
        let file = try folder.write(
            "s.yaml", "session: { clock: virtual, duration: 1s }\ncamera: { plugin: ColorBars }")
        let path = "\(folder.path):\(folder("nowhere"))"
        let warning = "GREENROOM_PLUGIN_PATH: no folder \(folder("nowhere"))"
        for arguments in [
            ["check", file], ["plugins"], ["plugin", "info", "Tone"],
            ["run", file, "--duration", "100ms"],
        ] {
            let run = try Greenroom.start(arguments, environment: ["GREENROOM_PLUGIN_PATH": path])
                .wait()
            #expect(run.exit == .code(0), "\(run)")
            #expect(run.standardError.components(separatedBy: warning).count == 2, "\(run)")
            #expect(run.standardError.components(separatedBy: "GREENROOM").count == 2, "\(run)")
        }
    }

    @Test func `schema prints a JSON Schema`() throws {
        let run = try Greenroom.run("schema")
        #expect(run.exit == .code(0), "\(run)")
        let schema = try json(run.text)
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    }

    @Test
    func `an explained conversion lists its steps, the bytes that they move, and their cost`()
        throws
    {
        let (from, to) = (["bgra", "1920x1080"], ["i420", "1280x720"])
        func explain(_ more: String...) throws -> String {
            try Greenroom.start(["explain-conversion"] + from + to + more)
                .wait().text
        }
        let lines = try explain().split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.dropFirst().first?.hasPrefix("convert to i420 by bt709 limited ") == true)
        #expect(lines.last?.hasPrefix("in bands of ") == true)
        let explained = try json(explain("--json"))
        #expect((explained["nanoseconds"] as? Int ?? 0) > 0)
        #expect((explained["bandRows"] as? Int ?? 0) > 0)
        let steps = try #require(explained["steps"] as? [[String: Any]])
        #expect(steps.map { $0["bytesRead"] as? Int } == [8_294_400, 3_110_400])
        #expect(steps.map { $0["bytesWritten"] as? Int } == [3_110_400, 1_382_400])
        #expect(steps.allSatisfy { ($0["nanoseconds"] as? Int ?? 0) > 0 })
        let same = try Greenroom.run("explain-conversion", "i420", "64x36", "i420", "64x36")
        #expect(same.text.contains("no byte is copied"))
    }

    @Test(
        arguments: [
            (["i42", "64x36", "bgra", "64x36"], "'i42': not one of i420, nv12"),
            (["i420", "64x0", "bgra", "64x36"], "'64x0': not a size"),
            (["i420", "64x36", "bgra", "9000x36"], "each side 1 to 8192"),
            (["i420", "64x36", "bgra", "64x36", "--range", "most"], "not one of limited, full"),
            (["i420", "64x36", "mjpeg", "64x36"], "only passes unchanged"),
            (["mjpeg", "64x36", "i420", "64x36"], "depends on their content"),
            (["i420", "64x36", "i420", "64x64", "--fit", "reject"], "64x64"),
        ])
    func `a conversion that can't be explained is reported clearly`(
        arguments: [String], text: String
    ) throws {
        let run = try Greenroom.start(["explain-conversion"] + arguments).wait()
        #expect(run.exit == .code(64), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
    }

    private static let faulty = """
        camera:
          plugin: ColorBars
          settings: { patern: grey, pattern: gray }
        microphone: { plugin: Tonne }
        share: { plugin: Tone }
        """
}
