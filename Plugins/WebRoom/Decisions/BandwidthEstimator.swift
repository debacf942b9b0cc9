/// Estimates the capacity of a viewer's network from the viewer's reports of received packets
/// (transport-wide feedback).
///
/// - If the network's queue grows: 0.85 of the received rate.
/// - If the loss is above 10 %: less by half of the loss; above 40 % at most the received rate.
/// - If the loss is below 2 % and the queue is empty: 8 % more each second, because only sending
///   more shows whether the network carries more.
package struct BandwidthEstimator: Sendable {
    /// The viewer's report on some packets.
    package struct Feedback: Sendable {
        /// The time at which the report arrived, in seconds on any clock.
        package var seconds: Double
        package var packets: Int
        package var lost: Int
        /// Bytes of the arrived packets.
        package var bytes: Int
        /// The shortest transit time of a packet, in seconds between two clocks; nil if no packet
        /// arrived.
        package var delay: Double?

        package init(seconds: Double, packets: Int, lost: Int, bytes: Int, delay: Double?) {
            self.seconds = seconds
            self.packets = packets
            self.lost = lost
            self.bytes = bytes
            self.delay = delay
        }
    }

    package static let least = 60_000.0
    package static let most = 20_000_000.0
    /// The lowest rate after a queue, in bits per second. The far end's machine usually causes
    /// delays of few packets; losses show the network's capacity.
    private static let leastOfQueue = 300_000.0
    /// The first estimate, in bits per second: enough for 720p at 30 fps, because most viewers are
    /// nearby.
    private static let first = 4_000_000.0

    /// Window, in seconds, for arrived and lost packets.
    private static let receivedSpan = 0.6
    private static let lossSpan = 2.0
    /// Window, in seconds, for the minimum delay: the path's delay without queueing.
    private static let baseSpan = 20.0
    /// The delay above which a queue counts, in seconds. The queue grows if it exceeds the shortest
    /// queue since the last cut by `queueGrowth`.
    private static let queueLimit = 0.05
    private static let queueGrowth = 0.01
    /// Required number of consecutive feedback messages.
    private static let queueCount = 4
    /// The least time between two cuts, in seconds: the first cut must take effect.
    private static let cutInterval = 0.5
    /// The longest gap between reports, in seconds. After a longer gap the old reports no longer
    /// count.
    private static let longestSilence = 3.0

    /// The capacity of the network, in bits per second.
    package private(set) var bitsPerSecond = Self.first
    /// The share of packets that are lost.
    package private(set) var loss = 0.0
    /// The time that packets wait in the network's queue, in seconds. Moments in which the far
    /// end's machine is busy do not count.
    package private(set) var queue = 0.0

    private var recent: [Feedback] = []
    /// The shortest delays of this span and of the previous span.
    private var base: (now: Double, before: Double, since: Double)?
    private var delays: [Double] = []
    private var lowestQueue = 0.0
    private var lastCut = -Double.infinity
    private var lastSeconds: Double?

    package init() {}

    /// Adds feedback to the estimate.
    ///
    /// - Returns: Whether the estimate has decreased.
    @discardableResult
    package mutating func add(_ feedback: Feedback) -> Bool {
        let now = feedback.seconds
        let elapsed = now - (lastSeconds ?? now)
        // Combine reports that arrive at the same time: a viewer may send any number.
        if lastSeconds != nil, elapsed >= 0, elapsed < 0.01, var last = recent.popLast() {
            last.packets &+= feedback.packets
            last.lost &+= feedback.lost
            last.bytes &+= feedback.bytes
            recent.append(last)
            return false
        }
        lastSeconds = now
        if elapsed < 0 || elapsed > Self.longestSilence { recent.removeAll() }
        recent.append(feedback)
        recent.removeAll { $0.seconds < now - Self.lossSpan }
        let packets = recent.reduce(0) { $0 + $1.packets }
        // Too few packets give no reliable share.
        loss = packets < 20 ? 0 : Double(recent.reduce(0) { $0 + $1.lost }) / Double(packets)
        follow(feedback.delay, at: now)

        let received = received(at: now)
        if queue > Self.queueLimit, queue > lowestQueue + Self.queueGrowth,
            now - lastCut >= Self.cutInterval, let received
        {
            return cut(
                to: max(min(bitsPerSecond, received) * 0.85, Self.leastOfQueue), at: now)
        }
        // A loss stays in its whole window, so it must not cut twice.
        if loss > 0.1, now - lastCut >= Self.lossSpan, let received {
            let less = bitsPerSecond * (1 - 0.5 * loss)
            // Loss above this fraction means a full queue.
            return cut(to: loss > 0.4 ? min(less, received) : less, at: now)
        }
        if loss < 0.02, queue <= Self.queueLimit {
            bitsPerSecond = min(Self.most, bitsPerSecond * (1 + 0.08 * min(max(elapsed, 0), 1)))
        }
        return false
    }

    private mutating func cut(to bits: Double, at now: Double) -> Bool {
        lastCut = now
        lowestQueue = queue
        let lower = min(bitsPerSecond, max(Self.least, bits))
        defer { bitsPerSecond = lower }
        return lower < bitsPerSecond
    }

    /// Measures the queue.
    private mutating func follow(_ delay: Double?, at now: Double) {
        guard let delay else { return }
        guard var known = base, abs(delay - known.now) < 60 else {
            // This is the first delay, or the clocks have changed.
            base = (delay, delay, now)
            delays = [delay]
            (queue, lowestQueue) = (0, 0)
            return
        }
        if now - known.since > Self.baseSpan { known = (delay, known.now, now) }
        known.now = min(known.now, delay)
        known.before = min(known.before, delay)
        base = known
        delays.append(delay)
        if delays.count > Self.queueCount { delays.removeFirst() }
        queue = (delays.min() ?? delay) - known.before
        lowestQueue = min(lowestQueue, queue)
    }

    /// The received rate, in bits per second; nil if not yet known.
    private func received(at now: Double) -> Double? {
        let counted = recent.filter { $0.seconds > now - Self.receivedSpan }
        guard let first = counted.first, let last = counted.last,
            last.seconds > first.seconds + Self.receivedSpan / 3
        else { return nil }
        // The first report's bytes arrived before the measured interval.
        let bytes = counted.dropFirst().reduce(0.0) { $0 + Double($1.bytes) }
        return bytes * 8 / (last.seconds - first.seconds)
    }
}
