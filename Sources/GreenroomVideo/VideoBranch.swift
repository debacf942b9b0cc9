package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// One output of a track: its want, queue, thread and counters.
///
/// Its rate divides the session's time into slots, and each gets one frame: a new one, the previous
/// one again, black before the first, or a slate while the source is lost. So an output has exactly
/// one frame for each period. ``FrameRateConverter`` decides which frame fills which slot.
package final class VideoBranch: Sendable {
    /// The results of the frames for this output, and the content of its periods.
    ///
    /// The sum of all except `delayed`, `repeated`, `black` and `slate` is the number of frames
    /// that the track carried. The periods so far are `delivered` + `repeated` + `black` + `slate`.
    package struct Counts: Sendable {
        /// Frames written for the first time.
        package var delivered = 0
        /// Delivered frames in a later period than their own, which had ended.
        package var delayed = 0
        /// Periods that repeat a frame.
        package var repeated = 0
        /// Periods with black: before the first frame, or while the camera is stopped.
        package var black = 0
        /// Periods with a slate: the source was lost.
        package var slate = 0
        /// Frames for a period that already has one: the source is faster than the output.
        package var excess = 0
        /// Frames without room in the output's queue.
        package var queueFull = 0
        /// Frames before the start of the recording.
        package var early = 0
        /// Frames after its end.
        package var late = 0
        /// Frames that could not be converted.
        package var unconvertible = 0
        /// Frames after the output failed, or lost when it did.
        package var failed = 0
        /// Frames in the queue.
        package var queued = 0
    }

    /// What one turn wrote to the sink.
    private struct Departure {
        var written: FrameRepeater.Written
        var isDelayed: Bool
        /// The time on the session clock.
        var moment: Int64
    }

    /// A frame of a share that is shown with bars.
    package struct Bars: Sendable {
        /// Its size.
        package var size: FrameSize
        /// The output's size.
        package var within: FrameSize
        /// The session's time.
        package var nanoseconds: Int64
    }

    private struct State: ~Copyable {
        var queue: BranchQueue
        var bars: Bars?
        var failure: String?
        var newestDeparture: Int64?
        var departures = IntervalHistogram()
        var lateness = IntervalHistogram()

        init(_ schedule: FrameRateConverter) {
            queue = BranchQueue(schedule)
        }

        /// Counts slots written to the sink; they are the newest filled ones.
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

    /// The most frames that a branch uses.
    package static var mostFramesInUse: Int { BranchQueue.mostFramesInUse }

    package let name: String
    /// The size and rate of the output; constant.
    package let capability: VideoCapability
    /// The format of its frames.
    package let want: VideoWant
    private let sink: any VideoSink
    private let clock: SessionClock
    private let state: Monitor<State>

    /// - Parameters:
    ///   - name: The output's name in errors.
    ///   - capability: The output's size and rate.
    ///   - want: The format of its frames.
    ///   - endSlot: The number of frames, if it is known.
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

    /// The number of the plugin that takes its frames; -1 for an output of the host.
    package var plugin: Int { sink.plugin }

    /// The output's rate.
    package var rate: FrameRate { capability.rate }

    /// The files of an output whose size has changed; empty if it has one size.
    package var pieces: [OutputPiece] { sink.pieces }

    /// The first frame that is shown with bars because it has another shape; nil if none is.
    package var bars: Bars? { state.withLock { $0.bars } }

    package var counts: Counts { state.withLock { $0.queue.counts } }

    /// The reason of the output's failure; nil if it works.
    package var failure: String? { state.withLock { $0.failure } }

    /// The intervals between the frames of consecutive periods when they were written.
    package var departures: IntervalHistogram.Summary { state.withLock { $0.departures.summary } }

    /// How late frames were written; nil for an output that is not on schedule.
    package var lateness: IntervalHistogram.Summary? {
        sink.pace == .onSchedule ? state.withLock { $0.lateness.summary } : nil
    }

    // MARK: The track's side

    /// Records a frame that is shown with bars. [the track's thread]
    ///
    /// - Returns: Whether it is the first one.
    func begin(_ bars: Bars) -> Bool {
        state.withLock { state in
            guard state.bars == nil else { return false }
            state.bars = bars
            return true
        }
    }

    /// Claims a slot for a frame, or counts the reason for none. [the track's thread]
    ///
    /// - Parameters:
    ///   - point: The time of the frame.
    ///   - now: The current time, from the session's start.
    /// - Returns: The claim for ``push(_:_:)``, or nil.
    func claim(_ point: FrameGrid.Point, at now: Int64) -> BranchQueue.Claim? {
        if clock.isVirtual, sink.pace == .asTheyCome {
            // On a virtual clock no frame is late: time stops until the sink has taken its frames.
            let _: Void? = state.wait(until: nil) { state in
                let queue = state.queue.hasRoom || state.queue.hasFailed || state.queue.isFinishing
                return queue ? () : nil
            }
        }
        return state.withLock { $0.queue.claim(point, at: now) }
    }

    /// Queues a frame for a claimed slot. [the track's thread]
    func push(_ frame: consuming VideoFrame, _ claim: BranchQueue.Claim) {
        var frame: VideoFrame? = frame
        state.change { state in
            if let frame = frame.take() { state.queue.push(frame, claim) }
        }
    }

    /// Counts a frame whose conversion failed after its claim.
    func countUnconvertible() {
        state.withLock { $0.queue.countUnconvertible() }
    }

    /// Shows black from a time on, until the next frame. [the track's thread]
    func showBlack(from moment: FrameGrid.Point) {
        state.change { $0.queue.showBlack(from: moment) }
    }

    /// Shows a slate from a time on, until the next frame. [the track's thread]
    ///
    /// - Parameter slate: The slate in the output's format.
    func show(_ slate: Slate, from moment: FrameGrid.Point) {
        state.change { $0.queue.show(slate.frame.share(), slate.text, from: moment) }
    }

    /// Sets the number of frames at the end; more if that many are written already.
    package func finish(endSlot: Int64) {
        state.change { $0.queue.finish(endSlot: endSlot) }
    }

    // MARK: The branch's side

    /// The branch's thread. Ends after ``finish(endSlot:)``, or when the output fails.
    ///
    /// - Parameters:
    ///   - timeline: The session's timeline, which has started.
    ///   - failed: Called with the reason when the output fails. [the branch's thread]
    package func run(on timeline: SessionTimeline, failed: (_ reason: String) -> Void) {
        var writer = FrameRepeater(sink: sink, want: want, size: capability.size)
        // Counted under the lock that each turn takes anyway.
        var departure: Departure?
        while true {
            let turn: BranchQueue.Turn? = clock.wait(
                for: state, until: { $0.queue.wake.flatMap(timeline.moment) }
            ) { state in
                if let departure = departure.take() { state.count(departure, timeline) }
                if state.queue.hasFailed { return .end }
                return state.queue.turn(at: timeline.time(of: clock.now))
            }
            // There is none if a slot is due: it is found now.
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
                // On a virtual clock the track's thread waits for room.
                if clock.isVirtual { state.change { _ in } }
            } catch {
                fail("\(error)", hasFrameInHand: hasFrame)
                failed("\(error)")
                return
            }
        }
    }

    /// Takes no more frames: its plugin hangs or has left, and may never return a frame. [any]
    package func abandon(because reason: String) {
        guard failure == nil else { return }
        fail(reason, hasFrameInHand: false)
    }

    private func fail(_ reason: String, hasFrameInHand: Bool) {
        state.change { state in
            state.failure = reason
            state.queue.fail(hasFrameInHand: hasFrameInHand)
        }
    }
}
