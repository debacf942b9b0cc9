/// Combines requests for key frames to a guest: all viewers share the guest's encoder, and a browser takes
/// up to a second to answer.
package struct KeyFrameRequests: Sendable {
    /// The least time between two requests, in nanoseconds.
    private static let interval: UInt64 = 1_000_000_000
    private var last: UInt64?

    package init() {}

    /// Whether a request is due. If so, records it as sent.
    ///
    /// - Parameter now: The time in nanoseconds, on any clock.
    package mutating func isDue(at now: UInt64) -> Bool {
        if let last, now < last &+ Self.interval, now >= last { return false }
        last = now
        return true
    }
}

/// Decides when to grant a viewer's request for a key frame. All viewers of a rendition share one
/// encoder, and each key frame costs all of them bits. The rule grants the first request
/// immediately. A viewer that keeps requesting waits 1, 2 and then 3 s, until it pauses. On a lossy
/// network with a long delay, retransmissions arrive too late and only a key frame ends a freeze,
/// so longer waits would be visible.
///
/// The rule keeps a delayed request and grants it later.
package struct KeyFrameRule: Sendable {
    /// The waits between grants, in seconds.
    private static let waits: [Double] = [1, 2, 3]
    /// Idle time, in seconds, after which a viewer's budget resets.
    private static let calm = 10.0
    /// Token bucket for view changes: the burst size, and the refill interval in seconds.
    private static let changes = RequestLimit(burst: 8, rate: 0.5)

    private var granted: Double?
    private var asked: Double?
    private var step = 0
    private var changes = Self.changes
    /// Whether a request is waiting.
    package private(set) var isWaiting = false

    package init() {}

    /// Handles a viewer's request after a loss.
    ///
    /// - Parameter seconds: The time, on any clock.
    /// - Returns: Whether a key frame is due now.
    package mutating func ask(at seconds: Double) -> Bool {
        if let asked, seconds - asked >= Self.calm, !isWaiting { (granted, step) = (nil, 0) }
        asked = seconds
        isWaiting = true
        return isDue(at: seconds)
    }

    /// Handles a change of the viewer's view, which must begin with a key frame.
    package mutating func change(at seconds: Double) -> Bool {
        if changes.allows("", at: seconds) {
            isWaiting = false
            return true
        }
        return ask(at: seconds)
    }

    /// Whether the waiting request is due. If so, grants it.
    package mutating func isDue(at seconds: Double) -> Bool {
        guard isWaiting else { return false }
        if let granted {
            guard seconds - granted >= Self.waits[step] else { return false }
            step = min(step + 1, Self.waits.count - 1)
        }
        granted = seconds
        isWaiting = false
        return true
    }

    /// Records that the viewer receives a key frame, whichever viewer requested it.
    package mutating func satisfy() { isWaiting = false }
}
