package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime
import Synchronization

/// The queue between a sender and the track's thread.
///
/// It holds four frames. A fifth replaces the oldest, which is counted as superseded: in live video
/// the newest frame matters most. On a virtual clock the sender waits instead.
package final class VideoTrackInput: Sendable {
    /// A frame and its time of arrival, in nanoseconds on the session clock.
    package struct QueuedFrame: ~Copyable, Sendable {
        package var frame: VideoFrame
        package var nanoseconds: Int64
        /// The track's limit; nil for the agreement at the start.
        package var limit: VideoCapability?
        /// The limit of frames of another shape than the track's; nil for the same.
        package var ceiling: FrameSize?
        /// The number of starts of the source.
        package var starts: Int
        /// What the sender made an I420 frame of; nil for a frame as it was sent.
        package var sentAs: FrameForm?

        package consuming func intoFrame() -> VideoFrame { frame }
    }

    /// The next task of the track.
    package enum Next: ~Copyable, Sendable {
        case frame(QueuedFrame)
        /// Black or a slate from a time on the session clock.
        case show(HostFrame, at: Int64)
        /// Outputs take something else.
        case change([BranchChange])
        /// The input is closed, and empty.
        case end
    }

    /// A change of what an output takes.
    package struct BranchChange: Sendable {
        package var branch: VideoBranch
        /// Nil for nothing.
        package var form: BranchForm?

        package init(branch: VideoBranch, form: BranchForm?) {
            self.branch = branch
            self.form = form
        }
    }

    /// What the host shows without a frame of the source.
    package enum HostFrame: Equatable, Sendable {
        case black
        case slate(SlateText)
        /// The last frame: the source has come to its end in order.
        case lastFrame
        /// What is shown already: the source is paused, or is not any more.
        case pause(Bool)
        /// The shown frame stays: a source that connects by itself has not connected yet.
        case unconnected
        /// The shown frame stays: a source that was stopped, or has connected, owes frames.
        case started
    }

    /// The results of the accepted frames, as far as the input knows them.
    package struct Counts: Sendable {
        /// Frames that were dropped for newer ones.
        package var superseded = 0
        /// Frames after the track's end.
        package var discarded = 0
        /// Frames that the track took.
        package var taken = 0
        /// Frames that wait.
        package var waiting = 0
    }

    /// The most frames that wait.
    package static let capacity = 4

    /// A pending black or slate.
    private struct PendingHostFrame {
        var frame: HostFrame
        /// The time on the session clock.
        var nanoseconds: Int64
        /// The number of waiting frames before it.
        var framesBefore: Int
    }

    private struct State: ~Copyable {
        var queue = Ring<4, QueuedFrame>()
        var pending: PendingHostFrame?
        var changes: [BranchChange] = []
        /// When the changes are due, on the session clock.
        var changesDue: Int64 = 0
        /// Until when all but changes waits, on the session clock; nil once it waits no more.
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

        /// When the next task is due if nothing arrives.
        var wake: Int64? {
            if let heldUntil { return changes.isEmpty ? heldUntil : min(heldUntil, changesDue) }
            guard queue.count == 0, !isClosed else { return nil }
            guard !changes.isEmpty else { return pending?.nanoseconds }
            return min(pending?.nanoseconds ?? .max, changesDue)
        }

        /// The task at a time; nil for none.
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
    /// How the sender may convert frames before it adds them.
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

    /// Frames that wait or are in progress.
    package var queuedCount: Int {
        state.withLock { $0.queue.count + $0.counts.taken - $0.progress.counts.taken }
    }

    /// The intervals between accepted frames.
    package var newestArrival: Int64? { state.withLock { $0.newestArrival } }

    /// The intervals between arrivals.
    package var arrivals: IntervalHistogram.Summary { state.withLock { $0.arrivals.summary } }

    /// Waits until there is room, on a virtual clock. [any]
    ///
    /// No frame is late there: time stops until the track has taken one.
    package func waitForRoom() {
        guard clock.isVirtual else { return }
        let _: Void? = state.wait(until: nil) { state in
            !state.queue.isFull || state.isClosed ? () : nil
        }
    }

    /// How the sender may convert a frame of a form before it adds it; nil if it may not. [any]
    package func earlyConversion(of form: FrameForm) -> EarlyConversion? {
        guard form.format.is32BitRGB else { return nil }
        return offered.withLock { $0?.form == form ? $0 : nil }
    }

    /// Lets the sender convert frames from now on; nil: no more. [the track's thread]
    func offer(_ conversion: EarlyConversion?) { offered.withLock { $0 = conversion } }

    /// Adds a frame; never waits. [any]
    ///
    /// - Parameter form: What it was sent as, if it has been converted.
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
            // The next one would cost every output a frame. On a virtual clock it waits for room.
            if state.queue.isFull, !clock.isVirtual { state.heldUntil = nil }
        }
    }

    /// Records a start of the source: timestamps of later frames may start again. [any]
    package func begin() {
        state.withLock { $0.starts += 1 }
    }

    /// Limits the size and rate of the frames from now on. [any]
    ///
    /// - Parameter ceiling: The limit of frames of another shape than the capability's.
    package func limit(to capability: VideoCapability, within ceiling: FrameSize?) {
        state.withLock { state in
            state.limit = capability
            state.ceiling = ceiling
        }
    }

    /// Changes what outputs take, after the frames so far; while these are held, before them. [any]
    ///
    /// On a virtual clock, all that happens now comes before it.
    package func change(_ changes: [BranchChange]) {
        let due = clock.now + 1
        state.change { state in
            state.changes += changes
            state.changesDue = state.heldUntil == nil ? due : .min
        }
    }

    /// Lets frames wait until outputs have said what they take of them: until ``release()``, or a time,
    /// or until the next frame would find no room. The track has not begun yet.
    ///
    /// - Parameter moment: On the session clock.
    package func hold(until moment: Int64) { state.withLock { $0.heldUntil = moment } }

    /// Lets the frames pass that were held. [any]
    package func release() { state.change { $0.heldUntil = nil } }

    /// Shows black, after the waiting frames and until the next one. [any]
    package func showBlack() { show(.black, at: clock.now) }

    /// Shows a slate, after the waiting frames and until the next one. [any]
    ///
    /// - Parameter moment: The time on the session clock; a frame before it cancels the slate.
    package func showSlate(_ text: SlateText, at moment: Int64) { show(.slate(text), at: moment) }

    /// Lets the last frame stay, after the frames that wait: the source owes no more. [any]
    package func showLastFrame() { show(.lastFrame, at: clock.now) }

    /// Records that the source is paused, or is not any more. [any]
    package func setPaused(_ isPaused: Bool) { note(.pause(isPaused)) }

    /// Records what the source does while the shown frame stays.
    private func note(_ change: HostFrame) {
        let now = clock.now
        state.change { state in
            // A slate is shown whatever the source does.
            if case .slate? = state.pending?.frame { return }
            state.pending = PendingHostFrame(
                frame: change, nanoseconds: now, framesBefore: state.queue.count)
        }
    }

    /// Records that the source connects by itself, and has not yet. [any]
    package func setUnconnected() { note(.unconnected) }

    /// Records that a stopped source was started again, or that the source has connected. [any]
    package func setStarted() { note(.started) }

    /// The newest request counts.
    private func show(_ frame: HostFrame, at moment: Int64) {
        state.change { state in
            state.pending = PendingHostFrame(
                frame: frame, nanoseconds: moment, framesBefore: state.queue.count)
        }
    }

    /// Waits for the next task. [the track's thread]
    ///
    /// - Parameter progress: The results of the frames before.
    package func next(after progress: VideoTrack.Progress) -> Next {
        while true {
            let next: Next? = clock.wait(for: state, until: { $0.wake }) { state in
                state.progress = progress
                return state.next(at: clock.now)
            }
            // There is none if black or a slate is due: it is found now.
            guard let next else { continue }
            // On a virtual clock senders wait for room.
            if clock.isVirtual { state.change { _ in } }
            return next
        }
    }

    /// Ends the track after it has taken what is queued.
    package func close() {
        state.change { state in
            state.isClosed = true
            state.heldUntil = nil
        }
    }
}
