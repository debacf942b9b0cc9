import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    /// Records a share's reports for twelve seconds, then stops and restarts it.
    static let pausedShare = Check(
        "share.pause", "pause, resume, stop and start again", of: .shares,
        rule: "A paused share sends nothing, and a restarted one sends a frame.",
        why: "Viewers see that the video stands still, and late viewers need one frame.",
        measured: """
            After paused (GR_EXT_BROADCAST), nothing until resumed. After a stop and a \
            start, one frame, changed or not.
            """,
        fix: "Remember to send once after each start."
    ) { examination throws(Verdict) in
        try examination.onItsClock { fixture throws(Verdict) in try pause(fixture) }
    }

    private static func pause(_ fixture: Fixture) throws(Verdict) -> Verdict {
        try fixture.create()
        try fixture.initialize(fixture.offer(VideoCapability(width: 320, height: 180, fps: 15)))
        try fixture.startSend()
        try fixture.wait(seconds: 2)
        let atFirst = fixture.record.frames.count
        try fixture.wait(seconds: 10)
        if let pause = fixture.record.calls.brokenPause {
            throw .failed(
                "reported paused, but sent \(pause.frames) frames in the \(decimal(pause.seconds, 1)) "
                    + "s after that without reporting resumed: report resumed first")
        }
        try fixture.stopSend()
        let before = fixture.record.frames.count
        try fixture.startSend()
        try fixture.wait(seconds: 2)
        let again = fixture.record.frames.count - before
        fixture.finish()
        guard atFirst == 0 || again > 0 || fixture.pluginHarness.gaveUp != nil else {
            throw .failed(
                "sent \(atFirst) frames in the 2 s after it was started, and none in the 2 s after "
                    + "it was stopped and started again: send a frame with each start_send"
            ).unless("lifecycle.restart")
        }
        return .passed()
    }
}

extension [TracedCall] {
    /// The frames sent during a pause, without frames in progress at its start; nil if none.
    fileprivate var brokenPause: (frames: Int, seconds: Double)? {
        let onTheirWay: Int64 = 100_000_000
        var begin: Int64?
        var (frames, seconds) = (0, 0.0)
        for call in self where call.status == .ok {
            switch call.request {
            case .paused: begin = begin ?? call.nanoseconds
            case .resumed:
                if frames > 0 { return (frames, seconds) }
                begin = nil
            case .sendFrame, .commit:
                guard let begin, call.nanoseconds > begin + onTheirWay else { continue }
                frames += 1
                seconds = Double(call.nanoseconds - begin) / 1e9
            default: continue
            }
        }
        return frames > 0 ? (frames, seconds) : nil
    }
}
