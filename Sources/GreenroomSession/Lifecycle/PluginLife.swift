import Glibc
import GreenroomConversion
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime

/// One life of a plugin, from create to destroy: its backend, its control thread, its handle, its
/// sender, and what was agreed on in it.
///
/// Steps run on the control thread. A life that hung, or was lost, is given up: no further call is
/// made on it. It touches neither the ingests nor the clock from then on, whatever its threads do:
/// those are the next life's.
final class PluginLife: Sendable {
    /// A callback that is running.
    struct Running {
        var step: LifecycleStep
        /// In monotonic nanoseconds.
        var since: Int64
        var thread: pthread_t
        /// Whether it has waited on the session clock.
        var hasWaited = false
        /// Whether it is a start-send that a stop has come after.
        var wasStopped = false
    }

    /// Why the host gave the life up.
    struct Fault {
        var reason: String
        /// Its process was lost: what its callbacks return means nothing.
        var isLoss: Bool
    }

    struct State {
        var lifecycle = LifecycleState.created
        /// What sender and waits answer.
        var senderStatus = Status.notStarted
        /// nil before ``beginCreate(from:)``.
        var backend: (any InstanceBackend)?
        /// What the plugin calls the host with.
        var handle: UInt64 = 0
        var sender: UInt64 = 0
        var agreement: Agreement?
        /// The newest offer that the plugin was told of.
        var newestOffer: Offer?
        var newestReply: (revision: UInt32, reply: Reply)?
        /// What the plugin's author should know of its answers; nil for nothing.
        var advice: String?
        /// Whether the last request was to send.
        var isWanted = false
        /// How often it has waited on the session clock inside start-send while it could send.
        var waitsInStart = 0
        var running: Running?
        /// The step that ended last.
        var last: LifecycleStep?
        /// What the plugin set as the reason in the callback that is running.
        var errorText: String?
        /// What the plugin said when it gave up.
        var gaveUp: (status: Status, reason: String)?
        /// It is a share that has nothing new for now.
        var isPaused = false
        var fault: Fault?
        var times: [LifecycleStep: CallbackTimes] = [:]
    }

    let environment: InstanceEnvironment
    /// What the plugin is created with.
    let settings: [Setting]
    /// Set for pre-processors.
    let gate: MediaGate?
    /// Guards all that changes in this life. It is held while ingests and clock are changed too, so
    /// that nothing opens what a fault has closed. The plugin's waits are on it.
    let state = Monitor(State())
    private let control: ControlThread

    /// Begins a life that nothing was done in yet. The one before it, if any, is over.
    ///
    /// - Parameter settings: What the plugin is created with.
    init(_ environment: InstanceEnvironment, settings: [Setting]) {
        self.environment = environment
        self.settings = settings
        gate = environment.descriptor.kind.isFilter ? MediaGate() : nil
        environment.clock.stopExpecting(plugin: environment.number)
        control = ControlThread(
            name: environment.role, clock: environment.clock, as: .control(environment.number))
        environment.follow(.created)
    }

    var clock: SessionClock { environment.clock }
    var number: Int { environment.number }

    /// Where the life is.
    var lifecycle: LifecycleState { state.withLock { $0.lifecycle } }

    /// How long its callbacks took, by name.
    var callbackTimes: [String: CallbackTimes] {
        let steps = state.withLock { $0.times }
        var times = Dictionary(uniqueKeysWithValues: steps.map { ($0.rawValue, $1) })
        if let edits = gate?.times, edits.calls > 0 { times["process"] = edits }
        return times
    }

    /// The callback that is running on the control thread, and for how long, in nanoseconds.
    var runningCallback: (step: LifecycleStep, nanoseconds: Int64)? {
        state.withLock { $0.running.map { ($0.step, MonotonicClock.now - $0.since) } }
    }

    /// Whether it is sending, or is in start-send still.
    var isStarted: Bool {
        state.withLock {
            $0.lifecycle == .sending
                || $0.lifecycle != .faulted && $0.running?.step == .startSend
        }
    }

