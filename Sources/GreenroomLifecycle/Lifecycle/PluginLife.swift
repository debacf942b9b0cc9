import GreenroomModel
import Glibc
import GreenroomConversion
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime

/// One life of a plugin, from create to destroy: its backend, control thread, handle, sender and
/// agreement.
///
/// Steps run on the control thread. The host abandons a life that hung or was lost: the host no
/// longer calls the plugin. An abandoned life never touches the ingests or the clock, because these
/// belong to the next life.
final class PluginLife: Sendable {
    /// A running callback.
    struct Running {
        var step: LifecycleStep
        /// The start of the plugin's code, in monotonic nanoseconds; nil while the host starts the
        /// process, or a media call must return first.
        var since: Int64?
        var thread: pthread_t
        /// The kernel's number of the thread, and the time for which the thread had waited for a
        /// processor before; set for `create`.
        var wait: (thread: Int32, before: Int64)?
        /// Whether the callback has waited on the session clock.
        var hasWaited = false
        /// Whether the step is a start-send that a stop has overtaken.
        var wasStopped = false
    }

    /// A change of a pre-processor's frames.
    struct FrameChange {
        var frames: VideoCapability
        var step: PluginInstance.PendingStep
        /// The start of the change, in monotonic nanoseconds.
        var since: Int64
    }

    /// The host's reason for abandoning the life.
    struct Fault {
        var reason: String
        /// Whether the process was lost. If so, results of its callbacks are meaningless.
        var isLoss: Bool
    }

    /// The negotiation state of the plugin's frames or blocks.
    struct Negotiation {
        var agreement: Agreement?
        /// The newest offer to the plugin; for a pre-processor, the offer that its frames match.
        var offer: Offer?
        /// The plugin's newest reply, and the offer's revision.
        var reply: (revision: UInt32, reply: Reply)?
        /// The pending format change of a pre-processor; nil if none.
        var change: FrameChange?
        /// A hint for the plugin's author about its answers; nil if none.
        var advice: String?
    }

    /// The callbacks on the control thread.
    struct Callbacks {
        var running: Running?
        /// The last ended step.
        var last: LifecycleStep?
        /// The `set_error` text in the running callback.
        var errorText: String?
        var times: [LifecycleStep: CallbackTimes] = [:]
    }

    struct State {
        var lifecycle = LifecycleState.created
        /// The status for sends and waits.
        var senderStatus = Status.notStarted
        /// nil before ``beginCreate(from:)``.
        var backend: (any InstanceBackend)?
        /// The broker of connections to other programs; nil before ``beginCreate(from:)``.
        var connections: ConnectionBroker?
        /// The handle for the plugin's calls.
        var handle: UInt64 = 0
        var sender: UInt64 = 0
        var negotiation = Negotiation()
        var callbacks = Callbacks()
        /// Whether the last request was a start.
        var isWanted = false
        /// The number of frames or blocks accepted before the last start-send began.
        var acceptedBeforeStart = 0
        /// The number of waits on the session clock inside start-send while the plugin could send.
        var waitsInStart = 0
        /// Whether the next wait in start-send wakes the session.
        var wakesOnWait = false
        /// The cause of a failed step, if the next life would fail for the same cause.
        var cause = PluginFailure.Cause.other
        /// The status and reason that the plugin reported when it stopped.
        var gaveUp: (status: Status, reason: String)?
        /// Whether the plugin is a paused share.
        var isPaused = false
        /// Whether the plugin is a source that has nothing new to send.
        var isHeld = false
        var fault: Fault?
    }

    let environment: InstanceEnvironment
    /// The settings for `create`.
    let settings: [PluginSetting]
    /// The gate of a pre-processor or an output; nil for other kinds.
    let gate: MediaGate?
    /// Guards the state of this life. Also locked while ingests and clock change, so that no change
    /// reopens them after a fault. The plugin's waits use the monitor.
    let state = Monitor(State())
    private let control: ControlThread

    /// Begins a life after the last one has ended.
    ///
    /// - Parameter settings: The settings for `create`.
    init(_ environment: InstanceEnvironment, settings: [PluginSetting]) {
        self.environment = environment
        self.settings = settings
        gate =
            environment.descriptor.kind.facts.direction == .source
            ? nil
            : MediaGate(clock: environment.clock.host)
        environment.beginLife()
        environment.clock.stopExpecting(plugin: environment.number)
        control = ControlThread(
            name: environment.role, clock: environment.clock, as: .control(environment.number))
        environment.follow(.created)
    }

