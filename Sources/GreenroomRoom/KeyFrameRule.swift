/// When a viewer gets a key frame that they ask for: all viewers of a rendition have one encoder, and each
/// key frame costs all of them bits. The first request is granted at once; a viewer that keeps asking waits 1,
/// 2 and then 3 s, until it has been calm. On a network with loss and a long way a retransmission comes too
/// late, and only a key frame ends a freeze: longer waits would be seen as such.
///
/// A request that has to wait is kept, and granted when its time has come.
package struct KeyFrameRule: Sendable {
    /// Seconds between two grants.
    private static let waits: [Double] = [1, 2, 3]
    /// Idle time, in seconds, after which a viewer's budget resets.
    private static let calm = 10.0
    /// Token bucket for view changes: the burst size, and the refill interval in seconds.
    private static let changes = RequestLimit(burst: 8, rate: 0.5)

    private var granted: Double?
    private var asked: Double?
    private var step = 0
    private var changes = Self.changes
    /// Whether a request waits.
    package private(set) var isWaiting = false

    package init() {}

    /// The viewer has lost something.
    ///
    /// - Parameter seconds: The time, on any clock.
    /// - Returns: Whether a key frame is due now.
    package mutating func ask(at seconds: Double) -> Bool {
        if let asked, seconds - asked >= Self.calm, !isWaiting { (granted, step) = (nil, 0) }
        asked = seconds
        isWaiting = true
        return isDue(at: seconds)
    }

    /// The viewer is to be shown something else, which begins with a key frame.
    package mutating func change(at seconds: Double) -> Bool {
        if changes.allows("", at: seconds) {
            isWaiting = false
            return true
        }
        return ask(at: seconds)
    }

    /// Whether a request that waits is granted now. It waits no more then.
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

    /// The viewer gets a key frame, whichever viewer has asked for it.
    package mutating func satisfy() { isWaiting = false }
}
