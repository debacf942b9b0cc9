import GreenroomConversion
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime

/// The plugins of a session, and the order in which they are led through their lives.
///
/// Steps of one phase run side by side, each on its instance's control thread, with one
/// deadline for all.
struct SessionPlugins {
    /// An instance that feeds a track.
    struct Source {
        var instance: PluginInstance
        var onFailure: FailurePolicy
        /// Set for pictures.
        var input: VideoTrackInput?
        var pool: FramePool?
    }

    /// Frames that a track has in use at most: 8 leases, those in its queue, 8 in the hands of
    /// senders, filters and the converter, and those of each output's branch.
    private static func poolLimit(outputs: Int) -> Int {
        16 + VideoTrackInput.capacity + BranchQueue.mostFramesInUse * outputs
    }

    private let plan: SessionPlan
    let events: SessionEvents
    let clock: SessionClock
    private let deadlineNanoseconds: Int64

    private(set) var camera: Source?
    private(set) var microphone: Source?
    private(set) var share: Source?
    private(set) var shareAudio: Source?
    private(set) var filters: [Source] = []
    /// Everyone who was ever in, for the report.
    let everyone: [PluginInstance]
    /// The first whose failure ends the session.
    var failedRole: String?
    /// Whether the session goes on without somebody.
    private(set) var wasDropped = false
    /// The negotiations with the sources of pictures.
    var negotiations: [VideoNegotiation] = []
    /// The row that filters get, as an offer; nil before the camera has agreed.
    private(set) var filterOffer: Offer?
    /// When the session's timeline began, on the session clock; when it was made, before that.
    var epoch: Int64
    /// Plugins that were lost and are to come back, by number.
    var pendingRestarts: [Int: PendingRestart] = [:]
    var backoffs: [Int: Backoff] = [:]
    /// Slates that are to be shown, at most one a picture.
    var slates: [DueSlate] = []
    /// Settings that were changed while a plugin was away, by its number: a life that had begun by
    /// then was made with the old ones.
    var pendingSettings: [Int: [Setting]] = [:]
    /// Plugins that were lost, oldest first.
    var losses: [PluginLoss] = []
    /// Whether everyone is being ended: nobody comes back any more.
    private(set) var isEnding = false
    /// Numbers of the sources that a command has stopped.
    var switchedOff: Set<Int> = []
    /// Steps that are running while the session goes on.
    private var running: [RunningStep] = []

    private struct RunningStep {
        var source: Source
        var step: PluginInstance.PendingStep
        /// When it counts as hung, in real time.
        var deadline: Int64
        /// It is a start-send that sends from inside: the session goes on with it.
        var isPump = false
        /// It was named for that.
        var isNamed = false
    }

    init(plan: SessionPlan, clock: SessionClock, events: SessionEvents, deadline: Int64) {
        self.plan = plan
        self.events = events
        self.clock = clock
        epoch = clock.now
        deadlineNanoseconds = deadline
        var count = 0
        func nextNumber() -> Int {
            defer { count += 1 }
            return count
        }
        func picture(_ source: SourcePlan?, _ role: String) -> Source? {
            guard let source else { return nil }
            let pool = FramePool(limit: Self.poolLimit(outputs: plan.outputs.count))
            let input = VideoTrackInput(clock: clock)
            let instance = PluginInstance(
                plan: source, number: nextNumber(), role: role, clock: clock,
                events: events,
                videoIngest: VideoIngest(pool: pool, track: input, clock: clock) {
                    events.send(.note(role: role, text: $0))
                })
            return Source(
                instance: instance, onFailure: source.onFailure, input: input, pool: pool)
        }
        func sound(_ source: SourcePlan?, _ role: String) -> Source? {
            guard let source else { return nil }
            let number = nextNumber()
            let instance = PluginInstance(
                plan: source, number: number, role: role, clock: clock,
                events: events,
                audioIngest: AudioIngest(role: role, number: number, clock: clock, events: events))
            return Source(instance: instance, onFailure: source.onFailure)
        }
        camera = picture(plan.camera, "camera")
        microphone = sound(plan.microphone, "microphone")
        share = picture(plan.share, "share")
        shareAudio = sound(plan.shareAudio, "share.audio")
        filters = plan.preProcessors.enumerated().map { index, filter in
            Source(
                instance: PluginInstance(
                    plan: filter, number: nextNumber(), role: "camera.pre-processors[\(index)]",
                    clock: clock, events: events,
                    // What it has edited goes to the outputs as it is.
                    editedFrameLimit: Self.poolLimit(outputs: plan.outputs.count)),
                onFailure: filter.onFailure)
        }
        everyone = ([camera, microphone, share, shareAudio].compactMap(\.self) + filters)
            .map(\.instance)
    }