    var clock: SessionClock { environment.clock }
    var number: Int { environment.number }

    /// The state of the life.
    var lifecycle: LifecycleState { state.withLock { $0.lifecycle } }

    /// The durations of the plugin's callbacks, by name.
    var callbackTimes: [String: CallbackTimes] {
        let steps = state.withLock { $0.callbacks.times }
        var times = Dictionary(uniqueKeysWithValues: steps.map { ($0.rawValue, $1) })
        if let calls = gate?.times, calls.calls > 0 {
            times[environment.feed == nil ? "process" : "media"] = calls
        }
        return times
    }

    /// The running callback on the control thread, and its duration in nanoseconds: 0 while the
    /// plugin's process starts.
    var runningCallback: (step: LifecycleStep, nanoseconds: Int64)? {
        state.withLock { state in
            state.callbacks.running.map { ($0.step, $0.since.map { clock.host.now - $0 } ?? 0) }
        }
    }

    /// The time for which a running `create` was ready to run while no processor was free, in
    /// nanoseconds: in the plugin's process if it has one.
    var createWaitNanoseconds: Int64 {
        let (wait, backend) = state.withLock { ($0.callbacks.running?.wait, $0.backend) }
        guard clock.host.isReal, let wait else { return 0 }
        return backend?.processorWaitNanoseconds
            ?? ProcessorWait.nanoseconds(ofThread: wait.thread) - wait.before
    }

    /// Whether the plugin is sending or still in start-send.
    var isStarted: Bool {
        state.withLock {
            $0.lifecycle == .sending
                || $0.lifecycle != .faulted && $0.callbacks.running?.step == .startSend
        }
    }

    /// The activity counter of sends from inside start-send; nil outside start-send.
    var activityInStart: Int? {
        // A filter or an output receives no media before start-send returns.
        guard gate == nil else { return nil }
        let waits = state.withLock {
            $0.callbacks.running?.step == .startSend ? $0.waitsInStart : nil
        }
        return waits.map { $0 + environment.acceptedCount }
    }

    /// The initial value of ``activityInStart`` for a new start-send.
    var activity: Int { state.withLock { $0.waitsInStart } + environment.acceptedCount }

    /// Wakes the session once, when the plugin next sends or waits inside start-send.
    func wakeOnActivity() {
        let events = environment.events
        state.withLock { $0.wakesOnWait = true }
        environment.videoIngest?.onNext { events.wake() }
        environment.audioIngest?.onNext { events.wake() }
    }

    /// The number of frames or blocks accepted since the last start-send began.
    var acceptedSinceStart: Int {
        environment.acceptedCount - state.withLock { $0.acceptedBeforeStart }
    }

    // MARK: The control thread

    /// Begins a step if the step is legal when its turn comes. The step's end changes the state.
    func begin(
        _ step: LifecycleStep,
        _ body: @escaping @Sendable (any InstanceBackend) -> PluginInstance.StepResult
    ) -> PluginInstance.PendingStep {
        beginUnchecked(step) { [self] in
            let (from, backend) = state.withLock { ($0.lifecycle, $0.backend) }
            guard let next = LifecycleTable.next(from: from, by: step), let backend else {
                return .illegal(from)
            }
            let result = body(backend)
            if result == .done {
                // The host may have abandoned the life during the step.
                state.withLock { if $0.lifecycle == from { $0.lifecycle = next } }
            }
            return result
        }
    }

