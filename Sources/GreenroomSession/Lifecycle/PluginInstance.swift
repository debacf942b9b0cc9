import Glibc
import GreenroomABI
import GreenroomConversion
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime
import Synchronization

/// One plugin in a session: its place in the lifecycle, its control thread, its sender.
///
/// Steps are begun by the session and run on the control thread; ``finish(_:until:)`` waits for
/// them with a deadline. A step that does not return leaves the instance hung, and the
/// session goes on.
final class PluginInstance: Sendable {
    /// How a step ended.
    enum StepResult: Equatable, Sendable {
        case done
        /// The plugin refused, or made something that breaks a rule.
        case failed(Status, String)
        /// The lifecycle has no such step from where the instance was.
        case illegal(LifecycleState)
    }

    /// A step that was begun.
    struct PendingStep: Sendable {
        let name: String
        fileprivate let result: Monitor<StepResult?>
    }

    private struct State {
        var lifecycle = LifecycleState.created
        /// Counts the lives: what one of them left running changes nothing in the next.
        var life = 0
        var calls: (any InstanceBackend)?
        var agreement: Agreement?
        var newestOffer: Offer?
        var newestReply: (revision: UInt32, reply: Reply)?
        var settings: [Setting]
        /// Whether the last request was to send.
        var isWanted = false
        var handle: UInt64 = 0
        var sender: UInt64 = 0
        /// The callback that is running, since when, and whether it has waited for a time.
        var running: (name: String, since: Int64, thread: pthread_t, hasWaited: Bool)?
        /// The callback that returned last.
        var last: String?
        var errorText: String?
        var gaveUp: (status: Status, reason: String)?
        /// It is a share, and said that nothing new comes for now.
        var isPaused = false
        var fault: String?
        /// Its process was lost: what steps return says nothing.
        var isLost = false
        var times: [String: CallbackTimes] = [:]
        var linesThisSecond = 0
        var second: Int64 = 0
        var linesSuppressed = 0
    }

    /// Tells the instances of a session apart.
    let number: Int
    /// Where it stands in the session, e.g. `camera` or `camera.pre-processors[0]`.
    let role: String
    let descriptor: PluginDescriptor
    let videoIngest: VideoIngest?
    let audioIngest: AudioIngest?

    /// How many frames of a pre-processor are in use at most.
    private let editedFrameLimit: Int
    private let factory: any PluginFactory
    private let clock: SessionClock
    private let events: SessionEvents
    /// The control thread of this life.
    private let control: Mutex<ControlThread>
    private let state: Mutex<State>
    /// Held while a life ends or begins.
    private let ending = Mutex(())
    /// Held while ingests and waits are set, so that nobody opens what a fault has closed.
    private let following = Mutex(())
    /// Whether the plugin's threads may wait and send; changing it wakes those that wait.
    private let pace = Monitor(Status.notStarted)
    /// A pre-processor's media thread: control calls wait until it is out of the plugin.
    private let media = Monitor((isOpen: false, isProcessing: false))

    /// - Parameters:
    ///   - editedFrameLimit: For a pre-processor, how many frames of its are in use at most.
    init(
        plan: SourcePlan, number: Int, role: String, clock: SessionClock,
        events: SessionEvents, videoIngest: VideoIngest? = nil, audioIngest: AudioIngest? = nil,
        editedFrameLimit: Int = 0
    ) {
        self.number = number
        self.role = role
        descriptor = plan.descriptor
        state = Mutex(State(settings: plan.settings))
        factory = plan.factory
        self.clock = clock
        self.events = events
        self.videoIngest = videoIngest
        self.audioIngest = audioIngest
        self.editedFrameLimit = editedFrameLimit
        control = Mutex(ControlThread(name: role, clock: clock, as: .control(number)))
    }

    // MARK: What the session asks

    /// Where the instance is.
    var lifecycle: LifecycleState { state.withLock { $0.lifecycle } }

    /// What was agreed on last; nil before initialize, and for instances without an offer.
    var agreement: Agreement? { state.withLock { $0.agreement } }

