import GreenroomModel
import GreenroomVideo

/// Finds out, in stretches of ten seconds, whether less of a video track is real than a viewer overlooks.
///
/// It has no clock: times are passed in, in nanoseconds of the session.
struct RealWatch {
    private static let stretch: Int64 = 10_000_000_000
    /// The part that may be something else without a word.
    private static let tolerance = 0.1

    private struct Entry {
        var account: VideoAccount
        var begun: Int64
        var isLow = false
    }

    private var entries: [VideoTrackKind: Entry] = [:]

    /// Looks at a track.
    ///
    /// - Parameter account: How much of it was real so far; asked for only at the end of a stretch.
    /// - Returns: What is to be told: that too little is real, or that it is real again.
    mutating func look(
        at track: VideoTrackKind, now: Int64, account: () -> VideoAccount
    ) -> String? {
        guard let last = entries[track] else {
            entries[track] = Entry(account: account(), begun: now)
            return nil
        }
        guard now - last.begun >= Self.stretch else { return nil }
        let total = account()
        let change = total.since(last.account)
        let part = change.realPart ?? 1
        let isLow = part < 1 - Self.tolerance
        entries[track] = Entry(account: total, begun: now, isLow: isLow)
        guard isLow != last.isLow else { return nil }
        return "of the last 10 s, \(SessionReport.RealAccount(change))"
    }
}
