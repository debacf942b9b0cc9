import Foundation
import Glibc
import SessionTestSupport
import SystemPackage
import TestSupport
import Testing

extension ConsoleTests {
    @Test func `a terminal has one status line`() throws {
        let session = try session("2s")
        // `script` runs the command on a new terminal.
        let command = "'\(Checkout.greenroom)' run '\(session.file)'"
        let run = try ChildProcess.run(
            "script", ["--quiet", "--return", "--command", command, "/dev/null"],
            environment: ["GREENROOM_PLUGIN_PATH": nil])
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        // Each status replaces the one before it.
        let statuses = run.text.components(separatedBy: "\r\u{1B}[K").dropFirst()
        let status = #/^sending ([0-9]+:[0-9]{2})  camera ([0-9.]+) fps, ([0-9]+) dropped/#
        let matches = statuses.compactMap { $0.firstMatch(of: status) }
        #expect(matches.count >= 3, "\(run.text)")
        // Two seconds and the stop; a busy machine may take longer over the stop.
        #expect(matches.last.map { $0.1 >= "0:01" } == true, "\(run.text)")
        #expect(matches.map(\.1) == matches.map(\.1).sorted(), "\(run.text)")
        let rates = matches.compactMap { Double($0.2) }
        #expect(rates.contains { $0 > 5 && $0 < 30 }, "about 15 frames a second: \(rates)")
        // Log lines are not mixed with it.
        let plain = run.text.replacing("\r\u{1B}[K", with: "\n").split(whereSeparator: \.isNewline)
        #expect(plain.contains("stopping: the duration is over"), "\(run.text)")
    }

