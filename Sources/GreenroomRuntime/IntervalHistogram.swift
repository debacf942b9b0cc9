/// A histogram of durations in fixed memory: recording allocates nothing.
///
/// Buckets are log-linear, 64 for each doubling, so that percentiles are exact to 1 %. The maximum
/// is exact. Durations over 4398 s share the last bucket.
package struct IntervalHistogram: ~Copyable {
    /// Statistics of the durations.
    package struct Summary: Equatable, Sendable {
        /// Number of durations.
        package var count = 0
        /// Median, in nanoseconds.
        package var p50: Int64 = 0
        /// 99th percentile, in nanoseconds.
        package var p99: Int64 = 0
        /// Maximum, in nanoseconds.
        package var maximum: Int64 = 0
    }

    /// Binary logarithm of the buckets for each doubling.
    private static let resolution = 6
    private static let mostBits = 42
    private static let perDoubling = 1 << resolution

    package init() {}

    private var buckets = [Int](repeating: 0, count: (mostBits - resolution + 1) * perDoubling)
    private var count = 0
    private var maximum: Int64 = 0

    /// Records a duration in nanoseconds; ignores a negative one.
    ///
    /// - Parameter times: The number of times to count the duration.
    package mutating func record(_ nanoseconds: Int64, times: Int = 1) {
        let value = max(nanoseconds, 0)
        buckets[Self.bucket(of: value)] += times
        count += times
        if times > 0 { maximum = max(maximum, value) }
    }

    /// The statistics so far.
    package var summary: Summary {
        Summary(count: count, p50: percentile(50), p99: percentile(99), maximum: maximum)
    }

    /// A percentile of the durations (nearest rank), to within 1 %.
    ///
    /// - Parameter percent: 1 to 100.
    private func percentile(_ percent: Int) -> Int64 {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: 100)
        let rank = whole * percent + (rest * percent + 99) / 100
        var seen = 0
        for index in buckets.indices where buckets[index] > 0 {
            seen += buckets[index]
            if seen >= rank { return min(Self.middle(of: index), maximum) }
        }
        return maximum
    }

    /// Returns the bucket of a duration. Small values have their own buckets; larger ones share the
    /// bucket of their highest bits.
    private static func bucket(of value: Int64) -> Int {
        let value = min(value, (1 << mostBits) - 1)
        let bits = Int64.bitWidth - value.leadingZeroBitCount
        let shift = max(bits - resolution - 1, 0)
        return shift * perDoubling + Int(value >> shift)
    }

    private static func middle(of bucket: Int) -> Int64 {
        guard bucket >= 2 * perDoubling else { return Int64(bucket) }
        let shift = bucket / perDoubling - 1
        let low = Int64(bucket - shift * perDoubling) << shift
        return low + (Int64(1) << shift) / 2
    }
}
