/// Decides which part of a file plays, how fast, and whether it repeats. Times are nanoseconds.
package struct PlaybackControls: Equatable {
    package var start: Int64 = 0
    /// nil: the end of the file.
    package var end: Int64?
    package var speed = 1.0
    package var isPaused = false
    package var loops = true

    package init(
        start: Int64 = 0, end: Int64? = nil, speed: Double = 1, isPaused: Bool = false,
        loops: Bool = true
    ) {
        self.start = start
        self.end = end
        self.speed = speed
        self.isPaused = isPaused
        self.loops = loops
    }
}

/// The position of a file as a function of the session's time. All times are nanoseconds; positions count from
/// the first frame of the file.
package struct Playback: Equatable {
    /// A run without a jump: from the start, a seek or a repetition to the end or the next jump.
    package struct Leg: Equatable {
        /// Later legs have higher numbers.
        package var number: Int
        /// Its first position.
        package var start: Int64
        /// The position after its last.
        package var end: Int64

        package init(number: Int, start: Int64, end: Int64) {
            self.number = number
            self.start = start
            self.end = end
        }
    }

    /// The place where the file is at a time.
    package struct Place: Equatable {
        package var leg: Leg
        package var position: Int64
        /// Whether it stands still: it is paused, or at the end.
        package var stands: Bool
        /// Whether nothing follows, because it has ended.
        package var isOver: Bool

        package init(leg: Leg, position: Int64, stands: Bool, isOver: Bool = false) {
            self.leg = leg
            self.position = position
            self.stands = stands
            self.isOver = isOver
        }
    }

    package private(set) var controls: PlaybackControls
    /// The length of the file; nil if it is not known.
    package private(set) var length: Int64?
    /// A time and the position then, from which others are counted.
    private var (anchorTime, anchorPosition): (Int64, Int64)
    /// The leg of the anchor, and its start.
    private var (anchorLeg, legStart): (Int, Int64)

    /// - Parameters:
    ///   - time: The time at which playback begins.
    ///   - position: The start of playback, at least `controls.start`.
    package init(
        _ controls: PlaybackControls, length: Int64?, from position: Int64 = 0, at time: Int64
    ) {
        self.controls = controls
        self.length = length
        anchorTime = time
        (anchorLeg, anchorPosition, legStart) = (0, 0, 0)
        anchorPosition = clamped(max(position, lower))
        legStart = anchorPosition
    }

    /// A part that is shorter does not repeat: each repetition is a jump.
    private static let shortest: Int64 = 50_000_000

    /// The position after the last one.
    private var upper: Int64 { min(controls.end ?? .max, length ?? .max) }
    /// The place where repetitions begin.
    private var lower: Int64 { min(max(controls.start, 0), upper) }

    private func clamped(_ position: Int64) -> Int64 { min(max(position, 0), upper) }

    /// The position in the file at a time; a time before the last change counts as the time of the change.
    package func place(at time: Int64) -> Place {
        let (lower, upper) = (lower, upper)
        let position = anchorPosition.addingClamped(controls.isPaused ? 0 : advance(to: time))
        if position < upper {
            let leg = Leg(number: anchorLeg, start: legStart, end: upper)
            return Place(leg: leg, position: position, stands: controls.isPaused)
        }
        let length = upper - lower
        guard controls.loops, length >= Self.shortest else {
            // A start behind the end leaves nothing to play.
            let leg = Leg(number: anchorLeg, start: min(legStart, upper), end: upper)
            // A single picture does not end.
            let isOver = !controls.loops && length >= Self.shortest
            return Place(leg: leg, position: upper, stands: true, isOver: isOver)
        }
        let (laps, rest) = (position - upper).quotientAndRemainder(dividingBy: length)
        let leg = Leg(number: anchorLeg + 1 + Int(laps), start: lower, end: upper)
        return Place(leg: leg, position: lower + rest, stands: controls.isPaused)
    }

    private func advance(to time: Int64) -> Int64 {
        let (elapsed, overflow) = time.subtractingReportingOverflow(anchorTime)
        guard !overflow, elapsed > 0 else { return 0 }
        guard controls.speed != 1 else { return elapsed }
        return Int64(exactly: (Double(elapsed) * controls.speed).rounded(.down)) ?? .max
    }

    /// The file has ended at another position than was stated.
    package mutating func end(at length: Int64, time: Int64) {
        let place = place(at: time)
        self.length = length
        guard place.position < upper else { return }
        anchor(place.leg.number, place.leg.start, place.position, time)
    }

    /// Changes what plays from a time on. The position stays.
    package mutating func change(to controls: PlaybackControls, at time: Int64) {
        let place = place(at: time)
        self.controls = controls
        anchor(place.leg.number, place.leg.start, place.position, time)
    }

    /// Jumps to a position.
    package mutating func seek(to position: Int64, at time: Int64) {
        let number = place(at: time).leg.number + 1
        let target = clamped(position)
        anchor(number, target, target, time)
    }

    private mutating func anchor(_ leg: Int, _ start: Int64, _ position: Int64, _ time: Int64) {
        (anchorTime, anchorPosition) = (time, position)
        (anchorLeg, legStart) = (leg, start)
    }
}
