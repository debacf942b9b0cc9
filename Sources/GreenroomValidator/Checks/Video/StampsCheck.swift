import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// Compares the timestamp of each frame of two seconds with the one before and with the time of
    /// arrival, on the virtual clock, which starts at an hour like no other clock.
    static let frameStamps = Check(
        "video.stamps", "timestamps are on the session clock and in order", of: .videoSources,
        rule: "pts_ns is the session time at which the frame shows, and never goes back.",
        why: """
            The host places frames by it. With GR_PTS_UNSTAMPED, a frame shows on arrival, \
            with jitter.
            """,
        measured: "The stamp is at most 5 s before the time of sending, and at most 1 s after it.",
        fix: "Use now_ns or the time of the pump, not wall time, milliseconds or CLOCK_MONOTONIC."
    ) { examination throws(Verdict) in
        let frames = try examination.show(VideoScenario(seconds: 2)).frames(atLeast: 1)
        var last: Int64?
        var repeated = 0
        for (number, frame) in frames.enumerated() {
            guard let pts = frame.info.ptsNanoseconds else { continue }
            let ahead = pts.subtractingReportingOverflow(frame.arrival)
            guard !ahead.overflow, (-5_000_000_000...1_000_000_000).contains(ahead.partialValue)
            else {
                throw .failed(
                    "frame \(number) has timestamp \(pts), but was sent when the session clock showed "
                        + "\(frame.arrival): use now_ns or the time that was waited for, or "
                        + "pass GR_PTS_UNSTAMPED")
            }
            if let last, pts < last {
                throw .failed(
                    "the timestamp of frame \(number) is \(decimal(Double(last - pts) / 1e6, 3)) ms "
                        + "before that of an earlier one: send frames in timestamp order")
            }
            if pts == last { repeated += 1 }
            last = pts
        }
        guard last != nil else { return .passed("no frame has a timestamp") }
        return repeated == 0
            ? .passed()
            : .warning(
                "\(repeated) of \(frames.count) frames repeat the timestamp of the one before")
    }
}
