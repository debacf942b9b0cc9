import GreenroomModel
import GreenroomConversion
import GreenroomMedia
import GreenroomRuntime

/// The queue of one output, with the decision about each frame: the state of a ``VideoBranch``,
/// without its thread.
///
/// Times are nanoseconds from the session's start.
struct BranchQueue: ~Copyable {
    /// The content that an output shows.
    enum Content: ~Copyable, Sendable {
        /// A frame of the source.
        case frame(VideoFrame)
        /// The slate, while the source is lost.
        case slate(VideoFrame)
        /// Black, made by the branch.
        case black
    }

    /// A frame with its slot.
    struct Item: ~Copyable, Sendable {
        var content: Content
        var slot: Int64
        var isDelayed = false
        /// Whether the frame arrived before the first slot was due. Then the frame also fills the
        /// slots before its own.
        var isPrompt: Bool

        var isFrame: Bool {
            switch content {
            case .frame: true
            case .slate: false
            case .black: false
            }
        }

        consuming func intoContent() -> Content { content }
    }

    /// The slot for a frame.
    struct Claim: Sendable {
        var slot: Int64
        var isDelayed: Bool
        var isPrompt: Bool
    }

    /// The newest entry, so that the same black or slate is not queued twice.
    private enum Newest: Equatable {
        case frame
        case slate(SlateText)
        case black
    }

    /// The next task of the branch's thread.
    enum Turn: ~Copyable, Sendable {
        /// Write a frame, after filling the slots before its own with the previous frame.
        case write(Item)
        /// Fill the slots before this one with the previous frame.
        case fill(until: Int64)
        /// End the output.
        case end
    }

    /// The capacity: one more than the frames that may wait for their time, because one frame may
    /// be due now.
    private static let mostFrames = FrameRateConverter.mostWaiting + 1
    /// Limit of frames that a branch uses: the waiting frames, the frame that is being written, and
    /// the frame before that.
    static let mostFramesInUse = mostFrames + 2

    private(set) var schedule: FrameRateConverter
    private(set) var counts = VideoBranch.Counts()
    /// The queue, with some room for black and slates in addition to frames. If the room is used
    /// up, the output keeps its content.
    private var items = Ring<20, Item>()
    /// The first slot that the thread has not started to fill.
    private(set) var nextSlot: Int64
    private var hasContent: Bool
    private var newest = Newest.frame
    private(set) var isFinishing = false
    private(set) var hasFailed = false

    /// - Parameter hasContent: Whether the output has content before the first frame.
    init(_ schedule: FrameRateConverter, hasContent: Bool = false) {
        self.schedule = schedule
        self.hasContent = hasContent
        nextSlot = schedule.startSlot
    }

    /// The queue of an output that receives no frames.
    static var ended: BranchQueue {
        var queue = BranchQueue(
            FrameRateConverter(rate: FrameRate(1), pace: .asTheyCome, endSlot: 0))
        queue.isFinishing = true
        return queue
    }

    /// Whether there is room for another frame.
    var hasRoom: Bool { items.count < Self.mostFrames }

    // MARK: Track thread

    /// Claims a slot for a frame, or counts the reason for a failed claim.
    mutating func claim(_ point: FrameGrid.Point, at now: Int64) -> Claim? {
        guard !hasFailed else {
            counts.failed += 1
            return nil
        }
        switch schedule.claim(point, at: now, queueHasRoom: hasRoom) {
        case .slot(let slot, let isDelayed):
            counts.queued += 1
            return Claim(
                slot: slot, isDelayed: isDelayed, isPrompt: schedule.isPrompt(at: now))
        case .beforeStart: counts.beforeStart += 1
        case .afterEnd: counts.afterEnd += 1
        case .excess: counts.excess += 1
        case .full: counts.queueFull += 1
        }
        return nil
    }

