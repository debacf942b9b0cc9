import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension TerminalTextTests {
    @Test func `check, run and live events print no control characters`() throws {
        let file = try session("recording")
        for arguments in [["check"], ["check", "--json"], ["run"], ["run", "--json"]] {
            let run = try Greenroom.start(arguments + [file]).wait()
            expectPlain(run)
            // The second run finds the recording of the first.
            #expect(run.exit == .code(arguments == ["run", "--json"] ? 74 : 0), "\(run)")
            if arguments == ["check"] {
                #expect(run.text.contains("exec cat > /dev/null #"), "\(run)")
                #expect(run.text.contains("only files that you trust"), "\(run)")
            }
            // JSON keeps each character, escaped.
            if arguments.last == "--json" {
                #expect(run.text.contains(#"\u001b[2K\u009b1A\u202e\"#), "\(run)")
            }
        }
    }

    @Test func `a path with a line break does not begin a new line of output`() throws {
        let made = folder("a\nforged: 1\(Self.escapes)")
        mkdir(made, 0o755)
        let file = "\(made)/s.yaml"
        let text = """
            session: { duration: 100ms, maximum: 320x180@15, clock: virtual }
            camera: { plugin: ColorBars }
            outputs: [{ record: recording }]
            """
        try folder.write("a\nforged: 1\(Self.escapes)/s.yaml", text)
        for command in ["check", "run"] {
            let run = try Greenroom.run(command, file)
            expectPlain(run)
            #expect(run.exit == .code(0), "\(run)")
        }
        try folder.write("a\nforged: 1\(Self.escapes)/s.yaml", text + "\nwrong: 1")
        for command in ["check", "run"] {
            let run = try Greenroom.run(command, file)
            expectPlain(run)
            #expect(run.exit == .code(65), "\(run)")
        }
        for arguments in [
            ["check", made], ["check", "\(made)/none"], ["plugin", "info", "\(made)/none.so"],
            ["preview", "\(made)/none.so"], ["validate", "\(made)/none.so"],
            ["plugin", "install", "\(made)/none.so"], ["plugin", "remove", Self.escapes],
            ["status", Self.escapes], ["new", "camera", Self.escapes], [Self.escapes],
            ["run", "--port", Self.escapes], ["run", file, "--set", Self.escapes],
            ["run", file, "--metrics", "\(made)/none/metrics"],
        ] {
            let run = try Greenroom.start(arguments).wait()
            expectPlain(run)
            #expect(run.exit != .code(0) && !run.standardError.isEmpty, "\(run)")
        }
    }

    @Test func `installing, listing and removing a plugin prints no control characters`() throws {
        let part = "dep\n  forged\(Self.escapes)"
        for made in ["dev", "dev/\(part)", "home"] { mkdir(folder(made), 0o755) }
        try folder.write("helper.c", "int helper(void) { return 1; }\n")
        func compile(_ words: String...) throws {
            let run = try ChildProcess.run(
                "cc", ["-shared", "-fPIC", "-pthread", "-I", Checkout.include] + words)
            guard run.exit == .code(0) else { throw TestSupport.Failure("\(run)") }
        }
        let helper = folder("dev/\(part)/libhelper.so.1")
        try compile(folder("helper.c"), "-o", helper, "-Wl,-soname,libhelper.so.1")
        let library = folder("dev/cam\(Self.escapes).so")
        try compile(
            Checkout.root + "/Samples/c-camera/camera.c", "-o", library, "-Wl,--no-as-needed",
            helper, "-Xlinker", "-rpath=$ORIGIN/\(part)")
        let environment: [String: String?] = [
            "HOME": folder("home"), "XDG_CACHE_HOME": folder("cache"),
        ]
        for arguments in [
            ["plugin", "install", library], ["plugins"], ["plugins", "--json"],
            ["plugin", "info", "CCamera"], ["plugin", "info", "CCamera", "--json"],
            ["validate", "CCamera", "--only", "load", "--format", "junit"],
            ["plugin", "remove", "CCamera"],
        ] {
            let run = try Greenroom.start(arguments, environment: environment)
                .wait()
            expectPlain(run)
            #expect(run.exit == .code(0), "\(run)")
            if arguments.count == 3, arguments[1] == "remove" {
                #expect(run.text.split(separator: "\n").count == 2, "\(run)")
            }
        }
    }

    /// Expects that no output of a run controls a terminal, and that none of its lines begins with a word.
    private func expectPlain(
        _ run: Finished, forged word: String = "forged",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for text in [run.text, run.standardError] {
            let controls = text.unicodeScalars.filter { scalar in
                switch scalar.properties.generalCategory {
                case .control: scalar != "\n"
                case .format, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            }
            #expect(controls.isEmpty, "\(controls) in \(run)", sourceLocation: sourceLocation)
        }
        let lines = (run.text + "\n" + run.standardError).split(separator: "\n")
        #expect(
            !lines.contains { $0.drop { $0 == " " }.hasPrefix(word) }, "\(run)",
            sourceLocation: sourceLocation)
    }

    private func session(_ folderName: String) throws -> String {
        try folder.write(
            "s.yaml",
            #"""
            session:
              name: "demo\#(Self.yaml)"
              duration: 100ms
              maximum: 320x180@15
              clock: virtual
            camera:
              plugin: ColorBars
              isolation: process
              allow: { read: ["/tmp/none\#(Self.yaml)"] }
            outputs:
              - record: "\#(folderName)\#(Self.yaml)"
              - plugin: Command
                settings: { command: [sh, -c, "exec cat > /dev/null # \#(Self.yaml)"] }
            """#)
    }

    /// The escapes, as YAML and JSON write them.
    private static let yaml = #"\u001b[2K\u009b1A\u202e\r\u0007"#
}