    /// Those that send: all but the filters.
    var sources: [Source] { [camera, microphone, share, shareAudio].compactMap(\.self) }

    /// The sources that are not away.
    private var present: [Source] { sources.filter { !isAway($0.instance) } }

    var all: [Source] { sources + filters }

    // MARK: Phases

    mutating func make() {
        openListeners()
        guard failedRole == nil else { return }
        perform(all.filter { !isAway($0.instance) }) { $0.beginCreate() }
    }

    /// Initializes the sources; then the filters, which are told what frames they will get.
    mutating func initialize() {
        negotiations = [(VideoTrackKind.camera, camera), (.share, share)].compactMap {
            kind, source in
            source.map {
                VideoNegotiation(kind: kind, instance: $0.instance, plan: plan)
            }
        }
        var offers: [Int: Offer] = [:]
        for index in negotiations.indices {
            offers[negotiations[index].instance.number] = negotiations[index].next(at: 0)
        }
        perform(present) { $0.beginInitialize(offer: offers[$0.number]) }
        for index in negotiations.indices {
            let instance = negotiations[index].instance
            guard let record = negotiations[index].settle(), let agreement = instance.agreement
            else { continue }
            events.send(.agreed(role: instance.role, agreement: agreement, record))
        }
        guard let track = camera.flatMap(track) else { return }
        let row = Offer(revision: 1, rule: .rows, rows: [track], suggested: track)
        filterOffer = row
        perform(filters) { $0.beginInitialize(offer: row) }
    }

    /// What the track of a picture carries at first: what its source agreed on, or was suggested if
    /// it was lost before that.
    func track(of source: Source) -> VideoCapability? {
        source.instance.agreement?.track
            ?? negotiations.first { $0.instance === source.instance }?.negotiator.offer?.suggested
    }

    mutating func startFilters() {
        perform(filters) { $0.beginStartSend() }
    }

    /// Starts the sources, and waits until each has returned from start-send, or has sent
    /// something from inside it: a source that pumps there is kept, and named when its deadline
    /// has passed.
    mutating func startSources() {
        perform(present) { $0.beginStartSend() }
    }

    /// Closes every ingest at once, then waits for the callbacks.
    mutating func stopSources() {
        isEnding = true
        finishSteps()
        perform(sources.filter { $0.instance.isStarted }) { $0.beginStopSend() }
    }

    /// Ends everyone who is still callable, from whatever state they are in.
    mutating func end() {
        isEnding = true
        closeListeners()
        for step in LifecycleStep.ending {
            let due = all.filter {
                LifecycleTable.stepsToEnd(from: $0.instance.lifecycle).contains(step)
            }
            perform(due) { $0.begin(ending: step) }
        }
    }

    // MARK: Negotiation while the session runs

    /// Sets what whoever runs the session allows a picture.
    ///
    /// - Returns: Whether there is that picture.
    mutating func set(
        ceiling: VideoCapability?, of kind: VideoTrackKind, origin: String, at nanoseconds: Int64
    ) -> Bool {
        guard let index = negotiations.firstIndex(where: { $0.kind == kind }) else { return false }
        negotiations[index].set(ceiling: ceiling, origin: origin, at: nanoseconds)
        return true
    }

    /// Makes the offers that are due, and lets the tracks carry what applies now.
    ///
    /// - Parameter nanoseconds: The session's time.
    mutating func negotiate(on parts: SessionPipeline, at nanoseconds: Int64, measures: Bool) {
        for index in negotiations.indices {
            let (kind, instance) = (negotiations[index].kind, negotiations[index].instance)
            guard !isAway(instance),
                let picture = parts.pictures.first(where: { $0.track.kind == kind }),
                let source = sources.first(where: { $0.instance === instance })
            else { continue }
            negotiations[index].observe(picture, at: nanoseconds, measures: measures)
            if let offer = negotiations[index].next(at: nanoseconds) {
                if isPumping(instance) {
                    tell(negotiations[index].ignore(), of: instance)
                } else {
                    begin(source) { $0.beginPropertyChange(offer: offer) }
                }
            }
            if let capability = negotiations[index].negotiator.track {
                picture.track.follow(capability)
            }
        }
    }

    /// When an offer may be due next, in nanoseconds of the session.
    var nextNegotiation: Int64? {
        negotiations.filter { negotiation in
            !isAway(negotiation.instance)
                && sources.contains { $0.instance === negotiation.instance }
        }.compactMap(\.negotiator.wake).min()
    }

