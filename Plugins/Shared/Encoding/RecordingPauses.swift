package import GreenroomMedia

/// The pauses of a recording, in order, in nanoseconds of the session clock.
package struct RecordingPauses: Sendable {
    package struct Pause: Equatable, Sendable {
        package var start: Int64
        /// Nil while the recording is paused.
        package var end: Int64?

        package init(start: Int64, end: Int64? = nil) { (self.start, self.end) = (start, end) }
    }

    package private(set) var all: [Pause] = []

    /// A time that no session reaches. Sums of such times fit.
    fileprivate static let latest: Int64 = 1 << 60

    package init() {}

    package var isPaused: Bool { all.last.map { $0.end == nil } ?? false }

    package mutating func pause(at time: Int64) {
        guard !isPaused else { return }
        let time = min(max(time, 0), Self.latest)
        all.append(Pause(start: max(time, all.last?.end ?? time)))
    }

    /// Whether a time is in a pause.
    package func has(_ time: Int64) -> Bool {
        all.contains { $0.start <= time && time < $0.end ?? .max }
    }

    /// Converts a time of the session clock to a time without the pauses. All times in a pause become the start of the pause.
    package func written(_ time: Int64) -> Int64 {
        let time = min(max(time, 0), Self.latest)
        return all.reduce(time) { written, pause in
            written - max(min(pause.end ?? time, time) - pause.start, 0)
        }
    }

    /// The times in the file of a text, whose times count from the session's start. nil if it begins in a pause.
    ///
    /// - Parameter origin: The session's start on the session clock.
    package func inFile(
        from start: Int64, to end: Int64, origin: Int64
    ) -> (start: Int64, end: Int64)? {
        guard !has(origin &+ start) else { return nil }
        return (written(origin &+ start) &- origin, written(origin &+ end) &- origin)
    }

    /// Ends the pause. The pause lasts a whole number of frames, so that the frames after it fit
    /// exactly behind those before it.
    ///
    /// - Parameter rate: The rate of the most important video track; nil without video.
    package mutating func resume(at time: Int64, frames rate: FrameRate?) {
        guard isPaused, let start = all.last?.start else { return }
        var length = max(min(time, Self.latest), start) - start
        if let rate {
            let frames = PausedTrack.scaled(
                length, by: Int(rate.numerator), over: Int(rate.denominator), isUp: true)
            length = rate.dueNanoseconds(ofFrame: frames)
        }
        all[all.count - 1].end = start + min(length, Self.latest)
    }
}

/// Numbers the frames or samples of a track without those in pauses, and without a gap.
///
/// A pause removes a whole number of the track's periods. The removed periods never differ by more
/// than half a period from the time of all pauses, so tracks of different rates stay in step.
package struct PausedTrack: Sendable {
    /// Periods of the track that follow one another in the file.
    package struct Run: Equatable, Sendable {
        /// The periods, by their numbers in the track.
        package var periods: Range<Int64>
        /// The number of the first one in the file.
        package var index: Int64
        /// Whether a pause is before it.
        package var isAfterPause = false

        package init(periods: Range<Int64>, index: Int64, isAfterPause: Bool = false) {
            (self.periods, self.index, self.isAfterPause) = (periods, index, isAfterPause)
        }
    }

    private let origin: Int64
    private let numerator: Int
    private let denominator: Int
    /// The first pause that the track has not passed.
    private var next = 0
    /// The nanoseconds and the periods in the pauses before it, and the period after them.
    private var passed: (nanoseconds: Int64, periods: Int64, end: Int64) = (0, 0, 0)
    private var isAfterPause = false

    /// - Parameters:
    ///   - origin: The time of the track's period 0, on the session clock.
    ///   - numerator: The periods in ``denominator`` seconds.
    package init(origin: Int64, numerator: Int, denominator: Int = 1) {
        self.origin = min(max(origin, -RecordingPauses.latest), RecordingPauses.latest)
        (self.numerator, self.denominator) = (numerator, denominator)
    }

    /// The periods of a range that are in the file. Ranges come in order.
    package mutating func runs(of range: Range<Int64>, without pauses: RecordingPauses) -> [Run] {
        var runs: [Run] = []
        var rest = range
        while !rest.isEmpty {
            guard next < pauses.all.count else {
                runs.append(run(rest))
                break
            }
            let pause = pauses.all[next]
            let first = max(periods(in: pause.start - origin, isUp: true), passed.end)
            if rest.lowerBound < first {
                let before = rest.clamped(to: rest.lowerBound..<first)
                runs.append(run(before))
                rest = before.upperBound..<rest.upperBound
                continue
            }
            guard let end = pause.end else { break }
            // A track that begins in a pause misses only the rest of it.
            let nanoseconds = passed.nanoseconds + max(end - max(pause.start, origin), 0)
            let removed = periods(in: nanoseconds, isUp: false)
            let last = first + removed - passed.periods
            rest = min(max(rest.lowerBound, last), rest.upperBound)..<rest.upperBound
            guard rest.lowerBound >= last else { break }
            passed = (nanoseconds, removed, last)
            next += 1
            isAfterPause = true
        }
        return runs
    }

    private mutating func run(_ periods: Range<Int64>) -> Run {
        defer { isAfterPause = false }
        return Run(
            periods: periods, index: periods.lowerBound - passed.periods, isAfterPause: isAfterPause
        )
    }

    private func periods(in nanoseconds: Int64, isUp: Bool) -> Int64 {
        Self.scaled(nanoseconds, by: numerator, over: denominator, isUp: isUp)
    }

    /// The periods in a time, rounded up or to the nearest number; 0 for a time before the track.
    static func scaled(
        _ nanoseconds: Int64, by numerator: Int, over denominator: Int,
        isUp: Bool
    ) -> Int64 {
        let second = Int128(denominator) * 1_000_000_000
        let whole = Int128(max(nanoseconds, 0)) * Int128(numerator)
        let rest = isUp ? second - 1 : second / 2
        return Int64(clamping: (whole + rest) / second)
    }
}
