import GreenroomPlugin

/// Which slide is shown when, and how often frames are sent.
struct SlideSchedule {
    /// The longest time between two frames, in seconds.
    private static let longestPause = 0.5

    private let seconds: Double
    private let framesPerSlide: Int

    /// A schedule of slides that are shown for so long, 0.1 to 86400 seconds.
    init(seconds: Double) {
        self.seconds = min(max(seconds, 0.1), 86_400)
        framesPerSlide = Int((self.seconds / Self.longestPause).rounded(.up))
    }

    /// The rate at which a whole number of frames shows a slide, so that it changes on time.
    var rate: FrameRate {
        let milliseconds = UInt32((seconds * 1000).rounded())
        return FrameRate(
            numerator: UInt32(framesPerSlide) * 1000, denominator: milliseconds) ?? FrameRate(2)
    }

    /// The slide that is shown at a time, counted from 0 and on without end.
    ///
    /// - Parameter time: Seconds since the start.
    func slide(at time: Double) -> Int {
        // Due times are rounded down to a nanosecond.
        Int(((max(time, 0) + 1e-6) / seconds).rounded(.down))
    }
}
