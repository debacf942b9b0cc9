import GreenroomConfig
@testable import GreenroomSchema
import GreenroomMedia
import GreenroomModel
import GreenroomLifecycle
@testable import GreenroomSession
import TestSupport
import Testing

@Suite struct ControlLineTests {
    @Test(
        arguments: [
            ("ceiling 640x360@15", .command(.ceiling(.camera, VideoCapability("640x360@15")))),
            (
                "ceiling 1280x720@30000/1001",
                .command(.ceiling(.camera, VideoCapability("1280x720@30000/1001")))
            ),
            ("ceiling none", .command(.ceiling(.camera, nil))),
            ("share-ceiling 1280x720@5", .command(.ceiling(.share, VideoCapability("1280x720@5")))),
            ("share-ceiling none", .command(.ceiling(.share, nil))),
            ("mute", .command(.stop(.microphone))), ("unmute", .command(.start(.microphone))),
            ("pause share", .command(.stop(.share))),
            ("resume share", .command(.start(.share))),
            ("stop camera", .command(.stop(.camera))),
            ("start camera", .command(.start(.camera))),
            ("explain", .command(.explain)), ("stop", .stop), ("help", .help),
            ("", .nothing), (" \t ", .nothing), ("# mute", .nothing), ("  #mute", .nothing),
            ("  mute\t", .command(.stop(.microphone))),
            ("pause \t  share", .command(.stop(.share))),
            (
                "set camera.settings.pattern=grey",
                .command(.set(PluginAddress(.camera), name: "pattern", value: .string("grey")))
            ),
            (
                "\tset\tmicrophone.settings.level=-20.5  ",
                .command(.set(PluginAddress(.microphone), name: "level", value: .number(-20.5)))
            ),
            (
                "set camera.pre-processors[12].settings.mirror=true",
                .command(
                    .set(PluginAddress(.camera, filter: 12), name: "mirror", value: .boolean(true)))
            ),
            (
                "set outputs[3].settings.every=10",
                .command(.set(.output(3), name: "every", value: .integer(10)))
            ),
            (
                "set share.settings.text=two  words # and more = all",
                .command(
                    .set(
                        PluginAddress(.share), name: "text",
                        value: .string("two  words # and more = all")))
            ),
            (
                "set share.audio.settings.text=\" 5 \"",
                .command(.set(PluginAddress(.shareAudio), name: "text", value: .string(" 5 ")))
            ),
            (
                "set camera.settings.text=",
                .command(.set(PluginAddress(.camera), name: "text", value: .string("")))
            ),
        ] as [(String, ControlLine)])
    func `a valid line is read`(text: String, line: ControlLine) throws {
        #expect(try ControlLine(text) == line)
    }

