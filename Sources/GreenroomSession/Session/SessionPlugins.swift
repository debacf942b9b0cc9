import GreenroomDecisions
import GreenroomModel
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// Drives the plugins of a session through their lifecycles.
///
/// Posts events of plugins to ``SessionState``, and performs its effects.
struct SessionPlugins {
    let events: SessionEvents
    let clock: SessionClock
    var slots: PluginSlots
    var steps: StepRunner
    /// The decisions about the plugins.
    var state: SessionState
    /// Slates that are due.
    var dueSlates: [DueSlates.Slate] = []
    /// The reason to end the session; nil while it continues.
    var decidedEnd: SessionEnd?
    /// The steps of the session's end that begin now.
    var endSteps: [EndStep] = []
    var negotiations = SessionNegotiations()
    var silence = SourceSilence()
    /// The participants of the call, for the report.
    var participants = ParticipantRecords()
    /// The participants who are there.
    var people: [UInt32: OutputTrack.Participant] = [:]
    /// The numbers of the participants who are not recorded.
    var unrecorded: Set<UInt32> = []
    /// The names of the participants whom an output or a composer leaves out, by its number.
    var exceptNames: [Int: Set<String>]
    /// The outputs that hold too much memory, by number, with the real time at which each exceeded
    /// the limit; `.max` once the log has named the output.
    var holding: [Int: Int64] = [:]
    /// The start of the session's timeline, on the session clock; before it, the time of creation.
    var epoch: Int64 { state.epoch }

    let plan: SessionPlan
    /// Receives each line of the journal; nil if none is kept.
    private let journal: (@Sendable (String) -> Void)?

    init(
        plan: SessionPlan, clock: SessionClock, events: SessionEvents, inbox: SessionInbox,
        control: ControlGrants? = nil, journal: (@Sendable (String) -> Void)? = nil
    ) {
        self.plan = plan
        self.journal = journal
        self.events = events
        self.clock = clock
        slots = PluginSlots(plan, clock: clock, events: events, control: control)
        let takers = slots.takers.map { ($0.number, Set(plan.except(of: $0.address))) }
        exceptNames = Dictionary(uniqueKeysWithValues: takers)
        let facts = Dictionary(
            uniqueKeysWithValues: slots.all.map { plugin in
                (
                    plugin.number,
                    PluginEntry.Facts(
                        plugin.plan, at: plugin.address, as: plugin.instance.role,
                        in: plan.configuration)
                )
            })
        state = SessionState(facts, at: clock.now)
        journal?(JournalLine(plugins: facts, at: state.epoch).text)
        steps = StepRunner(
            deadlineNanoseconds: plan.configuration.hangDeadline.nanoseconds,
            clock: clock.host, inbox: inbox)
        tellExceptions()
    }

    /// All instances, for the report.
    var instances: [PluginInstance] { slots.instances }

    func isAway(_ plugin: SessionPlugin) -> Bool { state.isAway(plugin.number) }

    /// Whether all plugins are being ended.
    var isEnding: Bool { state.phase.isEnding }

    /// Passes an event to the state, and performs the resulting effects.
    mutating func handle(_ event: SessionState.Event) {
        let now = clock.now
        let effects = state.handle(event, at: now)
        if let journal, let line = JournalLine(event, effects, at: now) { journal(line.text) }
        for effect in effects { perform(effect) }
    }

    /// Removes and returns the slates that are due.
    mutating func takeSlates() -> [DueSlates.Slate] {
        defer { dueSlates = [] }
        return dueSlates
    }

    /// Whether the host may announce added and removed tracks to an output now.
    ///
    /// Returns false while such a callback runs, because the output's set of tracks is known only
    /// between callbacks.
    func mayHearOfTracks(_ output: SessionPlugin) -> Bool {
        output.instance.lifecycle == .sending && !isAway(output)
            && !steps.runs(.track, of: output.instance)
            && !steps.runs(.trackEnded, of: output.instance)
    }

    /// The sources that are not absent.
    private var present: [SessionPlugin] { slots.sources.filter { !isAway($0) } }
}