    /// What was offered last, of what the plugin has heard of.
    var newestOffer: Offer? { state.withLock { $0.newestOffer } }

    /// What became of an offer; nil while its step runs, and once there was a newer one.
    func reply(to revision: UInt32) -> Reply? {
        state.withLock { $0.newestReply?.revision == revision ? $0.newestReply?.reply : nil }
    }

    /// Every setting with the value that it has now.
    var settings: [Setting] { state.withLock { $0.settings } }

    /// What the source says that it can make; empty if it says nothing, and before `create`.
    var capabilities: [VideoCapability] { state.withLock { $0.calls?.capabilities ?? [] } }

    /// Where frames must lie for the plugin to edit them, in this life of it; nil for anywhere.
    var editingPool: FramePool? { state.withLock { $0.calls?.pool } }

    /// Set for a plugin that arrives by itself.
    var arrivals: (any PeerListener)? { factory.arrivals }

    /// What its process is confined by; nil in the host's process.
    var sandbox: [SandboxLayerState]? { state.withLock { $0.calls }?.sandbox }

    /// What the plugin said when it gave up.
    var gaveUp: (status: Status, reason: String)? { state.withLock { $0.gaveUp } }

    /// Whether it is the picture or the sound of a share.
    var isShare: Bool { descriptor.kind == .shareSource || descriptor.kind == .shareAudioSource }

    /// Whether it is a share that said that nothing new comes for now: its last picture stays, and
    /// that is no fault of it.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Why the host gave the instance up.
    var fault: String? { state.withLock { $0.fault } }

    /// How long its callbacks took, by name.
    var callbackTimes: [String: CallbackTimes] { state.withLock { $0.times } }

    /// The callback that is running on the control thread, and for how long, in nanoseconds.
    var runningCallback: (name: String, nanoseconds: Int64)? {
        state.withLock { state in state.running.map { ($0.name, MonotonicClock.now - $0.since) } }
    }

    private var whereabouts: String? {
        state.withLock { state in
            state.running.map { "in \($0.name)" } ?? state.last.map { "after \($0)" }
        }
    }

    /// Whether it is sending, or is in start-send still.
    var isStarted: Bool {
        state.withLock {
            $0.lifecycle == .sending
                || $0.lifecycle != .faulted
                    && $0.running?.name == LifecycleStep.startSend.rawValue
        }
    }

    /// Whether it is in start-send still, and has sent something or waited for a time there.
    var isPumpingFromStart: Bool {
        let (isInStart, hasWaited) = state.withLock { state in
            let running = state.running
            return (
                running?.name == LifecycleStep.startSend.rawValue, running?.hasWaited ?? false
            )
        }
        return isInStart && (hasSent || hasWaited)
    }

    /// Whether it waits on the session clock, or did, in the callback that is running.
    var hasWaited: Bool { state.withLock { $0.running?.hasWaited ?? false } }

    /// Whether anything that it sent was accepted.
    var hasSent: Bool {
        if let videoIngest { return videoIngest.counts.accepted > 0 }
        if let audioIngest { return audioIngest.statistics.counts.accepted > 0 }
        return false
    }

    // MARK: Steps

    /// Makes a new life possible after one that has ended or was lost: the same place in the
    /// session, the same ingests and counters, the settings as they are now.
    func revive() { ending.withLock { _ in beginLife() } }

    private func beginLife() {
        let isOver = state.withLock { state in
            guard state.lifecycle == .faulted || state.lifecycle == .destroyed else { return false }
            state.life += 1
            state.lifecycle = .created
            state.calls = nil
            state.agreement = nil
            state.newestReply = nil
            state.running = nil
            state.last = nil
            state.errorText = nil
            state.gaveUp = nil
            state.isPaused = false
            state.fault = nil
            state.isLost = false
            return true
        }
        guard isOver else { return }
        clock.stopExpecting(plugin: number)
        control.withLock { $0 = ControlThread(name: role, clock: clock, as: .control(number)) }
        follow(.created)
    }

    /// Changes a setting of a plugin that is away: it has it when it comes back.
    func remember(_ setting: Setting) {
        state.withLock { state in
            guard let index = state.settings.firstIndex(where: { $0.name == setting.name }) else {
                return
            }
            state.settings[index] = setting
        }
    }

