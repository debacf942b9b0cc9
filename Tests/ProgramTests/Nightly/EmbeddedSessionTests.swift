import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests the sample `EmbeddedSession`: a third-party program that runs a session.
@Suite(.ownThreads) struct EmbeddedSessionTests {
    private static let program = Result {
        try SampleProgram(
            sample: "EmbeddedSession", name: "EmbeddedSession", product: "greenroom",
            module: "greenroom"
        ).build()
    }

    private func start(
        in folder: TemporaryFolder, environment: [String: String?]
    ) throws -> ChildProcess {
        try ChildProcess(
            "env", ["-C", folder.path, try Self.program.get()],
            environment: Greenroom.environment.merging(environment) { $1 })
    }

    @Test func `a program configures a session, runs it, steers it and reads its report`()
        throws
    {
        let folder = try TemporaryFolder()
        let run = try start(in: folder, environment: ["GREENROOM_PROGRAM": Checkout.greenroom])
            .wait()
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        // On a busy machine a camera is late, and the report says so.
        #expect(run.text.contains(/outcome: (finished|not-real)/), "\(run.text)")
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

    @Test func `the error about a missing plugin names the searched folders`() throws {
        let folder = try TemporaryFolder()
        let run = try start(
            in: folder, environment: ["GREENROOM_PROGRAM": folder("greenroom")]
        ).wait()
        #expect(run.exit != .code(0))
        #expect(run.standardError.contains("no video source of this name is installed"), "\(run)")
        #expect(run.standardError.contains(folder.path), "\(run)")
    }
}
