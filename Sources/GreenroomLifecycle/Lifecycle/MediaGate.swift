import GreenroomRuntime

/// Admits one thread at a time to pass media to a started pre-processor or output. A stop waits
/// until the admitted thread has left.
final class MediaGate: Sendable {
    private struct State {
        /// The plugin, while media may be passed; else nil.
        var backend: (any InstanceBackend)?
        /// The start of the current call, in monotonic nanoseconds; nil if no call runs.
        var busySince: Int64?
        /// Whether the control thread makes the current call.
        var isControl = false
        /// Whether the control thread waits to call the plugin. Its call is next.
        var controlWaits = false
        var times = CallbackTimes()

        /// Begins a media call or rejects it; nil while another call runs or is next.
        mutating func admit(at now: Int64) -> Admission? {
            guard let backend else { return .closed }
            guard busySince == nil, !controlWaits else { return nil }
            busySince = now
            return .admitted(backend)
        }
    }

    private enum Admission {
        case admitted(any InstanceBackend)
        case closed
    }

    /// Guards the backend, the current call and the times.
    private let state = Monitor(State())
    private let clock: HostClock

    /// - Parameter clock: The clock that times the media calls.
    init(clock: HostClock) { self.clock = clock }

    /// The durations of the media calls.
    var times: CallbackTimes { state.withLock { $0.times } }

    /// The duration of the current media call so far, in nanoseconds of real time; nil if no call
    /// runs.
    var busyNanoseconds: Int64? {
        state.withLock { $0.isControl ? nil : $0.busySince }.map { clock.now - $0 }
    }

    func open(to backend: any InstanceBackend) { state.withLock { $0.backend = backend } }

    /// Admits no further thread. The current call continues.
    func close() { state.change { $0.backend = nil } }

    /// Waits until no call runs. [control]
    func waitUntilOut() {
        _ = state.wait(until: nil) { $0.busySince == nil ? true : nil }
    }

    /// Begins a call; waits for another thread's call; ``leave(after:)`` ends it. [media]
    ///
    /// - Returns: The plugin; nil if no call is allowed now.
    func enter() -> (any InstanceBackend)? {
        let admission: Admission? = state.wait(until: nil) { $0.admit(at: clock.now) }
        guard case .admitted(let backend) = admission else { return nil }
        return backend
    }

    /// Begins a call with priority over waiting calls; ``leave(after:)`` ends
    /// it. [control]
    ///
    /// - Returns: Whether a call is allowed now.
    func enterFirst() -> Bool {
        state.change { $0.controlWaits = true }
        let isAdmitted: Bool? = state.wait(until: nil) { state in
            guard state.backend != nil else { return false }
            guard state.busySince == nil else { return nil }
            state.busySince = clock.now
            state.isControl = true
            return true
        }
        state.change { $0.controlWaits = false }
        return isAdmitted ?? false
    }

    /// Ends a call. [media]
    ///
    /// - Parameter nanoseconds: The duration of the call; nil if the plugin was not called.
    func leave(after nanoseconds: Int64?) {
        state.change { state in
            state.busySince = nil
            state.isControl = false
            if let nanoseconds { state.times.add(nanoseconds: nanoseconds) }
        }
    }
}