    /// Begins to make the instance.
    func beginCreate() -> PendingStep {
        let handle = HostInterface.instances.insert(self)
        let life = state.withLock { state in
            state.handle = handle
            return state.life
        }
        let calls = factory.begin(
            descriptor,
            in: InstanceContext(
                handle: handle, role: role, hasVirtualClock: clock.isVirtual,
                frameLimit: frameLimit, lentBytes: { [weak self] in self?.lentBytes ?? 0 },
                log: { [weak self] in self?.log($0, $1) },
                lose: { [weak self] in self?.lose(because: $0, life: life) },
                agreedRate: { [weak self] in self?.agreement?.track.rate.framesPerSecond },
                whereabouts: { [weak self] in self?.whereabouts })
        )
        state.withLock { $0.calls = calls }
        return begin("create") { [self] in
            do throws(LoadError) {
                let status = try calls.create(settings)
                guard status == .ok else {
                    let failed = failure(status, "create")
                    giveUp(because: "it could not be created", life: life)
                    return failed
                }
                videoIngest?.begin(pool: calls.pool)
                return .done
            } catch {
                giveUp(because: "it could not be created", life: life)
                return .failed(.badArgument, error.explanation)
            }
        }
    }

    /// Begins to initialize, with a new sender and an offer.
    ///
    /// - Parameter offer: For sources of video and share, and for pre-processors the one row
    ///   of their frames; nil for sound.
    func beginInitialize(offer: Offer?) -> PendingStep {
        begin(.initialize) { [self] calls in
            let sender =
                if let videoIngest {
                    HostInterface.videoGates.insert(videoIngest)
                } else if let audioIngest { HostInterface.audioGates.insert(audioIngest) } else {
                    UInt64(0)
                }
            state.withLock {
                $0.sender = sender
                $0.newestOffer = offer
            }
            if let offer { videoIngest?.offered(revision: offer.revision) }
            let (status, written) = calls.initialize(sender: sender, offer: offer)
            guard status == .ok else {
                endSender()
                return failure(status, "initialize")
            }
            guard let offer, descriptor.kind != .preProcessor else { return .done }
            do throws(AnswerProblem) {
                let answer = try Answer(written)
                try settle(answer, of: offer)
                state.withLock { $0.newestReply = (offer.revision, .answered(answer)) }
                return .done
            } catch {
                // It is initialized all the same, and has to be told of its end.
                endSender()
                calls.uninitialize()
                return .failed(.badAnswer, error.explanation)
            }
        }
    }

    /// Begins to make a new offer. Whatever the plugin makes of it, the step is done when it has
    /// returned; ``reply(to:)`` tells what that is.
    func beginPropertyChange(offer: Offer) -> PendingStep {
        begin(.propertyChange) { [self] calls in
            let reply = offerAnew(offer, calls)
            state.withLock { $0.newestReply = (offer.revision, reply) }
            return .done
        }
    }

    private func offerAnew(_ offer: Offer, _ calls: any InstanceBackend) -> Reply {
        guard calls.takesNewOffers else { return .ignored }
        state.withLock { $0.newestOffer = offer }
        // The plugin may send frames for the offer from inside the call.
        videoIngest?.offered(revision: offer.revision)
        let (status, written) = calls.propertyChange(offer: offer)
        guard status == .ok else {
            return .refused(status, failureText("property-change"))
        }
        do throws(AnswerProblem) {
            let answer = try Answer(written)
            try settle(answer, of: offer)
            return .answered(answer)
        } catch {
            return .refused(.badAnswer, error.explanation)
        }
    }

    private func settle(_ answer: Answer, of offer: Offer) throws(AnswerProblem) {
        let agreement = try offer.settle(answer)
        state.withLock { $0.agreement = agreement }
        videoIngest?.agreed(
            revision: offer.revision,
            promise: descriptor.kind == .videoSource ? agreement.source : nil)
    }