// MARK: - The first start and the end

extension SessionPlugins {
    /// Prepares a stage of the first start.
    mutating func prepare(_ stage: StartStage) {
        switch stage {
        case .initializeComposers: beginNegotiations(with: slots.composers)
        case .initializeSources:
            for composer in slots.composers where !isTaken(composer) {
                handle(.idle(composer.number, true))
                composer.feed?.rest(true)
            }
            beginNegotiations(with: slots.sources.filter { $0.feed == nil })
        case .initializeFilters:
            for source in slots.sources {
                guard let record = negotiations[source]?.settle(),
                    let agreement = source.instance.agreement
                else { continue }
                events.send(.agreed(role: source.instance.role, agreement: agreement, record))
            }
            negotiations.keepFirstCapabilities(of: slots.sources)
            for source in slots.sources { negotiations.offerToFilters(of: source) }
        default: break
        }
    }

    private mutating func beginNegotiations(with sources: [SessionPlugin]) {
        negotiations.begin(with: sources, plan: plan, feeds: slots.feeds)
    }

    /// The tracks announced to an output. Until its source accepts an offer, a track has the
    /// session's maximum.
    func tracks(for output: SessionPlugin) -> [OutputTrack] {
        let roles = slots.sources.compactMap(\.role)
        let hasCall = slots.call != nil
        let there = SessionTrack.all(of: roles).filter { track in
            guard let role = track.role else {
                return track.needsCall ? hasCall : roles.contains { $0.medium == .audio }
            }
            return roles.contains(role)
        }
        return there.filter { output.feed?.takes($0) ?? true }.map { track in
            let source = slots.sources.first { $0.role == track.role }
            let agreed = source.flatMap(negotiations.wholeCapability)
            return OutputTrack(
                id: track.id, kind: track.kind, name: track.name,
                capability: track.medium == .video ? agreed ?? plan.configuration.maximum : nil)
        }
    }

    /// A track's first capability; nil without the track.
    func capability(of track: VideoTrackKind) -> VideoCapability? {
        slots.sources.first { $0.videoTrack == track }.flatMap(negotiations.capability)
    }

    /// Begins the session's timeline.
    mutating func begin(at epoch: Int64) { handle(.began(epoch)) }

    /// Closes every ingest at once, and awaits the steps that run.
    mutating func closeIngests() {
        for source in slots.sources { source.instance.closeIngest() }
        // Closing the roster ends the call's waits and so its threads. The call still receives the
        // remaining media.
        slots.callInstance?.roster?.closeAll(isFinal: true)
        slots.callInstance?.closeIngest()
        steps.awaitAll()
    }

    /// Begins to stop the sources that have started.
    mutating func stopSources() {
        let started = slots.sources.filter { $0.instance.isStarted }
        steps.letRun(steps.begin(started, isAwaited: true) { $0.beginStopSend() })
    }

    /// Begins a last step of each plugin that still accepts it.
    mutating func end(_ step: LifecycleStep) {
        if step == .stopSend {
            steps.awaitAll()
            for instance in slots.instances { instance.arrivals?.close() }
        }
        let due = slots.all.filter {
            LifecycleTable.stepsToEnd(from: $0.instance.lifecycle).contains(step)
        }
        steps.letRun(steps.begin(due, isAwaited: true) { $0.begin(ending: step) })
    }

    /// Removes and returns the steps of the session's end that begin now.
    mutating func takeEndSteps() -> [EndStep] {
        defer { endSteps = [] }
        return endSteps
    }

    /// Begins a step of a plugin.
    mutating func begin(
        _ plugin: SessionPlugin, _ step: (PluginInstance) -> PluginInstance.PendingStep
    ) {
        steps.letRun(steps.begin([plugin], isAwaited: state.phase != .running, step))
    }

    /// Begins to change a live parameter.
    mutating func begin(_ plugin: SessionPlugin, setting: PluginSetting) {
        steps.letRun(
            steps.begin([plugin], changing: setting) { $0.beginSetParameter(setting) })
    }
}