    /// Begins a step in any state, unless the life has ended.
    func beginUnchecked(
        _ step: LifecycleStep, _ body: @escaping @Sendable () -> PluginInstance.StepResult
    ) -> PluginInstance.PendingStep {
        let lifecycle = lifecycle
        // The control thread may hang, or has ended.
        guard !lifecycle.isOver else {
            return PluginInstance.PendingStep(step, result: .illegal(lifecycle))
        }
        if let problem = control.problem {
            state.withLock { $0.cause = .noProcess }
            // Without a control thread the plugin was never created, so there is nothing to end.
            return PluginInstance.PendingStep(
                step,
                result: step == .create ? .failed(.unavailable, .given("\(problem).")) : .done)
        }
        let pending = PluginInstance.PendingStep(step)
        control.run { [self] in
            state.withLock { state in
                state.callbacks.running = Running(
                    step: step, since: clock.host.now, thread: pthread_self(),
                    wait: step == .create ? ProcessorWait.ofThisThread : nil)
                state.callbacks.errorText = nil
            }
            let begun = clock.now
            var result = body()
            clock.rejoin()
            let nanoseconds = clock.now - begun
            state.withLock { state in
                state.callbacks.running = nil
                state.callbacks.last = step
                if state.fault?.isLoss == true { result = .illegal(.faulted) }
                if case .illegal = result { return }
                state.callbacks.times[step, default: CallbackTimes()].add(nanoseconds: nanoseconds)
            }
            pending.end(result)
            environment.events.wake()
        }
        return pending
    }

    /// Starts or stops the timer of the running callback. The timer is stopped while the host
    /// starts a process, or a media call must return, before the plugin's code begins.
    func setCallbackTime(runs: Bool) {
        state.withLock { $0.callbacks.running?.since = runs ? clock.host.now : nil }
        // The callback's deadline counts from now on.
        environment.events.wake()
    }

    // MARK: The end

    /// Abandons the life because its process is lost.
    func lose(because evidence: String) {
        guard !lifecycle.isOver else { return }
        // Send this event first: when the session finds the fault, it sends events about its
        // reaction.
        environment.events.send(.pluginLost(role: environment.role, evidence: evidence))
        giveUp(Fault(reason: evidence, isLoss: true))
    }

    /// Abandons the life: the host no longer calls it, and its sender has ended. Does nothing if
    /// the life has already ended.
    ///
    /// The control thread ends if possible; a thread that hangs in a callback is abandoned.
    func giveUp(because reason: String) { giveUp(Fault(reason: reason, isLoss: false)) }

    private func giveUp(_ fault: Fault) {
        var kept = OutputFeed.KeptFrames()
        let isNews = state.change { state in
            guard let next = LifecycleTable.next(from: state.lifecycle, by: .fault) else {
                return false
            }
            state.lifecycle = next
            state.fault = fault
            state.senderStatus = LifecycleTable.senderStatus(in: next)
            environment.follow(next)
            state.backend?.senderChanged(sends: false)
            gate?.close()
            environment.feed?.control.endLife()
            // A plugin that hangs in this process may still use its leases and kept frames.
            if state.backend?.isIsolated == true {
                environment.videoIngest?.begin(pool: nil)
                kept = environment.feed?.takeFrames() ?? kept
            }
            // Wake the session first: a virtual clock advances when it no longer waits for the
            // plugin.
            environment.events.wake()
            clock.forget(plugin: number)
            return true
        }
        // Released outside the lock.
        kept = [:]
        guard isNews else { return }
        state.withLock { $0.backend }?.kill()
        removeSender()
        leave()
    }

    /// Sets the status for sends and waits from a state, unless the life has ended.
    func follow(_ lifecycle: LifecycleState) {
        state.change { state in
            guard !state.lifecycle.isOver else { return }
            state.senderStatus = LifecycleTable.senderStatus(in: lifecycle)
            environment.follow(lifecycle)
            state.backend?.senderChanged(sends: state.senderStatus == .ok)
        }
    }

    /// Changes the ingests and the clock, which all lives share, unless this life has ended.
    func whileAlive(_ body: (inout State) -> Void) {
        state.withLock { state in
            guard !state.lifecycle.isOver else { return }
            body(&state)
        }
    }

    /// Makes sends return `GONE`.
    func endSender() {
        follow(.uninitialized)
        removeSender()
    }

    private func removeSender() {
        let sender = state.withLock { state in
            defer { state.sender = 0 }
            return state.sender
        }
        guard sender != 0 else { return }
        if environment.videoIngest != nil { HostCalls.videoIngests.remove(sender) }
        if environment.audioIngest != nil { HostCalls.audioIngests.remove(sender) }
    }

    /// Removes the handle and ends the control thread.
    func leave() {
        HostCalls.instances.remove(state.withLock { $0.handle })
        control.close()
    }
}
