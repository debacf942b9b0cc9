/// Estimates the capacity of a viewer's network from what the viewer reports of the packets that
/// arrived (transport-wide feedback).
///
/// - A queue on the way that grows: 0.85 of what arrives.
/// - A loss above 10 %: less by half of it, above 40 % what arrives.
/// - A loss below 2 % and no queue: 8 % more each second, since only sending more shows whether
///   more arrives.
package struct BandwidthEstimator: Sendable {
    /// The viewer's report on some packets.
    package struct Feedback: Sendable {
        /// When it arrived, on any clock, in seconds.
        package var seconds: Double
        package var packets: Int
        package var lost: Int
        /// Bytes of the arrived packets.
        package var bytes: Int
        /// The shortest time that one of them took, between two clocks, in seconds; nil if none
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
    /// The least rate after a queue. A delay of few packets usually comes from the far end's
    /// machine; losses show the network's.
    private static let leastOfQueue = 300_000.0
    /// Enough for 720p at 30 fps: a room is watched nearby more often than not.
    private static let first = 4_000_000.0

    /// Window, in seconds, for arrived and lost packets.
    private static let receivedSpan = 0.6
    private static let lossSpan = 2.0
    /// Window, in seconds, for the minimum delay: the path's delay without queueing.
    private static let baseSpan = 20.0
    /// A queue above this counts, and grows if it is so much above the shortest one since the last
    /// cut, in seconds.
    private static let queueLimit = 0.05
    private static let queueGrowth = 0.01
    /// Required number of consecutive feedback messages.
    private static let queueCount = 4
    /// Between two cuts: what the first one does must arrive.
    private static let cutInterval = 0.5
    /// Feedback after a silence as long is of another time.
    private static let longestSilence = 3.0

    /// The capacity of the network, in bits a second.
    package private(set) var bitsPerSecond = Self.first
    /// The share of packets that are lost.
    package private(set) var loss = 0.0
    /// How long packets wait on the way, in seconds: a queue, and not a moment in which the far end's
    /// machine was busy.
    package private(set) var queue = 0.0

    private var recent: [Feedback] = []
    /// The shortest delays of this span and the one before.
    private var base: (now: Double, before: Double, since: Double)?
    private var delays: [Double] = []
    private var lowestQueue = 0.0
    private var lastCut = -Double.infinity
    private var lastSeconds: Double?

    package init() {}

    /// Takes feedback.
    ///
    /// - Returns: Whether the network carries less than before.
    @discardableResult
    package mutating func add(_ feedback: Feedback) -> Bool {
        let now = feedback.seconds
        let elapsed = now - (lastSeconds ?? now)
        // What arrives at once counts together: a viewer may send any number.
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
        // A few packets say nothing of a share.
        loss = packets < 20 ? 0 : Double(recent.reduce(0) { $0 + $1.lost }) / Double(packets)
        follow(feedback.delay, at: now)

        let received = received(at: now)
        if queue > Self.queueLimit, queue > lowestQueue + Self.queueGrowth,
            now - lastCut >= Self.cutInterval, let received
        {
            return cut(
                to: max(min(bitsPerSecond, received) * 0.85, Self.leastOfQueue), at: now)
        }
        // A loss is counted for its whole span: it must not cut twice.
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
            // The first one, or another clock.
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

    /// The received rate, in bits per second; nil if it is not known yet.
    private func received(at now: Double) -> Double? {
        let counted = recent.filter { $0.seconds > now - Self.receivedSpan }
        guard let first = counted.first, let last = counted.last,
            last.seconds > first.seconds + Self.receivedSpan / 3
        else { return nil }
        // The bytes of the first one arrived before the time that is counted.
        let bytes = counted.dropFirst().reduce(0.0) { $0 + Double($1.bytes) }
        return bytes * 8 / (last.seconds - first.seconds)
    }
}
