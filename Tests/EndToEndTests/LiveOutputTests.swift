import TestSupport
import Testing

/// What leaves on standard output while somebody watches.
@Suite struct LiveOutputTests {
    /// Runs a session with Y4M on standard output, and a recording beside it.
    ///
    /// - Parameters:
    ///   - sources: The sections of the sources.
    ///   - track: The picture to write.
    ///   - reader: A shell command that reads it.
    private func run(
        _ sources: String, track: String = "camera", duration: String = "1s",
        into reader: String
    ) throws -> (session: TestSession, run: Finished, report: Report) {
        let session = try TestSession(
            sources, duration: duration,
            outputs: "[{ y4m: { file: \"-\", track: \(track) } }, { record: recording }]")
        let script = "\"$0\" run \"$1\" | (\(reader)); exit ${PIPESTATUS[0]}"
        let run = try ChildProcess(
            "bash", ["-c", script, Checkout.greenroom, session.file],
            environment: ["GREENROOM_PLUGIN_PATH": nil, "ASAN_OPTIONS": "detect_leaks=0"]
        ).wait(atMost: .seconds(60))
        #expect(run.exit == .code(0), "\(run)")
        return (session, run, try session.expectTrueReport(run))
    }

    private func live(_ picture: Report.Picture) throws -> Report.Picture.Output {
        try #require(picture.outputs.first { $0.output.contains("standard output") })
    }

    private func recording(_ picture: Report.Picture) throws -> Report.Picture.Output {
        try #require(picture.outputs.first { $0.output.contains("recording") })
    }

    @Test func `a reader that stalls loses its own frames, and nobody else's`() throws {
        // A frame is more than a pipe holds: the first write waits for longer than the session.
        let (session, run, report) = try run(
            "camera: \(try TestSession.hostile("Camera"))", into: "sleep 2; cat > /dev/null")
        let picture = try report.picture("camera")
        let (live, recording) = (try live(picture), try recording(picture))
        #expect(live.queueFull > 0 || live.late > 0 || live.delivered < recording.delivered)
        #expect(recording.queueFull == 0 && picture.superseded == 0, "\(picture)")
        #expect(recording.delivered > 10, "\(picture)")
        // Its length is right nevertheless.
        #expect(live.delivered + live.repeated + live.black == 15, "\(live)")
        try session.expectUnharmed("camera", run)
    }

    @Test func `what leaves is as long as the session, and never early`() throws {
        let (_, run, report) = try run(
            "camera: \(try TestSession.hostile("Camera"))", into: "cat")
        let stream = try Y4MRecording(bytes: run.standardOutput)
        #expect(stream.frameCount == 15 && stream.framesPerSecond == 15)
        let live = try live(try report.picture("camera"))
        let lateness = try #require(live.lateness)
        #expect(lateness.count == 15)
        #expect(lateness.p50Milliseconds <= lateness.p99Milliseconds)
        #expect(lateness.p99Milliseconds <= lateness.maximumMilliseconds * 1.01)
        #expect(try recording(try report.picture("camera")).lateness == nil)
    }
}
