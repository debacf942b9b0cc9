import Foundation
import TestSupport
import Testing

/// What the commands say that run nothing, and their exit codes.
@Suite struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func json(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }

    private static let faulty = """
        camera:
          plugin: ColorBars
          settings: { patern: grey, pattern: gray }
        microphone: { plugin: Tonne }
        share: { plugin: Tone }
        """

    @Test func `check tells what would run`() throws {
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

    @Test func `check tells every fault that only plugins know, at its place`() throws {
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

    @Test func `check tells the same to programs`() throws {
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
        #expect(good.exit == .code(65), "a camera is no share: \(good.text)")
        let argument = try #require(try json(good.text)["faults"] as? [[String: Any]])
        #expect(argument.count == 1)
        #expect((argument.first?["argument"] as? String)?.hasPrefix("--set share={") == true)
    }

    @Test func `run refuses a bad file before anything runs`() throws {
        let file = try folder.write(
            "s.yaml", "camra: { plugin: ColorBars }\noutputs: [{ record: out }]")
        let run = try Greenroom.run("run", file)
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError.hasPrefix("\(file):1:1: camra: unknown key. Did you mean"))
        #expect(!folder.has("out"))
    }

    @Test func `a file that is not there and wrong arguments have exit codes of their own`() throws
    {
        let missing = try Greenroom.run("check", folder("nothing.yaml"))
        #expect(missing.exit == .code(65), "\(missing)")
        #expect(missing.standardError.contains("nothing.yaml: No such file or directory"))
        #expect(try Greenroom.run("check").exit == .code(64))
        #expect(try Greenroom.run("run", "--sett", "a=b", "x.yaml").exit == .code(64))
    }

    @Test func `schema prints a JSON Schema`() throws {
        let run = try Greenroom.run("schema")
        #expect(run.exit == .code(0), "\(run)")
        let schema = try json(run.text)
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    }

    @Test func `plugins are listed for people and for programs`() throws {
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

    @Test func `the help has every exit code`() throws {
        let help = try Greenroom.run("--help").text
        for code in ["0", "64", "65", "69", "74", "130"] {
            #expect(help.contains("  \(code)  "), "says nothing of \(code)")
        }
    }
}
