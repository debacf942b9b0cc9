package import GreenroomMedia
package import GreenroomRuntime

/// The media thread of one audio filter.
///
/// The filter has its own thread, so that a hung filter delays the mixer only until the block's
/// deadline.
package final class AudioFilterRunner: Sendable {
    private struct State: ~Copyable {
        /// The block; nil while the filter has it.
        var idle: AudioEdit? = AudioEdit()
        /// The block for the thread; nil if there is none.
        var incoming: AudioEdit?
        /// The filter's status for the block; nil while the filter has it.
        var status: Status?
        /// The time at which the filter received its block, in real time; nil without a block.
        var busySince: Int64?
        var isClosed = false
    }

    package let filter: any AudioFilter
    private let state: Monitor<State>
    private let thread: HostThread
    private let clock: HostClock

    /// - Parameter clock: The session's clock, which continues while the thread waits for a block.
    package init(_ filter: any AudioFilter, clock: SessionClock) {
        self.filter = filter
        self.clock = clock.host
        let state = Monitor(State())
        self.state = state
        thread = HostThread(name: filter.name, clock: clock, as: filter.clockOrder) {
            while true {
                let work: AudioEdit?? = clock.wait(for: state, until: nil) { state in
                    if let block = state.incoming.take() { return .some(block) }
                    return state.isClosed ? .some(nil) : nil
                }
                guard let next = work, var block = next else { return }
                let status = filter.process(&block)
                var edited: AudioEdit? = block
                state.change { state in
                    state.idle = edited.take()
                    state.status = status
                    state.busySince = nil
                }
            }
        }
    }

    /// The time that the filter has had its block, in nanoseconds of real time; nil without a
    /// block. [the mixer's thread]
    var busyNanoseconds: Int64? {
        state.withLock { $0.busySince }.map { clock.now - $0 }
    }

    /// Passes a block to the filter, and waits for the result. The filter must not have another
    /// block. [the mixer's thread]
    ///
    /// - Parameters:
    ///   - samples: 480 stereo frames. The result replaces them if the status is `ok`.
    ///   - reference: The session's incoming audio; nil if there is none.
    ///   - editing: The filter's declaration.
    ///   - ptsNanoseconds: The due time of the block, on the session clock.
    ///   - deadline: The end of the wait, in real time.
    /// - Returns: The filter's status; nil if it still has the block.
    package func process(
        _ samples: inout [Int16], reference: [Int16]?, for editing: AudioEditing,
        at ptsNanoseconds: Int64, until deadline: Int64
    ) -> Status? {
        state.change { state in
            guard var block = state.idle.take() else { return }
            block.fill(samples, reference: reference, for: editing, at: ptsNanoseconds)
            state.incoming = consume block
            state.status = nil
            state.busySince = clock.now
        }
        let status: Status? = state.wait(until: deadline, on: clock) { $0.status }
        guard status == .ok else { return status }
        state.withLock { state in
            guard let block = state.idle.take() else { return }
            block.write(to: &samples)
            state.idle = consume block
        }
        return status
    }

    /// Ends the thread, after the block in progress.
    package func close() { state.change { $0.isClosed = true } }
}
