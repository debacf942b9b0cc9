import GreenroomConversion

/// The queue between a sender and the track's thread.
///
/// It holds four frames. When a fifth comes the oldest goes, counted as superseded: for a live
/// picture the newest is worth the most.
final class VideoTrackInput: Sendable {
    /// A frame and when it came, in nanoseconds on the session clock.
    struct Arrival: ~Copyable, Sendable {
        var frame: VideoFrame
        var nanoseconds: Int64

        consuming func intoFrame() -> VideoFrame { frame }
    }

    private struct State: ~Copyable {
        var queue = Ring<4, Arrival>()
        var superseded = 0
        var isClosed = false
        var discarded = 0
    }

    private let state = Monitor(State())
    private let clock: SessionClock

    init(clock: SessionClock) {
        self.clock = clock
    }

    /// Frames that were dropped for newer ones.
    var superseded: Int { state.withLock { $0.superseded } }

    /// Frames that came after the track had ended.
    var discarded: Int { state.withLock { $0.discarded } }

    /// Adds a frame; never waits. [any]
    func push(_ frame: consuming VideoFrame) {
        var arrival: Arrival? = Arrival(frame: frame, nanoseconds: clock.now)
        state.change { state in
            guard !state.isClosed, let newest = arrival.take() else {
                state.discarded += 1
                return
            }
            if state.queue.isFull {
                _ = state.queue.popFirst()
                state.superseded += 1
            }
            _ = state.queue.append(newest)
        }
    }

    /// Waits for a frame. [the track's thread]
    ///
    /// - Returns: The oldest frame; nil when the input is closed and empty.
    func next() -> Arrival? {
        let next: Next? = state.wait(until: nil) { state in
            if let arrival = state.queue.popFirst() { return .arrival(arrival) }
            return state.isClosed ? .end : nil
        }
        guard let next else { return nil }
        switch consume next {
        case .arrival(let arrival): return arrival
        case .end: return nil
        }
    }

    private enum Next: ~Copyable, Sendable {
        case arrival(Arrival)
        case end
    }

    /// Lets the track end when it has taken what is queued.
    func close() {
        state.change { $0.isClosed = true }
    }
}