    /// What grows while it sends from inside start-send; nil outside of it.
    var activityInStart: Int? {
        let waits = state.withLock { $0.running?.step == .startSend ? $0.waitsInStart : nil }
        return waits.map { $0 + environment.acceptedCount }
    }

    /// What ``activityInStart`` begins from for a start-send that is begun now.
    var activity: Int { state.withLock { $0.waitsInStart } + environment.acceptedCount }

    // MARK: The control thread

    /// Begins a step, if it is legal when its turn comes; the state follows it when it is done.
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
                // It may have been given up meanwhile.
                state.withLock { if $0.lifecycle == from { $0.lifecycle = next } }
            }
            return result
        }
    }

    /// Begins a step whatever the state, unless the life is over.
    func beginUnchecked(
        _ step: LifecycleStep, _ body: @escaping @Sendable () -> PluginInstance.StepResult
    ) -> PluginInstance.PendingStep {
        let lifecycle = lifecycle
        // The control thread may hang, or has ended.
        guard !lifecycle.isOver else {
            return PluginInstance.PendingStep(step, result: .illegal(lifecycle))
        }
        let pending = PluginInstance.PendingStep(step)
        control.run { [self] in
            state.withLock { state in
                state.running = Running(
                    step: step, since: MonotonicClock.now, thread: pthread_self())
                state.errorText = nil
            }
            let begun = clock.now
            var result = body()
            let nanoseconds = clock.now - begun
            state.withLock { state in
                state.running = nil
                state.last = step
                if state.fault?.isLoss == true { result = .illegal(.faulted) }
                if case .illegal = result { return }
                state.times[step, default: CallbackTimes()].add(nanoseconds: nanoseconds)
            }
            pending.end(result)
            environment.events.wake()
        }
        return pending
    }

    // MARK: The end

    /// Gives the life up because its process is lost.
    func lose(because evidence: String) {
        guard !lifecycle.isOver else { return }
        // Sent first: a session that finds the fault announces what it does about it.
        environment.events.send(.pluginLost(role: environment.role, evidence: evidence))
        giveUp(Fault(reason: evidence, isLoss: true))
    }

    /// Gives the life up: no call is made on it any more, and its sender is dead. A life that is over
    /// already has nothing to give up.
    ///
    /// The control thread ends if it can; one that hangs in a callback is left behind.
    func giveUp(because reason: String) { giveUp(Fault(reason: reason, isLoss: false)) }

    private func giveUp(_ fault: Fault) {
        let isNews = state.change { state in
            guard let next = LifecycleTable.next(from: state.lifecycle, by: .fault) else {
                return false
            }
            state.lifecycle = next
            state.fault = fault
            state.senderStatus = LifecycleTable.senderStatus(in: next)
            environment.follow(next)
            gate?.close()
            // A plugin that hangs in this process may still write to what it has leased.
            if state.backend?.pool != nil { environment.videoIngest?.begin(pool: nil) }
            clock.forget(plugin: number)
            return true
        }
        guard isNews else { return }
        state.withLock { $0.backend }?.kill()
        removeSender()
        leave()
        environment.events.wake()
    }

    /// Makes sender and waits answer as a state demands, unless the life is over.
    func follow(_ lifecycle: LifecycleState) {
        state.change { state in
            guard !state.lifecycle.isOver else { return }
            state.senderStatus = LifecycleTable.senderStatus(in: lifecycle)
            environment.follow(lifecycle)
        }
    }

    /// Changes what the lives have in common, the ingests and the clock, unless this one is over.
    func whileAlive(_ body: (inout State) -> Void) {
        state.withLock { state in
            guard !state.lifecycle.isOver else { return }
            body(&state)
        }
    }

    /// Makes the sender answer `GONE`, and so the life's ingests.
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
        if environment.videoIngest != nil { HostInterface.videoGates.remove(sender) }
        if environment.audioIngest != nil { HostInterface.audioGates.remove(sender) }
    }

    /// Ends the handle and the control thread.
    func leave() {
        HostInterface.instances.remove(state.withLock { $0.handle })
        control.close()
    }
}
