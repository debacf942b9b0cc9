import GreenroomConversion
import GreenroomLoading
import GreenroomMedia

/// The media thread of one pre-processor.
///
/// It is not the track's thread, so that a filter which hangs costs one frame and itself, and
/// the picture goes on without it.
final class PreProcessorRunner: Sendable {
    /// What became of a frame.
    enum Outcome: ~Copyable {
        /// Edited, or as it was if the filter refused it.
        case returned(VideoFrame, Status)
        /// The filter has hung with the frame.
        case lost
    }

    private struct State: ~Copyable {
        var incoming: VideoFrame?
        var outgoing: VideoFrame?
        var status = Status.ok
        var isClosed = false
    }

    let instance: PluginInstance
    private let state: Monitor<State>
    private let thread: HostThread

    /// - Parameter clock: The session's, which goes on while there is no frame to edit.
    init(instance: PluginInstance, clock: SessionClock) {
        self.instance = instance
        let state = Monitor(State())
        self.state = state
        let order = ClockOrder(part: .track, number: instance.number, owner: instance.number)
        thread = HostThread(name: instance.descriptor.name, clock: clock, as: order) {
            while true {
                let frame: VideoFrame?? = clock.wait(for: state, until: nil) { state in
                    if let frame = state.incoming.take() { return .some(frame) }
                    return state.isClosed ? .some(nil) : nil
                }
                guard let next = frame, var next else { return }
                let status = instance.process(&next)
                var edited: VideoFrame? = next
                state.change { state in
                    state.outgoing = edited.take()
                    state.status = status
                }
            }
        }
    }

    /// Has a frame edited. [the track's thread]
    ///
    /// - Parameters:
    ///   - frame: Upright I420, the only reference.
    ///   - deadline: When the filter counts as hung. After that it must not be asked again.
    func process(_ frame: consuming VideoFrame, until deadline: Int64) -> Outcome {
        var frame: VideoFrame? = frame
        state.change { $0.incoming = frame.take() }
        let status: Status? = state.wait(until: deadline) { state in
            state.outgoing == nil ? nil : state.status
        }
        guard let status else { return .lost }
        let edited: VideoFrame? = state.withLock { $0.outgoing.take() }
        guard let edited else { return .lost }
        return .returned(edited, status)
    }

    /// Ends the thread, after the frame it may have.
    func close() {
        state.change { $0.isClosed = true }
    }
}
