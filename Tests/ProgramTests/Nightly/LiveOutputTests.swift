import SessionTestSupport
import TestSupport
import Testing

/// Tests Y4M on standard output with a live reader.
@Suite(.ownThreads) struct LiveOutputTests {
    /// Runs a session with Y4M on standard output and a recording.
    ///
    /// - Parameters:
    ///   - sources: The sections of the sources.
    ///   - track: The track to write.
    ///   - reader: The shell command that reads it.
    private func run(
        _ sources: String, track: String = "camera", duration: String = "1s",
        into reader: String = "cat > \"$2\"", exit: Int32 = 0
    ) throws -> (session: FileSession, run: Finished, report: Report) {
        let session = try FileSession(
            sources, duration: duration,
            outputs: "[{ y4m: { track: \(track) } }, { record: recording }]")
        let script = "\"$0\" run \"$1\" | (\(reader)); exit ${PIPESTATUS[0]}"
        let run = try ChildProcess(
            "bash", ["-c", script, Checkout.greenroom, session.file, session.folder("live.y4m")],
            environment: ["GREENROOM_PLUGIN_PATH": nil, "ASAN_OPTIONS": "detect_leaks=0"]
        ).wait()
        #expect(run.exit == .code(exit), "\(run)")
        return (session, run, try session.expectTrueReport(run))
    }

    private func live(_ picture: Report.VideoReport) throws -> Report.VideoReport.Output {
        try #require(picture.outputs.first { $0.output.contains("standard output") })
    }

    private func recording(_ picture: Report.VideoReport) throws -> Report.VideoReport.Output {
        try #require(picture.outputs.first { $0.output.contains("recording") })
    }

    @Test func `a stalled reader loses only its own frames`() throws {
        // A frame exceeds the pipe, and the session exceeds the queue: the first write blocks
        // longer than the session.
        let (session, run, report) = try run(
            "camera: \(try FileSession.hostile("Camera"))", duration: "3s",
            into: "head -c 1 > /dev/null; sleep 4; cat > /dev/null")
        let picture = try report.picture("camera")
        let (live, recording) = (try live(picture), try recording(picture))
        #expect(live.queueFull > 0, "\(picture)")
        // On a busy machine other outputs may lose frames too, for other reasons.
        #expect(recording.queueFull * 4 <= live.queueFull, "\(picture)")
        #expect(picture.superseded * 4 <= picture.accepted, "\(picture)")
        #expect(recording.delivered > live.delivered, "\(picture)")
        // Its length is correct nevertheless.
        #expect(live.periods == 45, "\(live)")
        try session.expectUnharmed("camera", run)
    }

    @Test func `the live output has the session's length, and is never early`() throws {
        let (session, _, report) = try run(
            "camera: \(try FileSession.hostile("Camera"))", duration: "3s")
        let stream = try Y4MRecording(session.folder("live.y4m"))
        #expect(stream.frameCount == 45 && stream.framesPerSecond == 15)
        let live = try live(try report.picture("camera"))
        let lateness = try #require(live.lateness)
        #expect(lateness.count == 45)
        #expect(lateness.p50Milliseconds <= lateness.p99Milliseconds)
        #expect(lateness.p99Milliseconds <= lateness.maximumMilliseconds * 1.01)
        #expect(try recording(try report.picture("camera")).lateness == nil)
    }

    @Test func `a live output is black from the first frame on if the camera never sends`() throws {
        let (session, _, report) = try run(
            "camera: \(try FileSession.hostile("Silent"))", exit: 66)
        let stream = try Y4MRecording(session.folder("live.y4m"))
        #expect(stream.frameCount == 15)
        for index in [0, 10] {
            let frame = try stream.frame(index)
            #expect(frame.y.allSatisfy { $0 == 16 } && frame.u.allSatisfy { $0 == 128 })
        }
        // After a second, or a little less, a slate says why.
        let live = try live(try report.picture("camera"))
        #expect(live.black + live.slate == 15 && live.black > 10, "\(live)")
    }

    @Test func `a share that rarely sends repeats four times a second`() throws {
        let slow = try FileSession.hostile(
            "Answers", "answer: fixed, width: 64, height: 48, fps: 1")
        let (session, run, report) = try run("camera: \(slow)", duration: "3500ms")
        #expect(try report.plugin("camera").offer?.track == "64x48@1", "\(run)")
        let stream = try Y4MRecording(session.folder("live.y4m"))
        #expect(stream.framesPerSecond == 4 && stream.frameCount == 14)
        // The file has the agreed size.
        #expect(try session.picture("camera").framesPerSecond == 1)
    }
}