    // MARK: Steps while the session runs

    /// Whether a callback is running that ought to return soon.
    var awaitsCallbacks: Bool { running.contains { !$0.isPump && !isPumping($0.source.instance) } }

    /// Whether a plugin sends from inside start-send: no other callback of it runs until that
    /// returns.
    func isPumping(_ instance: PluginInstance) -> Bool {
        running.contains { $0.isPump && $0.source.instance === instance }
    }

    /// Begins a step and lets the session go on meanwhile.
    mutating func begin(
        _ source: Source, _ step: (PluginInstance) -> PluginInstance.PendingStep
    ) {
        running.append(
            RunningStep(
                source: source, step: step(source.instance),
                deadline: MonotonicClock.deadline(after: deadlineNanoseconds)))
    }

    /// Waits for the steps that are running, but for those of sources that send from inside
    /// start-send: what ends the plugins begins from where these lead.
    private mutating func finishSteps() {
        let steps = running
        running = steps.filter(\.isPump)
        for entry in steps where !entry.isPump {
            switch outcome(of: entry.step, entry.source.instance, until: entry.deadline) {
            case .ended(let result): settle(result, of: entry.step, entry.source)
            case .pumps: running.append(entry)
            case .hangs: hang(entry.source, entry.step)
            }
        }
    }

    /// Takes note of steps that have ended, of those that hang, and of those that send from inside
    /// start-send: each of these is named once, when its deadline has passed.
    mutating func watchSteps() {
        let steps = running
        running = []
        for var entry in steps {
            let (source, instance) = (entry.source, entry.source.instance)
            let isPump =
                entry.step.step == .startSend && instance.isPumpingFromStart
            if let result = instance.finish(entry.step, until: MonotonicClock.now) {
                settle(result, of: entry.step, source)
                continue
            }
            entry.isPump = entry.isPump || isPump
            // Behind another step, or a machine that is busy, its time has not begun.
            let taken =
                instance.runningCallback.flatMap { $0.step == entry.step.step ? $0 : nil }?
                .nanoseconds ?? 0
            if entry.isPump {
                welcome(instance)
                if !entry.isNamed, instance.fault == nil, taken > deadlineNanoseconds {
                    entry.isNamed = true
                    name(pump: instance, taken)
                }
            } else if MonotonicClock.now > entry.deadline, taken >= deadlineNanoseconds {
                hang(source, entry.step)
                continue
            }
            running.append(entry)
        }
    }

    private func name(pump instance: PluginInstance, _ nanoseconds: Int64) {
        events.send(
            .callbackHangs(
                role: instance.role, callback: LifecycleStep.startSend.rawValue,
                seconds: Double(nanoseconds) / 1e9))
        events.send(
            .note(
                role: instance.role,
                text: "it sends from inside start-send, which should return at once: begin "
                    + "a thread there. The session goes on with it."))
    }

    /// Looks for those who gave up, and those whom the host has given up.
    mutating func dropLost() {
        for source in all {
            if source.instance.fault != nil {
                fail(source)
            } else if let (status, _) = source.instance.gaveUp,
                source.instance.lifecycle != .destroyed
            {
                // One that is started again anew is not waited for: its process goes at once.
                guard status == .ok || source.onFailure != .restart else {
                    fail(source)
                    continue
                }
                for step in LifecycleStep.ending { perform([source]) { $0.begin(ending: step) } }
                if status == .ok, source.instance.arrivals == nil {
                    remove(source.instance)
                } else {
                    fail(source)
                }
            }
        }
    }

    // MARK: One phase

    private mutating func perform(
        _ sources: [Source], _ begin: (PluginInstance) -> PluginInstance.PendingStep
    ) {
        let steps = sources.map { (source: $0, step: begin($0.instance)) }
        let deadline = MonotonicClock.deadline(after: deadlineNanoseconds)
        for (source, step) in steps {
            switch outcome(of: step, source.instance, until: deadline) {
            case .ended(let result): settle(result, of: step, source)
            case .pumps:
                running.append(
                    RunningStep(source: source, step: step, deadline: deadline, isPump: true))
            case .hangs: hang(source, step)
            }
        }
    }

    /// What became of a step by its deadline.
    private enum Outcome {
        case ended(PluginInstance.StepResult)
        /// It is in start-send still, and has sent something from there.
        case pumps
        case hangs
    }

