import GreenroomPlugin

/// Decides when to show which slide, and how often to send frames.
struct SlideSchedule {
    /// The longest time between two frames, in seconds.
    private static let longestPause = 0.5

    private let seconds: Double
    private let framesPerSlide: Int

    /// A schedule with a duration for each slide, 0.1 to 86400 seconds.
    init(seconds: Double) {
        self.seconds = min(max(seconds, 0.1), 86_400)
        framesPerSlide = Int((self.seconds / Self.longestPause).rounded(.up))
    }

    /// The rate at which each slide is a whole number of frames, so that it changes on time.
    var rate: FrameRate {
        let milliseconds = UInt32((seconds * 1000).rounded())
        return FrameRate(
            numerator: UInt32(framesPerSlide) * 1000, denominator: milliseconds) ?? FrameRate(2)
    }

    /// The slide at a time, from 0 without limit.
    ///
    /// - Parameter time: Seconds since the start.
    func slide(at time: Double) -> Int {
        // Due times are rounded down to a nanosecond.
        Int(((max(time, 0) + 1e-6) / seconds).rounded(.down))
    }
}