    /// Begins to change a live parameter, whose value has been checked. A pre-processor may be
    /// editing a frame meanwhile.
    func beginSetParameter(_ setting: Setting) -> PendingStep {
        begin(.setParameter) { [self] calls in
            guard let index = settings.firstIndex(where: { $0.name == setting.name }),
                descriptor.parameters.contains(where: { $0.name == setting.name && $0.isLive })
            else {
                return .failed(
                    .badSetting, "\(setting.name) can't change while \(descriptor.name) lives")
            }
            let status = calls.setParameter(setting)
            // A life that ended meanwhile leaves the wish to the next one.
            let isOver = state.withLock { $0.lifecycle == .faulted }
            guard status == .ok || isOver else { return failure(status, "set") }
            state.withLock { $0.settings[index] = setting }
            return .done
        }
    }

    /// Begins to ask the plugin something that is no step of its life.
    func beginAsking(
        _ name: String, _ ask: @escaping @Sendable (any InstanceBackend) -> Status
    ) -> PendingStep {
        begin(name) { [self] in
            guard let calls = state.withLock({ $0.calls }) else { return .illegal(lifecycle) }
            let status = ask(calls)
            return status == .ok ? .done : failure(status, name)
        }
    }

    /// Begins to start sending. Frames are accepted from now on, before the callback returns:
    /// a plugin may start its threads in it.
    func beginStartSend() -> PendingStep {
        state.withLock { $0.isWanted = true }
        return begin(.startSend) { [self] calls in
            // One that waited behind another step, and was overtaken by a stop, opens nothing.
            guard state.withLock({ $0.isWanted }) else { return .illegal(lifecycle) }
            clock.stopExpecting(plugin: number)
            follow(.sending)
            let status = calls.startSend()
            guard status == .ok else {
                follow(lifecycle)
                clock.stopExpecting(plugin: number)
                return failure(status, "start-send")
            }
            following.withLock { _ in
                // One that hung until its deadline had passed was given up.
                guard self.lifecycle != .faulted else { return }
                media.change { $0.isOpen = true }
                // A source that has ended already sends nothing more.
                if descriptor.kind != .preProcessor, gaveUp == nil {
                    clock.expect(plugin: number)
                }
            }
            return .done
        }
    }

    /// Begins to stop sending. Nothing is accepted any more once this has returned, whatever
    /// the plugin is doing.
    func beginStopSend() -> PendingStep {
        state.withLock { $0.isWanted = false }
        follow(.stopped)
        return begin(.stopSend) { [self] calls in
            // A start that was queued before it has opened the ingest again.
            follow(.stopped)
            media.change { $0.isOpen = false }
            _ = media.wait(until: nil) { $0.isProcessing ? nil : true }
            calls.stopSend()
            clock.stopExpecting(plugin: number)
            return .done
        }
    }

    /// Begins to take the sender away.
    func beginUninitialize() -> PendingStep {
        begin(.uninitialize) { [self] calls in
            endSender()
            calls.uninitialize()
            return .done
        }
    }

    /// Begins to free the instance.
    func beginDestroy() -> PendingStep {
        begin(.destroy) { [self] calls in
            calls.destroy()
            endInstance()
            return .done
        }
    }

    /// Begins one of ``LifecycleStep/ending``.
    func begin(ending step: LifecycleStep) -> PendingStep {
        switch step {
        case .stopSend: beginStopSend()
        case .uninitialize: beginUninitialize()
        default: beginDestroy()
        }
    }

    /// Waits for a step.
    ///
    /// - Returns: How it ended; nil if the deadline passed while it was still running.
    func finish(_ step: PendingStep, until deadline: Int64) -> StepResult? {
        step.result.wait(until: deadline) { $0 }
    }

    /// Gives the instance up because its process is lost.
    private func lose(because evidence: String, life: Int) {
        let isNews = state.withLock { state in
            guard state.life == life else { return false }
            state.isLost = true
            return true
        }
        guard isNews else { return }
        events.send(.pluginLost(role: role, evidence: evidence))
        giveUp(because: evidence, life: life)
    }

