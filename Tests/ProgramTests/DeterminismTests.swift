import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that a session on the virtual clock is deterministic, to the byte.
@Suite(.ownThreads) struct DeterminismTests {
    /// All files of a session with every kind of source and output.
    func record(_ session: FileSession) throws -> [String: [UInt8]] {
        let run = try session.run(
            "--set", "outputs=[{record: {folder: recording, overwrite: true}}]")
        #expect(run.exit == .code(0), "\(run)")
        try session.expectTrueReport(run, readingAudio: false)
        let files = ["camera.y4m", "camera.wav", "share.y4m", "share.wav", "session.json"]
        return try Dictionary(
            uniqueKeysWithValues: files.map { ($0, try readFile("\(session.recording)/\($0)")) })
    }

    @Test func `sessions with senders that wait for room record the same bytes each time`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Steady"))
            microphone: \(try FileSession.hostile("Mic"))
            share: \(try FileSession.hostile("SteadyShare", "", """
                audio: \(try FileSession.hostile("ShareAudio", "rate: 22050"))
                """))
            """, maximum: "64x36@30", duration: "3s", clock: "virtual")
        let first = try record(session)
        for _ in 0..<Nightly.value(4, byDay: 1) {
            let other = try record(session)
            for (file, bytes) in first {
                let isSame = other[file] == bytes
                #expect(isSame, "\(file) differs")
            }
        }
    }
}
