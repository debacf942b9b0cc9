import GreenroomConversion
import GreenroomMedia

/// What waits for one output, and what was decided about each frame: the state of a
/// ``VideoLane``, without its thread.
///
/// Times are nanoseconds from the session's start.
struct LaneQueue: ~Copyable {
    /// A picture and the slot that it fills.
    struct Item: ~Copyable, Sendable {
        /// nil for black, which the lane makes itself.
        var frame: VideoFrame?
        var slot: Int64
        var isDelayed = false
        /// Whether it came before the first slot was over; then it fills those before its own.
        var isPrompt: Bool

        consuming func takeFrame() -> VideoFrame? { frame.take() }
    }

    /// What the lane's thread has to do.
    enum Turn: ~Copyable, Sendable {
        /// Write a picture, after filling the slots before its own with the one before it.
        case write(Item)
        /// Fill the slots before this one with the picture before them.
        case fill(until: Int64)
        /// End the output.
        case end
    }

    /// How many frames fit. More than may wait for their time: one may be due just now.
    private static let mostFrames = LaneSchedule.mostWaiting + 1
    /// How many frames a lane has in use at most: those that wait, the one that is being written,
    /// and the one before it.
    static let mostFramesInUse = mostFrames + 2

    private(set) var schedule: LaneSchedule
    private(set) var counts = VideoLane.Counts()
    /// One more than frames may take, for black.
    private var items = Ring<18, Item>()
    /// The first slot that the thread has not taken on itself to fill.
    private(set) var nextSlot: Int64 = 0
    private var hasPicture = false
    private var newestIsBlack = false
    private(set) var isFinishing = false
    private(set) var hasFailed = false

    init(_ schedule: LaneSchedule) {
        self.schedule = schedule
    }

    /// Whether another frame can be queued.
    var hasRoom: Bool { items.count < Self.mostFrames }

    // MARK: The track's side

    /// Claims a slot for a frame, or counts why it gets none.
    mutating func claim(_ nanoseconds: Int64, at now: Int64) -> Item? {
        guard !hasFailed else {
            counts.failed += 1
            return nil
        }
        switch schedule.claim(nanoseconds, at: now, queueHasRoom: hasRoom) {
        case .slot(let slot, let isDelayed):
            counts.queued += 1
            return Item(slot: slot, isDelayed: isDelayed, isPrompt: now < schedule.due(0))
        case .early: counts.early += 1
        case .late: counts.late += 1
        case .excess: counts.excess += 1
        case .full: counts.queueFull += 1
        }
        return nil
    }

    /// Queues a frame for the slot that it claimed, or the next one if that was filled meanwhile.
    mutating func push(_ frame: consuming VideoFrame, _ claim: consuming Item) {
        guard !hasFailed else {
            counts.queued -= 1
            counts.failed += 1
            return
        }
        var item = claim
        item.frame = consume frame
        if item.slot < nextSlot {
            item.slot = nextSlot
            item.isDelayed = true
            schedule.move(to: nextSlot)
        }
        newestIsBlack = false
        _ = items.append(item)
    }

    /// Counts a frame whose conversion failed after it had claimed a slot.
    mutating func countUnconvertible() {
        counts.queued -= 1
        counts.unconvertible += 1
    }

    /// Makes the picture black from a time on, until the next frame.
    mutating func showBlack(at now: Int64) {
        guard !hasFailed, !newestIsBlack, let slot = schedule.claim(at: now, from: nextSlot)
        else { return }
        newestIsBlack = true
        _ = items.append(Item(slot: slot, isPrompt: now < schedule.due(0)))
    }

    /// Lets the lane end with a given number of slots, or as many as it has if those are more.
    mutating func finish(endSlot: Int64) {
        schedule.endSlot = max(endSlot, schedule.newestSlot + 1, nextSlot)
        isFinishing = true
    }

    // MARK: The lane's side

    /// When there is something to do even if nothing comes.
    var wake: Int64? {
        nextSlot < schedule.endSlot ?? .max ? schedule.due(nextSlot) : nil
    }

    /// What there is to do at a time; nil for nothing. The slots that it names count as filled.
    mutating func turn(at now: Int64) -> Turn? {
        let turn =
            switch schedule.pace {
            case .asTheyCome: turnAsTheyCome(at: now)
            case .onSchedule: turnOnSchedule(at: now)
            }
        guard let turn else { return nil }
        switch turn {
        case .write(let item):
            nextSlot = item.slot + 1
            hasPicture = true
        case .fill(until: let end):
            nextSlot = end
            hasPicture = true
        case .end:
            break
        }
        return turn
    }

    private mutating func turnAsTheyCome(at now: Int64) -> Turn? {
        if let item = items.popFirst() { return .write(item) }
        let end = schedule.endSlot ?? .max
        if isFinishing { return nextSlot < end ? .fill(until: end) : .end }
        let over = min(schedule.firstOpenSlot(at: now), end)
        return over > nextSlot ? .fill(until: over) : nil
    }

    /// One slot at a time.
    private mutating func turnOnSchedule(at now: Int64) -> Turn? {
        let slot = nextSlot
        guard slot < schedule.endSlot ?? .max else { return isFinishing ? .end : nil }
        guard schedule.due(slot) <= now else { return nil }
        let first = items.first { (slot: $0.slot, isPrompt: $0.isPrompt) }
        guard let first, first.slot <= slot || (first.isPrompt && !hasPicture),
            var item = items.popFirst()
        else { return .fill(until: slot + 1) }
        item.slot = slot
        return .write(item)
    }

    /// Counts slots that were filled.
    ///
    /// - Parameters:
    ///   - frame: Whether a frame of the source was among them, for the first time.
    ///   - isDelayed: Whether that one is in a later slot than its own.
    ///   - repeated: Slots with a frame that was written before.
    ///   - black: Slots with black.
    mutating func countWritten(frame: Bool, isDelayed: Bool, repeated: Int, black: Int) {
        if frame {
            counts.queued -= 1
            counts.delivered += 1
            if isDelayed { counts.delayed += 1 }
        }
        counts.repeated += repeated
        counts.black += black
    }

    /// Gives up: what waits is lost with the output, and so is the frame in the thread's hands.
    mutating func fail(hasFrameInHand: Bool) {
        hasFailed = true
        var lost = hasFrameInHand ? 1 : 0
        while let item = items.popFirst() {
            if item.takeFrame() != nil { lost += 1 }
        }
        counts.queued -= lost
        counts.failed += lost
    }
}
