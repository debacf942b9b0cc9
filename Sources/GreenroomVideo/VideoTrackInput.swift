package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// The queue between a sender and the track's thread.
///
/// It holds four frames. When a fifth comes the oldest goes, counted as superseded: for a live
/// picture the newest is worth the most. On a virtual clock the sender waits instead.
package final class VideoTrackInput: Sendable {
    /// A frame and when it came, in nanoseconds on the session clock.
    package struct Arrival: ~Copyable, Sendable {
        package var frame: VideoFrame
        package var nanoseconds: Int64
        /// What the track carries of it at most; nil for what was agreed at first.
        package var limit: VideoCapability?
        /// How many times the source had been started.
        package var starts: Int

        package consuming func intoFrame() -> VideoFrame { frame }
    }

    /// What the track has to do next.
    package enum Next: ~Copyable, Sendable {
        case frame(Arrival)
        /// The host shows a picture of its own from a moment on the session clock.
        case show(HostFrame, at: Int64)
        /// The input is closed, and empty.
        case end
    }

    /// What the host shows when there is nothing of the source.
    package enum HostFrame: Equatable, Sendable {
        case black
        case slate(SlateText)
    }

    /// What became of the frames that came through the ingest, as far as the input knows.
    package struct Counts: Sendable {
        /// Frames that were dropped for newer ones.
        package var superseded = 0
        /// Frames that came after the track had ended.
        package var discarded = 0
        /// Frames that the track took.
        package var taken = 0
        /// Frames that wait.
        package var waiting = 0
    }

    /// How many frames wait at most.
    package static let capacity = 4

    /// A picture of the host's that is to come.
    private struct Coming {
        var picture: HostFrame
        /// When, on the session clock.
        var nanoseconds: Int64
        /// After how many of the frames that wait.
        var framesBefore: Int
    }

    private struct State: ~Copyable {
        var queue = Ring<4, Arrival>()
        var coming: Coming?
        var limit: VideoCapability?
        var starts = 0
        var isClosed = false
        var counts = Counts()
        var newestArrival: Int64?
        var arrivals = IntervalHistogram()
        var progress = VideoTrack.Progress()

        mutating func popFirst() -> Arrival? {
            guard let arrival = queue.popFirst() else { return nil }
            if let before = coming?.framesBefore { coming?.framesBefore = before - 1 }
            return arrival
        }

        /// When there is something to do even if nothing comes.
        var wake: Int64? { queue.count == 0 && !isClosed ? coming?.nanoseconds : nil }

        /// What there is to do at a time; nil for nothing.
        mutating func next(at now: Int64) -> Next? {
            if let coming, coming.framesBefore <= 0, coming.nanoseconds <= now {
                self.coming = nil
                return .show(coming.picture, at: coming.nanoseconds)
            }
            if let arrival = popFirst() {
                counts.taken += 1
                return .frame(arrival)
            }
            return isClosed ? .end : nil
        }
    }

    package let clock: SessionClock
    private let state = Monitor(State())

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

    /// What the track's thread last said.
    package var progress: VideoTrack.Progress { state.withLock { $0.progress } }

    /// Frames that wait, or are being worked on.
    package var queuedCount: Int {
        state.withLock { $0.queue.count + $0.counts.taken - $0.progress.counts.taken }
    }

    /// The times between one frame and the next one, as they came through the ingest.
    package var arrivals: IntervalHistogram.Summary { state.withLock { $0.arrivals.summary } }

    /// Waits until there is room, on a virtual clock. [any]
    ///
    /// Nobody is ever late there: time stands still until the track has taken a frame.
    package func waitForRoom() {
        guard clock.isVirtual else { return }
        let _: Void? = state.wait(until: nil) { state in
            !state.queue.isFull || state.isClosed ? () : nil
        }
    }

    /// Adds a frame; never waits. [any]
    package func push(_ frame: consuming VideoFrame) {
        var frame: VideoFrame? = frame
        state.change { state in
            let now = clock.now
            if let newest = state.newestArrival { state.arrivals.record(now - newest) }
            state.newestArrival = now
            guard !state.isClosed, let frame = frame.take() else {
                state.counts.discarded += 1
                return
            }
            // The source has come back before its absence was to be seen.
            if let coming = state.coming, coming.nanoseconds > now { state.coming = nil }
            if state.queue.isFull {
                _ = state.popFirst()
                state.counts.superseded += 1
            }
            _ = state.queue.append(
                Arrival(
                    frame: frame, nanoseconds: now, limit: state.limit, starts: state.starts))
        }
    }

    /// Says that the source is started: the stamps of frames from now on may begin anew. [any]
    package func begin() {
        state.withLock { $0.starts += 1 }
    }

    /// Makes the track carry at most a size and a rate of the frames that come from now on. [any]
    package func limit(to capability: VideoCapability) {
        state.withLock { $0.limit = capability }
    }

    /// Makes the picture black, after the frames that wait and until the next one comes. [any]
    package func showBlack() { show(.black, at: clock.now) }

    /// Makes the picture a slate, after the frames that wait and until the next one comes. [any]
    ///
    /// - Parameter moment: From when on, on the session clock. If a frame comes before that, it
    ///   is not shown.
    package func showSlate(_ text: SlateText, at moment: Int64) { show(.slate(text), at: moment) }

    /// The newest request counts.
    private func show(_ picture: HostFrame, at moment: Int64) {
        state.change { state in
            state.coming = Coming(
                picture: picture, nanoseconds: moment, framesBefore: state.queue.count)
        }
    }

    /// Waits for something to do. [the track's thread]
    ///
    /// - Parameter progress: What became of the frames before.
    package func next(after progress: VideoTrack.Progress) -> Next {
        while true {
            let next: Next? = clock.wait(for: state, until: { $0.wake }) { state in
                state.progress = progress
                return state.next(at: clock.now)
            }
            // None when a picture of the host's is due: it is found now that its time has come.
            guard let next else { continue }
            // Senders on a virtual clock wait for room.
            if clock.isVirtual { state.change { _ in } }
            return next
        }
    }

    /// Lets the track end when it has taken what is queued.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
