/// Joins the timestamps of recordings that were appended to each other, such as with `cat`. Times are nanoseconds.
///
/// Each track passes a seam separately, because the packets of two tracks alternate.
package struct TimestampSeams {
    /// A longer step back is a seam.
    private static let longestOverlap: Int64 = 500_000_000
    /// A longer step forward is a seam.
    private static let longestGap: Int64 = 10_000_000_000

    /// The shift of each track's timestamps, and the end of its last packet.
    private var tracks: [Int: (shift: Int64, end: Int64)] = [:]
    /// The shift after the last seam.
    private var newest: Int64 = 0

    package init() {}

    /// Returns the shift of a track's next packet.
    ///
    /// - Parameter time: The packet's time of decoding.
    package mutating func shift(of track: Int, at time: Int64, lasting duration: Int64) -> Int64 {
        var (shift, end) = tracks[track] ?? (newest, time.addingClamped(newest))
        if Self.isSeam(from: end, to: time.addingClamped(shift)) {
            // The other track may have passed the seam before.
            if Self.isSeam(from: end, to: time.addingClamped(newest)) {
                newest = end.subtractingClamped(time)
            }
            shift = newest
        }
        end = time.addingClamped(shift).addingClamped(duration)
        tracks[track] = (shift, end)
        return shift
    }

    private static func isSeam(from end: Int64, to time: Int64) -> Bool {
        let step = time.subtractingClamped(end)
        return step < -longestOverlap || step > longestGap
    }

    /// Whether times from equally distant places of a file have a seam between them.
    package static func areBetween(_ times: [Int64]) -> Bool {
        let steps = zip(times.dropFirst(), times).map { $0.subtractingClamped($1) }
        guard let longest = steps.max() else { return false }
        let usual = steps.sorted()[steps.count / 2]
        return steps.contains { $0 < 0 } || longest > longestGap && longest / 8 > usual
    }
}
