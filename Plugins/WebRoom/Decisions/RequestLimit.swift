/// Limit of requests per address: one token bucket for each address.
package struct RequestLimit: Sendable {
    /// The number of requests allowed at once.
    package let burst: Double
    /// The number of requests allowed per second in the long run.
    package let rate: Double

    private static let mostAddresses = 1000

    private struct Bucket {
        var tokens: Double
        var seconds: Double
    }

    private var buckets: [String: Bucket] = [:]

    package init(burst: Double, rate: Double) {
        self.burst = burst
        self.rate = rate
    }

    /// Counts a request.
    ///
    /// - Parameter seconds: The time, on any clock.
    /// - Returns: Whether the request is within the limit.
    package mutating func allows(_ address: String, at seconds: Double) -> Bool {
        var bucket = buckets[address] ?? Bucket(tokens: burst, seconds: seconds)
        bucket.tokens = min(burst, bucket.tokens + max(0, seconds - bucket.seconds) * rate)
        bucket.seconds = seconds
        let isAllowed = bucket.tokens >= 1
        if isAllowed { bucket.tokens -= 1 }
        if buckets[address] == nil, buckets.count >= Self.mostAddresses {
            // Drop all buckets, so that memory stays bounded. A sender with many addresses receives
            // new buckets anyway.
            buckets.removeAll()
        }
        buckets[address] = bucket
        return isAllowed
    }
}
