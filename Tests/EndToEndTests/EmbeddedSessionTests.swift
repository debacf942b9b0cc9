import Foundation
import TestSupport
import Testing

/// Tests the sample `EmbeddedSession`: a third-party program that runs a session.
@Suite(.ownThreads) struct EmbeddedSessionTests {
    private static let package = Checkout.root + "/Samples/EmbeddedSession"

    /// The sample's program. At night its package is built as its README says; by day only its own
    /// source is compiled, with the modules that were built beside the tests: to build all of the
    /// host once more takes minutes.
    private static let program = Result {
        let run: Finished
        let program: String
        if Nightly.isOn {
            let build = Checkout.products + "/embedded"
            program = build + "/debug/EmbeddedSession"
            run = try ChildProcess.run(
                "swift", ["build", "--package-path", package, "--scratch-path", build],
                environment: ["SWIFTPM_HOOKS_DIR": nil], atMost: .seconds(1200))
        } else {
            program = Checkout.products + "/embedded-session"
            run = try ChildProcess.run(
                "swiftc",
                ["-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-o", program]
                    + Modules.arguments + (try objects()) + (try libraries())
                    + [package + "/Sources/EmbeddedSession/EmbeddedSession.swift"],
                atMost: .seconds(120))
        }
        guard run.exit == .code(0), !run.text.contains("warning:") else {
            throw Failure("\(run)\n\(run.text)")
        }
        return program
    }

    /// The objects of the host's modules: those of `greenroom` without its own.
    private static func objects() throws -> [String] {
        let list = try readFile(Checkout.products + "/greenroom.product/Objects.LinkFileList")
        return String(decoding: list, as: UTF8.self).split(separator: "\n")
            .map { $0.trimmingCharacters(in: ["'"]) }.filter { !$0.contains("/greenroom.build/") }
    }

    /// The C libraries that Package.swift names.
    private static func libraries() throws -> [String] {
        let manifest = String(
            decoding: try readFile(Checkout.root + "/Package.swift"), as: UTF8.self)
        return manifest.matches(of: #/linkedLibrary\("([^"]+)"\)/#).map { "-l\($0.1)" }
    }

    private func start(
        in folder: TemporaryFolder, environment: [String: String?]
    ) throws -> ChildProcess {
        try ChildProcess(
            "env", ["-C", folder.path, try Self.program.get()],
            environment: Greenroom.environment.merging(environment) { $1 })
    }

    @Test func `a program configures a session, runs it, steers it and reads its report`() throws {
        let folder = try TemporaryFolder()
        let run = try start(in: folder, environment: ["GREENROOM_PROGRAM": Checkout.greenroom])
            .wait(atMost: .seconds(60))
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        #expect(run.text.contains("outcome: finished"), "\(run.text)")
        #expect(run.text.contains("microphone muted (program)"), "\(run.text)")
        #expect(run.text.contains("pattern set to grey (program)"), "\(run.text)")
        let recording = try Y4MRecording(folder("recording/camera.y4m"))
        #expect(recording.width == 640 && recording.frameCount == 60)
        // Soon after the start the bars are grey and the tone is silent.
        let last = try recording.frame(59)
        #expect(last.u.allSatisfy { abs(Int($0) - 128) <= 2 }, "grey")
        let sound = try WAVRecording(folder("recording/camera.wav"))
        #expect(sound.channels[0].suffix(24_000).allSatisfy { $0 == 0 })
    }

    @Test func `the program says where it has looked for plugins`() throws {
        let folder = try TemporaryFolder()
        let run = try start(
            in: folder, environment: ["GREENROOM_PROGRAM": folder("greenroom")]
        ).wait(atMost: .seconds(60))
        #expect(run.exit != .code(0))
        #expect(run.standardError.contains("no video source of this name is installed"), "\(run)")
        #expect(run.standardError.contains(folder.path), "\(run)")
    }
}
