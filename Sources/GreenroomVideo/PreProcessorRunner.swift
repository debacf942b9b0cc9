package import GreenroomConversion
package import GreenroomMedia
package import GreenroomRuntime

/// The media thread of one pre-processor.
///
/// It is not the track's thread, so that a hung filter delays the video only until its deadline. A
/// frame that is no longer awaited is dropped when the filter returns it.
package final class PreProcessorRunner: Sendable {
    /// The result for a frame.
    package enum Outcome: ~Copyable {
        /// The filter returned it.
        case returned(VideoFrame, Status)
        /// The filter still has it.
        case late
    }

    /// A frame for the thread.
    private struct Work: ~Copyable {
        var frame: VideoFrame
        /// Where its edit has begun; nil for one that has not.
        var remote: (any RemoteFilter)?

        consuming func intoFrame() -> VideoFrame { frame }
    }

    private struct State: ~Copyable {
        var incoming: Work?
        var outgoing: VideoFrame?
        /// nil if the filter has not got the frame.
        var status: Status? = .ok
        /// When the filter got its frame, in real time; nil without one.
        var busySince: Int64?
        /// Whether the track waits for that frame.
        var isAwaited = false
        var isClosed = false

        /// The filter's result; nil while it has the frame.
        mutating func takeOutcome() -> Outcome? {
            guard let edited = outgoing.take() else { return nil }
            isAwaited = false
            return if let status { .returned(edited, status) } else { .late }
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
                let work: Work?? = clock.wait(for: state, until: nil) { state in
                    if let work = state.incoming.take() { return .some(work) }
                    return state.isClosed ? .some(nil) : nil
                }
                guard let next = work, var next else { return }
                let status: Status? =
                    if let remote = next.remote {
                        if case .returned(let status) = remote.finish() { status } else { nil }
                    } else {
                        filter.process(&next.frame)
                    }
                var edited: VideoFrame? = next.intoFrame()
                state.change { state in
                    let edited = edited.take()
                    state.outgoing = state.isAwaited ? edited : nil
                    state.status = status
                    state.busySince = nil
                }
            }
        }
    }

    /// How long the filter has had its frame, in nanoseconds of real time; nil without one. [the
    /// track's thread]
    package var busyNanoseconds: Int64? {
        state.withLock { $0.busySince }.map { clock.now - $0 }
    }

    /// Edits a frame; the filter must have none. [the track's thread]
    ///
    /// - Parameters:
    ///   - frame: Upright I420, the only reference.
    ///   - deadline: When to stop waiting, in real time.
    package func process(_ frame: consuming VideoFrame, until deadline: Int64) -> Outcome {
        pass(Work(frame: frame, remote: nil), since: clock.now, until: deadline)
    }

    /// Waits for a frame that the filter has got in its process: for one that is late, or in which it calls
    /// the host. [the track's thread]
    ///
    /// - Parameter begun: Since when it has had it, in real time.
    package func finish(
        _ frame: consuming VideoFrame, in remote: any RemoteFilter, since begun: Int64,
        until deadline: Int64
    ) -> Outcome {
        pass(Work(frame: frame, remote: remote), since: begun, until: deadline)
    }

    /// Waits on its thread for a frame that is no longer awaited, as for one that is late. [the track's thread]
    package func abandon(_ frame: consuming VideoFrame, in remote: any RemoteFilter) {
        give(Work(frame: frame, remote: remote), since: clock.now, isAwaited: false)
    }

    /// Passes a frame to the thread, and waits until the filter has returned it.
    private func pass(
        _ work: consuming Work, since begun: Int64, until deadline: Int64
    ) -> Outcome {
        give(work, since: begun, isAwaited: true)
        let outcome: Outcome? = state.wait(until: deadline, on: clock) {
            $0.takeOutcome()
        }
        if let outcome { return outcome }
        return state.withLock { state in
            let outcome = state.takeOutcome()
            state.isAwaited = false
            return outcome ?? .late
        }
    }

    private func give(_ work: consuming Work, since begun: Int64, isAwaited: Bool) {
        var work: Work? = work
        state.change { state in
            state.incoming = work.take()
            state.busySince = begun
            state.isAwaited = isAwaited
        }
    }

    /// Ends the thread, after the frame that it may have.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
