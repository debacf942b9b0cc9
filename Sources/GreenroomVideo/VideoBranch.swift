package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// The way of one output: its want, its queue, its thread, its counters.
///
/// Its rate is divided into slots that begin with the session's time, and each gets one picture:
/// a frame, the frame before once more, black while there was none, or a slate while the source is
/// lost. So an output has exactly as many frames as its time has periods. ``FrameRateConverter`` decides which frame fills which slot.
package final class VideoBranch: Sendable {
    /// What became of the frames that were meant for this output, and what its periods show.
    ///
    /// All but `delayed`, `repeated`, `black` and `slate` together are the frames that the track
    /// carried. Periods so far are `delivered` + `repeated` + `black` + `slate`.
    package struct Counts: Sendable {
        /// Frames written for the first time.
        package var delivered = 0
        /// Of those, the ones in a later period than their own, which was over.
        package var delayed = 0
        /// Periods filled by writing a frame again.
        package var repeated = 0
        /// Periods that show black: no frame has come yet, or the camera was stopped.
        package var black = 0
        /// Periods that show a slate: the source was lost.
        package var slate = 0
        /// Frames for a period that has one already: the source is faster than the output.
        package var excess = 0
        /// Frames for which the output's queue had no room.
        package var queueFull = 0
        /// Frames stamped before the recording began.
        package var early = 0
        /// Frames stamped after its end.
        package var late = 0
        /// Frames that could not be converted.
        package var unconvertible = 0
        /// Frames that came after the output had failed, or were lost when it did.
        package var failed = 0
        /// Frames that are under way.
        package var queued = 0
    }

    /// What was handed to the sink in one turn.
    private struct Departure {
        var written: FrameRepeater.Written
        var isDelayed: Bool
        /// When, on the session clock.
        var moment: Int64
    }

    private struct State: ~Copyable {
        var queue: BranchQueue
        var failure: String?
        var newestDeparture: Int64?
        var departures = IntervalHistogram()
        var lateness = IntervalHistogram()

        init(_ schedule: FrameRateConverter) {
            queue = BranchQueue(schedule)
        }

        /// Counts the slots that were handed to the sink; they are the newest that are filled.
        mutating func count(_ departure: Departure, _ timeline: SessionTimeline) {
            queue.countWritten(departure.written, isDelayed: departure.isDelayed)
            let (slots, moment) = (departure.written.slots, departure.moment)
            guard slots > 0 else { return }
            if let newestDeparture { departures.record(moment - newestDeparture) }
            departures.record(0, times: slots - 1)
            newestDeparture = moment
            lateness.record(
                timeline.time(of: moment) - queue.schedule.due(queue.nextSlot - 1))
        }
    }

    /// How many frames a branch has in use at most.
    package static var mostFramesInUse: Int { BranchQueue.mostFramesInUse }

    package let name: String
    /// The size and rate of the output, which never change.
    package let capability: VideoCapability
    /// What frames are converted to for it.
    package let want: VideoWant
    private let sink: any VideoSink
    private let clock: SessionClock
    private let state: Monitor<State>

    /// - Parameters:
    ///   - name: What errors call the output.
    ///   - capability: The output's size and rate.
    ///   - want: What frames are converted to.
    ///   - endSlot: How many frames the output will have, if that is known.
    package init(
        name: String, capability: VideoCapability, want: VideoWant, endSlot: Int64?,
        sink: any VideoSink, clock: SessionClock
    ) {
        self.name = name
        self.capability = capability
        self.want = want
        self.sink = sink
        self.clock = clock
        state = Monitor(
            State(FrameRateConverter(rate: capability.rate, pace: sink.pace, endSlot: endSlot)))
    }

    /// The output's rate.
    package var rate: FrameRate { capability.rate }

    package var counts: Counts { state.withLock { $0.queue.counts } }

    /// Why the output failed, if it did.
    package var failure: String? { state.withLock { $0.failure } }

    /// The times between one period's picture and the next one's, as they were handed to the
    /// output.
    package var departures: IntervalHistogram.Summary { state.withLock { $0.departures.summary } }

    /// How long after their time pictures were handed to the output; nil for one that takes them
    /// as they come.
    package var lateness: IntervalHistogram.Summary? {
        sink.pace == .onSchedule ? state.withLock { $0.lateness.summary } : nil
    }

    // MARK: The track's side

    /// Claims a slot for a frame; if the output has no use for it, it is counted under the reason.
    /// [the track's thread]
    ///
    /// - Parameters:
    ///   - point: When the frame shows.
    ///   - now: The time, from the session's start.
    /// - Returns: What to ``push(_:_:)`` the frame with, or nil.
    func claim(_ point: FrameGrid.Point, at now: Int64) -> BranchQueue.Claim? {
        if clock.isVirtual, sink.pace == .asTheyCome {
            // Nobody is ever late there: time stands still until the sink has taken what it has.
            let _: Void? = state.wait(until: nil) { state in
                let queue = state.queue.hasRoom || state.queue.hasFailed || state.queue.isFinishing
                return queue ? () : nil
            }
        }
        return state.withLock { $0.queue.claim(point, at: now) }
    }

    /// Queues a frame for a slot that was claimed. [the track's thread]
    func push(_ frame: consuming VideoFrame, _ claim: BranchQueue.Claim) {
        var frame: VideoFrame? = frame
        state.change { state in
            if let frame = frame.take() { state.queue.push(frame, claim) }
        }
    }

    /// Counts a frame whose conversion failed after its slot was claimed.
    func countUnconvertible() {
        state.withLock { $0.queue.countUnconvertible() }
    }

    /// Makes the picture black from a moment on, until the next frame. [the track's thread]
    func showBlack(from moment: FrameGrid.Point) {
        state.change { $0.queue.showBlack(from: moment) }
    }

    /// Makes the picture a slate from a moment on, until the next frame. [the track's thread]
    ///
    /// - Parameter slate: What the output takes.
    func show(_ slate: Slate, from moment: FrameGrid.Point) {
        state.change { $0.queue.show(slate.frame.share(), slate.text, from: moment) }
    }

    /// Lets the branch end with a given number of frames, or as many as it has if those are more.
    package func finish(endSlot: Int64) {
        state.change { $0.queue.finish(endSlot: endSlot) }
    }

    // MARK: The branch's side

    /// The branch's thread. Ends after ``finish(endSlot:)``, or when the output fails.
    ///
    /// - Parameters:
    ///   - timeline: The session's, which has begun.
    ///   - failed: Gets the reason when the output fails. [the branch's thread]
    package func run(on timeline: SessionTimeline, failed: (_ reason: String) -> Void) {
        var writer = FrameRepeater(sink: sink, want: want, size: capability.size)
        // Counted under the one lock that is taken for each turn.
        var departure: Departure?
        while true {
            let turn: BranchQueue.Turn? = clock.wait(
                for: state, until: { $0.queue.wake.flatMap(timeline.moment) }
            ) { state in
                if let departure = departure.take() { state.count(departure, timeline) }
                return state.queue.turn(at: timeline.time(of: clock.now))
            }
            // None when a slot is due: it is found now that its time has come.
            guard let turn else { continue }
            var hasFrame = false
            let moment = clock.now
            do {
                let written: FrameRepeater.Written
                var isDelayed = false
                switch consume turn {
                case .write(let item):
                    hasFrame = item.isFrame
                    isDelayed = item.isDelayed
                    written = try writer.write(item)
                case .fill(until: let end):
                    written = try writer.fill(until: end)
                case .end:
                    try sink.finish()
                    return
                }
                departure = Departure(written: written, isDelayed: isDelayed, moment: moment)
                // The track's thread waits for room on a virtual clock.
                if clock.isVirtual { state.change { _ in } }
            } catch {
                fail("\(error)", hasFrameInHand: hasFrame)
                failed("\(error)")
                return
            }
        }
    }

    private func fail(_ reason: String, hasFrameInHand: Bool) {
        state.change { state in
            state.failure = reason
            state.queue.fail(hasFrameInHand: hasFrameInHand)
        }
    }
}
