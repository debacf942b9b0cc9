/// Finds out how much faster or slower a card's clock runs than the session's, and by how much
/// to stretch the sound so that neither too much of it waits for the card nor too little.
///
/// It looks at the fill, which is all sound that waits in the ring and in the card's buffer, and
/// steers it to a target with a proportional and an integral part. A second of
/// measurements is averaged before each step, because the fill jumps by a block whenever one
/// comes or goes. The integral is slow: it learns the card's clock in some minutes, and what
/// the scheduler does to single blocks leaves it alone.
package struct DriftController: Sendable {
    /// How far the stretch can go, in millionths. Clocks of cards are within 200.
    package static let limit = 1000.0
    /// Frames of 48 kHz between two steps.
    private static let interval = 48_000
    /// The proportional part, in millionths a frame.
    ///
    /// A stretch of one millionth for a second moves the fill by 0.048 frames. With p and i
    /// millionths a frame, and a frame and second, the loop is s² + 0.048 p s + 0.048 i, which
    /// these numbers damp critically with a time constant of 50 seconds.
    private static let proportional = 0.83
    /// The integral part, in millionths a frame and second.
    private static let integral = 0.0083

    /// The largest difference from the target that a card's clock can have made, in frames: the
    /// loop keeps 1000 millionths within 900. What is farther off was an accident, and teaches
    /// nothing about the clock.
    private static let credible = 1200.0

    /// The fill to steer to, in frames of 48 kHz.
    package let target: Int
    /// How much faster the card's clock is, in millionths, as far as it is known.
    package private(set) var driftPPM = 0.0
    /// How much more sound to make of the session's, in millionths.
    package private(set) var stretchPPM = 0.0

    private var sum = 0.0
    private var weight = 0

    package init(target: Int) {
        self.target = target
    }

    /// Takes a measurement.
    ///
    /// - Parameters:
    ///   - fill: In frames of 48 kHz.
    ///   - frames: How much sound has come from the session since the last measurement.
    /// - Returns: Whether the stretch is another one now.
    package mutating func observe(fill: Double, after frames: Int) -> Bool {
        sum += fill * Double(frames)
        weight += frames
        guard weight >= Self.interval else { return false }
        let excess = sum / Double(weight) - Double(target)
        let seconds = Double(weight) / 48_000
        (sum, weight) = (0, 0)
        // Too much is waiting: the card is slower than was thought.
        if abs(excess) <= Self.credible {
            driftPPM = Self.limited(driftPPM - Self.integral * excess * seconds)
        }
        stretchPPM = Self.limited(driftPPM - Self.proportional * excess)
        return true
    }

    /// Forgets the measurements, and not what was learnt: the fill has been set anew.
    package mutating func restart() { (sum, weight) = (0, 0) }

    private static func limited(_ ppm: Double) -> Double { min(max(ppm, -limit), limit) }
}
