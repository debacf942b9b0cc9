import GreenroomMedia
import GreenroomRuntime

/// Decides which period of an output's rate (a *slot*) a frame fills.
///
/// The rules:
/// - The first frame of a period is shown. Later frames of the same period are in excess.
/// - A slot ends when it is due, and is filled with the available content. A later frame is shown
///   in the next free slot. If more than one frame already waits in this way, the later frame is in
///   excess, too. Therefore a slightly late frame is not lost, and a burst after a silence does not
///   delay the video permanently.
///
/// Decisions depend only on session time, not on the progress of threads.
///
/// Times are nanoseconds from the session's start.
struct FrameRateConverter: Sendable {
    /// The result for a frame.
    enum Claim: Equatable {
        case slot(Int64, isDelayed: Bool)
        /// The frame is before the start.
        case beforeStart
        /// The frame is after the end.
        case afterEnd
        /// The frame's period already has a frame.
        case excess
        /// Too many frames wait for their time.
        case full
    }

    /// The time that a period waits for its frame if frames are written immediately. A still image
    /// is written as time passes, and not only at the end.
    static let longestWait: Int64 = 1_000_000_000
    /// The limit of waiting frames: the latency of 100 ms at 120 frames a second, plus a third.
    static let mostWaiting = Limits.outputFrames

    let rate: FrameRate
    let pace: OutputPace
    /// The first slot.
    let startSlot: Int64
    /// The slot after the last slot; nil while the end is unknown.
    var endSlot: Int64?
    private var newestPeriod: Int64
    /// The newest claimed slot.
    private(set) var newestSlot: Int64
    /// The newest claimed slots, as a ring.
    private var waiting = InlineArray<16, Int64>(repeating: .min)
    private var claims = 0

    init(rate: FrameRate, pace: OutputPace, startSlot: Int64 = 0, endSlot: Int64?) {
        self.rate = rate
        self.pace = pace
        self.startSlot = startSlot
        self.endSlot = endSlot
        newestPeriod = startSlot - 1
        newestSlot = startSlot - 1
    }

    /// Returns the time at which a slot is filled with the available content.
    func due(_ slot: Int64) -> Int64 {
        let (due, delay) =
            switch pace {
            case .asTheyCome: (rate.dueNanoseconds(ofFrame: slot + 1), Self.longestWait)
            case .onSchedule: (rate.dueNanoseconds(ofFrame: slot), latency)
            }
        let (sum, overflow) = due.addingReportingOverflow(delay)
        return overflow ? .max : sum
    }

    /// The delay of an output on schedule: the delay of the audio, or twelve frames at more than
    /// 120 frames a second, to limit the queue.
    private var latency: Int64 {
        min(SessionTimeline.playoutDelay, rate.dueNanoseconds(ofFrame: 12))
    }

    /// Whether the first frame or slate, if it arrives now, fills even the slots before its own.
    func isPrompt(at now: Int64) -> Bool { now < due(startSlot) }

    /// Returns the first slot that is not due at a time.
    func firstOpenSlot(at now: Int64) -> Int64 {
        switch pace {
        case .asTheyCome:
            // A slot ends at the end of the next slot's time.
            max(rate.frameCount(inNanoseconds: Self.inclusive(now, Self.longestWait)) - 1, 0)
        case .onSchedule:
            rate.frameCount(inNanoseconds: Self.inclusive(now, latency))
        }
    }

    /// Claims a slot for a frame.
    ///
    /// - Parameters:
    ///   - point: The time of the frame.
    ///   - now: The current time.
    ///   - queueHasRoom: Whether the queue has room.
    mutating func claim(
        _ point: FrameGrid.Point, at now: Int64, queueHasRoom: Bool = true
    ) -> Claim {
        let period = point.period(of: rate)
        let end = endSlot ?? .max
        guard period >= startSlot else { return .beforeStart }
        guard period < end else { return .afterEnd }
        guard period > newestPeriod else { return .excess }
        let open = firstOpenSlot(at: now)
        let slot = max(period, open, newestSlot + 1)
        guard slot == period || slot <= open + 1 else { return .excess }
        guard slot < end else { return .afterEnd }
        guard queueHasRoom, pace == .asTheyCome || hasRoom(at: now) else { return .full }
        newestPeriod = period
        give(slot)
        return .slot(slot, isDelayed: slot > period)
    }

    /// Claims a slot for black or a slate from now on, regardless of waiting frames.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - nextSlot: The first slot that is not filled.
    /// - Returns: The slot; nil after the end.
    mutating func claim(from now: FrameGrid.Point, nextSlot: Int64) -> Int64? {
        let slot = max(
            now.period(of: rate), firstOpenSlot(at: now.nanoseconds), newestSlot + 1, nextSlot)
        guard slot < endSlot ?? .max else { return nil }
        newestSlot = slot
        return slot
    }

    /// Moves a frame to another slot, because the frame's own slot was filled meanwhile.
    mutating func move(to slot: Int64) {
        newestSlot = max(newestSlot, slot)
        waiting[(claims + Self.mostWaiting - 1) % Self.mostWaiting] = slot
    }

    /// Whether fewer than the limit of frames wait at a time.
    private func hasRoom(at now: Int64) -> Bool {
        claims < Self.mostWaiting || due(waiting[claims % Self.mostWaiting]) <= now
    }

    private mutating func give(_ slot: Int64) {
        newestSlot = slot
        waiting[claims % Self.mostWaiting] = slot
        claims += 1
    }

    /// Returns the end of an interval just after `now` minus a delay.
    private static func inclusive(_ now: Int64, _ delay: Int64) -> Int64 {
        let (difference, overflow) = now.subtractingReportingOverflow(delay - 1)
        return overflow ? .min : difference
    }
}