    private func outcome(
        of step: PluginInstance.PendingStep, _ instance: PluginInstance, until deadline: Int64
    ) -> Outcome {
        let isStart = step.step == .startSend
        var deadline = deadline
        var wasExtended = false
        while true {
            // Asked before the result is: one that has returned by then was no pump.
            let isPump = isStart && instance.isPumpingFromStart
            let glance = MonotonicClock.deadline(after: isPump ? 0 : 10_000_000)
            let next = isStart ? min(glance, deadline) : deadline
            if let result = instance.finish(step, until: next) { return .ended(result) }
            if isPump { return .pumps }
            guard next == deadline else { continue }
            // On a busy machine the callback itself began later than the step: it has its whole
            // time from then on, once.
            let running = instance.runningCallback
            let taken = running?.nanoseconds ?? 0
            guard !wasExtended, running == nil || running?.step == step.step,
                taken < deadlineNanoseconds
            else { return .hangs }
            wasExtended = true
            deadline = MonotonicClock.deadline(after: deadlineNanoseconds - taken)
        }
    }

    private mutating func settle(
        _ result: PluginInstance.StepResult, of step: PluginInstance.PendingStep, _ source: Source
    ) {
        switch result {
        case .done where isAway(source.instance):
            advance(source, after: step.step)
        case .done where step.step == .propertyChange:
            settleChange(of: source.instance)
        case .done:
            break
        case .failed(let status, let reason):
            events.send(
                .stepFailed(
                    role: source.instance.role, step: step.step.rawValue, status: status,
                    reason: reason))
            // A parameter that is refused stays as it was.
            if step.step != .setParameter { fail(source) }
        case .illegal:
            // It was given up, or ended, since the step was begun.
            if source.instance.fault != nil { fail(source) }
        }
    }

    mutating func settleChange(of instance: PluginInstance) {
        guard let index = negotiations.firstIndex(where: { $0.instance === instance }),
            let record = negotiations[index].settle()
        else { return }
        if case .refused(let status, let reason) = instance.reply(to: record.revision) {
            events.send(
                .stepFailed(
                    role: instance.role, step: LifecycleStep.propertyChange.rawValue,
                    status: status, reason: reason))
        }
        tell(record, of: instance)
    }

    private func tell(_ record: NegotiationRecord?, of instance: PluginInstance) {
        if let record { events.send(.renegotiated(role: instance.role, record)) }
    }

    private mutating func hang(_ source: Source, _ step: PluginInstance.PendingStep) {
        let instance = source.instance
        let (callback, nanoseconds) = instance.runningCallback ?? (step.step, deadlineNanoseconds)
        events.send(
            .callbackHangs(
                role: instance.role, callback: callback.rawValue, seconds: Double(nanoseconds) / 1e9
            ))
        instance.giveUp(because: "it hangs in \(callback.rawValue)")
        fail(source)
    }

    private mutating func fail(_ source: Source) {
        guard source.instance.arrivals == nil else {
            waitForPeer(source)
            return
        }
        switch source.onFailure {
        case .end:
            guard failedRole == nil else { return }
            failedRole = source.instance.role
            record(source.instance, lostAt: clock.now, source.instance.fault, .end)
        case .off:
            guard all.contains(where: { $0.instance === source.instance }) else { return }
            record(source.instance, lostAt: clock.now, source.instance.fault, .off)
            drop(source)
        case .restart:
            restart(source)
        }
    }

    /// Goes on without a plugin.
    mutating func drop(_ source: Source) {
        guard remove(source.instance) else { return }
        wasDropped = true
        announceSlate(of: source.instance, SlateText.lost, at: clock.now)
        events.send(.pluginDropped(role: source.instance.role))
    }

    /// Takes an instance out of the plugins, after ending it as far as it can be ended.
    @discardableResult
    private mutating func remove(_ instance: PluginInstance) -> Bool {
        guard all.contains(where: { $0.instance === instance }) else { return false }
        if camera?.instance === instance { camera = nil }
        if microphone?.instance === instance { microphone = nil }
        if share?.instance === instance { share = nil }
        if shareAudio?.instance === instance { shareAudio = nil }
        filters.removeAll { $0.instance === instance }
        for step in LifecycleTable.stepsToEnd(from: instance.lifecycle) {
            let pending = instance.begin(ending: step)
            let deadline = MonotonicClock.deadline(after: deadlineNanoseconds)
            guard instance.finish(pending, until: deadline) != nil else {
                events.send(
                    .callbackHangs(
                        role: instance.role, callback: step.rawValue,
                        seconds: Double(deadlineNanoseconds) / 1e9))
                instance.giveUp(because: "it hangs in \(step.rawValue)")
                break
            }
        }
        return true
    }
}
