import GreenroomMedia
import GreenroomRuntime

/// Decides which period of an output's rate, which *slot*, a frame fills.
///
/// The rules:
/// - The first frame of a period is the one that shows. Later ones of the same period are in
///   excess.
/// - A slot is over when it is due: it is filled then, with what there is. A frame that comes
///   after that shows in the next free slot, unless more than one frame waits in this way
///   already; then it is in excess, too. So a frame that is a little late is not lost, and what
///   a source sends in a burst after a silence does not make the picture late for good.
///
/// Decisions depend on session time alone, and not on how far a thread has come.
///
/// Times are nanoseconds from the session's start.
struct FrameRateConverter: Sendable {
    /// What becomes of a frame.
    enum Claim: Equatable {
        case slot(Int64, isDelayed: Bool)
        /// It shows before the beginning.
        case early
        /// It shows after the end.
        case late
        /// Its period has a frame already.
        case excess
        /// Too many frames wait for their time.
        case full
    }

    /// How long a period waits for its frame where frames are written as they come: a still
    /// picture is written as time passes, and not all of it at the end.
    static let patience: Int64 = 1_000_000_000
    /// How many frames may wait for their time: the latency of 100 ms at 120 a second, and
    /// a third more.
    static let mostWaiting = 16

    let rate: FrameRate
    let pace: OutputPace
    /// The slot after the last one; nil while the end is not known.
    var endSlot: Int64?
    private var newestPeriod: Int64 = -1
    /// The newest slot that was given to a frame.
    private(set) var newestSlot: Int64 = -1
    /// The newest slots that were given, in turn.
    private var waiting = InlineArray<16, Int64>(repeating: .min)
    private var claims = 0

    init(rate: FrameRate, pace: OutputPace, endSlot: Int64?) {
        self.rate = rate
        self.pace = pace
        self.endSlot = endSlot
    }

    /// When a slot is filled with what there is.
    func due(_ slot: Int64) -> Int64 {
        let (due, delay) =
            switch pace {
            case .asTheyCome: (rate.dueNanoseconds(ofFrame: slot + 1), Self.patience)
            case .onSchedule: (rate.dueNanoseconds(ofFrame: slot), latency)
            }
        let (sum, overflow) = due.addingReportingOverflow(delay)
        return overflow ? .max : sum
    }

    /// How far an output on schedule is behind the session's time: as far as sound is, or at more
    /// than 120 frames a second twelve frames, so that what waits stays bounded.
    private var latency: Int64 {
        min(SessionTimeline.playoutDelay, rate.dueNanoseconds(ofFrame: 12))
    }

    /// The first slot that is not over at a time.
    func firstOpenSlot(at now: Int64) -> Int64 {
        switch pace {
        case .asTheyCome:
            // One is over when the next one's time has passed.
            max(rate.frameCount(inNanoseconds: Self.inclusive(now, Self.patience)) - 1, 0)
        case .onSchedule:
            rate.frameCount(inNanoseconds: Self.inclusive(now, latency))
        }
    }

    /// Claims a slot for a frame.
    ///
    /// - Parameters:
    ///   - point: When it shows.
    ///   - now: The time.
    ///   - queueHasRoom: Whether there is memory for it.
    mutating func claim(
        _ point: FrameGrid.Point, at now: Int64, queueHasRoom: Bool = true
    ) -> Claim {
        let period = point.period(of: rate)
        let end = endSlot ?? .max
        guard period >= 0 else { return .early }
        guard period < end else { return .late }
        guard period > newestPeriod else { return .excess }
        let open = firstOpenSlot(at: now)
        let slot = max(period, open, newestSlot + 1)
        guard slot == period || slot <= open + 1 else { return .excess }
        guard slot < end else { return .late }
        guard queueHasRoom, pace == .asTheyCome || hasRoom(at: now) else { return .full }
        newestPeriod = period
        give(slot)
        return .slot(slot, isDelayed: slot > period)
    }

    /// Claims a slot for a picture that the host shows from now on, whatever waits already.
    ///
    /// - Parameters:
    ///   - now: From when on.
    ///   - nextSlot: The first slot that is not filled.
    /// - Returns: The slot; nil after the end.
    mutating func claim(from now: FrameGrid.Point, nextSlot: Int64) -> Int64? {
        let slot = max(
            now.period(of: rate), firstOpenSlot(at: now.nanoseconds), newestSlot + 1, nextSlot)
        guard slot < endSlot ?? .max else { return nil }
        newestSlot = slot
        return slot
    }

    /// Gives a frame another slot than it claimed, since that one was filled meanwhile.
    mutating func move(to slot: Int64) {
        newestSlot = max(newestSlot, slot)
        waiting[(claims + Self.mostWaiting - 1) % Self.mostWaiting] = slot
    }

    /// Whether the oldest of as many frames as may wait has had its time.
    private func hasRoom(at now: Int64) -> Bool {
        claims < Self.mostWaiting || due(waiting[claims % Self.mostWaiting]) <= now
    }

    private mutating func give(_ slot: Int64) {
        newestSlot = slot
        waiting[claims % Self.mostWaiting] = slot
        claims += 1
    }

    /// A stretch that ends just after `now` minus a delay.
    private static func inclusive(_ now: Int64, _ delay: Int64) -> Int64 {
        let (difference, overflow) = now.subtractingReportingOverflow(delay - 1)
        return overflow ? .min : difference
    }
}
