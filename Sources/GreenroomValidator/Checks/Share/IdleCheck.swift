import GreenroomMedia

extension Catalogue {
    /// Searches four seconds for the longest period of identical frames.
    static let idleShare = Check(
        "share.idle", "still content sends nothing", of: .shares,
        rule: "A share with unchanged content sends nothing.",
        why: """
            The session repeats the last frame, so an unchanged frame is copied, converted \
            and encoded for nothing.
            """,
        measured: """
            More than ten equal frames a second for a second or longer fail. An occasional \
            repeat is harmless, because late viewers see it.
            """,
        fix: "Compare with the last frame, or send on damage events."
    ) { examination throws(Verdict) in
        let row = VideoCapability(width: 640, height: 360, fps: 30)
        let frames = try examination.show(VideoScenario(row: row, seconds: 4)).frames(atLeast: 1)
        let stretch = frames.longestStill
        let seconds = Double(stretch.nanoseconds) / 1e9
        guard seconds >= 1, Double(stretch.repeats) > 10 * seconds else { return .passed() }
        return .failed(
            "repeats a frame \(stretch.repeats) times within \(decimal(seconds, 1)) s: send "
                + "when the content changes, the session repeats the last frame")
    }
}

extension [Record.Frame] {
    /// The longest period of identical frames.
    fileprivate var longestStill: (repeats: Int, nanoseconds: Int64) {
        var longest = (repeats: 0, nanoseconds: Int64(0))
        var first = 0
        for index in indices {
            if self[index].digest != self[first].digest || self[index].size != self[first].size {
                first = index
            }
            let nanoseconds = self[index].arrival - self[first].arrival
            if nanoseconds > longest.nanoseconds { longest = (index - first, nanoseconds) }
        }
        return longest
    }
}