    /// How many of its frames are in use at most.
    private var frameLimit: Int {
        switch descriptor.kind {
        case .videoSource, .shareSource: videoIngest?.frameLimit ?? 0
        case .preProcessor: editedFrameLimit
        case .virtualMic, .shareAudioSource: 0
        }
    }

    private var lentBytes: Int { state.withLock { $0.calls }?.pool?.heldByteCount ?? 0 }

    /// Gives the instance up: no call is made on it any more, and its sender is dead.
    ///
    /// The control thread ends if it can; one that hangs in a callback is left behind.
    ///
    /// - Parameter life: The life that it is about; nil for the one that there is. A life that is
    ///   over already has nothing to give up.
    func giveUp(because reason: String, life: Int? = nil) {
        // All of it before the next life begins, which must lose nothing of its own.
        ending.withLock { _ in
            let calls: (any InstanceBackend)?? = state.withLock { state in
                guard life == nil || life == state.life,
                    let next = LifecycleTable.next(from: state.lifecycle, by: .fault)
                else { return nil }
                state.lifecycle = next
                state.fault = reason
                return .some(state.calls)
            }
            guard let calls else { return }
            follow(.faulted)
            // A plugin that hangs in this process may write to what it has leased still.
            if calls?.pool != nil { videoIngest?.begin(pool: nil) }
            calls?.kill()
            endSender()
            endInstance()
            clock.forget(plugin: number)
        }
        events.wake()
    }

    private func begin(
        _ step: LifecycleStep,
        _ body: @escaping @Sendable (any InstanceBackend) -> StepResult
    ) -> PendingStep {
        begin(step.rawValue) { [self] in
            let (from, life, calls) = state.withLock { ($0.lifecycle, $0.life, $0.calls) }
            guard let next = LifecycleTable.next(from: from, by: step), let calls else {
                return .illegal(from)
            }
            let result = body(calls)
            if result == .done {
                state.withLock { state in
                    // It may have been given up meanwhile.
                    if state.lifecycle == from, state.life == life { state.lifecycle = next }
                }
            }
            return result
        }
    }

    private func begin(_ name: String, _ body: @escaping @Sendable () -> StepResult) -> PendingStep
    {
        let pending = PendingStep(
            name: name, result: Monitor<StepResult?>(nil))
        // Its control thread may hang, or has ended, and nobody should wait for that.
        let (lifecycle, life) = state.withLock { ($0.lifecycle, $0.life) }
        guard lifecycle != .faulted, lifecycle != .destroyed else {
            pending.result.change { $0 = .illegal(lifecycle) }
            return pending
        }
        control.withLock { $0 }.run { [self] in
            let begun = MonotonicClock.now
            let isAlive = state.withLock { state in
                guard state.life == life else { return false }
                state.running = (name, begun, pthread_self(), hasWaited: false)
                state.errorText = nil
                return true
            }
            let sessionBegun = clock.now
            var result = isAlive ? body() : .illegal(.faulted)
            state.withLock { state in
                guard state.life == life else {
                    result = .illegal(.faulted)
                    return
                }
                state.running = nil
                state.last = name
                if state.isLost { result = .illegal(.faulted) }
                if case .illegal = result { return }
                state.times[name, default: CallbackTimes()].add(
                    nanoseconds: clock.now - sessionBegun)
            }
            pending.result.change { $0 = result }
            events.wake()
        }
        return pending
    }

    private func failure(_ status: Status, _ callback: String) -> StepResult {
        .failed(status, failureText(callback))
    }

    /// What the plugin told with `set_error` in the callback that has just failed.
    private func failureText(_ callback: String) -> String {
        state.withLock { $0.errorText } ?? "\(callback) returned it without a reason"
    }

    /// Makes sender and waits answer as a state demands; after a fault they stay closed.
    private func follow(_ wanted: LifecycleState) {
        following.withLock { _ in
            let isFaulted = self.lifecycle == .faulted
            let lifecycle = isFaulted ? .faulted : wanted
            videoIngest?.follow(lifecycle)
            audioIngest?.follow(lifecycle)
            let status = LifecycleTable.senderStatus(in: lifecycle)
            pace.change { $0 = status }
            if isFaulted { media.change { $0.isOpen = false } }
        }
    }

