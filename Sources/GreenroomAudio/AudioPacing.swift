import GreenroomMedia
import GreenroomRuntime

/// Detects sources that send more or less audio than real time.
///
/// Counts in windows of 2 s, 10 s and 60 s of the session. A longer window detects a smaller
/// difference. A source that the host paces, or that keeps time, is never reported: only refused or
/// skipped audio counts as too much, and only concealed audio as too little.
package struct AudioPacing: Sendable {
    /// Counters of an interval.
    private struct Window: Sendable {
        /// The length of the window, in frames of the session.
        var length: Int
        /// The tolerated excess or shortage, as a part.
        var tolerance: Double
        /// The tolerated concealment as a part of the window if enough was sent; nil for no limit.
        var lateTolerance: Double?
        var passed = 0
        var sent = 0.0
        var refused = 0
        var skipped = 0
        var concealed = 0

        init(seconds: Int, tolerance: Double, lateTolerance: Double? = nil) {
            length = AudioFormat.session.sampleRate * seconds
            self.tolerance = tolerance
            self.lateTolerance = lateTolerance
        }

        mutating func clear() {
            (passed, sent, refused, skipped, concealed) = (0, 0, 0, 0, 0)
        }

        /// Returns the finding at the end of the window; nil if none.
        ///
        /// - Parameter isPaced: Whether the host paces the source.
        func finding(isPaced: Bool) -> AudioAnomaly? {
            let part = sent / Double(passed) - 1
            if part > tolerance, refused > 0 || skipped > 0 {
                return .overfeeding(
                    part, refused: refused, skipped: skipped, isPaced: isPaced)
            }
            guard Double(concealed) > tolerance * Double(passed) else { return nil }
            if part < -tolerance {
                return .underfeeding(-part, concealed: concealed, isPaced: isPaced)
            }
            guard let lateTolerance, Double(concealed) > lateTolerance * Double(passed) else {
                return nil
            }
            return .late(concealed: concealed)
        }
    }

    /// The largest excess and shortage of a window, as parts.
    package private(set) var excess = 0.0
    package private(set) var shortage = 0.0

    /// Whether a window has begun. Audio arrives before it is pulled, so audio from before the
    /// first pull belongs to no window.
    private var hasBegun = false
    /// Whether the newest block was sent with a timeout.
    private var isPaced = false
    /// The windows. A single block is a larger part of a short window than of a long window.
    /// Differences below the last tolerance are clock drift, and are resampled away.
    private var windows: InlineArray<3, Window> = [
        Window(seconds: 2, tolerance: 0.02),
        Window(seconds: 10, tolerance: 0.005, lateTolerance: 0.01),
        Window(seconds: 60, tolerance: ClockDriftEstimator.maximumDrift),
    ]

    package init() {}

    /// Counts a block that was sent.
    ///
    /// - Parameters:
    ///   - isRefused: Whether the queue had no room for the block.
    ///   - isPaced: Whether the block was sent with a timeout, so that the host paces its source.
    package mutating func send(_ frames: Int, rate: Int, isRefused: Bool, isPaced: Bool) {
        self.isPaced = isPaced
        let frames = Double(frames) * Double(AudioFormat.session.sampleRate) / Double(rate)
        for index in windows.indices {
            windows[index].sent += frames
            if isRefused { windows[index].refused += 1 }
        }
    }

    /// Counts skipped frames of the session. Frames are skipped to remove excess audio.
    package mutating func skip(_ frames: Int) {
        for index in windows.indices { windows[index].skipped += frames }
    }

    /// Starts counting again after the source has started or stopped.
    package mutating func restart() {
        hasBegun = false
        clear()
    }

    private mutating func clear() {
        for index in windows.indices { windows[index].clear() }
    }

    /// Counts time in which the source should have sent without a break.
    ///
    /// - Parameter concealed: The number of frames in that time without audio.
    /// - Returns: The finding of a window that ends; nil if none.
    package mutating func pass(_ frames: Int, concealed: Int) -> AudioAnomaly? {
        guard hasBegun else {
            clear()
            hasBegun = true
            return nil
        }
        var finding: AudioAnomaly?
        for index in windows.indices {
            windows[index].passed += frames
            windows[index].concealed += concealed
            guard windows[index].passed >= windows[index].length else { continue }
            finding = finding ?? windows[index].finding(isPaced: isPaced)
            windows[index].clear()
        }
        switch finding {
        case .overfeeding(let part, _, _, _): excess = max(excess, part)
        case .underfeeding(let part, _, _): shortage = max(shortage, part)
        default: break
        }
        return finding
    }
}