    @Test(arguments: [
        ("mut", #"unknown command "mut". Did you mean "mute"?"#),
        ("Mute", #"unknown command "Mute". Did you mean "mute"?"#),
        ("mute now", #""mute" takes no value, found "now". Remove it."#),
        ("unmute the microphone", #""unmute" takes no value, found "the microphone". Remove it."#),
        ("explain camera", #""explain" takes no value, found "camera". Remove it."#),
        ("pause", #"unknown command "pause". Write "pause share"."#),
        (
            "resume the share",
            #"unknown command "resume the share". Did you mean "resume share"?"#
        ),
        ("stop camra", #"unknown command "stop camra". Did you mean "stop camera"?"#),
        ("start", #"unknown command "start". Write "start camera" or "start stage"."#),
        ("xyzzy", #"unknown command "xyzzy". "help" lists the commands."#),
        ("\u{1F600}", "unknown command \"\u{1F600}\". \"help\" lists the commands."),
        (
            "ceiling",
            #""ceiling" needs a size and a frame rate such as 640x360@15, or none, found nothing."#
        ),
        (
            "ceiling 640x360",
            #""ceiling" needs a size and a frame rate such as 640x360@15, or none, found "#
                + #""640x360"."#
        ),
        (
            "ceiling 640x360@15 now",
            #""ceiling" needs a size and a frame rate such as 640x360@15, or none, found "#
                + #""640x360@15 now"."#
        ),
        (
            "share-ceiling +640x360@15",
            #""share-ceiling" needs a size and a frame rate such as 640x360@15, or none, found "#
                + #""+640x360@15"."#
        ),
        (
            "ceiling 9999x9999@30",
            #""ceiling" needs a size and a frame rate such as 640x360@15, or none, found "#
                + #""9999x9999@30"."#
        ),
        ("set", #""set": needs PATH=VALUE, such as camera.settings.pattern=grey."#),
        ("set a b", #""set": needs PATH=VALUE, such as camera.settings.pattern=grey."#),
        (
            "set camera.settings[0]=1",
            #""set": "camera.settings[0]" is not a setting of a plugin, and nothing else can be set "#
                + "while the session runs. Examples of paths: camera.settings.pattern, "
                + "camera.pre-processors[0].settings.opacity, share.audio.settings.level."
        ),
        (
            "set camera.settings.a={b: 1}",
            #""set": camera.settings.a: needs a single value, found a section."#
        ),
        (
            "set camera.settings.a='b",
            #""set": camera.settings.a: the quote that begins here has no end. Close it."#
        ),
        ("\u{202E}xyzzy", "unknown command \"\u{FFFD}xyzzy\". \"help\" lists the commands."),
        ("mute\u{0}", "a command cannot contain the character U+0000. Remove it."),
        ("\u{1B}[31mmute", "a command cannot contain the character U+001B. Remove it."),
        ("mute\rmute", "a command cannot contain the character U+000D. Remove it."),
    ])
    func `an invalid line is reported with its fix`(text: String, message: String) {
        let error = #expect(throws: CommandError.self) { try ControlLine(text) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        ParameterValue.boolean(true), .integer(-5), .number(0.25), .number(1e300),
        .string("grey"), .string(""), .string("5"), .string("true"), .string(" a "),
        .string("[a"), .string("\"q\""), .string("'"), .string("{"), .string("a=b # c"),
        .string("null"), .string("ä \\ é"), .string("~"), .string("-"), .string("1e999"),
    ])
    func `a command survives conversion to text`(value: ParameterValue) throws {
        let roles = SessionRole.allCases.map { PluginAddress($0) }
        let filters = [0, 7].map { PluginAddress(.camera, filter: $0) }
        for address in roles + filters {
            let command = SessionCommand.set(address, name: "x", value: value)
            #expect(try ControlLine(command.line) == .command(command))
        }
    }

    @Test(
        arguments: [
            ("set outputs[0].except=[Ana, \"Ben Jr\"]", .output(0), ["Ana", "Ben Jr"]),
            ("set stage.except=[]", .source(.stage), []),
            ("set stages.wide.except=['42']", nil, ["42"]),
        ] as [(String, PluginAddress?, [String])])
    func `a command sets the names of the people whom an output or a stage leaves out`(
        line: String, address: PluginAddress?, names: [String]
    ) throws {
        guard case .command(let command) = try ControlLine(line),
            case .except(let found, let read) = command
        else {
            Issue.record("\(line) is another command")
            return
        }
        #expect(read == names && (address.map { $0 == found } ?? true))
        #expect(try ControlLine(command.line) == .command(command))
    }

    @Test(
        arguments: [
            ("gain microphone -6", .gain(.source(.microphone), decibels: -6)),
            ("gain participant Ana Maria 3.5", .gain(.participant("Ana Maria"), decibels: 3.5)),
            (
                "gain outputs[2] full-mix 0",
                .gain(.output(.output(2), track: "full-mix"), decibels: 0)
            ),
            ("delay share-audio 120ms", .delay(.source(.shareAudio), .milliseconds(120))),
            ("delay participant 42 0s", .delay(.participant("42"), .zero)),
            (
                "delay camera.desk 2s",
                .delay(.source(SessionRole(.camera, name: "desk")), .seconds(2))
            ),
            (
                "delay participant Ana B video 80ms",
                .delay(.participantVideo("Ana B"), .milliseconds(80))
            ),
            ("delay participant video 80ms", .delay(.participant("video"), .milliseconds(80))),
            ("gain participant Ana video 1", .gain(.participant("Ana video"), decibels: 1)),
        ] as [(String, SessionCommand)])
    func `a gain or delay command names the track that it changes`(
        line: String, command: SessionCommand
    ) throws {
        #expect(try ControlLine(line) == .command(command))
        #expect(try ControlLine(command.line) == .command(command))
    }

    @Test(arguments: [
        "gain", "gain microphone", "gain camera -6", "gain microphone 25", "gain microphone nan",
        "gain participant 3", "gain outputs[0] camera 1", "gain outputs[0] 1",
        "delay microphone 3s",
        "delay microphone -1s", "delay microphone 5", "gain outputs[x] mix 1", "delay camera 3s",
        "delay outputs[0] camera 1s",
    ])
    func `a gain or delay out of bounds, and a gain of video, are errors`(line: String) {
        #expect(throws: CommandError.self) { try ControlLine(line) }
    }

    @Test(arguments: [
        ("delay outputs[0] camera 1s", "delay camera 120ms"), ("gain share 3", "only audio"),
    ])
    func `the error of a gain or delay that video cannot have names the reason`(
        line: String, text: String
    ) {
        let error = #expect(throws: CommandError.self) { try ControlLine(line) }
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }

    @Test(arguments: ["camera.except=[Ana]", "call.except=[]", "outputs[0].except={}"])
    func `only outputs and stages leave people out`(assignment: String) {
        #expect(throws: CommandError.self) { try ControlLine("set \(assignment)") }
    }

    @Test func `every action and ceiling survives conversion to text`() throws {
        let limits = [nil, VideoCapability("640x360@15"), VideoCapability("212x160@30000/1001")]
        let ceilings = [SessionRole.camera, .share].flatMap { role in
            limits.map { SessionCommand.ceiling(role, $0) }
        }
        #expect(SessionCommand.phrases.count == 11)
        for command in SessionCommand.phrases.map(\.command) + ceilings {
            #expect(try ControlLine(command.line) == .command(command))
        }
    }

    @Test(
        arguments: [
            ("message hello there", nil, "hello there"),
            ("  message   from Ana B: hi: all ", "Ana B", "hi: all"),
            ("message from here on", nil, "from here on"),
        ] as [(String, String?, String)])
    func `a message has a text and may name its author`(line: String, author: String?, text: String)
        throws
    {
        let command = SessionCommand.message(author: author, text: text)
        #expect(try ControlLine(line) == .command(command))
        #expect(try ControlLine(command.line) == .command(command))
    }

    @Test(arguments: [
        ("message", "\"message\": a message needs 1 to 2000 bytes, found 0."),
        ("message from  : hi", "\"message\": the name after \"from\" needs 1 to 100 bytes."),
        ("advance", "\"advance\" needs a time, such as 500ms or 2s."),
        ("advance 5", "\"advance\" needs a time, such as 500ms or 2s."),
    ])
    func `an error about a wrong message or time names the rule`(line: String, problem: String) {
        let error = #expect(throws: CommandError.self) { try ControlLine(line) }
        #expect(error?.description == problem)
    }

    @Test func `the help shows valid lines`() throws {
        #expect(ControlLine.commands.count == 23)
        for (line, meaning) in ControlLine.commands {
            _ = try ControlLine(line.replacing("|none", with: ""))
            #expect(!meaning.isEmpty)
        }
    }

    @Test func `timelines and control lines use the same words`() throws {
        let file = try read(
            """
            camera: { plugin: A }
            timeline: [{ at: 1s, ceiling: 640x360@15 }, { at: 2s, set: camera.settings.a="5" }]
            """)
        let lines = ["ceiling 640x360@15", "set camera.settings.a=\"5\""]
        #expect(
            try lines.map { try ControlLine($0) }
                == file.configuration.timeline.map { .command($0.command) })
    }
}

@Suite struct ControlLinesTests {
    /// The message for each line.
    private func told(_ lines: [ControlLines.Numbered]) -> [String] {
        lines.map { line in
            switch line.result {
            case .success(let line): "\(line)"
            case .failure(let problem): problem.description
            }
        }
    }

    @Test func `control lines are the same however the input is split`() {
        let text = Array("mute\r\n\n# note\npause share\nmut\nset camera.settings.a=ä\nstop".utf8)
        let whole: [String] = {
            var lines = ControlLines()
            return told(lines.append(text) + (lines.finish().map { [$0] } ?? []))
        }()
        #expect(whole.count == 7)
        #expect(whole[4] == #"unknown command "mut". Did you mean "mute"?"#)
        #expect(whole.last == "\(ControlLine.stop)")
        for size in 1...9 {
            var lines = ControlLines()
            var found: [ControlLines.Numbered] = []
            for start in stride(from: 0, to: text.count, by: size) {
                found += lines.append(text[start..<min(start + size, text.count)])
            }
            if let last = lines.finish() { found.append(last) }
            #expect(told(found) == whole)
            #expect(found.map(\.number) == Array(1...7))
        }
    }

    @Test func `an endless line is refused in bounded memory`() {
        var lines = ControlLines()
        let megabyte = [UInt8](repeating: UInt8(ascii: "m"), count: 1 << 20)
        #expect(lines.append(megabyte).isEmpty)
        #expect(
            told(lines.append(Array("\nmute\n".utf8))) == [
                "the line is too long. A command has at most 4096 bytes.",
                "\(ControlLine.command(.stop(.microphone)))",
            ])
    }

    @Test func `a line of the maximum length is read`() throws {
        var lines = ControlLines()
        let start = "set camera.settings.a="
        let value = String(repeating: "x", count: ControlLines.maximumBytes - start.utf8.count)
        let found = lines.append(Array("\(start)\(value)\n\(start)\(value)y\n".utf8))
        #expect(
            try found[0].result.get()
                == .command(.set(PluginAddress(.camera), name: "a", value: .string(value))))
        #expect(throws: CommandError.self) { try found[1].result.get() }
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x0A], "the line is not UTF-8."),
            ([0x6D, 0xC3, 0x0A], "the line is not UTF-8."),
            ([0x00, 0x0A], "a command cannot contain the character U+0000. Remove it."),
            (
                [0x6D, 0x75, 0x74, 0x65, 0x00, 0x0A],
                "a command cannot contain the character U+0000. Remove it."
            ),
            (
                [0x6D, 0x0D, 0x0D, 0x0A],
                "a command cannot contain the character U+000D. Remove it."
            ),
        ] as [([UInt8], String)])
    func `invalid text is refused, and the next line is read`(
        bytes: [UInt8], message: String
    ) {
        var lines = ControlLines()
        #expect(
            told(lines.append(bytes + Array("help\n".utf8))) == [message, "\(ControlLine.help)"])
        #expect(lines.finish().map(\.number) == nil)
    }

    @Test func `no bytes crash the reader`() {
        var random = SeededGenerator(seed: 20_260_721)
        let seeds = ControlLine.commands.map { Array($0.line.utf8) }
        var lines = ControlLines()
        var number = 0
        for _ in 0..<20_000 {
            var bytes = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let at = Int.random(in: 0...bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
                } else {
                    bytes.removeSubrange(at..<min(bytes.count, at + 2))
                }
            }
            for line in lines.append(bytes + [0x0A]) {
                number += 1
                #expect(line.number == number)
                if case .failure(let problem) = line.result {
                    #expect(!problem.description.isEmpty)
                }
            }
        }
        #expect(number >= 20_000)
    }
}