// MARK: - While the session runs

extension SessionPlugins {
    /// Detects hung plugins, lost plugins and finished steps, and handles each.
    mutating func watch() {
        findHungOutputs()
        findLost()
        settleSteps()
        for plugin in slots.all where plugin.instance.arrivals?.hasPendingPeer == true {
            handle(.connected(plugin.number))
        }
        handle(.timer)
        describeAgain()
    }

    /// Describes the tracks again to the outputs that requested a new description.
    private mutating func describeAgain() {
        for output in slots.takers where mayHearOfTracks(output) {
            guard let feed = output.feed, feed.control.isRequested, mayWantMore(output),
                feed.control.takeRequest(at: clock.now)
            else { continue }
            feed.askAgain()
            let tracks = tracks(for: output) + feed.takeQuestions()
            begin(output) { $0.beginDescribing(tracks) }
        }
    }

    /// Sends events to each controlling plugin that has finished handling the previous events.
    mutating func tellEvents() {
        for plugin in slots.controllers
        where plugin.instance.lifecycle == .sending && !isAway(plugin)
            && !steps.runs(.event, of: plugin.instance) && !steps.isPumping(plugin.instance)
        {
            let events = plugin.instance.controlGrant?.takeEvents() ?? []
            if !events.isEmpty { begin(plugin) { $0.beginEvents(events) } }
        }
    }

    /// Detects outputs and composers that have not returned from a media call within the deadline.
    private mutating func findHungOutputs() {
        for output in slots.takers {
            let instance = output.instance
            guard instance.fault == nil, let taken = instance.mediaNanoseconds,
                taken > instance.deadline(steps.deadlineNanoseconds), !instance.isDebugged
            else { continue }
            handle(.hangs(output.number, .media, taken, instance.failure()))
        }
    }

    /// The outputs that have hung in video or audio for more than twice the deadline. The host
    /// cannot end a call in its own process.
    var stuckOutputs: [Int] {
        slots.takers.filter { output in
            (output.instance.longestMediaNanoseconds ?? 0)
                > 2 * output.instance.deadline(steps.deadlineNanoseconds)
                && !output.instance.isDebugged
        }.map(\.number)
    }

    /// The time of the next wake-up, unless an event is posted earlier.
    ///
    /// - Parameter measures: Whether the host's work takes session time.
    func due(measures: Bool) -> SessionDue {
        var due = SessionDue()
        for time in [state.next, silence.next] { due.add(session: time) }
        for plugin in present {
            guard let negotiation = negotiations[plugin] else { continue }
            due.add(session: negotiation.negotiator.wake.map { $0 + epoch })
            if measures { due.add(session: negotiation.nextMeasurement.map { $0 + epoch }) }
        }
        for output in slots.takers {
            if let feed = output.feed, mayHearOfTracks(output) {
                // The release of held memory posts a wake-up.
                if holding[output.number] == nil { due.add(session: feed.control.nextRequest) }
            }
        }
        due.add(host: steps.nextLook)
        due.add(host: nextHoldingLook)
        return due
    }

    /// The time at which an output may have hung in a media call, on the host clock; nil without
    /// outputs. The start of a media call posts no wake-up.
    var nextMediaLook: Int64? {
        let now = clock.host.now
        return slots.takers.map { output in
            let limit = output.instance.deadline(steps.deadlineNanoseconds)
            let taken = output.instance.longestMediaNanoseconds ?? 0
            guard !output.instance.isDebugged, taken <= 2 * limit else { return now + limit }
            return now + (taken <= limit ? limit : 2 * limit) - taken + 1
        }.min()
    }

