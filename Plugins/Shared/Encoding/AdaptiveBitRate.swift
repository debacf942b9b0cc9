package import GreenroomMedia

/// Decides how many bits a stream has, and how large its source may be, by how far its network is behind: down
/// fast, up slowly.
///
/// It has no clock: times are arguments, in nanoseconds on the session clock.
package struct AdaptiveBitRate: Sendable {
    /// A share of the configured bit rate, and of the source's width and height.
    private static let steps: [(bits: Double, side: Double)] = [
        (1, 1), (0.7, 1), (0.5, 0.75), (0.35, 0.5), (0.25, 0.5),
    ]
    /// The network is behind from here on.
    package static let late: Int64 = 1_000_000_000
    /// The network keeps up below this.
    private static let inTime: Int64 = 200_000_000
    /// The time in which fewer bits take effect.
    private static let settling: Int64 = 3_000_000_000
    /// The time in which the network keeps up before it gets more bits; each failed attempt doubles it.
    private static let patience: ClosedRange<Int64> = 20_000_000_000...320_000_000_000

    private var step = 0
    private var changed: Int64?
    /// Since when the network keeps up; nil while it does not.
    private var steady: Int64?
    private var patience = Self.patience.lowerBound
    private var hasRisen = false

    package init() {}

    /// The share of the configured bit rate, 0 to 1.
    package var share: Double { Self.steps[step].bits }

    /// The largest size that the source should make for a stream; nil for no limit.
    package func ceiling(of capability: VideoCapability) -> VideoCapability? {
        let side = Self.steps[step].side
        guard side < 1 else { return nil }
        let size = FrameSize(
            width: max(Int(Double(capability.size.width) * side) & ~1, 2),
            height: max(Int(Double(capability.size.height) * side) & ~1, 2))
        return VideoCapability(size: size, rate: capability.rate)
    }

    /// Decides.
    ///
    /// - Parameter behind: The media that waits for the network, in nanoseconds.
    /// - Returns: Whether the share has changed.
    package mutating func update(behind: Int64, now: Int64) -> Bool {
        if behind >= Self.inTime { steady = nil } else if steady == nil { steady = now }
        if behind >= Self.late, step + 1 < Self.steps.count,
            now - (changed ?? .min / 2) >= Self.settling
        {
            if hasRisen { patience = min(patience * 2, Self.patience.upperBound) }
            return change(to: step + 1, now)
        }
        guard step > 0, let steady, let changed, now - max(steady, changed) >= patience else {
            return false
        }
        hasRisen = true
        return change(to: step - 1, now)
    }

    private mutating func change(to step: Int, _ now: Int64) -> Bool {
        self.step = step
        changed = now
        steady = nil
        return true
    }
}
