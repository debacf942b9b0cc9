import GreenroomRuntime

/// Admits the media thread of a pre-processor to the plugin while it is started. A stop waits until
/// the thread has left.
final class MediaGate: Sendable {
    private struct State {
        /// Set while frames may be edited.
        var backend: (any InstanceBackend)?
        var isProcessing = false
        var times = CallbackTimes()
    }

    /// Guards the backend, the current edit and the times.
    private let state = Monitor(State())

    /// The duration of edits.
    var times: CallbackTimes { state.withLock { $0.times } }

    func open(to backend: any InstanceBackend) { state.withLock { $0.backend = backend } }

    /// Admits no further frame; the current edit continues.
    func close() { state.withLock { $0.backend = nil } }

    /// Waits until no edit runs. [control]
    func waitUntilOut() {
        _ = state.wait(until: nil) { $0.isProcessing ? nil : true }
    }

    /// Begins an edit; ``leave(after:)`` ends it. [media]
    ///
    /// - Returns: The plugin; nil if editing is not allowed now.
    func enter() -> (any InstanceBackend)? {
        state.withLock { state in
            state.isProcessing = state.backend != nil
            return state.backend
        }
    }

    /// Ends an edit. [media]
    ///
    /// - Parameter nanoseconds: The duration of the call; nil if the plugin was not called.
    func leave(after nanoseconds: Int64?) {
        state.change { state in
            state.isProcessing = false
            if let nanoseconds { state.times.add(nanoseconds: nanoseconds) }
        }
    }
}
