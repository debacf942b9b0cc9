import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension NewCommandTests {
    @Test(arguments: NewPlugin.languages)
    func `a new camera has moving stripes, follows the session and has live settings`(
        language: String
    ) throws {
        let plugin = try NewPlugin("camera", language)
        try plugin.build()
        let run = try plugin.run(
            "timeline=[{at: 500ms, set: camera.settings.stripes=20}, "
                + "{at: 1s, ceiling: 640x360@15}, {at: 1500ms, do: stop camera}, "
                + "{at: 1700ms, do: start camera}]")
        try expectFine(run, plugin)
        let recording = try plugin.picture("camera")
        #expect(recording.width == 1280 && recording.height == 720)
        #expect(recording.frameCount == 60)
        let (first, second) = (try recording.frame(5), try recording.frame(6))
        #expect(first.y != second.y)
        #expect(abs(stripes(in: first) - 8) <= 1 && abs(stripes(in: second) - 8) <= 1)
        #expect(first.y.allSatisfy { (16...235).contains($0) })
        // One colour: 160 and 110 of BT.601, or what they are in the matrix of the recording.
        #expect(Set(first.u).count == 1 && Set(first.v).count == 1)
        #expect((155...160).contains(first.u[0]) && (110...115).contains(first.v[0]))
        #expect(abs(stripes(in: try recording.frame(25)) - 20) <= 1)
        #expect(try recording.frame(48).y.allSatisfy { $0 == 16 }, "it is stopped")
        #expect(abs(stripes(in: try recording.frame(58)) - 20) <= 1, "it is there again")

        let picture = try plugin.report().picture("camera")
        #expect(picture.negotiation.map(\.answer).allSatisfy { $0 == "accept" }, "\(picture)")
        #expect(picture.negotiation.count == 2)
        #expect(picture.negotiation.last?.source == "640x360@15", "\(picture)")
        #expect(picture.staleRevision == 0)
        // 30 a second for a second, then 15 a second for 500 ms and for 300 ms.
        #expect((40...44).contains(picture.sent), "\(picture)")
    }

    @Test(arguments: NewPlugin.languagesToday(of: "share"))
    func `a new share has scrolling lines, follows the session and has live settings`(
        language: String
    ) throws {
        let plugin = try NewPlugin("share", language)
        try plugin.build()
        let run = try plugin.run(
            "timeline=[{at: 500ms, set: share.settings.lines=12}, "
                + "{at: 1s, share-ceiling: 640x360@15}, {at: 1500ms, do: pause share}, "
                + "{at: 1700ms, do: resume share}]")
        try expectFine(run, plugin)
        let recording = try plugin.picture("share")
        #expect(recording.width == 1280 && recording.height == 720)
        #expect(recording.frameCount == 60)
        let (first, second) = (try recording.frame(5), try recording.frame(6))
        #expect(first.y != second.y)
        #expect(abs(lines(in: first) - 30) <= 1 && abs(lines(in: second) - 30) <= 1)
        // 250 and 60 of full range, which are 230.7 and 67.5.
        let luma = Set(first.y)
        #expect(luma.contains(231) && !luma.isDisjoint(with: [67, 68]) && luma.count <= 4)
        #expect(Set(first.u) == [128] && Set(first.v) == [128])
        #expect(abs(lines(in: try recording.frame(25)) - 12) <= 1)
        #expect(try recording.frame(47) == recording.frame(49), "it is paused")
        #expect(try recording.frame(54) != recording.frame(58), "it moves")

        let picture = try plugin.report().picture("share")
        #expect(picture.negotiation.count == 2)
        #expect(picture.negotiation.last?.source == "640x360@15", "\(picture)")
        #expect(picture.staleRevision == 0)
    }

    @Test(arguments: Nightly.pairs(["microphone", "share-audio"], NewPlugin.languages))
    func `new audio has its frequency, and a live setting changes it without a click`(
        kind: String, language: String
    ) throws {
        let plugin = try NewPlugin(kind, language)
        try plugin.build()
        let (role, track) =
            kind == "microphone" ? ("microphone", "camera") : ("share.audio", "share")
        let run = try plugin.run(
            "timeline=[{at: 1s, set: \(role).settings.frequency=1000}, "
                + "{at: 2s, do: \(kind == "microphone" ? "mute" : "pause share")}, "
                + "{at: 2500ms, do: \(kind == "microphone" ? "unmute" : "resume share")}]",
            duration: "3s")
        try expectFine(run, plugin)
        let sound = try plugin.sound(track)
        #expect(sound.frameCount == 3 * 48_000)
        let samples = sound.channels[0]
        let before = samples[4_800..<43_200]
        let after = samples[52_800..<91_200]
        #expect(abs((Tone.frequency(of: before, rate: 48_000) ?? 0) - 440) < 0.5)
        #expect(abs((Tone.frequency(of: after, rate: 48_000) ?? 0) - 1000) < 0.5)
        #expect(abs(Tone.amplitude(of: 440, in: before, rate: 48_000) - 6000) < 60)
        #expect(
            Tone.breaks(in: Array(before), frequency: 440, rate: 48_000, tolerance: 3).isEmpty)
        // At the change of frequency, no step exceeds the steps of the new sine.
        let steps = zip(samples[4_800..<91_200], samples[4_801..<91_200]).map { abs($0 - $1) }
        #expect((steps.max() ?? 0) < 6000 * 2 * Double.pi * 1000 / 48_000 + 3)
        #expect(samples[100_000..<116_000].allSatisfy { $0 == 0 }, "it is stopped")
        #expect(Tone.loudness(of: samples[130_000..<144_000]) > 3000, "it is there again")

        let report = try plugin.report().sound(role)
        #expect(report.concealed == 0 && report.clippedSamples == 0, "\(report)")
    }

    @Test(arguments: NewPlugin.languagesToday(of: "pre-processor"))
    func `a new filter colours frames brown by the amount of its setting`(language: String) throws {
        let plugin = try NewPlugin("pre-processor", language)
        try plugin.build()
        let run = try plugin.run(
            "camera.settings={pattern: grey, counter: false, matrix: bt601}",
            "timeline=[{at: 500ms, set: 'camera.pre-processors[0].settings.strength=0'}, "
                + "{at: 1s, set: 'camera.pre-processors[0].settings.strength=100'}]",
            duration: "1500ms")
        try expectFine(run, plugin)
        let recording = try plugin.picture("camera")
        #expect(recording.frameCount == 45)
        // Grey has 128 and 128; 80 % of the way from there to 105 and 148, and all of it.
        for (index, u, v) in [(5, 109, 144), (20, 128, 128), (40, 105, 148)] {
            let frame = try recording.frame(index)
            #expect(Set(frame.u) == [UInt8(u)] && Set(frame.v) == [UInt8(v)], "frame \(index)")
            #expect(Set(frame.y).count >= 16, "luma is left alone")
        }
    }

    @Test(arguments: NewPlugin.languagesToday(of: "audio-pre-processor"))
    func `a new audio filter makes a tone tremble at the rate of its setting`(
        language: String
    ) throws {
        let plugin = try NewPlugin("audio-pre-processor", language)
        try plugin.build()
        let run = try plugin.run(
            "timeline=[{at: 1s, set: 'microphone.pre-processors[0].settings.rate=10'}]",
            duration: "2s")
        try expectFine(run, plugin)
        let samples = try plugin.sound("camera").channels[0]
        #expect(samples.count == 96_000)
        // The loudness of each 20 ms rises above its mean once in each turn.
        func turns(_ seconds: Range<Int>) -> Int {
            let parts = stride(
                from: seconds.lowerBound * 48_000, to: seconds.upperBound * 48_000, by: 960)
            let levels = parts.map { Tone.loudness(of: samples[$0..<($0 + 960)]) }
            let mean = levels.reduce(0, +) / Double(levels.count)
            return zip(levels, levels.dropFirst()).count { $0 < mean && $1 >= mean }
        }
        #expect((4...6).contains(turns(0..<1)) && (9...11).contains(turns(1..<2)))
        let filters = try plugin.report().sound("microphone").filters
        #expect(filters?.edited == 200, "\(run)")
    }

    @Test(arguments: NewPlugin.languagesToday(of: "output"))
    func `the new output writes the brightness of every n-th frame, and n is a live setting`(
        language: String
    ) throws {
        let plugin = try NewPlugin("output", language)
        try plugin.build()
        let run = try plugin.run("timeline=[{at: 500ms, set: 'outputs[0].settings.every=10'}]")
        try expectFine(run, plugin)
        let lines = try plugin.text("brightness.csv").split(separator: "\n")
        #expect(lines.first == "frame,brightness")
        let rows = lines.dropFirst().map { $0.split(separator: ",").compactMap { Int($0) } }
        try #require(rows.allSatisfy { $0.count == 2 }, "\(lines)")
        #expect(rows.map { $0[0] } == [0, 20, 30, 40, 50])
        let recording = try plugin.picture("camera")
        #expect(recording.frameCount == 60)
        for row in rows {
            let luma = try recording.frame(row[0]).y
            let mean = luma.reduce(0) { $0 + Int($1) } / luma.count
            #expect(abs(mean - row[1]) <= 2, "frame \(row[0])")
        }
        let output = try #require(try plugin.report().outputPlugins?.first)
        #expect(output.role == "outputs[0]" && output.tracks.map(\.track) == ["camera"])
        #expect(output.tracks.first?.media.taken == 60, "\(output)")
        #expect(output.values["brightness"] == rows.last.map { Double($0[1]) })
    }

    @Test(arguments: NewPlugin.languagesToday(of: "speaker"))
    func `a new speaker writes how loud every n-th block is, and n is a live setting`(
        language: String
    ) throws {
        let plugin = try NewPlugin("speaker", language)
        try plugin.build()
        let run = try plugin.run("timeline=[{at: 500ms, set: 'outputs[0].settings.every=20'}]")
        try expectFine(run, plugin)
        let lines = try plugin.text("loudness.csv").split(separator: "\n")
        #expect(lines.first == "sample,loudness")
        let rows = lines.dropFirst().map { $0.split(separator: ",").compactMap { Int($0) } }
        try #require(rows.allSatisfy { $0.count == 2 }, "\(lines)")
        // Blocks of 20 ms at 16000 Hz.
        #expect(rows.map { $0[0] / 320 } == [0, 10, 20, 40, 60, 80], "\(lines)")
        let recorded = try plugin.sound("camera").channels[0]
        for row in rows.dropFirst() {
            let loudness = Tone.loudness(of: recorded[(row[0] * 3)...].prefix(960))
            #expect(abs(loudness - Double(row[1])) < loudness * 0.03, "sample \(row[0])")
        }
        let output = try #require(try plugin.report().outputPlugins?.first)
        #expect(output.role == "outputs[0]" && output.tracks.map(\.track) == ["mix"])
        #expect(output.tracks.first?.media.taken == 100, "\(output)")
        #expect(output.values["loudness"] == rows.last.map { Double($0[1]) })
    }

    @Test(arguments: NewPlugin.languagesToday(of: "receiver"))
    func `a receiver writes how bright each participant is, and changes while it runs`(
        language: String
    ) throws {
        let plugin = try NewPlugin("receiver", language)
        try plugin.build()
        let run = try plugin.run(
            "call.settings={script: Ana 0s camera microphone; Ben 1s-1500ms camera=320x180@30}",
            "timeline=[{at: 500ms, set: 'outputs[0].settings.every=10'}]")
        try expectFine(run, plugin)
        let lines = try plugin.text("participants.csv").split(separator: "\n")
        #expect(lines.first == "track,frame,brightness")
        let rows = lines.dropFirst().map { $0.split(separator: ",").map(String.init) }
        try #require(rows.allSatisfy { $0.count == 3 }, "\(lines)")
        let frames = { name in rows.filter { $0[0] == name }.map { Int($0[1]) } }
        #expect(frames("ana-camera") == [0, 10, 20], "\(lines)")
        #expect(frames("ben-camera") == [0, 10], "\(lines)")
        for row in rows {
            let luma = try plugin.picture(row[0]).frame(Int(row[1]) ?? 0).y
            let mean = luma.reduce(0) { $0 + Int($1) } / luma.count
            #expect(abs(mean - (Int(row[2]) ?? 0)) <= 2, "\(row)")
        }
        for words in ["ana-camera is on", "ben-camera is on", "ben-camera is off"] {
            #expect(run.standardError.contains(words), "\(run)")
        }
        #expect(!run.standardError.contains("microphone is on"), "\(run)")
    }

    @Test(arguments: NewPlugin.languagesToday(of: "call"))
    func `a call has a participant who sends, hears the session, and changes while it runs`(
        language: String
    ) throws {
        let plugin = try NewPlugin("call", language)
        try plugin.build()
        let run = try plugin.run("timeline=[{at: 1s, set: call.settings.frequency=1000}]")
        try expectFine(run, plugin)
        let guest = try #require(try plugin.report().participants?.first)
        #expect(guest.name == "Guest" && guest.joinedSeconds == 0, "\(guest)")
        #expect(guest.tracks.map(\.track).sorted() == ["guest-camera", "guest-microphone"])
        #expect(guest.tracks.allSatisfy { $0.beganSeconds == 0 }, "\(guest)")

        let camera = try plugin.picture("guest-camera")
        #expect(camera.width == 640 && camera.height == 360 && camera.frameCount == 50)
        // The bar is 40 pixels of 200 on 60, and moves by 8 a frame.
        let bars = try [10, 11].map { index in
            try camera.frame(index).y.prefix(640).enumerated().filter { $0.element == 200 }
                .map(\.offset)
        }
        #expect(bars[0].count == 40 && bars[1] == bars[0].map { $0 + 8 }, "\(bars)")

        let samples = try plugin.sound("guest-microphone").channels[0]
        #expect(samples.count == 2 * 48_000)
        let (before, after) = (samples[9_600..<38_400], samples[57_600..<86_400])
        #expect(abs((Tone.frequency(of: before, rate: 48_000) ?? 0) - 440) < 0.5)
        #expect(abs((Tone.frequency(of: after, rate: 48_000) ?? 0) - 1000) < 0.5)
        #expect(abs(Tone.amplitude(of: 440, in: before, rate: 48_000) - 6000) < 60)

        // The guest hears only the session's microphone: a tone of -20 dBFS.
        let call = try #require(try plugin.report().outputPlugins?.first)
        #expect(call.role == "call" && call.tracks.map(\.track) == ["guest-mix-minus"])
        #expect(abs((call.values["peak"] ?? 0) - 3277) < 30, "\(call)")
    }

    @Test(
        arguments: Nightly.pairs(["camera", "share", "pre-processor"], NewPlugin.languages))
    func `a new plugin works at every size`(kind: String, language: String) throws {
        let plugin = try NewPlugin(kind, language)
        try plugin.build()
        for size in ["1x1", "3x5", "33x17", "1279x719"] {
            let run = try plugin.run(
                "session.maximum=\(size)@15", "session.table=[\(size)@15]", duration: "400ms")
            try expectFine(run, plugin)
            let track = kind == "share" ? "share" : "camera"
            #expect(try plugin.report().picture(track).capability == "\(size)@15")
            let recording = try plugin.picture(track)
            #expect("\(recording.width)x\(recording.height)" == size)
            #expect(recording.frameCount == 6 && recording.trailingBytes == 0)
        }
    }

    /// By day `ConformanceTests` validates each kind.
    @Test(
        arguments: NewPlugin.kinds.flatMap { kind in
            NewPlugin.languages(of: kind).map { (kind, $0) }
        })
    func `a new plugin passes the validator`(kind: String, language: String) throws {
        let plugin = try NewPlugin(kind, language)
        try plugin.build()
        let validation = try Greenroom.validate("\(plugin.folder)/\(try plugin.library)")
        #expect(validation.run.exit == .code(0), "\(validation)")
        #expect(validation.faults.isEmpty && validation.warnings.isEmpty, "\(validation)")
        #expect(validation.checks.contains { $0.outcome == "passed" }, "\(validation)")
    }

    @Test(
        arguments: Nightly.pairs(NewPlugin.kinds, ["gcc", "clang", "g++", "clang++"]))
    func `a source in C or C++ builds with every compiler`(kind: String, compiler: String) throws {
        let plugin = try NewPlugin(kind, compiler.hasSuffix("++") ? "c++" : "c")
        let run = try ChildProcess.run(
            "sh", ["\(plugin.folder)/build.sh", "-O0", "-Werror"],
            environment: ["CC": compiler, "CXX": compiler])
        #expect(run.exit == .code(0) && run.standardError.isEmpty, "\(run)")
        // As clangd does it.
        let editor = try ChildProcess.run(
            "sh",
            [
                "-euc", #"cd "$1"; "$2" @compile_flags.txt -Werror -fsyntax-only my-first.c*"#,
                "sh",
                plugin.folder, compiler,
            ])
        #expect(editor.exit == .code(0) && editor.standardError.isEmpty, "\(editor)")
        guard plugin.language == "c++" else { return }
        let exports = try ChildProcess.run(
            "nm",
            [
                "--dynamic", "--defined-only", "--format=posix",
                "\(plugin.folder)/\(try plugin.library)",
            ])
        #expect(exports.text.split(separator: " ").first == "greenroom_plugin_entry")
        #expect(exports.text.split(separator: "\n").count == 1, "\(exports)")
    }

    @Test func `a package in Swift passes swift-format, with any length of name`()
        throws
    {
        let plugins = try NewPlugin.kinds.flatMap { kind in
            try ["a", "My-" + String(repeating: "long", count: 9) + "1"].map {
                try NewPlugin(kind, "swift", name: $0)
            }
        }
        let lint = try ChildProcess.run(
            "swift",
            [
                "format", "lint", "--strict", "--configuration",
                Checkout.root + "/.swift-format", "-r",
            ] + plugins.map(\.folder))
        #expect(lint.exit == .code(0) && lint.standardError.isEmpty, "\(lint)")
    }

    @Test(arguments: NewPlugin.kinds)
    func `the example test of a new plugin passes`(kind: String) throws {
        let plugin = try NewPlugin(kind, "swift")
        let run = try ChildProcess.run(
            "env", ["-C", plugin.folder, "swift", "test", "--disable-xctest"],
            environment: [
                "SWIFTPM_HOOKS_DIR": nil, "XDG_CACHE_HOME": Checkout.products + "/test-cache",
            ])
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        #expect(!run.text.contains("warning:") && !run.standardError.contains("warning:"), "\(run)")
    }

    @Test func `the printed commands work when pasted, and the README has the same`()
        throws
    {
        let folder = try TemporaryFolder()
        let run = try NewPlugin.begin(["camera", "my-first"], in: folder.path)
        #expect(run.exit == .code(0), "\(run)")
        let commands = run.text.components(separatedBy: "Next:\n").last?
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let commands, commands.count == 3 else { throw Failure("\(run.text)") }
        #expect(commands[1].hasSuffix(" validate ./.build/release/libMyFirstCamera.so"))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        if !Nightly.isOn { try Self.replaceSwift(in: folder) }
        let pasted = try ChildProcess.run(
            "sh",
            [
                "-euc",
                """
                cd '\(folder.path)'
                \(commands[0])
                \(commands[1])
                \(commands[2]) --virtual-clock
                """,
            ],
            environment: [
                "PATH": "\(folder("programs")):\(path)", "SWIFTPM_HOOKS_DIR": nil,
                "XDG_CACHE_HOME": Checkout.products + "/test-cache",
            ])
        #expect(pasted.exit == .code(0), "\(pasted)\n\(pasted.text)")
        #expect(pasted.text.contains("conforms"), "\(pasted.text)")
        #expect(!pasted.text.contains("warning"), "\(pasted.text)")
        #expect(try Y4MRecording(folder("my-first/recording/camera.y4m")).frameCount == 150)
        // SwiftPM resolved only the package that the tests need.
        let checkouts = try FileManager.default.contentsOfDirectory(
            atPath: folder("my-first/.build/checkouts"))
        #expect(checkouts == ["swift-system"])

        // The README has the same commands, with the program in the path, and one more.
        let readme = String(decoding: try readFile(folder("my-first/README.md")), as: UTF8.self)
        let block = readme.split(separator: "\n").filter { $0.hasPrefix("    ") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard block.count == 5 else { throw Failure(readme) }
        #expect(commands[0] == "cd my-first && \(block[1])")
        for (printed, read) in zip(commands.dropFirst(), block[2...]) {
            #expect(printed.hasSuffix(read.dropFirst("greenroom".count)), "\(readme)")
        }
        let read = try ChildProcess.run(
            "sh",
            [
                "-euc",
                "cd '\(folder("my-first"))'\n\(block[0])\n\(block[4]) --virtual-clock",
            ], environment: ["XDG_CACHE_HOME": Checkout.products + "/test-cache"])
        #expect(read.exit == .code(0), "\(read)\n\(read.text)\n\(readme)")
    }

    @Test(arguments: NewPlugin.kinds)
    func `a package in C needs only a shell and a C compiler, as its README says`(kind: String)
        throws
    {
        let plugin = try NewPlugin(kind, "c")
        let block = try plugin.text("README.md").split(separator: "\n").filter {
            $0.hasPrefix("    ")
        }
        guard block.count == 5 else { throw Failure("\(block)") }
        let run = try ChildProcess.run(
            "sh",
            [
                "-euc",
                """
                cd '\(plugin.folder)'
                \(block[0])
                \(block[1])
                \(block[3]) --virtual-clock --duration 500ms
                \(block[4]) --virtual-clock --duration 500ms
                """,
            ])
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test(
        arguments: [
            ("", "begins with a letter"), ("1st", "begins with a letter"), ("a b", "a-z, A-Z, 0-9"),
            ("a/b", "a-z, A-Z, 0-9"), ("..", "a-z, A-Z, 0-9"), ("a.b", "a-z, A-Z, 0-9"),
            ("café", "a-z, A-Z, 0-9"), ("a\nb", "a-z, A-Z, 0-9"), ("a\u{1b}[31m", "a-z, A-Z, 0-9"),
            ("a\"; exit(1)//", "a-z, A-Z, 0-9"), ("a_b", "a-z, A-Z, 0-9"),
            (String(repeating: "a", count: 41), "40 at most"), ("Greenroom", "choose another"),
        ])
    func `an invalid name is refused with the rule`(name: String, rule: String) throws {
        let folder = try TemporaryFolder()
        let run = try NewPlugin.begin(["camera", name], in: folder.path)
        #expect(run.exit == .code(64), "\(run)")
        #expect(run.standardError.contains(rule), "\(run)")
        #expect(!run.standardError.dropLast().contains { $0 == "\n" || $0 == "\u{1b}" }, "\(run)")
        #expect(try NewPlugin.files(in: folder.path).isEmpty)
        #expect(!folder.has(name.isEmpty ? "x" : name) || name == "..")
    }

    /// By day, one name of each sort.
    private static let names = Nightly.value(
        [
            ("camera", "Camera"), ("camera", "camera"), ("microphone", "Mic"),
            ("microphone", "Microphone"), ("microphone", "virtual-audio"), ("share", "Share"),
            ("share", "Screen"), ("share-audio", "Sound"), ("share-audio", "ScreenAudio"),
            ("pre-processor", "Filter"), ("camera", "MutableFrame"), ("share-audio", "class"),
            ("microphone", "self"), ("share", "Int"), ("camera", "Swift"),
            ("camera", "GreenroomPlugin"), ("pre-processor", "my-cam"), ("camera", "x-1-2-"),
            ("camera", "ColorBars"), ("output", "Output"), ("output", "Sink"),
            ("output", "FrameFolder"), ("speaker", "Loudspeaker"), ("speaker", "virtual-audio"),
            ("speaker", "Speaker"), ("receiver", "RawVideo"), ("call", "Call"), ("call", "Meeting"),
            ("call", "Loopback"),
        ],
        byDay: [
            ("camera", "Camera"), ("microphone", "Microphone"), ("share", "Int"),
            ("share-audio", "ScreenAudio"), ("pre-processor", "my-cam"), ("share-audio", "class"),
            ("output", "Output"), ("speaker", "virtual-audio"), ("call", "Call"),
        ])

    @Test(arguments: names)
    func `names of Swift or the SDK are valid names`(kind: String, name: String)
        throws
    {
        let swift = try NewPlugin(kind, "swift", name: name)
        let run = try TestPlugins.checkSwift(
            "\(swift.folder)/Sources/\(try swift.type).swift", module: try swift.type)
        #expect(run.exit == .code(0), "\(run)")
        let plugin = try NewPlugin(kind, "c", name: name)
        try plugin.build()
        let info = try Greenroom.run("plugin", "info", "\(plugin.folder)/\(name).so")
        #expect(info.exit == .code(0) && info.text.contains(name), "\(info)\n\(info.text)")
    }

    @Test func `a checkout's own name is refused, because it identifies the package`()
        throws
    {
        let folder = try TemporaryFolder()
        let name = Checkout.root.split(separator: "/").last ?? ""
        let run = try NewPlugin.begin(["camera", String(name).uppercased()], in: folder.path)
        // The name of a folder may be invalid for a plugin.
        let isName = name.wholeMatch(of: /[A-Za-z][A-Za-z0-9-]{0,39}/) != nil
        #expect(run.exit == .code(64), "\(run)")
        #expect(!isName || run.standardError.contains("choose another"), "\(run)")
    }

    @Test func `existing files are kept`() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "mine")
        mkdir(folder("empty"), 0o777)
        symlink("nowhere", folder("link"))
        for name in ["file", "empty", "link"] {
            let run = try NewPlugin.begin(["camera", name], in: folder.path)
            #expect(run.exit == .code(64), "\(run)")
            #expect(run.standardError.contains("already exists"), "\(run)")
        }
        #expect(try NewPlugin.files(in: folder.path) == ["file"])
        #expect(String(decoding: try readFile(folder("file")), as: UTF8.self) == "mine")
    }

    @Test func `an incomplete folder is removed`() throws {
        let folder = try TemporaryFolder()
        // A limit of 8 KiB for files: the sources fit, the header does not.
        let run = try ChildProcess.run(
            "sh",
            [
                "-c",
                """
                cd '\(folder.path)' && trap '' XFSZ && ulimit -f 16
                exec '\(Checkout.greenroom)' new share a --language c
                """,
            ])
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("a/greenroom/plugin.h: File too large"), "\(run)")
        #expect(!folder.has("a"))
        let nowhere = try NewPlugin.begin(["share", "a"], in: "/proc")
        #expect(nowhere.exit == .code(74), "\(nowhere)")
    }

    @Test func `a path to the checkout is relative if it is near, else absolute`() throws {
        let folder = try TemporaryFolder()
        let sources = [
            "Package.swift", "Sources/GreenroomPlugin/a.swift",
            "Sources/GreenroomABI/include/greenroom/plugin.h", "Plugins/exports.map",
        ]
        for folders in [
            "src", "src/checkout \"q\"", "src/checkout \"q\"/Plugins", "src/checkout \"q\"/Sources",
            "src/checkout \"q\"/Sources/GreenroomPlugin",
            "src/checkout \"q\"/Sources/GreenroomABI",
            "src/checkout \"q\"/Sources/GreenroomABI/include",
            "src/checkout \"q\"/Sources/GreenroomABI/include/greenroom", "src/mine",
            "src/mine/all",
        ] { mkdir(folder(folders), 0o777) }
        for source in sources { try folder.write("src/checkout \"q\"/\(source)", "/* */") }
        let checkout = folder("src/checkout \"q\"")
        for (place, path) in [
            ("src/checkout \"q\"", ".."), ("src/checkout \"q\"/Sources", "../.."),
            ("src", "../checkout \\\"q\\\""), ("src/mine", "../../checkout \\\"q\\\""),
            ("src/mine/all", checkout.replacingOccurrences(of: "\"", with: "\\\"")),
        ] {
            let run = try NewPlugin.begin(
                ["camera", "a", "--greenroom", checkout], in: folder(place))
            #expect(run.exit == .code(0), "\(run)")
            let manifest = String(
                decoding: try readFile(folder("\(place)/a/Package.swift")), as: UTF8.self)
            #expect(manifest.contains("let greenroom = \"\(path)\""), "\(place):\n\(manifest)")
        }
        let none = try NewPlugin.begin(["camera", "b", "--greenroom", "mine"], in: folder("src"))
        #expect(
            none.exit == .code(64) && none.standardError.contains("--greenroom mine"), "\(none)")
    }

    @Test func `an installed program needs --greenroom, or the header beside it`()
        throws
    {
        let folder = try TemporaryFolder()
        for name in ["bin", "include", "include/greenroom"] { mkdir(folder(name), 0o777) }
        let program = folder("bin/greenroom")
        // Copied by another process: otherwise a child of another test could hold it open.
        let copy = try ChildProcess.run("cp", [Checkout.greenroom, program])
        #expect(copy.exit == .code(0), "\(copy)")
        for (number, language) in NewPlugin.languages.enumerated() {
            let run = try NewPlugin.begin(
                ["camera", "a", "--language", language], in: folder.path, program: program)
            #expect(run.exit == .code(64), "\(run)")
            #expect(run.standardError.contains("--greenroom PATH"), "\(run)")
            #expect(!folder.has("a"))
            let told = try NewPlugin.begin(
                [
                    "camera", "told-\(number)", "--language", language, "--greenroom",
                    Checkout.root,
                ],
                in: folder.path, program: program)
            #expect(told.exit == .code(0), "\(told)")
        }
        for header in ["plugin.h", "send.h", "base.h"] {
            let path = "greenroom/\(header)"
            try folder.write("include/\(path)", try readFile("\(Checkout.include)/\(path)"))
        }
        let run = try NewPlugin.begin(
            ["camera", "a", "--language", "c"], in: folder.path, program: program,
            environment: ["PATH": "\(folder("bin")):/usr/bin:/bin"])
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.text.contains("\n    greenroom run session.yaml"), "it is on the path")
        #expect(
            try readFile(folder("a/greenroom/plugin.h"))
                == readFile(folder("include/greenroom/plugin.h")))
    }

    /// Expects no refusals and no warnings about the plugin.
    private func expectFine(
        _ run: Finished, _ plugin: NewPlugin, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(run.exit == .code(0), "\(run)", sourceLocation: sourceLocation)
        #expect(!run.standardError.contains("warning"), "\(run)", sourceLocation: sourceLocation)
        let report = try plugin.report()
        let tracks = (report.participants ?? []).flatMap(\.tracks)
        // Tracks of participants close with the session. Their call runs until it has all media, and
        // hears of the end from its next send.
        let refused = tracks.map { $0.video?.refused ?? $0.audio?.refused ?? [:] }
        #expect(refused.allSatisfy { $0.isEmpty || $0 == ["STOPPED": 1] }, "\(refused)\n\(run)")
        #expect(report.videoTracks.allSatisfy { $0.refused.isEmpty }, "\(run)")
        #expect(report.audioTracks.allSatisfy { $0.refused.isEmpty }, "\(run)")
        for picture in report.videoTracks + tracks.compactMap(\.video) {
            #expect(picture.unprocessed.total == 0, "\(run)", sourceLocation: sourceLocation)
            #expect(picture.stamps.missing == 0 && picture.stamps.backward == 0)
        }
        for sound in report.audioTracks + tracks.compactMap(\.audio) {
            #expect(sound.stamps.missing == 0 && sound.stamps.backward == 0)
        }
    }

    /// The number of stripes in a row of a frame: falling edges of luma.
    private func stripes(in frame: YUVImage) -> Int {
        let row = frame.y.prefix(frame.width)
        return zip(row, row.dropFirst()).filter { Int($0) - Int($1) > 100 }.count
    }

    /// By day `swift build` only resolves the package, and takes the library that other tests have
    /// built of the same source: to compile the SDK once more takes as long as half of this suite.
    private static func replaceSwift(in folder: TemporaryFolder) throws {
        let swift = try ChildProcess.run("sh", ["-c", "command -v swift"]).text
            .trimmingCharacters(in: .newlines)
        let plugin = try NewPlugin("camera", "swift")
        try plugin.build()
        mkdir(folder("programs"), 0o755)
        try folder.write("library.so", try readFile("\(plugin.folder)/\(try plugin.library)"))
        try folder.writeProgram(
            "programs/swift",
            """
            #!/bin/sh
            set -eu
            [ "$*" = "build -c release" ]
            '\(swift)' package show-dependencies
            mkdir -p .build/release
            cp '\(folder("library.so"))' '\(try plugin.library)'

            """)
    }
}
