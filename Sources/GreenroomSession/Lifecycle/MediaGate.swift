import GreenroomRuntime

/// Lets the media thread of a pre-processor into the plugin while it is started, and makes a stop
/// wait until the thread is out of it.
final class MediaGate: Sendable {
    private struct State {
        /// Set while frames may be edited.
        var backend: (any InstanceBackend)?
        var isProcessing = false
        var times = CallbackTimes()
    }

    /// Guards whether frames may be edited, whether one is, and how long edits took.
    private let state = Monitor(State())

    /// How long the edits took.
    var times: CallbackTimes { state.withLock { $0.times } }

    func open(to backend: any InstanceBackend) { state.withLock { $0.backend = backend } }

    /// Lets no further frame in. One that is being edited goes on.
    func close() { state.withLock { $0.backend = nil } }

    /// Waits until no frame is being edited. [control]
    func waitUntilOut() {
        _ = state.wait(until: nil) { $0.isProcessing ? nil : true }
    }

    /// Begins an edit, which ``leave(after:)`` ends. [media]
    ///
    /// - Returns: The plugin; nil if no frame may be edited.
    func enter() -> (any InstanceBackend)? {
        state.withLock { state in
            state.isProcessing = state.backend != nil
            return state.backend
        }
    }

    /// Ends an edit. [media]
    ///
    /// - Parameter nanoseconds: How long the plugin took; nil if it was not called.
    func leave(after nanoseconds: Int64?) {
        state.change { state in
            state.isProcessing = false
            if let nanoseconds { state.times.add(nanoseconds: nanoseconds) }
        }
    }
}
