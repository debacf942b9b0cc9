/// Decides when a frame shows.
///
/// A stamp is believed when it is near the moment at which the frame came: up to five seconds
/// before it (a source that reads a slow device) and up to one after it (one that works
/// ahead). Anything else is not on the session clock: a wall clock, a counter from zero,
/// milliseconds. Then the moment of arrival counts.
enum StampRule {
    static let oldest: Int64 = 5_000_000_000
    static let farthest: Int64 = 1_000_000_000

    static func isCredible(_ pts: Int64, arrival: Int64) -> Bool {
        let (ahead, overflow) = pts.subtractingReportingOverflow(arrival)
        return !overflow && ahead >= -oldest && ahead <= farthest
    }
}
