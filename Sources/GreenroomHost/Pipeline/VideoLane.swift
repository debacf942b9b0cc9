import GreenroomConversion
import GreenroomMedia

/// The way of one output: its want, its queue, its thread, its counters.
///
/// Frames come with the slot of the output's rate that they fall on. The lane's thread fills
/// slots that got no frame by repeating the frame before them (slots before the first frame:
/// the first frame), so that an output has exactly as many frames as its time has periods.
final class VideoLane: Sendable {
    /// What became of the frames that were meant for this output.
    struct Counts: Sendable {
        /// Frames written for the first time.
        var delivered = 0
        /// Periods filled by writing a frame again.
        var repeated = 0
        /// Frames for a period that has one already: the source is faster than the output.
        var excess = 0
        /// Frames for which the output's queue had no room.
        var queueFull = 0
        /// Frames stamped before the recording began.
        var early = 0
        /// Frames stamped after its end.
        var late = 0
        /// Frames that could not be converted.
        var unconvertible = 0
        /// Frames that came after the output had failed.
        var failed = 0
    }

    private struct Item: ~Copyable, Sendable {
        var frame: VideoFrame
        var slot: Int64

        consuming func intoFrame() -> VideoFrame { frame }
    }

    private struct State: ~Copyable {
        var queue = Ring<8, Item>()
        /// The newest slot that was given to a frame.
        var newestSlot: Int64 = -1
        /// The first frame's moment and slot, which later slots are counted from.
        var anchor: (nanoseconds: Int64, slot: Int64)?
        /// The slot after the last one; nil while the end is not known.
        var endSlot: Int64?
        var isFinishing = false
        var failure: String?
        var counts = Counts()
    }

    let name: String
    let rate: FrameRate
    private let sink: any VideoSink
    private let state = Monitor(State())

    /// - Parameters:
    ///   - name: What errors call the output.
    ///   - rate: The output's rate.
    ///   - endSlot: How many frames the output will have, if that is known.
    init(name: String, rate: FrameRate, endSlot: Int64?, sink: any VideoSink) {
        self.name = name
        self.rate = rate
        self.sink = sink
        state.withLock { $0.endSlot = endSlot }
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Why the output failed, if it did.
    var failure: String? { state.withLock { $0.failure } }

    /// Whether the output has use for a frame; if not, it is counted under the reason.
    /// [the track's thread]
    ///
    /// Slots are counted from the first frame: a source that keeps time lies in the middle of
    /// its slots then, and jitter of up to half a period moves no frame to another one.
    ///
    /// - Parameter nanoseconds: When the frame shows, from the session's start.
    /// - Returns: The slot it falls on, or nil.
    func claim(nanoseconds: Int64) -> Int64? {
        state.withLock { state in
            let anchor =
                state.anchor ?? (nanoseconds, rate.nearestFrame(atNanoseconds: nanoseconds))
            let slot =
                anchor.slot + rate.nearestFrame(atNanoseconds: nanoseconds - anchor.nanoseconds)
            if state.failure != nil {
                state.counts.failed += 1
            } else if slot < 0 {
                state.counts.early += 1
            } else if let end = state.endSlot, slot >= end {
                state.counts.late += 1
            } else if slot <= state.newestSlot {
                state.counts.excess += 1
            } else if state.queue.isFull {
                state.counts.queueFull += 1
            } else {
                state.anchor = anchor
                state.newestSlot = slot
                return slot
            }
            return nil
        }
    }

    /// Queues a frame for a slot that was claimed. [the track's thread]
    func push(_ frame: consuming VideoFrame, slot: Int64) {
        var item: Item? = Item(frame: frame, slot: slot)
        state.change { state in
            // It may have failed since the slot was claimed.
            guard state.failure == nil, let item = item.take() else {
                state.counts.failed += 1
                return
            }
            _ = state.queue.append(item)
        }
    }

    /// Counts a frame whose conversion failed after its slot was claimed.
    func countUnconvertible() {
        state.withLock { $0.counts.unconvertible += 1 }
    }

    /// Lets the lane end with a given number of frames, or as many as it has if those are more.
    func finish(endSlot: Int64) {
        state.change { state in
            state.endSlot = max(endSlot, state.newestSlot + 1)
            state.isFinishing = true
        }
    }

    /// The lane's thread.
    func run(events: SessionEvents) {
        var writer = SlotWriter()
        while let next = take() {
            var inHand = 0
            do {
                switch consume next {
                case .item(let item):
                    let slot = item.slot
                    inHand = 1
                    let repeats = try writer.write(item.intoFrame(), slot: slot, to: sink)
                    state.withLock { state in
                        state.counts.delivered += 1
                        state.counts.repeated += repeats
                    }
                case .end(let endSlot):
                    let repeats = try writer.fill(until: endSlot, in: sink)
                    state.withLock { $0.counts.repeated += repeats }
                    try sink.finish()
                    return
                }
            } catch {
                fail("\(error)", inHand: inHand, events)
                return
            }
        }
    }

    private enum Next: ~Copyable, Sendable {
        case item(Item)
        case end(Int64)
    }

    private func take() -> Next? {
        state.wait(until: nil) { state in
            if let item = state.queue.popFirst() { return .item(item) }
            guard state.isFinishing, let end = state.endSlot else { return nil }
            return .end(end)
        }
    }

    private func fail(_ reason: String, inHand: Int, _ events: SessionEvents) {
        state.withLock { state in
            state.failure = reason
            // What was queued is lost with the output, and so is the frame in hand.
            state.counts.failed += state.queue.count + inHand
            while state.queue.popFirst() != nil {}
        }
        events.send(.outputFailed(output: name, reason: reason))
    }
}

/// Writes frames to the slots they fall on, and the frame before into those between.
struct SlotWriter: ~Copyable {
    private var last: VideoFrame?
    private var nextSlot: Int64 = 0

    /// Writes a frame, after filling the slots before it.
    ///
    /// - Returns: How many slots were filled.
    mutating func write(
        _ frame: consuming VideoFrame, slot: Int64, to sink: any VideoSink
    ) throws -> Int {
        let gap = Int(max(slot - nextSlot, 0))
        if gap > 0 {
            if let before = last.take() {
                try sink.write(before, times: gap)
            } else {
                try sink.write(frame, times: gap)
            }
        }
        try sink.write(frame, times: 1)
        last = consume frame
        nextSlot = slot + 1
        return gap
    }

    /// Fills the slots before an end. Without any frame there is nothing to fill them with.
    ///
    /// - Returns: How many slots were filled.
    mutating func fill(until end: Int64, in sink: any VideoSink) throws -> Int {
        let gap = Int(max(end - nextSlot, 0))
        guard gap > 0, let before = last.take() else { return 0 }
        try sink.write(before, times: gap)
        nextSlot = end
        return gap
    }
}
