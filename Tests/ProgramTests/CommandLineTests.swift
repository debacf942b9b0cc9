import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests commands that run no session, and their exit codes.
@Suite(.ownThreads) struct CommandLineTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func json(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }

    @Test func `the versions match the changelog and the interface`() throws {
        let changelog = String(
            decoding: try readFile(Checkout.root + "/CHANGELOG.md"), as: UTF8.self)
        let newest = try #require(changelog.firstMatch(of: #/\n## \[([0-9.]+)\]/#))
        let run = try Greenroom.run("--version")
        #expect(run.exit == .code(0) && run.text == "\(newest.1)\n", "\(run)")

        let interface = try #require(
            changelog.firstMatch(of: #/\nBinary interface: ([0-9.]+)\.\n/#))
        let header = String(
            decoding: try readFile(Checkout.include + "/greenroom/plugin.h"), as: UTF8.self)
        let parts = try ["MAJOR", "MINOR"].map { part in
            let definition = try Regex("#define GR_ABI_\(part) ([0-9]+)\n")
            return try #require(header.firstMatch(of: definition)?.output[1].substring)
        }
        #expect(interface.1 == parts.joined(separator: "."))
    }

    @Test(
        arguments: [
            (["rnu", "x.yaml"], #"unknown command "rnu". Did you mean "run"?"#),
            (["help", "runn"], #"unknown command "runn". Did you mean "run"?"#),
            (["halp"], #"unknown command "halp". Did you mean "help"?"#),
            (
                ["plugin", "instal", "x.so"],
                #"unknown command "instal". Did you mean "install"? greenroom plugin --help"#
            ),
            (["help", "plugin", "inof"], #"unknown command "inof". Did you mean "info"?"#),
            (["dance"], #"unknown command "dance". greenroom --help lists the commands."#),
            (["run", "x.yaml", "--virtal-clock"], "Did you mean '--virtual-clock'?"),
        ] as [([String], String)])
    func `a mistyped command or option is answered with the nearest one`(
        arguments: [String], words: String
    ) throws {
        let run = try Greenroom.start(arguments).wait()
        #expect(run.exit == .code(64) && run.standardError.contains(words), "\(run)")
    }

    @Test func `help of a command is printed`() throws {
        for arguments in [["help"], ["help", "run"], ["help", "plugin", "install"], ["--help"]] {
            let run = try Greenroom.start(arguments).wait()
            #expect(run.exit == .code(0) && run.text.contains("USAGE: greenroom"), "\(run)")
        }
    }

    @Test func `check describes the session`() throws {
        let file = try folder.write(
            "s.yaml",
            """
            camera: { plugin: ColorBars, settings: { pattern: grey } }
            outputs: [{ record: { folder: out, size: 640x360, fit: crop } }]
            """)
        let run = try Greenroom.run("check", file, "--duration", "90s")
        #expect(run.exit == .code(0), "\(run)")
        for words in [
            "\(file): fine", "s, at most 1920x1080@30, for 1m30s", "ColorBars { pattern: grey",
            "test-", "/out, 640x360, crop",
        ] {
            #expect(run.text.contains(words), "says nothing of \(words):\n\(run.text)")
        }
        #expect(!folder.has("out"), "a check makes nothing")
    }

    @Test func `run refuses a bad file before anything runs`() throws {
        let file = try folder.write(
            "s.yaml", "camra: { plugin: ColorBars }\noutputs: [{ record: out }]")
        let run = try Greenroom.run("run", file)
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError.hasPrefix("\(file):1:1: camra: unknown key. Did you mean"))
        #expect(!folder.has("out"))
    }

    @Test(arguments: ["> /dev/full 2>&1", "2> /dev/full", "--json > /dev/full"])
    func `a run whose events cannot be printed ends with the code of a failed output`(
        redirection: String
    ) throws {
        let file = try folder.write(
            "s.yaml",
            "session: { maximum: 320x180@15, duration: 200ms, clock: virtual }\n"
                + "camera: { plugin: ColorBars }")
        let run = try ChildProcess.run(
            "sh", ["-c", "'\(Checkout.greenroom)' run '\(file)' \(redirection)"])
        #expect(run.exit == .code(74), "\(run)")
    }

    @Test func `a missing file and wrong arguments have their own exit codes`() throws {
        let missing = try Greenroom.run("check", folder("nothing.yaml"))
        #expect(missing.exit == .code(65), "\(missing)")
        #expect(missing.standardError.contains("nothing.yaml: No such file or directory"))
        #expect(try Greenroom.run("check").exit == .code(64))
        #expect(try Greenroom.run("run", "--sett", "a=b", "x.yaml").exit == .code(64))
    }

    @Test func `plugins are listed as text and as JSON`() throws {
        let people = try Greenroom.run("plugins")
        #expect(people.text.contains("ColorBars"))
        let list = try json(try Greenroom.run("plugins", "--json").text)
        let plugins = try #require(list["plugins"] as? [[String: Any]])
        let names = plugins.compactMap { $0["name"] as? String }
        #expect(Set(names).isSuperset(of: ["ColorBars", "Tone", "Slides", "Watermark", "Adjust"]))
        let info = try json(try Greenroom.run("plugin", "info", "Tone", "--json").text)
        let settings = try #require(info["settings"] as? [[String: Any]])
        #expect(settings.contains { $0["name"] as? String == "frequency" })
        let text = try Greenroom.run("plugin", "info", "Tone").text
        #expect(text.contains("integer 8000 to 192000 Hz"), "\(text)")
    }

    @Test func `the help and the manual have the same exit codes`() throws {
        let help = try Greenroom.run("--help").text
        let manual = String(
            decoding: try readFile(Checkout.root + "/docs/manual/commands.md"), as: UTF8.self)
        let rows = manual.split(separator: "\n").compactMap { line -> String? in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
            }
            return cells.count == 2 && Int(cells[0]) != nil ? "  \(cells[0])  \(cells[1])" : nil
        }
        #expect(rows.count == 8)
        for row in rows { #expect(help.contains(row + "\n"), "\(row)") }
    }
}
