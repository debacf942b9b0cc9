package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// The media thread of one pre-processor.
///
/// The filter has its own thread, so that a hung filter delays the video only until the filter's
/// deadline. If the track no longer waits for a frame, the thread drops the frame when the filter
/// returns it.
package final class PreProcessorRunner: Sendable {
    /// The result for a frame.
    package enum Outcome: ~Copyable {
        /// The filter returned the frame.
        case returned(VideoFrame, Status)
        /// The filter still has the frame.
        case overdue
    }

    private struct State: ~Copyable {
        var incoming: VideoFrame?
        var outgoing: VideoFrame?
        var status = Status.ok
        /// The time at which the filter received its frame, in real time; nil without a frame.
        var busySince: Int64?
        /// Whether the track waits for the filter's frame.
        var isAwaited = false
        var isClosed = false

        /// The filter's result; nil while it has the frame.
        mutating func takeOutcome() -> Outcome? {
            guard let edited = outgoing.take() else { return nil }
            isAwaited = false
            return .returned(edited, status)
        }
    }

    package let filter: any VideoFilter
    private let state: Monitor<State>
    private let thread: HostThread
    private let clock: HostClock

    /// - Parameter clock: The session's clock, which continues while the thread waits for a frame.
    package init(_ filter: any VideoFilter, clock: SessionClock) {
        self.filter = filter
        self.clock = clock.host
        let state = Monitor(State())
        self.state = state
        thread = HostThread(name: filter.name, clock: clock, as: filter.clockOrder) {
            while true {
                let next: VideoFrame?? = clock.wait(for: state, until: nil) { state in
                    if let frame = state.incoming.take() { return .some(frame) }
                    return state.isClosed ? .some(nil) : nil
                }
                guard let next, var frame = next else { return }
                let status = filter.process(&frame)
                var edited: VideoFrame? = frame
                state.change { state in
                    let edited = edited.take()
                    state.outgoing = state.isAwaited ? edited : nil
                    state.status = status
                    state.busySince = nil
                }
            }
        }
    }

    /// The time that the filter has had its frame, in nanoseconds of real time; nil without a
    /// frame. [the track's thread]
    package var busyNanoseconds: Int64? {
        state.withLock { $0.busySince }.map { clock.now - $0 }
    }

    /// Edits a frame. The filter must not have another frame. [the track's thread]
    ///
    /// - Parameters:
    ///   - frame: An upright I420 frame, as the only reference.
    ///   - deadline: The end of the wait, in real time.
    package func process(_ frame: consuming VideoFrame, until deadline: Int64) -> Outcome {
        var frame: VideoFrame? = frame
        let begun = clock.now
        state.change { state in
            state.incoming = frame.take()
            state.busySince = begun
            state.isAwaited = true
        }
        let outcome: Outcome? = state.wait(until: deadline, on: clock) {
            $0.takeOutcome()
        }
        if let outcome { return outcome }
        return state.withLock { state in
            let outcome = state.takeOutcome()
            state.isAwaited = false
            return outcome ?? .overdue
        }
    }

    /// Ends the thread, after the frame in progress.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
