package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// The form of an output's frames: their size, rate and format, and the sink.
package struct BranchForm: Sendable {
    /// The size and rate.
    package var capability: VideoCapability
    /// The format of the frames.
    package var want: VideoWant
    package var sizing: OutputSizing
    package var sink: any VideoSink
    /// The number of frames from the start of the session to its end; nil if unknown.
    package var endSlot: Int64?

    package init(
        capability: VideoCapability, want: VideoWant, sizing: OutputSizing = .asAsked,
        endSlot: Int64?, sink: any VideoSink
    ) {
        self.capability = capability
        self.want = want
        self.sizing = sizing
        self.sink = sink
        self.endSlot = endSlot
    }

    /// - Parameter slot: The first slot.
    fileprivate func schedule(from slot: Int64 = 0) -> FrameRateConverter {
        FrameRateConverter(
            rate: capability.rate, pace: sink.pace, startSlot: slot, endSlot: endSlot)
    }
}

/// One output of a track: its want, queue, thread and counters.
///
/// The output's rate divides the session's time into slots. Each slot gets one frame: a new frame,
/// the previous frame again, black before the first frame, or a slate while the source is lost.
/// Therefore an output has exactly one frame for each period. ``FrameRateConverter`` decides which
/// frame fills which slot.
///
/// The form may change at any time. The slots of the old form end before the first slot without a
/// frame, where the slots of the new form begin.
package final class VideoBranch: Sendable {
    /// The results of the frames for this output, and the content of its periods.
    ///
    /// The sum of all except `delayed`, `repeated`, `black` and `slate` is the number of frames
    /// that the track carried. The periods so far are `delivered` + `repeated` + `black` + `slate`.
    package struct Counts: Sendable {
        /// Frames written for the first time.
        package var delivered = 0
        /// Frames delivered in a later period than their own, which had ended.
        package var delayed = 0
        /// Periods that repeat a frame.
        package var repeated = 0
        /// Periods with black: before the first frame, or while the camera is stopped.
        package var black = 0
        /// Periods with a slate: the source was lost.
        package var slate = 0
        /// Frames for a period that already has a frame, because the source is faster than the
        /// output.
        package var excess = 0
        /// Frames dropped because the output's queue was full.
        package var queueFull = 0
        /// Frames before the start of the recording.
        package var beforeStart = 0
        /// Frames after the end of the recording.
        package var afterEnd = 0
        /// Frames that arrived while the output requested none of the track.
        package var unwanted = 0
        /// Frames that could not be converted.
        package var unconvertible = 0
        /// Frames that arrived after the output's failure, or were lost in the failure.
        package var failed = 0
        /// Frames in the queue.
        package var queued = 0

        fileprivate static func += (sum: inout Counts, other: Counts) {
            sum.delivered += other.delivered
            sum.delayed += other.delayed
            sum.repeated += other.repeated
            sum.black += other.black
            sum.slate += other.slate
            sum.excess += other.excess
            sum.queueFull += other.queueFull
            sum.beforeStart += other.beforeStart
            sum.afterEnd += other.afterEnd
            sum.unwanted += other.unwanted
            sum.unconvertible += other.unconvertible
            sum.failed += other.failed
            sum.queued += other.queued
        }
    }

    /// A format change that the output has not reached yet.
    private struct Beginning: ~Copyable, Sendable {
        var form: BranchForm
        /// The first slot of the form.
        var slot: Int64
        /// The content before the first frame; nil for black.
        var content: BranchQueue.Content?
        /// Whether the output took no frames before.
        var endsRest = false
    }

    /// The successor of a form that has ended.
    private enum Following: ~Copyable, Sendable {
        case form(Beginning)
        /// No form follows: the session is over, or the output has failed.
        case end
    }

    /// The result of writing one turn to the sink.
    private struct Departure {
        var written: FrameRepeater.Written
        var isDelayed: Bool
        /// The time on the session clock.
        var moment: Int64
    }

    /// A frame of a share that is shown with bars.
    package struct Bars: Sendable {
        /// The frame's size.
        package var size: FrameSize
        /// The output's size.
        package var within: FrameSize
        /// The session time of the frame.
        package var nanoseconds: Int64
    }

    private struct State: ~Copyable {
        /// The current or last form of the output; nil before the first.
        var form: BranchForm?
        /// The first form; nil once its writing starts, or if there was none.
        var first: Beginning?
        /// The queue of the form in use.
        var queue: BranchQueue
        /// The form that follows after the end of the current queue.
        var next: Beginning?
        /// The queue of the following form.
        var nextQueue = BranchQueue.ended
        /// The end of the last form, in nanoseconds from the session's start.
        var end: Int64 = 0
        /// The number of frames that the track had carried before the output stopped taking frames;
        /// nil while it receives frames.
        var carriedBefore: Int?
        /// The counters of earlier forms.
        var past = Counts()
        /// Whether the session is over.
        var isOver = false
        var bars: Bars?
        var failure: String?
        /// Whether the thread may never return from a call of the plugin.
        var isAbandoned = false
        var newestDeparture: Int64?
        var departures = IntervalHistogram()
        var lateness = IntervalHistogram()

        init(_ form: BranchForm?) {
            self.form = form
            first = form.map { Beginning(form: $0, slot: 0, content: nil) }
            queue = form.map { BranchQueue($0.schedule()) } ?? .ended
            carriedBefore = form == nil ? 0 : nil
        }

        /// Changes the queue of the newest form.
        mutating func withQueue<Result>(_ body: (inout BranchQueue) -> Result) -> Result {
            next == nil ? body(&queue) : body(&nextQueue)
        }

        /// Ends the newest form.
        mutating func end(at now: Int64) {
            guard next == nil else {
                // The form has not begun.
                nextQueue.fail(hasFrameInHand: false)
                past += nextQueue.counts
                next = nil
                return
            }
            end = queue.finish(at: now) ?? end
        }

        /// Returns the successor of an ended form; nil while it is unknown.
        mutating func follow() -> Following? {
            guard !queue.hasFailed else { return .end }
            guard let next = next.take() else { return isOver ? .end : nil }
            past += queue.counts
            swap(&queue, &nextQueue)
            // The time without frames does not count as an interval between two frames.
            if next.endsRest { newestDeparture = nil }
            return .form(next)
        }

        /// Counts the slots written to the sink, which are the newest filled slots.
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

    /// Limit of frames that a branch uses.
    package static var mostFramesInUse: Int { BranchQueue.mostFramesInUse }

    package let name: String
    /// The number of the plugin that takes the branch's frames; -1 for an output of the host.
    package let plugin: Int
    private let clock: SessionClock
    private let state: Monitor<State>

    /// - Parameters:
    ///   - name: The output's name in errors.
    ///   - capability: The output's size and rate.
    ///   - want: The format of the output's frames.
    ///   - endSlot: The number of frames; nil if unknown.
    package init(
        name: String, capability: VideoCapability, want: VideoWant, endSlot: Int64?,
        sink: any VideoSink, clock: SessionClock
    ) {
        self.name = name
        self.clock = clock
        plugin = sink.plugin
        state = Monitor(
            State(
                BranchForm(capability: capability, want: want, endSlot: endSlot, sink: sink)))
    }

    /// Makes the branch of an output plugin.
    ///
    /// - Parameters:
    ///   - name: The output's name in errors.
    ///   - plugin: The plugin's number.
    ///   - form: The first form; nil if the plugin receives no frames at first.
    package init(name: String, plugin: Int, form: BranchForm?, clock: SessionClock) {
        self.name = name
        self.plugin = plugin
        self.clock = clock
        state = Monitor(State(form))
    }

    /// The current or last form of the output; nil if it never requested the track.
    package var form: BranchForm? { state.withLock { $0.form } }

    /// Whether the output receives no frames now.
    package var isResting: Bool { state.withLock { $0.carriedBefore != nil } }

    /// Whether a form has not begun because the previous form is still being written.
    package var isChanging: Bool { state.withLock { $0.next != nil } }

    /// Whether the output is part of a recording.
    package var isRecording: Bool { form?.sink.isRecording ?? false }

    /// The files of an output whose size has changed; empty if the output has one size.
    package var pieces: [OutputPiece] { form?.sink.pieces ?? [] }

    /// The first frame that is shown with bars because its shape differs from the output's; nil if
    /// none.
    package var bars: Bars? { state.withLock { $0.bars } }

    /// Returns the results of the output's frames.
    ///
    /// - Parameter carried: The number of frames that the track has carried.
    package func counts(carried: Int) -> Counts {
        state.withLock { state in
            var counts = state.past
            counts += state.queue.counts
            if state.next != nil { counts += state.nextQueue.counts }
            if let before = state.carriedBefore { counts.unwanted += max(carried - before, 0) }
            return counts
        }
    }

    /// The results of the frames that the output requested.
    package var counts: Counts { counts(carried: 0) }

    /// The reason of the output's failure; nil if it works.
    package var failure: String? { state.withLock { $0.failure } }

    /// Whether the branch's thread may never end, because a plugin hangs or has left.
    package var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// The intervals between the frames of consecutive periods when they were written.
    package var departures: IntervalHistogram.Summary { state.withLock { $0.departures.summary } }

    /// The delay of written frames; nil for an output that is not on schedule.
    package var lateness: IntervalHistogram.Summary? {
        form?.sink.pace == .onSchedule ? state.withLock { $0.lateness.summary } : nil
    }

    // MARK: Track thread

    /// Begins another form, after the queued frames of the previous form. [the track's thread]
    ///
    /// The first form begins with the track if the track has just begun, because the audio of that
    /// time is not mixed yet.
    ///
    /// - Parameters:
    ///   - content: The content before the first frame; nil for black.
    ///   - carried: The number of frames that the track has carried.
    ///   - now: The current time, from the session's start.
    func begin(
        _ form: BranchForm, showing content: consuming BranchQueue.Content?, carried: Int,
        at now: Int64
    ) {
        var content: BranchQueue.Content? = content
        state.change { state in
            guard !state.isOver else { return }
            let before = state.carriedBefore
            if let before { state.past.unwanted += max(carried - before, 0) }
            state.carriedBefore = nil
            guard state.failure == nil else { return }
            // A form that was replaced before it began may have ended a time without frames.
            let wasRest = state.next?.endsRest ?? false
            if before == nil {
                state.end(at: now)
            } else if state.form != nil || now > SessionTimeline.playoutDelay {
                state.end = max(state.end, now)
            }
            let slot = form.capability.rate.frameCount(inNanoseconds: state.end)
            let first = content.take()
            state.nextQueue = BranchQueue(
                form.schedule(from: slot), hasContent: first != nil)
            state.next = Beginning(
                form: form, slot: slot, content: first,
                endsRest: before != nil || wasRest)
            state.form = form
        }
    }

    /// Stops receiving frames, after the queued frames, until another form begins. [the track's
    /// thread]
    func rest(carried: Int, at now: Int64) {
        state.change { state in
            guard !state.isOver, state.carriedBefore == nil else { return }
            if state.failure == nil { state.end(at: now) }
            state.carriedBefore = carried
        }
    }

    /// Records a frame that is shown with bars. [the track's thread]
    ///
    /// - Returns: Whether the frame is the first with bars.
    func begin(_ bars: Bars) -> Bool {
        state.withLock { state in
            guard state.bars == nil else { return false }
            state.bars = bars
            return true
        }
    }

    /// Claims a slot for a frame, or counts the reason for a failed claim. [the track's thread]
    ///
    /// - Parameters:
    ///   - point: The time of the frame.
    ///   - now: The current time, from the session's start.
    /// - Returns: The claim for ``push(_:_:)``; nil if there is none.
    func claim(_ point: FrameGrid.Point, at now: Int64) -> BranchQueue.Claim? {
        if clock.isVirtual {
            // On a virtual clock no frame is late. Time stops until the sink has taken its frames.
            let _: Void? = state.wait(until: nil) { state in
                let goesOn =
                    state.next != nil || state.queue.schedule.pace == .onSchedule
                    || state.queue.hasRoom || state.queue.hasFailed || state.queue.isFinishing
                return goesOn ? () : nil
            }
        }
        return state.withLock { $0.withQueue { $0.claim(point, at: now) } }
    }

    /// Queues a frame for a claimed slot. [the track's thread]
    func push(_ frame: consuming VideoFrame, _ claim: BranchQueue.Claim) {
        var frame: VideoFrame? = frame
        state.change { state in
            guard let frame = frame.take() else { return }
            // The claiming and pushing thread also ends forms, so the claim and the frame belong to
            // the same form.
            if state.next == nil {
                state.queue.push(frame, claim)
            } else {
                state.nextQueue.push(frame, claim)
            }
        }
    }

    /// Counts a frame whose conversion failed after its claim.
    func countUnconvertible() {
        state.withLock { $0.withQueue { $0.countUnconvertible() } }
    }

    /// Shows black from a time on, until the next frame. [the track's thread]
    func showBlack(from moment: FrameGrid.Point) {
        state.change { $0.withQueue { $0.showBlack(from: moment) } }
    }

    /// Shows a slate from a time on, until the next frame. [the track's thread]
    ///
    /// - Parameter slate: The slate in the output's format.
    func show(_ slate: Slate, from moment: FrameGrid.Point) {
        state.change { $0.withQueue { $0.show(slate.frame.share(), slate.text, from: moment) } }
    }

    /// Stops filling slots after a session time, except for slots that are already filled or
    /// claimed. Frames for earlier slots may still arrive.
    ///
    /// - Returns: The end of the last slot, or `nanoseconds` if that is later.
    package func limit(to nanoseconds: Int64) -> Int64 {
        state.change { state in
            guard let rate = state.form?.capability.rate, state.carriedBefore == nil else {
                return nanoseconds
            }
            let slots = rate.frameCount(inNanoseconds: nanoseconds)
            let end = state.withQueue { queue in
                guard !queue.isFinishing, !queue.hasFailed else { return slots }
                queue.limit(to: slots)
                return queue.schedule.endSlot ?? slots
            }
            return end > slots ? rate.dueNanoseconds(ofFrame: end) : nanoseconds
        }
    }

    /// Sets the final number of frames. Keeps frames that are already written.
    package func finish(endSlot: Int64) {
        state.change { state in
            state.isOver = true
            state.withQueue { if !$0.isFinishing { $0.finish(endSlot: endSlot) } }
        }
    }

    /// Ends the output at a session time.
    package func finish(at nanoseconds: Int64) {
        finish(endSlot: form?.capability.rate.frameCount(inNanoseconds: nanoseconds) ?? 0)
    }

    // MARK: Branch thread

    /// Runs the branch's thread. Returns after ``finish(endSlot:)``, or after a failure of the
    /// output.
    ///
    /// - Parameters:
    ///   - timeline: The session's timeline, which has started.
    ///   - failed: Called with the reason after a failure of the output. [the branch's thread]
    ///   - changed: Called when another form has begun. [the branch's thread]
    package func run(
        on timeline: SessionTimeline, changed: () -> Void = {},
        failed: (_ reason: String) -> Void
    ) {
        if let first = state.withLock({ $0.first.take() }) {
            guard write(first, on: timeline, failed) else { return }
        }
        while let following = clock.wait(for: state, until: nil, { $0.follow() }) {
            switch consume following {
            case .form(let next):
                changed()
                guard write(next, on: timeline, failed) else { return }
            case .end: return
            }
        }
    }

    /// Writes the frames of a form to its sink until the form's end.
    ///
    /// - Returns: Whether the form has ended without a failure.
    private func write(
        _ beginning: consuming Beginning, on timeline: SessionTimeline,
        _ failed: (_ reason: String) -> Void
    ) -> Bool {
        let (form, slot, sink) = (beginning.form, beginning.slot, beginning.form.sink)
        var writer = FrameRepeater(
            sink: sink, want: form.want, size: form.capability.size, from: slot,
            showing: beginning.content.take())
        // The departure is counted under the lock that each turn takes anyway.
        var departure: Departure?
        while true {
            let turn: BranchQueue.Turn? = clock.wait(
                for: state, until: { $0.queue.wake.flatMap(timeline.moment) }
            ) { state in
                if let departure = departure.take() { state.count(departure, timeline) }
                if state.queue.hasFailed { return .end }
                return state.queue.turn(at: timeline.time(of: clock.now))
            }
            // If the wait timed out, a slot is due, and the next iteration finds it.
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
                    return true
                }
                departure = Departure(written: written, isDelayed: isDelayed, moment: moment)
                // On a virtual clock the track's thread waits for room.
                if clock.isVirtual { state.change { _ in } }
            } catch {
                fail("\(error)", hasFrameInHand: hasFrame)
                failed("\(error)")
                return false
            }
        }
    }

    /// Stops receiving frames, because the plugin hangs or has left and may never return a frame.
    /// [any]
    package func abandon(because reason: String) {
        guard failure == nil else { return }
        state.withLock { $0.isAbandoned = true }
        fail(reason, hasFrameInHand: false)
    }

    private func fail(_ reason: String, hasFrameInHand: Bool) {
        state.change { state in
            state.failure = reason
            state.queue.fail(hasFrameInHand: hasFrameInHand)
            state.nextQueue.fail(hasFrameInHand: false)
        }
    }
}