    private func endSender() {
        follow(.uninitialized)
        let sender = state.withLock { state in
            defer { state.sender = 0 }
            return state.sender
        }
        guard sender != 0 else { return }
        if videoIngest != nil { HostInterface.videoGates.remove(sender) }
        if audioIngest != nil { HostInterface.audioGates.remove(sender) }
    }

    private func endInstance() {
        let handle = state.withLock { $0.handle }
        HostInterface.instances.remove(handle)
        control.withLock { $0 }.close()
    }

    // MARK: The media thread of a pre-processor

    /// Lets a pre-processor edit a frame in place. [media]
    ///
    /// - Parameter frame: Upright I420; this reference is the only one.
    func process(_ frame: inout VideoFrame) -> Status {
        let isOpen = media.withLock { media in
            media.isProcessing = media.isOpen
            return media.isOpen
        }
        guard isOpen, let calls = state.withLock({ $0.calls }) else { return .stopped }
        defer { media.change { $0.isProcessing = false } }
        // One that was made for the plugin's last life lies where the new one can't reach.
        if let pool = calls.pool, !pool.owns(frame) { return .gone }
        var description = gr_mutable_frame(describing: frame, revision: frame.info.offerRevision)
        let begun = clock.now
        let status = calls.process(&description)
        let nanoseconds = clock.now - begun
        state.withLock {
            $0.times["process", default: CallbackTimes()].add(nanoseconds: nanoseconds)
        }
        return status
    }

    // MARK: What the plugin asks, on any thread

    /// The session clock.
    var now: Int64 { clock.now }

    /// Waits on the session clock for as long as the plugin may send.
    func wait(until deadline: Int64) throws(Refusal) {
        state.withLock { state in
            guard let thread = state.running?.thread, pthread_equal(thread, pthread_self()) != 0
            else { return }
            state.running?.hasWaited = true
        }
        let ended: Status? = clock.wait(
            for: pace, until: deadline, as: .plugin(number), yields: true
        ) { $0 == .ok ? nil : $0 }
        if let ended { throw Refusal(status: ended, in: .waitUntil) }
    }

    /// The most lines of one plugin that reach the log in a second.
    private static let mostLinesASecond = 100

    func log(_ level: LogLevel, _ text: String) {
        tell(.pluginLog(role: role, level: level, text: text))
    }

    /// Tells what the plugin says, as far as it does not say too much.
    func tell(_ event: SessionEvent) {
        let second = MonotonicClock.now / 1_000_000_000
        let (passes, suppressed) = state.withLock { state in
            var suppressed = 0
            if state.second != second {
                state.second = second
                state.linesThisSecond = 0
                suppressed = state.linesSuppressed
                state.linesSuppressed = 0
            }
            state.linesThisSecond += 1
            guard state.linesThisSecond <= Self.mostLinesASecond else {
                state.linesSuppressed += 1
                return (false, suppressed)
            }
            return (true, suppressed)
        }
        if suppressed > 0 {
            events.send(
                .pluginLog(role: role, level: .warning, text: "\(suppressed) lines left out"))
        }
        if passes { events.send(event) }
    }

    func setError(_ text: String) {
        state.withLock { $0.errorText = text }
    }

    /// Takes note that a share has nothing new for now.
    func pause() {
        if setPaused(true) { tell(.sharePaused(role: role)) }
    }

    /// Takes note that a share has something new again.
    func resume() {
        if setPaused(false) { tell(.shareResumed(role: role)) }
    }

    /// - Returns: Whether that is news.
    private func setPaused(_ isPaused: Bool) -> Bool {
        state.withLock { state in
            guard isShare, state.isPaused != isPaused else { return false }
            state.isPaused = isPaused
            return true
        }
    }

    func giveUp(_ status: Status, _ reason: String) {
        let isFirst = state.withLock { state in
            guard state.gaveUp == nil else { return false }
            state.gaveUp = (status, reason)
            return true
        }
        guard isFirst else { return }
        clock.stopExpecting(plugin: number)
        events.send(.pluginGaveUp(role: role, status: status, reason: reason))
        events.wake()
    }
}
