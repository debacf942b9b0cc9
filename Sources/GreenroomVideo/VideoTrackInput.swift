package import GreenroomModel
package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime
import Synchronization

/// The queue between a sender and the track's thread.
///
/// The queue holds four frames. A fifth frame replaces the oldest, which counts as superseded,
/// because in live video the newest frame matters most. On a virtual clock the sender waits
/// instead.
package final class VideoTrackInput: Sendable {
    /// A frame and its time of arrival, in nanoseconds on the session clock.
    package struct QueuedFrame: ~Copyable, Sendable {
        package var frame: VideoFrame
        package var nanoseconds: Int64
        /// The track's limit; nil to use the agreement at the start.
        package var limit: VideoCapability?
        /// The limit for frames whose shape differs from the track's; nil to use the largest size
        /// of following outputs.
        package var ceiling: FrameSize?
        /// The number of starts of the source.
        package var starts: Int
        /// The form in which the source sent the frame, if the sender converted it to I420; nil for
        /// an unconverted frame.
        package var sentAs: FrameForm?

        package consuming func intoFrame() -> VideoFrame { frame }
    }

    /// The next task of the track.
    package enum Next: ~Copyable, Sendable {
        case frame(QueuedFrame)
        /// Black or a slate from a time on the session clock.
        case show(HostFrame, at: Int64)
        /// The form of outputs' frames changes.
        case change([BranchChange])
        /// The oldest item of the track's delay is due.
        case delayed
        /// The input is closed and empty.
        case end
    }

    /// A change of the form of an output's frames.
    package struct BranchChange: Sendable {
        package var branch: VideoBranch
        /// The new form; nil if the output receives no frames.
        package var form: BranchForm?

        package init(branch: VideoBranch, form: BranchForm?) {
            self.branch = branch
            self.form = form
        }
    }

    /// The content or state that the host sets without a frame of the source.
    package enum HostFrame: Equatable, Sendable {
        case black
        case slate(SlateText)
        /// The last frame stays, because the source has ended normally.
        case lastFrame
        /// The shown content stays, because the source pauses or resumes.
        case pause(Bool)
        /// The shown content stays, because the source has nothing new to send.
        case held
        /// The shown content stays, because a source that connects by itself has not connected yet.
        case unconnected
        /// The shown content stays. A source that restarted or connected owes frames.
        case started
    }

    /// The results of the accepted frames that the input can determine.
    package struct Counts: Sendable {
        /// Frames that were dropped for newer frames.
        package var superseded = 0
        /// Frames after the track's end.
        package var discarded = 0
        /// Frames that the track took.
        package var taken = 0
        /// Frames that are waiting.
        package var waiting = 0
    }

    /// Limit of waiting frames.
    package static let capacity = 4

    /// A pending change of content or state.
    private struct PendingHostFrame {
        var frame: HostFrame
        /// The time on the session clock.
        var nanoseconds: Int64
        /// The number of waiting frames that come before the change.
        var framesBefore: Int
    }

    private struct State: ~Copyable {
        var queue = Ring<4, QueuedFrame>()
        var pending: PendingHostFrame?
        var changes: [BranchChange] = []
        /// The due time of the changes, on the session clock.
        var changesDue: Int64 = 0
        /// The time until which tasks other than changes are held, on the session clock; nil if
        /// none are held.
        var heldUntil: Int64?
        var limit: VideoCapability?
        var ceiling: FrameSize?
        var starts = 0
        var isClosed = false
        var counts = Counts()
        var newestArrival: Int64?
        var arrivals = IntervalHistogram()
        var progress = VideoTrack.Progress()

        mutating func popFirst() -> QueuedFrame? {
            guard let queued = queue.popFirst() else { return nil }
            if let before = pending?.framesBefore { pending?.framesBefore = before - 1 }
            return queued
        }

        /// The due time of the next task if nothing arrives; nil if there is none.
        var wake: Int64? {
            if let heldUntil { return changes.isEmpty ? heldUntil : min(heldUntil, changesDue) }
            guard queue.count == 0, !isClosed else { return nil }
            guard !changes.isEmpty else { return pending?.nanoseconds }
            return min(pending?.nanoseconds ?? .max, changesDue)
        }

        /// Returns the task at a time; nil if none is due.
        mutating func next(at now: Int64) -> Next? {
            let first = queue.first { $0.nanoseconds } ?? .max
            if !changes.isEmpty, changesDue <= now, changesDue <= first {
                defer { changes = [] }
                return .change(changes)
            }
            if let heldUntil {
                guard heldUntil <= now else { return nil }
                self.heldUntil = nil
            }
            if let pending, pending.framesBefore <= 0, pending.nanoseconds <= now {
                self.pending = nil
                return .show(pending.frame, at: pending.nanoseconds)
            }
            if let queued = popFirst() {
                counts.taken += 1
                return .frame(queued)
            }
            return isClosed ? .end : nil
        }
    }

    package let clock: SessionClock
    private let state = Monitor(State())
    /// The time by which everything that the source does is shown later, in nanoseconds.
    private let delayNanoseconds = Atomic<Int64>(0)
    /// The conversion that the sender may perform before it adds frames; nil if none.
    private let offered = Mutex<EarlyConversion?>(nil)

    package init(clock: SessionClock) {
        self.clock = clock
    }

    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = state.queue.count
            return counts
        }
    }

    /// The last state that the track's thread published.
    package var progress: VideoTrack.Progress { state.withLock { $0.progress } }

    /// Frames that are waiting or in progress.
    package var queuedCount: Int {
        state.withLock { $0.queue.count + $0.counts.taken - $0.progress.counts.taken }
    }

    /// The time of the newest arrival, on the session clock; nil before the first frame.
    package var newestArrival: Int64? { state.withLock { $0.newestArrival } }

    /// The intervals between arrivals.
    package var arrivals: IntervalHistogram.Summary { state.withLock { $0.arrivals.summary } }

    /// Waits until there is room, on a virtual clock. [any]
    ///
    /// On a virtual clock no frame is late. Time stops until the track has taken a frame.
    package func waitForRoom() {
        guard clock.isVirtual else { return }
        let _: Void? = state.wait(until: nil) { state in
            !state.queue.isFull || state.isClosed ? () : nil
        }
    }

    /// Returns the conversion that the sender may perform before it adds a frame of a form; nil if
    /// none. [any]
    package func earlyConversion(of form: FrameForm) -> EarlyConversion? {
        guard form.format.is32BitRGB else { return nil }
        return offered.withLock { $0?.form == form ? $0 : nil }
    }

    /// Lets the sender convert frames from now on; nil stops conversions. [the track's thread]
    func offer(_ conversion: EarlyConversion?) { offered.withLock { $0 = conversion } }

    /// Adds a frame; never waits. [any]
    ///
    /// - Parameter form: The form in which the source sent the frame, if the sender has converted
    ///   it.
    package func push(_ frame: consuming VideoFrame, sentAs form: FrameForm? = nil) {
        var frame: VideoFrame? = frame
        state.change { state in
            let now = clock.now
            if let newest = state.newestArrival { state.arrivals.record(now - newest) }
            state.newestArrival = now
            guard !state.isClosed, let frame = frame.take() else {
                state.counts.discarded += 1
                return
            }
            // The source returned before its absence was shown.
            if let pending = state.pending, pending.nanoseconds > now { state.pending = nil }
            if state.queue.isFull {
                _ = state.popFirst()
                state.counts.superseded += 1
            }
            _ = state.queue.append(
                QueuedFrame(
                    frame: frame, nanoseconds: now, limit: state.limit, ceiling: state.ceiling,
                    starts: state.starts, sentAs: form))
            // If the queue is full, release the held frames, because the next frame would cost
            // every output a frame. On a virtual clock the next frame waits for room.
            if state.queue.isFull, !clock.isVirtual { state.heldUntil = nil }
        }
    }

    /// Records a start of the source. The timestamps of later frames may start again. [any]
    package func begin() {
        state.withLock { $0.starts += 1 }
    }

    /// Limits the size and rate of the frames from now on. [any]
    ///
    /// - Parameter ceiling: The limit for frames whose shape differs from the capability's.
    package func limit(to capability: VideoCapability, within ceiling: FrameSize?) {
        state.withLock { state in
            state.limit = capability
            state.ceiling = ceiling
        }
    }

    /// Changes the form of outputs' frames, after the frames so far, or before them while they are
    /// held. [any]
    ///
    /// On a virtual clock, the change follows all other events of the current time.
    package func change(_ changes: [BranchChange]) {
        let due = clock.now + 1
        state.change { state in
            state.changes += changes
            state.changesDue = state.heldUntil == nil ? due : .min
        }
    }

    /// Holds frames until outputs have reported their demand: until ``release()``, a time, or a
    /// full queue. The track must not have begun.
    ///
    /// - Parameter moment: The latest time of the release, on the session clock.
    package func hold(until moment: Int64) { state.withLock { $0.heldUntil = moment } }

    /// Releases the held frames. [any]
    package func release() { state.change { $0.heldUntil = nil } }

    /// Shows black, after the waiting frames and until the next frame. [any]
    package func showBlack() { show(.black, at: clock.now) }

    /// Shows a slate, after the waiting frames and until the next frame. [any]
    ///
    /// - Parameter moment: The time on the session clock; a frame before it cancels the slate.
    package func showSlate(_ text: SlateText, at moment: Int64) { show(.slate(text), at: moment) }

    /// Lets the last frame stay, after the waiting frames. The source owes no further frames. [any]
    package func showLastFrame() { show(.lastFrame, at: clock.now) }

    /// Records that the source pauses or resumes. [any]
    package func setPaused(_ isPaused: Bool) { note(.pause(isPaused)) }

    /// Records that the source has nothing new to send until its next frame. [any]
    package func setHeld() { note(.held) }

    /// Records a change of the source while the shown content stays.
    private func note(_ change: HostFrame) {
        let now = clock.now
        state.change { state in
            // A pending slate takes precedence over the source's state.
            if case .slate? = state.pending?.frame { return }
            state.pending = PendingHostFrame(
                frame: change, nanoseconds: now, framesBefore: state.queue.count)
        }
    }

    /// Records that the source connects by itself, and has not connected yet. [any]
    package func setUnconnected() { note(.unconnected) }

    /// Records that a stopped source has restarted, or that the source has connected. [any]
    package func setStarted() { note(.started) }

    /// Sets the pending content, and replaces an earlier request.
    private func show(_ frame: HostFrame, at moment: Int64) {
        state.change { state in
            state.pending = PendingHostFrame(
                frame: frame, nanoseconds: moment, framesBefore: state.queue.count)
        }
    }

    /// The delay of the track, in nanoseconds.
    package var delay: Int64 { delayNanoseconds.load(ordering: .relaxed) }

    /// Shows everything later from now on. [any]
    package func delay(by nanoseconds: Int64) {
        delayNanoseconds.store(nanoseconds, ordering: .relaxed)
        state.change { _ in }
    }

    /// Counts taken frames that the end of the track has left in its delay. [the track's thread]
    func discard(_ count: Int) {
        state.withLock { state in
            state.counts.taken -= count
            state.counts.discarded += count
        }
    }

    /// Waits for the next task. [the track's thread]
    ///
    /// - Parameters:
    ///   - progress: The results of the previous frames.
    ///   - oldest: The time of the oldest item that the track delays; nil if it delays none.
    package func next(after progress: VideoTrack.Progress, oldest: Int64? = nil) -> Next {
        while true {
            let next: Next? = clock.wait(
                for: state,
                until: { state in
                    guard let due = oldest.map({ $0 + delay }) else { return state.wake }
                    return min(state.wake ?? .max, due)
                }
            ) { state in
                state.progress = progress
                if let oldest, oldest + delay <= clock.now { return .delayed }
                return state.next(at: clock.now)
            }
            // If the wait timed out, black or a slate is due, and the next iteration finds it.
            guard let next else { continue }
            // On a virtual clock senders wait for room.
            if clock.isVirtual { state.change { _ in } }
            return next
        }
    }

    /// Ends the track after the track has taken all queued frames.
    package func close() {
        state.change { state in
            state.isClosed = true
            state.heldUntil = nil
        }
    }
}