    /// Queues a frame for the claimed slot, or for the next slot if the claimed slot was filled
    /// meanwhile.
    mutating func push(_ frame: consuming VideoFrame, _ claim: Claim) {
        guard !hasFailed else {
            counts.queued -= 1
            counts.failed += 1
            return
        }
        var (slot, isDelayed) = (claim.slot, claim.isDelayed)
        if slot < nextSlot {
            slot = nextSlot
            isDelayed = true
            schedule.move(to: nextSlot)
        }
        newest = .frame
        _ = items.append(
            Item(
                content: .frame(frame), slot: slot, isDelayed: isDelayed, isPrompt: claim.isPrompt))
    }

    /// Counts a frame whose conversion failed after its claim.
    mutating func countUnconvertible() {
        counts.queued -= 1
        counts.unconvertible += 1
    }

    /// Shows black from a time on, until the next frame.
    mutating func showBlack(from now: FrameGrid.Point) { show(.black, as: .black, from: now) }

    /// Shows a slate from a time on, until the next frame.
    mutating func show(
        _ slate: consuming VideoFrame, _ text: SlateText, from now: FrameGrid.Point
    ) {
        show(.slate(slate), as: .slate(text), from: now)
    }

    private mutating func show(
        _ content: consuming Content, as kind: Newest, from now: FrameGrid.Point
    ) {
        guard !hasFailed, newest != kind, !items.isFull,
            let slot = schedule.claim(from: now, nextSlot: nextSlot)
        else { return }
        newest = kind
        _ = items.append(
            Item(
                content: content, slot: slot,
                isPrompt: schedule.isPrompt(at: now.nanoseconds)))
    }

    /// Sets the number of slots. Keeps slots that are already filled or claimed.
    mutating func limit(to endSlot: Int64) {
        schedule.endSlot = max(endSlot, schedule.newestSlot + 1, nextSlot)
    }

    /// Sets the final number of slots. Keeps slots that are already filled.
    mutating func finish(endSlot: Int64) {
        limit(to: endSlot)
        isFinishing = true
    }

    /// Ends the queue after the slots of queued frames, and after the slots that are due.
    ///
    /// - Returns: The time of the queue's end; nil if it has no slots.
    mutating func finish(at now: Int64) -> Int64? {
        if !isFinishing {
            let open = min(schedule.firstOpenSlot(at: now), schedule.endSlot ?? .max)
            finish(endSlot: open)
        }
        guard let end = schedule.endSlot, end > schedule.startSlot else { return nil }
        return schedule.rate.dueNanoseconds(ofFrame: end)
    }

    // MARK: Branch thread

    /// The due time of the next task if nothing arrives; nil if there is none.
    var wake: Int64? {
        nextSlot < schedule.endSlot ?? .max ? schedule.due(nextSlot) : nil
    }

    /// Returns the task at a time, and counts its slots as filled; nil if none is due.
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
            hasContent = true
        case .fill(until: let end):
            nextSlot = end
            hasContent = true
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

    /// Returns the task at a time for an output on schedule: one slot at a time.
    private mutating func turnOnSchedule(at now: Int64) -> Turn? {
        let slot = nextSlot
        guard slot < schedule.endSlot ?? .max else { return isFinishing ? .end : nil }
        guard schedule.due(slot) <= now else { return nil }
        let first = items.first { (slot: $0.slot, isPrompt: $0.isPrompt) }
        guard let first, first.slot <= slot || (first.isPrompt && !hasContent),
            var item = items.popFirst()
        else { return .fill(until: slot + 1) }
        item.slot = slot
        return .write(item)
    }

    /// Counts filled slots.
    ///
    /// - Parameter isDelayed: Whether the frame is in a later slot than the frame's own.
    mutating func countWritten(_ written: FrameRepeater.Written, isDelayed: Bool) {
        counts.queued -= written.new
        counts.delivered += written.new
        if isDelayed { counts.delayed += written.new }
        counts.repeated += written.repeated
        counts.black += written.black
        counts.slate += written.slate
    }

    /// Ends the queue after a failure. The waiting frames and the frame that the thread is writing
    /// are lost.
    mutating func fail(hasFrameInHand: Bool) {
        hasFailed = true
        var lost = hasFrameInHand ? 1 : 0
        while let item = items.popFirst() {
            if item.isFrame { lost += 1 }
        }
        counts.queued -= lost
        counts.failed += lost
    }
}