    /// Makes the offers that are due, and applies the current limits to the tracks.
    ///
    /// - Parameter nanoseconds: Session time.
    mutating func negotiate(on pipeline: SessionPipeline, at nanoseconds: Int64, measures: Bool) {
        for plugin in present {
            guard
                let video = pipeline.videoTracks.first(where: { $0.instance === plugin.instance })
            else { continue }
            negotiations[plugin]?.observe(
                video, feeds: slots.feeds, at: nanoseconds, measures: measures)
            if let offer = negotiations[plugin]?.next(at: nanoseconds) {
                if steps.isPumping(plugin.instance) {
                    tell(negotiations[plugin]?.ignore(), of: plugin)
                } else {
                    begin(plugin) { $0.beginPropertyChange(offer: offer) }
                }
            }
            if let negotiator = negotiations[plugin]?.negotiator, let capability = negotiator.track
            {
                video.track.follow(capability, within: negotiator.ceilings.lowest.size)
            }
        }
    }

    private func tell(_ record: NegotiationRecord?, of plugin: SessionPlugin) {
        if let record { events.send(.renegotiated(role: plugin.instance.role, record)) }
    }

    private func report(pump instance: PluginInstance, _ nanoseconds: Int64) {
        events.send(
            .callbackHangs(
                role: instance.role, callback: .lifecycle(.startSend),
                seconds: Double(nanoseconds) / 1e9))
        events.send(
            .note(
                role: instance.role,
                text: "sends from inside start-send, which must return immediately. Start a thread "
                    + "there. The session continues."))
    }
}

// MARK: - Step results

extension SessionPlugins {
    /// Handles the steps that have ended, hang, or send from inside.
    ///
    /// During the first start and the end, steps settle in the order in which they began, so that
    /// sessions on the virtual clock are reproducible.
    mutating func settleSteps() {
        for (step, end) in steps.look(inOrder: state.phase != .running) {
            switch end {
            case .returned(let result):
                if case .illegal = result { keep(step) }
                settle(result, of: step.pending, step.plugin)
            case .hangs:
                keep(step)
                hang(step.plugin, step.pending)
            case .pumps(let overdue):
                if state.makesSteps(step.plugin.number) { handle(.sends(step.plugin.number)) }
                if let overdue, !isEnding { report(pump: step.plugin.instance, overdue) }
            }
        }
    }

    /// Stores a setting for the plugin's next life if this life ended before the plugin received
    /// the setting.
    private mutating func keep(_ step: StepRunner.Step) {
        if let setting = step.setting { handle(.missed(setting, step.plugin.number)) }
    }

    private mutating func settle(
        _ result: PluginInstance.StepResult, of step: PluginInstance.PendingStep,
        _ plugin: SessionPlugin
    ) {
        switch result {
        case .done where state.makesSteps(plugin.number):
            if step.step == .initialize, !isEnding { settleChange(of: plugin) }
            handle(.done(step.step, plugin.number))
        case .done where step.step == .propertyChange:
            clock.expectNext(plugin: plugin.number)
            settleChange(of: plugin)
        case .done:
            break
        case .failed(let status, let reason):
            events.send(
                .stepFailed(
                    role: plugin.instance.role, step: .lifecycle(step.step), status: status,
                    reason: reason.description))
            // A refused parameter stays unchanged.
            if step.step != .setParameter { fail(plugin, because: reason.description) }
        case .illegal:
            if plugin.instance.fault != nil {
                // The host abandoned the plugin after the step began.
                fail(plugin)
            } else if LifecycleStep.ending.contains(step.step) {
                handle(.done(step.step, plugin.number))
            }
        }
    }

    /// Handles the answer to the newest offer.
    mutating func settleChange(of plugin: SessionPlugin) {
        guard let record = negotiations[plugin]?.settle() else { return }
        if case .refused(let status, let reason) = plugin.instance.reply(to: record.revision) {
            events.send(
                .stepFailed(
                    role: plugin.instance.role, step: .lifecycle(.propertyChange),
                    status: status, reason: reason))
        }
        tell(record, of: plugin)
    }

    private mutating func hang(_ plugin: SessionPlugin, _ step: PluginInstance.PendingStep) {
        let (callback, nanoseconds) =
            plugin.instance.runningCallback
            ?? (step.step, plugin.instance.deadline(steps.deadlineNanoseconds))
        handle(
            .hangs(
                plugin.number, .lifecycle(callback), nanoseconds, plugin.instance.failure()))
    }
}
