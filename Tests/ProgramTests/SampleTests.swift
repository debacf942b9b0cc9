import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that the samples work as their first lines describe.
@Suite(.ownThreads) struct SampleTests {
    static let folder = Checkout.root + "/Samples"

    /// The session files of the samples, from `Samples/`. `Tests/Python/run.sh` tests those in Python, in an
    /// environment with their packages.
    static func files() throws -> [String] {
        guard let all = FileManager.default.enumerator(atPath: folder) else {
            throw Failure("can't list \(folder)")
        }
        return all.compactMap { $0 as? String }
            .filter { $0.hasSuffix(".yaml") && !$0.contains(".build/") && !$0.hasPrefix("python/") }
            .sorted()
    }

    /// Replacements for libraries that a sample needs to be built.
    static func arguments(for file: String) throws -> [String] {
        switch file {
        // Those in other languages are built and validated by `BroughtCodeTests`.
        case "c-camera/session.yaml", "rust-camera/session.yaml":
            ["--set", "camera.plugin=\(try TestPlugins.cCamera())"]
        case "VendorStyle/broadcast.yaml":
            try ["call": "BufferExtension", "camera": "BufferApp"].flatMap { role, name in
                let library = try VendorStyle.library("BroadcastListings")
                // Beside the products the library counts as bundled.
                return [
                    "--set", "\(role).plugin=\(library)#\(name)", "--set",
                    "\(role).isolation=process",
                ]
            }
        case "VendorStyle/session.yaml":
            [
                "--set",
                "camera.plugin=\(try VendorStyle.library("ZoomListings"))#ZoomCamera", "--set",
                "microphone.plugin=\(try VendorStyle.library("ZoomListings"))#ZoomMicrophone",
            ]
        case "ThirdPartyBot/session.yaml":
            try ["camera", "microphone", "outputs[0]"].flatMap {
                ["--set", "\($0).plugin=\(try parrot.get())"]
            }
        case "ThirdPartyCamera/session.yaml": ["--set", "camera.plugin=\(try thirdParty.get())"]
        default: []
        }
    }

    /// The plugin of the package `ThirdPartyCamera`. At night the package is built as its README
    /// describes, but beside the products; by day `NewCommandTests` builds a package.
    private static let thirdParty = Result {
        guard Nightly.isOn else {
            return try TestPlugins.buildSwift(
                "plasma", from: folder + "/ThirdPartyCamera/Sources/Plasma/Plasma.swift",
                module: "Plasma")
        }
        // Its tests need all of Greenroom.
        return try SampleProgram.buildPackage("ThirdPartyCamera", ["--product", "Plasma"])
            + "/libPlasma.so"
    }

    private static let parrot = Result {
        try TestPlugins.buildSwift(
            "parrot", from: folder + "/ThirdPartyBot/Sources/Parrot/Parrot.swift", module: "Parrot")
    }

    @Test(arguments: ["host", "process"])
    func `the parts of a bot in Swift are one object, even in a process`(isolation: String) throws {
        let library = try Self.parrot.get()
        let session = try FileSession(
            """
            camera: { plugin: \(library) }
            microphone: { plugin: \(library) }
            call: { plugin: LoopbackCall, settings: { script: "Ana 0s microphone mute=1s" } }
            """, maximum: "320x180@15", duration: "2s", clock: "virtual",
            outputs: "[{ plugin: \(library), allow: { control: true } }, { record: recording }]")
        let run = try session.run(["--set", "session.isolation=\(isolation)"])
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("Ana speaks in track"), "\(run)")
        let voice = try WAVRecording("\(session.recording)/camera.wav").channels[0]
        // Ana speaks for a second, and the bot is silent when it has said that again.
        #expect(voice.count { abs($0) > 1000 } > 20_000, "\(voice.count { $0 != 0 })")
        #expect(voice.suffix(9600).allSatisfy { $0 == 0 })
        let luma = try readFile("\(session.recording)/camera.y4m")
        // Brighter while it speaks; each frame has a header of six bytes.
        let frame = 320 * 180 * 3 / 2
        let levels = (0..<30).map { luma[luma.count - frame - $0 * (frame + 6)] }
        #expect(levels[0] == 40 && Set(levels) == [40, 56], "\(levels)")
    }

    @Test func `a preview runs all parts of a bot in Swift`() throws {
        let run = try Greenroom.start([
            "preview", try Self.parrot.get(), "--duration", "2s", "--virtual-clock", "--maximum",
            "320x180@15",
        ]).wait()
        #expect(run.exit == .code(0) && run.standardError.isEmpty, "\(run)\n\(run.text)")
        #expect(
            run.text.hasPrefix("Parrot 1.0.0, an agent (camera, microphone, output), in a"),
            "\(run.text)")
        #expect(run.text.contains("Ana speaks in track"), "\(run.text)")
        #expect(run.text.contains("sent 30, accepted 30"), "\(run.text)")
    }

    @Test func `every session file of the samples is valid`() throws {
        let files = try Self.files()
        #expect(files.contains("main.yaml") && files.count >= 10)
        // Their libraries take a compiler.
        for file in files where Nightly.isOn || !file.hasPrefix("VendorStyle/") {
            let run = try Greenroom.start(
                ["check", "\(Self.folder)/\(file)"] + (try Self.arguments(for: file))
            ).wait()
            #expect(run.exit == .code(0), "\(run)")
        }
    }

    @Test func `the manual's session files are valid`() throws {
        let files = Chapter.manual.flatMap(\.blocks).filter { $0.language == "yaml" }
        #expect(files.count >= 10)
        let folder = try TemporaryFolder()
        // The film, the page and the key that the reader has.
        try FileManager.default.copyItem(
            atPath: Checkout.root + "/.build/media/street.mkv", toPath: folder("talk.mp4"))
        try folder.write("agent.html", "<p>Hello</p>")
        try folder.write("hook.key", "whsec_" + String(repeating: "A", count: 43) + "=")
        for file in files {
            let run = try Greenroom.run("check", try folder.write("s.yaml", file.text))
            // The machine of the tests may have neither PipeWire nor an X server.
            let lacks = ["no PipeWire", "DISPLAY is not set"].filter(run.standardError.contains)
            #expect(
                (lacks.isEmpty ? [.code(0)] : [.code(0), .code(66), .code(69)]).contains(run.exit),
                "\(run)")
            let warnings = run.text.split(separator: "\n").filter {
                $0.contains("warning:") && !$0.contains("no PipeWire")
                    && !$0.contains("DISPLAY is not set")
            }
            #expect(warnings.isEmpty, "\(run.text)")
        }
    }

    @Test func `the manual's sizes can be offered`() throws {
        let manual = Chapter.manual.map(\.text).joined()
        let keys = manual.matches(of: #/`(more-sizes|table): (\[[^`]*\])`/#)
        #expect(keys.count == 2)
        for key in keys {
            let run = try Greenroom.run(
                "check", "\(Self.folder)/color-bars.yaml", "--set", "session.\(key.1)=\(key.2)",
                "--set", "session.maximum=2560x1440@60")
            #expect(run.exit == .code(0) && !run.text.contains("warning:"), "\(run)")
        }
    }
}
