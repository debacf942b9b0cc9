import GreenroomSession
import GreenroomMedia

extension Catalogue {
    /// Looks at four seconds for the longest stretch in which every frame is the same picture.
    static let idleShare = Check(
        "share.idle", "still content idles", of: [.shareSource],
        proving: """
            A share sends when its content changes. The session repeats the last picture for as long \
            as nothing comes, at each output's own rate: what is sent again unchanged is copied, \
            converted and encoded for nothing. Now and then is no harm (a viewer that comes late sees \
            it); more than ten times a second for a second or more is.
            """
    ) { examination throws(Verdict) in
        let row = VideoCapability(width: 640, height: 360, fps: 30)
        let frames = try examination.show(VideoScenario(row: row, seconds: 4)).frames(atLeast: 1)
        let stretch = frames.longestStill
        let seconds = Double(stretch.nanoseconds) / 1e9
        guard seconds >= 1, Double(stretch.repeats) > 10 * seconds else { return .passed() }
        return .failed(
            "it sends one picture \(stretch.repeats) times more within \(decimal(seconds, 1)) s: send "
                + "when the content changes, the session repeats the last picture")
    }
}

extension [Record.Frame] {
    /// The longest stretch of frames that are all the same picture.
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