    @Test func `failures of plugins are printed as events`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("GivesUp", "frames: 1", "on-failure: off"))
            share: \(try FileSession.hostile(
                "HangShare", "where: initialize", "on-failure: off"))
            microphone: \(try FileSession.hostile("Mic"))
            """, duration: "3s", deadline: "2s")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let events = try run.events
        let gaveUp = try #require(events.first { $0.event == "plugin-gave-up" })
        #expect(gaveUp.role == "camera" && gaveUp.status == "UNAVAILABLE")
        #expect(gaveUp.text == "the camera was unplugged")
        let hangs = try #require(events.first { $0.event == "callback-hangs" })
        #expect(hangs.role == "share" && hangs.step == "initialize")
        // The deadline runs from before its thread has begun.
        #expect((hangs.seconds ?? 0) > 0.15)
        let dropped = events.filter { $0.event == "plugin-dropped" }.compactMap(\.role)
        #expect(Set(dropped) == ["camera", "share"])
        let log = try #require(events.first { $0.event == "log" && $0.role == "microphone" })
        #expect(log.level == "info" && log.text?.hasPrefix("status good-block 0") == true)
    }

    @Test func `legal but unlikely values are warnings before the session`() throws {
        for arguments in [[], ["--json"]] {
            let session = try session("200ms")
            let run = try Greenroom.start(
                [
                    "run", session.file, "--virtual-clock", "--set",
                    "timeline=[{ at: 9s, do: mute }]",
                ] + arguments
            ).wait()
            #expect(run.exit == .code(0), "\(run)")
            let words = "timeline[0]: never executed: due at 9s, and the session ends at 200ms"
            let first =
                arguments.isEmpty
                ? run.standardError.split(separator: "\n").first.map(String.init)
                : try run.events.first { $0.event == "warning" }?.text
            #expect(first?.contains(words) == true, "\(run)\n\(run.text)")
        }
    }

    @Test func `control lines are executed, and invalid ones change nothing`() throws {
        let session = try session("1h")
        let lines =
            #"mut\n\nset camera.settings.format=i420\nunmute now\npause share\n\0\nhelp\nexplain\n"#
        let run = try run(
            session, "--control",
            inputFrom: "printf '\(lines)'; sleep 0.2; echo stop; sleep 1")
        #expect(run.exit == .code(0), "a control line asked for the end\n\(run)")
        let errors = run.standardError.split(separator: "\n").filter {
            $0.hasPrefix("control line ")
        }
        let expected = [
            (1, #"Did you mean "mute"?"#), (3, "format of ColorBars (camera) is not live"),
            (4, #""unmute" takes no value"#), (5, "the session has no share to pause."),
            (6, "U+0000"),
        ]
        #expect(errors.count == expected.count, "\(run)")
        for (error, (number, words)) in zip(errors, expected) {
            #expect(
                error.hasPrefix("control line \(number): ") && error.contains(words), "\(error)")
        }
        for line in ["  stop camera ", "camera: 320x180@15 since 0", "stopping: stop requested"] {
            #expect(run.standardError.contains(line), "no \(line):\n\(run)")
        }
        #expect(try session.report().outcome == "finished")
        try session.expectTrueReport(run)
    }

    @Test func `answers and errors of control lines are printed as events`() throws {
        let session = try session("1h")
        let run = try run(
            session, "--control --json", inputFrom: "printf 'xyzzy\nhelp\nexplain\nstop'")
        #expect(run.exit == .code(0), "\(run)")
        let events = try run.events
        let error = try #require(events.first { $0.event == "control-error" })
        #expect(error.origin == "control line 1" && error.text?.contains("xyzzy") == true)
        #expect(events.first { $0.event == "help" }?.commands?.contains("mute") == true)
        let explanation = try #require(events.first { $0.event == "explanation" })
        #expect(explanation.role == "camera" && explanation.negotiation?.track == "320x180@15")
        let ceiling = try #require(explanation.negotiation?.ceilings.first)
        #expect(ceiling.origin == "session.maximum" && ceiling.limit == "320x180@15")
        #expect(events.last?.outcome == "finished" && events.last?.exit == 0)
    }

    @Test
    func `the end of the input does not end a session, and only --control reads input`()
        throws
    {
        for arguments in [["--control"], []] {
            let session = try session("2s")
            // Without the option the input is not read.
            let input = arguments.isEmpty ? "stop\nxyzzy\n" : "# nothing\n"
            let run = try Greenroom.start(
                ["run", session.file] + arguments, input: Array(input.utf8)
            ).wait()
            #expect(run.exit == .code(0), "\(run)")
            #expect(run.standardError.contains("stopping: the duration is over"), "\(run)")
            #expect(!run.standardError.contains("control"), "\(run)")
        }
    }

    @Test func `the reasons for each track's size are printed at start and end`() throws {
        let run = try session("2s").run("--explain")
        #expect(run.exit == .code(0), "\(run)")
        let lines = run.standardError.split(separator: "\n")
        let places = lines.indices.filter { lines[$0].hasPrefix("camera: 320x180@15 since 0") }
        let stopping = try #require(lines.firstIndex { $0.hasPrefix("stopping: ") })
        #expect(places.count == 2, "\(run)")
        #expect(places.first.map { $0 < stopping } == true, "\(run)")
        #expect(places.last.map { $0 > stopping } == true, "\(run)")
        #expect(lines.contains { $0.contains("session.maximum") }, "\(run)")
    }

    @Test func `a slow reader of the log gets a notice in the place of dropped lines`() throws {
        let session = try session("1h")
        let pipe = try FullPipe(in: session.folder)
        // The session's answers are twice as long as the queue and its thread hold.
        let lines = String(repeating: "xyzzy\n", count: 16_000)
        let child = try ChildProcess(
            "sh",
            [
                "-c", "exec '\(Checkout.greenroom)' run '\(session.file)' --control 2> \"$0\"",
                pipe.path,
            ], input: Array(lines.utf8), environment: ["GREENROOM_PLUGIN_PATH": nil])
        let latest = ContinuousClock.now + patience
        #expect(waitUntil { child.hasEnded || child.hasReadInput })
        // The session ends when the notice has been read, so that there is room for its last lines.
        var isStopped = false
        let text = pipe.read { newest in
            if !isStopped,
                String(decoding: newest, as: UTF8.self).contains("lines dropped")
                    || ContinuousClock.now > latest
            {
                child.signal(SIGINT)
                isStopped = true
            }
            return child.hasEnded
        }
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)\n\(text.suffix(1000))")
        var next = 1
        var leftOut = 0
        for line in text.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/([0-9]+) lines dropped: reader too slow/#) {
                leftOut += Int(match.1) ?? 0
                next += Int(match.1) ?? 0
            } else if let match = line.firstMatch(of: #/^control line ([0-9]+): /#) {
                // Lines of the session itself may be among the dropped ones.
                let number = Int(match.1) ?? 0
                #expect((next - 4...next).contains(number), "\(line), not \(next)")
                next = number + 1
            }
        }
        #expect(leftOut > 0, "\(text.suffix(1000))")
        // A starved thread may still have control lines to refuse.
        let last = text.split(separator: "\n").last { !$0.hasPrefix("control line ") }
        #expect(last == "recorded in \(session.recording)")
        try session.expectTrueReport(run)
    }

    @Test func `the command line overrides the file`() throws {
        let run = try session("1h").run(
            "--duration", "400ms", "--set", "session.maximum=640x360@10", "--set",
            "camera.settings.pattern=grey", "--set", "camera.settings.counter=false", "--json",
            "--virtual-clock")
        #expect(run.exit == .code(0), "\(run)")
        #expect(try run.events.first?.capability == "640x360@10")
    }

    @Test func `a setting on the command line changes the picture`() throws {
        let session = try session("400ms")
        let run = try session.run(
            "--virtual-clock", "--set", "camera.settings={pattern: grey, counter: false}")
        #expect(run.exit == .code(0), "\(run)")
        let frame = try session.picture("camera").frame(3)
        // Stripes from 100 to 250 of 255, without colour.
        let (top, bottom) = (frame[300, 2], frame[300, 177])
        #expect(top.isNear(YUV(y: 102, u: 128, v: 128), within: 2), "\(top)")
        #expect(bottom.isNear(YUV(y: 231, u: 128, v: 128), within: 2), "\(bottom)")
    }

    @Test func `all errors of a file are reported at once, with locations`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "s.yaml",
            """
            session: { duration: ten, maximun: 1280x720 }
            camera:
              plugin: ColorBars
              settings: { pattern: bars, pattern: grey }
              on-failure: perhaps
            microphone: {}
            outputs: [{ recrod: here }, { y4m: file.y4m }]
            """)
        for command in ["check", "run"] {
            let run = try Greenroom.run(command, file)
            #expect(run.exit == .code(65), "\(run)")
            for place in [
                "1:22: session.duration", "1:27: session.maximun", "4:30: ", "5:15: camera",
                "6:13: microphone", "7:13: outputs[0].recrod", "7:36: outputs[1]",
            ] {
                #expect(run.standardError.contains("\(file):\(place)"), "\(place):\n\(run)")
            }
            #expect(run.standardError.contains("maximum"), "the nearest known key:\n\(run)")
        }
    }
}
