package import GreenroomConversion
package import GreenroomMedia
package import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomRuntime
import Synchronization

/// One plugin in a session: its place there, its ingests, its settings and its counters, through all
/// of its lives.
///
/// Steps are begun by the session and run on the control thread of the ``PluginLife``;
/// ``finish(_:until:)`` waits for them with a deadline. A step that does not return leaves that life
/// hung, and the session goes on.
package final class PluginInstance: Sendable {
    private struct State {
        /// The newest life, which may be over; nil before the first.
        var life: PluginLife?
        var settings: [Setting]
        /// What earlier lives have left for the report.
        var pastOffer: Offer?
        var pastTimes: [String: CallbackTimes] = [:]
    }

    private let environment: InstanceEnvironment
    private let factory: any PluginFactory
    /// Guards which life is the newest, and what outlives it.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - number: Tells the instances of a session apart.
    ///   - role: Where it stands in the session, e.g. `camera` or `camera.pre-processors[0]`.
    ///   - editedFrameLimit: For a pre-processor, how many frames of its are in use at most.
    package init(
        plan: SourcePlan, number: Int, role: String, clock: SessionClock,
        events: SessionEvents, videoIngest: VideoIngest? = nil, audioIngest: AudioIngest? = nil,
        editedFrameLimit: Int = 0
    ) {
        environment = InstanceEnvironment(
            number: number, role: role, descriptor: plan.descriptor, videoIngest: videoIngest,
            audioIngest: audioIngest, clock: clock, events: events,
            editedFrameLimit: editedFrameLimit)
        factory = plan.factory
        state = Mutex(State(settings: plan.settings))
    }

    package var number: Int { environment.number }
    package var role: String { environment.role }
    package var descriptor: PluginDescriptor { environment.descriptor }
    package var videoIngest: VideoIngest? { environment.videoIngest }
    package var audioIngest: AudioIngest? { environment.audioIngest }

    var events: SessionEvents { environment.events }
    private var life: PluginLife? { state.withLock { $0.life } }

    // MARK: What the session asks

    /// Where the newest life is; `created` before the first.
    package var lifecycle: LifecycleState { life?.lifecycle ?? .created }

    /// What was agreed on last; nil before initialize, and for instances without an offer.
    package var agreement: Agreement? { life?.state.withLock { $0.agreement } }

    /// The newest offer that the plugin was told of.
    var newestOffer: Offer? {
        let (life, past) = state.withLock { ($0.life, $0.pastOffer) }
        return life?.state.withLock { $0.newestOffer } ?? past
    }

    /// What became of an offer; nil while its step runs, and once there was a newer one.
    package func reply(to revision: UInt32) -> Reply? {
        life?.state.withLock {
            $0.newestReply?.revision == revision ? $0.newestReply?.reply : nil
        }
    }

    /// What the plugin's author should know of its answers; nil for nothing.
    package var answerAdvice: String? { life?.state.withLock { $0.advice } }

    /// Every setting with the value that it has now.
    package var settings: [Setting] { state.withLock { $0.settings } }

    private var backend: (any InstanceBackend)? { life?.state.withLock { $0.backend } }

    /// What the source says that it can make; empty if it says nothing, and before `create`.
    package var capabilities: [VideoCapability] { backend?.capabilities ?? [] }

    /// Where frames must lie for the plugin to edit them, in this life of it; nil for anywhere.
    package var editingPool: FramePool? { backend?.pool }

    /// Set for a plugin that connects by itself.
    var arrivals: (any PeerListener)? { factory.arrivals }

    /// What its process is confined by; nil in the host's process.
    var sandbox: [SandboxLayerState]? { backend?.sandbox }

    /// What the plugin said when it gave up.
    package var gaveUp: (status: Status, reason: String)? {
        life?.state.withLock { $0.gaveUp }
    }

    /// Whether it is a share that said that nothing new comes for now: its last picture stays, and
    /// that is no fault of it.
    package var isPaused: Bool { life?.state.withLock { $0.isPaused } ?? false }

    /// Why the host gave the life up.
    package var fault: String? { life?.state.withLock { $0.fault?.reason } }

    /// How long its callbacks took, by name.
    var callbackTimes: [String: CallbackTimes] {
        let (life, past) = state.withLock { ($0.life, $0.pastTimes) }
        return past.merging(life?.callbackTimes ?? [:]) { $0 + $1 }
    }

    /// The callback that is running on the control thread, and for how long, in nanoseconds.
    package var runningCallback: (step: LifecycleStep, nanoseconds: Int64)? {
        life?.runningCallback
    }

    /// Whether it is sending, or is in start-send still.
    var isStarted: Bool { life?.isStarted ?? false }

    /// What grows while it sends from inside start-send; nil outside of it.
    var activityInStart: Int? { life?.activityInStart }

    /// What ``activityInStart`` begins from for a start-send that is begun now.
    var activity: Int { life?.activity ?? 0 }

    /// Whether the callback that is running waits on the session clock, or did.
    package var hasWaited: Bool {
        life?.state.withLock { $0.running?.hasWaited } ?? false
    }

    /// Changes a setting of a plugin that is away: its next life is created with it.
    func remember(_ setting: Setting) {
        state.withLock { state in
            guard let index = state.settings.firstIndex(where: { $0.name == setting.name }) else {
                return
            }
            state.settings[index] = setting
        }
    }

    /// Sends what the plugin says, unless it says too much.
    func tell(_ event: SessionEvent) { environment.tell(event) }

    // MARK: Steps

    /// Begins a new life, in which the plugin is created with the settings as they are now.
    ///
    /// - Returns: An illegal step while the life before it is not over.
    package func beginCreate() -> PendingStep {
        let last = life
        if let last, !last.lifecycle.isOver {
            return PendingStep(.create, result: .illegal(last.lifecycle))
        }
        let next = PluginLife(environment, settings: settings)
        state.withLock { state in
            state.life = next
            guard let last else { return }
            state.pastOffer = last.state.withLock { $0.newestOffer } ?? state.pastOffer
            state.pastTimes.merge(last.callbackTimes) { $0 + $1 }
        }
        return next.beginCreate(from: factory)
    }

    /// Begins to initialize, with a new sender and an offer.
    ///
    /// - Parameter offer: For sources of video and share, and for pre-processors the one row
    ///   of their frames; nil for sound.
    package func beginInitialize(offer: Offer?) -> PendingStep {
        begin(.initialize) { $0.beginInitialize(offer: offer) }
    }

    /// Begins to make a new offer. Whatever the plugin makes of it, the step is done when it has
    /// returned; ``reply(to:)`` tells what that is.
    package func beginPropertyChange(offer: Offer) -> PendingStep {
        begin(.propertyChange) { $0.beginPropertyChange(offer: offer) }
    }

    /// Begins to change a live parameter, whose value has been checked. A pre-processor may be
    /// editing a frame meanwhile.
    package func beginSetParameter(_ setting: Setting) -> PendingStep {
        begin(.setParameter) {
            $0.beginSetParameter(setting) { [weak self] in self?.remember($0) }
        }
    }

    /// Begins a call that is no step of a session; for the validator.
    package func beginAsking(
        _ step: LifecycleStep, _ ask: @escaping @Sendable (any InstanceBackend) -> Status
    ) -> PendingStep {
        begin(step) { $0.beginAsking(step, ask) }
    }

    /// Begins to start sending. Frames are accepted before the callback returns.
    package func beginStartSend() -> PendingStep { begin(.startSend) { $0.beginStartSend() } }

    /// Begins to stop sending. Nothing is accepted any more once this has returned, whatever
    /// the plugin is doing.
    package func beginStopSend() -> PendingStep { begin(.stopSend) { $0.beginStopSend() } }

    /// Accepts nothing more of one that is started, before its stop is begun.
    func closeIngest() {
        guard let life, life.isStarted else { return }
        life.closeIngest()
    }

    /// Begins to take the sender away.
    package func beginUninitialize() -> PendingStep {
        begin(.uninitialize) { $0.beginUninitialize() }
    }

    /// Begins to free the plugin.
    package func beginDestroy() -> PendingStep { begin(.destroy) { $0.beginDestroy() } }

    /// Begins one of ``LifecycleStep/ending``.
    func begin(ending step: LifecycleStep) -> PendingStep {
        switch step {
        case .stopSend: beginStopSend()
        case .uninitialize: beginUninitialize()
        default: beginDestroy()
        }
    }

    private func begin(_ step: LifecycleStep, _ body: (PluginLife) -> PendingStep) -> PendingStep {
        life.map(body) ?? PendingStep(step, result: .illegal(.created))
    }

    /// Waits for a step.
    ///
    /// - Returns: How it ended; nil if the deadline passed while it was still running.
    package func finish(_ step: PendingStep, until deadline: Int64) -> StepResult? {
        step.wait(until: deadline)
    }

    /// Gives the life up that there is: no call is made on it any more, and its sender is dead.
    package func giveUp(because reason: String) { life?.giveUp(because: reason) }

    /// Has a pre-processor edit a frame in place. [media]
    ///
    /// - Parameter frame: Upright I420; this reference is the only one.
    package func process(_ frame: inout VideoFrame) -> Status {
        life?.process(&frame) ?? .stopped
    }
}
