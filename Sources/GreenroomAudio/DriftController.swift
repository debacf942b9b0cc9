/// Measures the speed of a sound card's clock relative to the session clock, and the stretch that
/// keeps the amount of audio waiting for the card constant.
///
/// The input is the fill: all audio in the ring and in the card's buffer. A proportional-integral
/// controller steers it to a target. Each step uses the average of one second of measurements,
/// because the fill jumps by a block whenever a block arrives or leaves. The integral is slow: it
/// follows the card's clock within some minutes, and ignores scheduling jitter of single blocks.
package struct DriftController: Sendable {
    /// The limit of the stretch, in ppm. The clocks of sound cards are within 200.
    package static let limit = 1000.0
    /// Frames of 48 kHz between two steps.
    private static let interval = 48_000
    /// The proportional gain, in ppm per frame.
    ///
    /// A stretch of 1 ppm for a second changes the fill by 0.048 frames. With gains p (ppm per
    /// frame) and i (ppm per frame and second) the loop is s² + 0.048 p s + 0.048 i, which these
    /// numbers damp critically with a time constant of 50 seconds.
    private static let proportional = 0.83
    /// The integral gain, in ppm per frame and second.
    private static let integral = 0.0083

    /// The largest difference from the target that drift can cause, in frames: the loop keeps 1000
    /// ppm within 900. A larger difference has another cause and does not change the integral.
    private static let credible = 1200.0

    /// The target fill, in frames of 48 kHz.
    package let target: Int
    /// The estimated excess speed of the card's clock, in ppm.
    package private(set) var driftPPM = 0.0
    /// The current stretch, in ppm; positive makes more audio.
    package private(set) var stretchPPM = 0.0

    private var sum = 0.0
    private var weight = 0

    package init(target: Int) {
        self.target = target
    }

    /// Records a measurement.
    ///
    /// - Parameters:
    ///   - fill: The fill, in frames of 48 kHz.
    ///   - frames: The number of frames that arrived from the session since the last measurement.
    /// - Returns: Whether the stretch changed.
    package mutating func observe(fill: Double, after frames: Int) -> Bool {
        sum += fill * Double(frames)
        weight += frames
        guard weight >= Self.interval else { return false }
        let excess = sum / Double(weight) - Double(target)
        let seconds = Double(weight) / 48_000
        (sum, weight) = (0, 0)
        // If too much audio is waiting, the card is slower than the estimate.
        if abs(excess) <= Self.credible {
            driftPPM = Self.limited(driftPPM - Self.integral * excess * seconds)
        }
        stretchPPM = Self.limited(driftPPM - Self.proportional * excess)
        return true
    }

    /// Discards the measurements but keeps the integral, after the fill was reset.
    package mutating func restart() { (sum, weight) = (0, 0) }

    private static func limited(_ ppm: Double) -> Double { min(max(ppm, -limit), limit) }
}
