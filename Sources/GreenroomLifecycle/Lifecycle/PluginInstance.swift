package import GreenroomModel
package import GreenroomAudio
package import GreenroomConversion
package import GreenroomMedia
package import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomRuntime
import GreenroomVideo
import Synchronization

/// A plugin in a session: its role, ingests, settings and counters, through all its lives.
///
/// The session begins steps, which run on the control thread of the ``PluginLife``;
/// ``finish(_:until:)`` waits for them with a deadline. A step that does not return leaves that
/// life hung, and the session continues.
package final class PluginInstance: Sendable {
    private struct State {
        /// The newest life, which may have ended; nil before the first life.
        var life: PluginLife?
        /// The number of lives so far.
        var lives = 0
        var settings: [PluginSetting]
        /// The last life's offer, for the report.
        var pastOffer: Offer?
        var pastTimes: [String: CallbackTimes] = [:]
        /// The gate of an earlier life whose media call was still running when the next life began.
        var pastGate: MediaGate?
    }

    /// Limit of released memory that an output's process holds, in bytes, before a new demand. Each
    /// new demand releases the memory of earlier frames, and a process can hold that memory until the
    /// process ends.
    package static let endedByteLimit = 64 << 20

    /// Whether the outputs never receive frames that this pre-processor has not edited.
    package let isRequired: Bool
    private let deadlineNanoseconds: Int64?
    private let environment: InstanceEnvironment
    private let factory: any PluginFactory
    /// Guards the newest life and the data of all lives.
    private let state: Mutex<State>

    /// - Parameters:
    /// - number: The number of the instance in its session.
    ///   - role: The role in the session, e.g. `camera` or `camera.pre-processors[0]`.
    /// - pausedAudio: The ingests whose audio pauses with the plugin.
    /// - ownFrameLimit: The most frames in use of a pre-processor or a call.
    /// - control: The plugin's `control` grant; nil if the plugin has none.
    package init(
        plan: SourcePlan, number: Int, role: String, clock: SessionClock,
        events: SessionEvents, videoIngest: VideoIngest? = nil, audioIngest: AudioIngest? = nil,
        pausedAudio: [AudioIngest] = [], feed: OutputFeed? = nil,
        roster: CallRoster? = nil, ownFrameLimit: Int = 0,
        control: ControlGrant? = nil
    ) {
        environment = InstanceEnvironment(
            number: number, role: role, descriptor: plan.descriptor, videoIngest: videoIngest,
            audioIngest: audioIngest, pausedAudio: pausedAudio, feed: feed,
            roster: roster, control: control, clock: clock, events: events,
            writable: plan.writable, ownFrameLimit: ownFrameLimit)
        factory = plan.factory
        isRequired = plan.configuration.isRequired
        deadlineNanoseconds = plan.configuration.callbackDeadline?.nanoseconds
        state = Mutex(State(settings: plan.settings))
    }

    /// The time limit of the plugin's callbacks, in nanoseconds.
    ///
    /// - Parameter session: The limit for plugins without one.
    package func deadline(_ session: Int64) -> Int64 { deadlineNanoseconds ?? session }

    /// The time limit of loading the plugin, in nanoseconds, if loading has its own; else 0.
    package var loadingLimit: Int64 { factory.loadingLimit }

    package var number: Int { environment.number }
    package var role: String { environment.role }
    package var descriptor: PluginDescriptor { environment.descriptor }
    package var videoIngest: VideoIngest? { environment.videoIngest }
    package var audioIngest: AudioIngest? { environment.audioIngest }

    /// The participants of a call; nil for other kinds.
    package var roster: CallRoster? { environment.roster }
    /// The feed of an output; nil for other kinds.
    package var feed: OutputFeed? { environment.feed }

    /// The `control` grant; nil if the plugin may not control its session.
    package var controlGrant: ControlGrant? { environment.control }

    var events: SessionEvents { environment.events }

    /// Makes the session check its plugins. [any]
    func wakeSession() { environment.events.wake() }
    private var life: PluginLife? { state.withLock { $0.life } }

    // MARK: State

    /// The state of the newest life; `created` before the first life.
    package var lifecycle: LifecycleState { life?.lifecycle ?? .created }

    /// The last agreement; nil before initialize, and for instances without an offer.
    package var agreement: Agreement? { life?.state.withLock { $0.negotiation.agreement } }

    /// The newest offer to the plugin.
    package var newestOffer: Offer? {
        let (life, past) = state.withLock { ($0.life, $0.pastOffer) }
        return life?.state.withLock { $0.negotiation.offer } ?? past
    }

    /// The reply to an offer; nil while the step runs, and after a newer offer.
    package func reply(to revision: UInt32) -> Reply? {
        life?.state.withLock {
            $0.negotiation.reply?.revision == revision ? $0.negotiation.reply?.reply : nil
        }
    }

    /// A hint for the plugin's author about its answers; nil if none.
    package var answerAdvice: String? { life?.state.withLock { $0.negotiation.advice } }

    /// All settings with their current values.
    package var settings: [PluginSetting] { state.withLock { $0.settings } }

    private var backend: (any InstanceBackend)? { life?.state.withLock { $0.backend } }

    /// The backend of a sending pre-processor, and the size and rate of its frames; nil in other
    /// states.
    var sendingFilter: (backend: any InstanceBackend, frames: VideoCapability)? {
        life?.state.withLock { state in
            guard state.lifecycle == .sending, let backend = state.backend,
                let offer = state.negotiation.offer
            else { return nil }
            return (backend, offer.suggested)
        }
    }

    /// The declaration of an audio pre-processor in its newest life; nil before the first life, and
    /// for other kinds.
    package var declared: AudioEditing? { backend?.audioEditing }

    /// The declaration of an audio pre-processor that is sending; nil in other states.
    package var audioEditing: AudioEditing? {
        life?.state.withLock { $0.lifecycle == .sending ? $0.backend : nil }?.audioEditing
    }

    /// The capabilities that the source declares; empty before `create` or if it declares none.
    package var capabilities: [VideoCapability] { backend?.capabilities ?? [] }

    /// The pool of frames that the plugin edits in this life; nil if any memory is allowed.
    package var editingPool: FramePool? { backend?.pool }

    /// The allocator of frames that an output can read; nil if any memory is allowed.
    var allocator: (any FrameAllocator)? { factory.allocator }

    /// The bytes of memory without frames that the plugin's process still maps.
    package var endedByteCount: Int { backend?.endedByteCount ?? 0 }

    /// The listener for a plugin that connects by itself; nil for other plugins.
    package var arrivals: (any PeerListener)? { factory.arrivals }

    /// The layers of the process's sandbox; nil in the host's process.
    package var sandbox: [SandboxLayerState]? { backend?.sandbox }

    /// The status and reason that the plugin reported when it stopped; nil if it has not.
    package var gaveUp: (status: Status, reason: String)? {
        life?.state.withLock { $0.gaveUp }
    }

    /// Returns the reason why the plugin's life is lost.
    ///
    /// - Parameter step: The text of the failed step; nil if no step failed.
    package func failure(of step: String? = nil) -> PluginFailure {
        let hasBeenLive = environment.feed?.control.hasBeenLive ?? false
        return life?.state.withLock { state in
            PluginFailure(
                step: step, fault: state.fault?.reason, plea: state.gaveUp?.reason,
                cause: state.gaveUp?.status == .badSetting ? .badSettings : state.cause,
                hasBeenLive: hasBeenLive)
        } ?? PluginFailure(step: step, hasBeenLive: hasBeenLive)
    }

    /// Whether the plugin is a paused share. The track shows the share's last frame.
    package var isPaused: Bool { life?.state.withLock { $0.isPaused } ?? false }

    /// Whether the plugin is a source that has nothing new to send.
    package var isHeld: Bool { life?.state.withLock { $0.isHeld } ?? false }

    /// The host's reason for abandoning the life.
    package var fault: String? { life?.state.withLock { $0.fault?.reason } }

    /// The durations of the plugin's callbacks, by name.
    package var callbackTimes: [String: CallbackTimes] {
        let (life, past) = state.withLock { ($0.life, $0.pastTimes) }
        return past.merging(life?.callbackTimes ?? [:]) { $0 + $1 }
    }

    /// The running callback on the control thread, and its duration so far in nanoseconds.
    package var runningCallback: (step: LifecycleStep, nanoseconds: Int64)? {
        life?.runningCallback
    }

    /// The time for which a running `create` was ready to run while no processor was free, in
    /// nanoseconds. [any]
    package var createWaitNanoseconds: Int64 { life?.createWaitNanoseconds ?? 0 }

    /// The number of the plugin's lives so far.
    package var lives: Int { state.withLock { $0.lives } }

    /// A sentence about an obstacle to its process that the host sees; nil if none.
    package var hindrance: String? { backend?.hindrance }

    /// The number of frames or blocks accepted since the last start-send began.
    package var acceptedSinceStart: Int { life?.acceptedSinceStart ?? 0 }

    /// The refusals since the start, or since the last accepted frame or block.
    package var newestRefusals: RefusalsInARow {
        videoIngest?.refusalsInARow ?? audioIngest?.refusalsInARow ?? RefusalsInARow()
    }

    /// Whether the plugin is sending or still in start-send.
    package var isStarted: Bool { life?.isStarted ?? false }

    /// The activity counter of sends from inside start-send; nil outside start-send.
    package var activityInStart: Int? { life?.activityInStart }

    /// The initial value of ``activityInStart`` for a new start-send.
    package var activity: Int { life?.activity ?? 0 }

    /// Wakes the session once, when the plugin next sends or waits inside start-send. [any]
    package func wakeOnActivity() { life?.wakeOnActivity() }

    /// Whether the running callback has waited on the session clock.
    package var hasWaited: Bool {
        life?.state.withLock { $0.callbacks.running?.hasWaited } ?? false
    }

    /// Stores a setting of a lost plugin for its next life.
    package func remember(_ setting: PluginSetting) {
        state.withLock { state in
            guard let index = state.settings.firstIndex(where: { $0.name == setting.name }) else {
                return
            }
            state.settings[index] = setting
        }
    }

    /// Sends an event of the plugin, rate-limited.
    package func tell(_ event: SessionEvent) { environment.tell(event) }

    // MARK: Steps

    /// Begins a new life. The plugin is created with the current settings.
    ///
    /// - Returns: The step, which is illegal if the last life has not ended.
    package func beginCreate() -> PendingStep {
        let last = life
        if let last, !last.lifecycle.isOver {
            return PendingStep(.create, result: .illegal(last.lifecycle))
        }
        let next = PluginLife(environment, settings: settings)
        state.withLock { state in
            state.life = next
            state.lives += 1
            guard let last else { return }
            state.pastOffer = last.state.withLock { $0.negotiation.offer } ?? state.pastOffer
            state.pastTimes.merge(last.callbackTimes) { $0 + $1 }
            if state.pastGate?.busyNanoseconds == nil { state.pastGate = last.gate }
        }
        return next.beginCreate(from: factory)
    }

    /// Begins to initialize, with a new sender and an offer.
    ///
    /// - Parameter offer: The offer to a video or share source, or the one row of a pre-processor's
    ///   frames; nil for audio.
    package func beginInitialize(offer: Offer?) -> PendingStep {
        begin(.initialize) { $0.beginInitialize(offer: offer) }
    }

    /// Begins to describe tracks to an output. The output's feed stores the answers.
    ///
    /// - Parameter isAll: Whether `tracks` are all tracks that the output is described.
    package func beginDescribing(_ tracks: [OutputTrack], isAll: Bool = true) -> PendingStep {
        begin(.track) { $0.beginDescribing(tracks, isAll: isAll) }
    }

    /// Begins to notify an output that participants' tracks have ended.
    package func beginEnding() -> PendingStep { begin(.trackEnded) { $0.beginEnding() } }

    /// Begins to pass the demands for participants' tracks to a call.
    package func beginDemands(_ demands: [Demand]) -> PendingStep {
        begin(.demand) { $0.beginDemands(demands) }
    }

    /// Begins to pass events to a plugin with the `control` grant.
    package func beginEvents(_ events: [String]) -> PendingStep {
        begin(.event) { $0.beginEvents(events) }
    }

    /// Begins to pass a new offer. The step is done when the plugin has returned; ``reply(to:)``
    /// returns the reply.
    package func beginPropertyChange(offer: Offer) -> PendingStep {
        begin(.propertyChange) { $0.beginPropertyChange(offer: offer) }
    }

    /// Begins to change a live parameter to a checked value. A pre-processor may edit a frame at
    /// the same time.
    package func beginSetParameter(_ setting: PluginSetting) -> PendingStep {
        begin(.setParameter) {
            $0.beginSetParameter(setting) { [weak self] in self?.remember($0) }
        }
    }

    /// Begins a call outside a session's steps, for the validator.
    package func beginAsking(
        _ step: LifecycleStep, _ call: PluginCall,
        _ read: @escaping @Sendable (PluginReply) -> Void = { _ in }
    ) -> PendingStep {
        begin(step) { $0.beginAsking(step, call, read) }
    }

    /// Begins to start sending. Frames are accepted before the callback returns.
    package func beginStartSend() -> PendingStep { begin(.startSend) { $0.beginStartSend() } }

    /// Begins to stop sending. After the step, the host accepts no frame or block.
    package func beginStopSend() -> PendingStep { begin(.stopSend) { $0.beginStopSend() } }

    /// Refuses frames of a started plugin before its stop begins.
    package func closeIngest() {
        guard let life, life.isStarted else { return }
        life.closeIngest()
    }

    /// Begins to end the sender.
    package func beginUninitialize() -> PendingStep {
        begin(.uninitialize) { $0.beginUninitialize() }
    }

    /// Begins to free the plugin.
    package func beginDestroy() -> PendingStep { begin(.destroy) { $0.beginDestroy() } }

    /// Begins a step of ``LifecycleStep/ending``.
    package func begin(ending step: LifecycleStep) -> PendingStep {
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
    /// - Parameter deadline: The time on the session's host clock at which the wait ends.
    /// - Returns: The result; nil if the step still runs at the deadline.
    package func finish(_ step: PendingStep, until deadline: Int64) -> StepResult? {
        step.wait(until: deadline, on: environment.clock.host)
    }

    /// Abandons the current life: the host no longer calls the life, and its sender has ended.
    package func giveUp(because reason: String) { life?.giveUp(because: reason) }

    /// Whether a debugger is attached to the plugin's process. If so, deadlines are suspended.
    /// [any]
    package var isDebugged: Bool { backend?.isDebugged ?? false }

    /// The duration of an output's media call so far, in nanoseconds of real time; nil if no call
    /// runs.
    package var mediaNanoseconds: Int64? { life?.gate?.busyNanoseconds }

    /// The duration of the longest running media call of this life or an earlier one, in
    /// nanoseconds of real time.
    package var longestMediaNanoseconds: Int64? {
        let gates = state.withLock { [$0.life?.gate, $0.pastGate] }
        return gates.compactMap { $0?.busyNanoseconds }.max()
    }

    /// Passes a frame to an output. [media]
    func take(
        _ frame: borrowing VideoFrame, _ place: OutputFeed.FramePlace
    ) -> OutputFeed.Result { life?.take(frame, place) ?? .away }

    /// Passes a block of audio to an output. [media]
    ///
    /// - Returns: The plugin's status; nil if it was not called.
    func take(_ samples: Span<Int16>, _ place: OutputFeed.BlockPlace) -> Status? {
        life?.take(samples, place)
    }

    /// Passes a new size or rate of the frames to a pre-processor, and waits. [the track's thread]
    package func change(to frames: VideoCapability, until deadline: Int64) -> Bool? {
        guard let life else { return false }
        return life.change(to: frames, until: deadline)
    }

    /// The duration of a pre-processor's change of frames so far, in nanoseconds of real time; nil
    /// if no change runs. [the track's thread]
    package var changeNanoseconds: Int64? {
        life?.state.withLock { $0.negotiation.change?.since }.map {
            environment.clock.host.now - $0
        }
    }

    /// Passes a frame to a pre-processor, which edits it in place. [media]
    ///
    /// - Parameter frame: Upright I420, a unique reference.
    package func process(_ frame: inout VideoFrame) -> Status {
        life?.process(&frame) ?? .stopped
    }

    /// Passes a block to an audio pre-processor, which edits it in place. [media]
    package func process(_ block: inout AudioEdit) -> Status { life?.process(&block) ?? .stopped }
}
