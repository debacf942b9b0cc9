package import GreenroomModel
package import GreenroomPluginInterface

/// The session's decisions about its plugins: when a plugin restarts, returns or is dropped, and
/// when the session ends. A value: equal states decide equally.
///
/// The value has no threads, locks or clock. Events report changes, times are arguments in
/// nanoseconds on the session clock, and effects list the actions to take, in order.
package struct SessionState {
    package enum Phase: Equatable {
        /// The plugins start for the first time. The stage is next.
        case starting(StartStage)
        case running
        /// The plugins end, and none restarts. The step is next; nil after the last.
        case ending(EndStep?)

        package var isStarting: Bool { if case .starting = self { true } else { false } }
        /// Whether the session's outputs are not open yet.
        package var isBeforeOutputs: Bool {
            if case .starting(let stage) = self { !stage.isOpen } else { false }
        }
        package var isEnding: Bool { if case .ending = self { true } else { false } }
    }

    /// A change to handle. Events name plugins by number.
    package enum Event: Codable, Sendable {
        /// The host listens for a plugin that connects by itself.
        case listens(Int)
        /// The host cannot listen for the plugin.
        case failedToListen(Int, PluginFailure)
        /// An awaited plugin has connected.
        case connected(Int)
        /// The session's timeline has begun at a time.
        case began(Int64)
        /// No step of a plugin runs, except start-sends that send from inside.
        case quiet
        /// The host has opened its outputs, or has failed to.
        case opened(Bool)
        /// The session gained a plugin while it runs. The plugin's life begins with the next timer.
        case added(Int, PluginEntry.Facts)
        /// A first or last step of a life is done. A last step that does not apply is done, too.
        case done(LifecycleStep, Int)
        /// A new life sends from inside start-send.
        case sends(Int)
        /// A life is lost, or one of its steps has failed.
        case lost(Int, PluginFailure)
        /// A callback has not returned by its deadline, in nanoseconds.
        case hangs(Int, SessionEvent.Step, Int64, PluginFailure)
        /// The plugin reported that it has finished or cannot continue.
        case gaveUp(Int, isInOrder: Bool, PluginFailure)
        /// A source has sent no media for too long.
        case silent(Int)
        /// A setting of an absent plugin has changed.
        case changed(PluginSetting, Int)
        /// A life ended before it received a setting.
        case missed(PluginSetting, Int)
        /// A command has stopped or started a source.
        case stopped(Int, Bool)
        /// The last output that took a composer's video has stopped, or an output takes the video
        /// again.
        case idle(Int, Bool)
        /// All earlier events are handled. Now a cause can end the session.
        case settled(SessionEnd.Causes)
        /// An output reported a failure at its end.
        case failedAtEnd(Int, reason: String)
        /// The time of ``next`` is reached.
        case timer
    }

    /// An action to take.
    package enum Effect: Sendable {
        /// Prepares a stage of the first start.
        case prepare(StartStage)
        /// Performs a step of the session's end.
        case perform(EndStep)
        /// Begins a first or last step of a plugin's life; `create` begins the life.
        case begin(LifecycleStep, Int)
        /// The host no longer calls a life, and kills its process.
        case giveUp(Int, because: String)
        /// Expects no more media from a finished source. The source's last frame stays.
        case rest(Int)
        /// Expects frames from a program that has connected for the first time.
        case expectFrames(Int)
        /// Continues the session without the plugin.
        case leave(Int)
        /// Passes a setting to a new life.
        case set(PluginSetting, Int)
        /// Stores a setting for the next life.
        case remember(PluginSetting, Int)
        /// Shows a slate instead of a track's video.
        case show(DueSlates.Slate)
        case send(SessionEvent)
        /// Ends the session: the ``EndStep``s follow.
        case end(SessionEnd)
    }

    package private(set) var phase = Phase.starting(.create)
    package private(set) var plugins: [Int: PluginEntry]
    package private(set) var losses = PluginLosses()
    private var slates = DueSlates()
    /// The first fatal failure of a plugin.
    private var fatal: Fatal?
    /// The start of the session's timeline; before it, the time of creation.
    package private(set) var epoch: Int64

    /// The failure that ends the session.
    private enum Fatal: Equatable {
        case failed(role: String)
        /// A plugin has refused its settings while the session started.
        case badSetting(role: String)
        /// A plugin breaks a rule of the interface.
        case badPlugin(role: String)
        /// The call of a session that requires it.
        case callLost

        var end: SessionEnd {
            switch self {
            case .failed(let role): SessionEnd("\(role) failed", .pluginFailed(role: role))
            case .badSetting(let role):
                SessionEnd("\(role) has a wrong setting", .badSetting(role: role))
            case .badPlugin(let role):
                SessionEnd("\(role) breaks a rule of the interface", .badPlugin(role: role))
            case .callLost: SessionEnd("the call failed", .outputsFailed)
            }
        }

        /// The role of the plugin; nil if no plugin is the cause.
        var role: String? {
            switch self {
            case .failed(let role), .badSetting(let role), .badPlugin(let role): role
            case .callLost: nil
            }
        }
    }

    package init(_ plugins: [Int: PluginEntry.Facts], at now: Int64) {
        self.plugins = plugins.mapValues { PluginEntry($0) }
        epoch = now
    }

    // MARK: Queries

    /// Whether a plugin is absent: it waits for its next life, or makes its first or last steps.
    package func isAway(_ plugin: Int) -> Bool { plugins[plugin]?.state.isAway ?? false }

    /// Whether a plugin makes the first or last steps of a life.
    package func makesSteps(_ plugin: Int) -> Bool {
        guard let state = plugins[plugin]?.state else { return false }
        return state.isAway || state.hasLeft
    }

    /// Whether a command has stopped a plugin.
    package func isStopped(_ plugin: Int) -> Bool { plugins[plugin]?.isStopped ?? false }

    /// Whether a plugin is a composer whose video no output receives.
    package func isIdle(_ plugin: Int) -> Bool { plugins[plugin]?.isIdle ?? false }

    /// The time of the next restart or slate; nil if none is due.
    package var next: Int64? {
        plugins.values.reduce(slates.next) { next, plugin in
            guard case .awaitsStart(let due, _) = plugin.state else { return next }
            return SessionDue.earlier(next, due)
        }
    }

    /// The plugins' reason to end the session or not to start it; nil if it can continue.
    package var reasonToEnd: SessionEnd? {
        if let fatal { return fatal.end }
        let entries = plugins.values
        guard entries.allSatisfy({ !$0.facts.makesMedia || $0.state.hasLeft }) else { return nil }
        guard entries.contains(where: { $0.state == .left(wasLost: true) }) else {
            return SessionEnd("every source has ended", .finished)
        }
        // Without a source, the session had only the call and an output.
        return entries.contains(where: \.facts.isSource)
            ? SessionEnd("every source has ended", .pluginFailed(role: nil))
            : SessionEnd("the call failed", .outputsFailed)
    }
}

// MARK: - Rules

extension SessionState {
    /// Decides the effects of an event.
    ///
    /// - Parameter now: The time on the session clock; never decreases.
    /// - Returns: The effects, in order.
    package mutating func handle(_ event: Event, at now: Int64) -> [Effect] {
        switch event {
        case .listens(let plugin):
            plugins[plugin]?.state = .awaitsConnection(since: nil)
            announceSlate(of: plugin, SlateText.waiting, at: now)
            return []
        case .failedToListen(let plugin, let failure):
            guard let role = plugins[plugin]?.facts.role else { return [] }
            return stop(
                failure.cause == .badSettings ? .badSetting(role: role) : .failed(role: role),
                because: plugin, failure, at: now)
        case .connected(let plugin):
            guard case .awaitsConnection(let since) = plugins[plugin]?.state else { return [] }
            return begin(plugin, since: since)
        case .began(let time):
            epoch = min(max(time, 0), now)
            return []
        case .quiet:
            switch phase {
            case .starting(let stage): return begin(stage)
            case .ending(let step?):
                phase = .ending(step.next)
                return [.perform(step)]
            case .running, .ending(nil): return []
            }
        case .opened(let isOpen):
            phase = isOpen ? .starting(StartStage.open.next) : .ending(.stopPlugins)
            return []
        case .added(let plugin, let facts):
            plugins[plugin] = PluginEntry(facts, state: .awaitsStart(at: now, since: nil))
            return []
        case .done(let step, let plugin): return advance(plugin, after: step, at: now)
        case .sends(let plugin): return comeBack(plugin, at: now)
        case .lost(let plugin, let failure): return lose(plugin, failure, at: now)
        case .hangs(let plugin, let callback, let nanoseconds, let failure):
            return hang(plugin, in: callback, for: nanoseconds, failure, at: now)
        case .gaveUp(let plugin, let isInOrder, let failure):
            guard let entry = plugins[plugin], entry.state.hasLife else { return [] }
            // A restart kills the process, and the session's end makes the last steps.
            guard isInOrder || entry.facts.connects || entry.facts.onFailure == .off else {
                return lose(plugin, failure, at: now)
            }
            plugins[plugin]?.state = .ends(isInOrder: isInOrder, failure)
            return [.begin(.stopSend, plugin)]
        case .silent(let plugin):
            if let track = plugins[plugin]?.facts.track {
                slates.show(.silent(track), on: track, at: now)
            }
            return []
        case .changed(let setting, let plugin):
            plugins[plugin]?.changedSettings.append(setting)
            return [.remember(setting, plugin)]
        case .missed(let setting, let plugin):
            let later = plugins[plugin]?.changedSettings ?? []
            guard !later.contains(where: { $0.name == setting.name }) else { return [] }
            plugins[plugin]?.changedSettings = [setting] + later
            return [.remember(setting, plugin)]
        case .stopped(let plugin, let isStopped):
            plugins[plugin]?.isStopped = isStopped
            return []
        case .idle(let plugin, let isIdle):
            plugins[plugin]?.isIdle = isIdle
            return []
        case .settled(let causes):
            guard !phase.isEnding, let end = reasonToEnd ?? causes.end else { return [] }
            let effects = [Effect.send(.stopping(reason: end.text)), .end(end)]
            if phase.isBeforeOutputs {
                phase = .ending(.stopPlugins)
                return effects
            }
            phase = .ending(EndStep.first.last?.next)
            return effects + EndStep.first.map { .perform($0) }
        case .failedAtEnd(let plugin, let reason):
            // The loss that ended the session is already recorded.
            guard !isAway(plugin), plugins[plugin]?.facts.role != fatal?.role else { return [] }
            record(plugin, reason, .off, at: now)
            return []
        case .timer:
            // The timeline has not begun.
            guard !phase.isStarting else { return [] }
            var effects: [Effect] = []
            for plugin in plugins.keys.sorted() {
                if case .awaitsStart(let due, let since) = plugins[plugin]?.state, due <= now {
                    effects += begin(plugin, since: since)
                }
            }
            return effects + slates.take(at: now).map { .show($0) }
        }
    }

    // MARK: The first start

    /// Begins a stage of the first start, unless a failure ends the session.
    private mutating func begin(_ stage: StartStage) -> [Effect] {
        guard reasonToEnd == nil else {
            // Outputs that are open record the reason.
            phase = stage.isOpen ? .running : .ending(.stopPlugins)
            return []
        }
        // The stage lasts until the outputs are open.
        guard stage != .open else { return [] }
        phase = stage == .run ? .running : .starting(stage.next)
        guard let step = stage.step else { return [] }
        let due = plugins.filter { number, plugin in
            plugin.state == .present && stage.includes(plugin.facts)
                && !(step == .startSend && rests(number))
        }
        return [.prepare(stage)] + due.keys.sorted().map { .begin(step, $0) }
    }

    // MARK: Losses

    /// A callback has not returned by its deadline.
    private mutating func hang(
        _ plugin: Int, in callback: SessionEvent.Step, for nanoseconds: Int64,
        _ failure: PluginFailure, at now: Int64
    ) -> [Effect] {
        // The host has already abandoned the life.
        guard failure.fault == nil else { return lose(plugin, failure, at: now) }
        guard let role = plugins[plugin]?.facts.role else { return [] }
        var failure = failure
        failure.fault = "hangs in \(callback == .media ? "video or audio" : "\(callback)")"
        let news = SessionEvent.callbackHangs(
            role: role, callback: callback, seconds: Double(nanoseconds) / 1e9)
        return [.send(news), .giveUp(plugin, because: failure.fault ?? "failed")]
            + lose(plugin, failure, at: now)
    }

    /// Applies the failure policy to a lost plugin.
    private mutating func lose(
        _ plugin: Int, _ failure: PluginFailure, at now: Int64
    ) -> [Effect] {
        guard let entry = plugins[plugin] else { return [] }
        let facts = entry.facts
        switch (entry.state, phase.isStarting, failure.cause, facts.onFailure) {
        case (.ends(let isInOrder, _), _, _, _):
            return depart(plugin, isInOrder: isInOrder, failure, at: now)
        case (.awaitsConnection, _, _, _): return []
        case _ where facts.connects: return awaitConnection(of: plugin, failure, at: now)
        case (_, true, .badSettings, _):
            return stop(.badSetting(role: facts.role), because: plugin, failure, at: now)
        // The next life would break the same rule.
        case (_, true, .brokenRule, _), (_, _, .brokenRule, .end):
            return stop(.badPlugin(role: facts.role), because: plugin, failure, at: now)
        case (.left, _, .badSettings, .restart), (.left, _, .brokenRule, .restart): return []
        case (_, _, .badSettings, .restart), (_, _, .brokenRule, .restart):
            return refuse(plugin, failure, at: now)
        // The system would also deny a process for the next life.
        case (_, true, .noProcess, .restart):
            return stop(.failed(role: facts.role), because: plugin, failure, at: now)
        case (_, _, _, .restart) where facts.isNeeded && !failure.hasBeenLive:
            return stop(.callLost, because: plugin, failure, at: now)
        case (_, _, _, .end):
            return stop(.failed(role: facts.role), because: plugin, failure, at: now)
        case (.left, _, _, _): return []
        case (_, _, _, .off):
            record(plugin, failure.evidence, .off, at: now)
            return drop(plugin, at: now)
        // The same loss was found again.
        case (.awaitsStart, _, _, .restart): return []
        case (.present, _, _, .restart):
            return restart(plugin, since: now, isNews: true, failure, at: now)
        case (.begins(let since), _, _, .restart):
            return restart(plugin, since: since, isNews: false, failure, at: now)
        }
    }

    /// Ends the session because of a plugin.
    private mutating func stop(
        _ fatal: Fatal, because plugin: Int, _ failure: PluginFailure, at now: Int64
    ) -> [Effect] {
        guard self.fatal == nil else { return [] }
        self.fatal = fatal
        record(plugin, failure.evidence, .end, at: now)
        return []
    }

    /// Restarts a plugin, after a longer delay each time. After too many losses, drops the plugin.
    ///
    /// - Parameter since: The time of the loss; nil if the plugin has not been present yet.
    /// - Parameter isNews: Whether the plugin was present until now.
    private mutating func restart(
        _ plugin: Int, since: Int64?, isNews: Bool, _ failure: PluginFailure, at now: Int64
    ) -> [Effect] {
        guard let role = plugins[plugin]?.facts.role else { return [] }
        // A new life begins in a new process.
        let end = Effect.giveUp(plugin, because: "failed")
        guard !phase.isEnding else {
            record(plugin, failure.evidence, .off, at: now)
            return [end]
        }
        guard let delay = plugins[plugin]?.backoff.lost(at: now) else {
            record(plugin, failure.evidence, .off, at: now)
            let note = SessionEvent.note(
                role: role,
                text: "failed \(Backoff.delays.count + 1) times within a minute; not restarting")
            return [end, .send(note)] + drop(plugin, at: now)
        }
        record(plugin, failure.evidence, .restart, at: now)
        if isNews { announceSlate(of: plugin, SlateText.restarting, at: now) }
        plugins[plugin]?.state = .awaitsStart(at: now + delay, since: since)
        return [end, .send(.pluginRestarts(role: role, seconds: Double(delay) / 1e9))]
    }

    /// Continues without a plugin whose next life would fail for the same cause.
    private mutating func refuse(
        _ plugin: Int, _ failure: PluginFailure, at now: Int64
    ) -> [Effect] {
        record(plugin, failure.evidence, .off, at: now)
        guard !phase.isEnding, let role = plugins[plugin]?.facts.role else { return [] }
        let cause =
            failure.cause == .brokenRule
            ? "breaks a rule of the interface" : "cannot use its settings"
        let note = SessionEvent.note(role: role, text: "\(cause); not restarting")
        return [.send(note)] + drop(plugin, at: now)
    }

    /// Continues without a plugin that has failed.
    private mutating func drop(_ plugin: Int, at now: Int64) -> [Effect] {
        guard let facts = plugins[plugin]?.facts else { return [] }
        let effects = leave(plugin, wasLost: true)
        if facts.isNeeded { fatal = fatal ?? .callLost }
        announceSlate(of: plugin, SlateText.lost, at: now)
        return effects + [.send(.pluginDropped(role: facts.role))]
    }

    private mutating func leave(_ plugin: Int, wasLost: Bool) -> [Effect] {
        guard plugins[plugin]?.state.hasLeft == false else { return [] }
        plugins[plugin]?.state = .left(wasLost: wasLost)
        return [.leave(plugin), .begin(.stopSend, plugin)]
    }

    /// Handles the end of a plugin that has finished or cannot continue.
    private mutating func depart(
        _ plugin: Int, isInOrder: Bool, _ failure: PluginFailure, at now: Int64
    ) -> [Effect] {
        plugins[plugin]?.state = .present
        guard isInOrder, plugins[plugin]?.facts.connects == false else {
            return lose(plugin, failure, at: now)
        }
        return [.rest(plugin)] + leave(plugin, wasLost: false)
    }

    private mutating func record(
        _ plugin: Int, _ evidence: String, _ policy: FailurePolicy, at now: Int64
    ) {
        guard let role = plugins[plugin]?.facts.role else { return }
        losses.add(
            PluginLoss(
                role: role, seconds: max(0, Double(now - epoch) / 1e9), evidence: evidence,
                policy: policy, awaySeconds: nil))
    }

    /// Schedules a slate, unless the video returns soon. A track that a command made black stays
    /// black.
    private mutating func announceSlate(
        of plugin: Int, _ text: (VideoTrackKind) -> SlateText, at now: Int64
    ) {
        guard let track = plugins[plugin]?.facts.track, !rests(plugin) else { return }
        slates.announce(text(track), on: track, at: now)
    }

    // MARK: Lives

    /// Waits until a plugin that has disconnected connects again.
    private mutating func awaitConnection(
        of plugin: Int, _ failure: PluginFailure, at now: Int64
    ) -> [Effect] {
        guard let role = plugins[plugin]?.facts.role else { return [] }
        // The end of a finished plugin is not a loss.
        if let fault = failure.fault { record(plugin, fault, .restart, at: now) }
        plugins[plugin]?.state = .awaitsConnection(since: now)
        announceSlate(of: plugin, SlateText.waiting, at: now)
        return [
            .giveUp(plugin, because: "disconnected"),
            .send(.note(role: role, text: "disconnected; waiting for it to reconnect")),
        ]
    }

    /// Begins a new life with the current settings.
    private mutating func begin(_ plugin: Int, since: Int64?) -> [Effect] {
        guard !phase.isEnding else { return [] }
        plugins[plugin]?.state = .begins(since: since)
        plugins[plugin]?.changedSettings = []
        return [.begin(.create, plugin)]
    }

    /// Begins the next step of a life that begins or ends.
    private mutating func advance(
        _ plugin: Int, after step: LifecycleStep, at now: Int64
    ) -> [Effect] {
        switch (plugins[plugin]?.state, step) {
        case (.ends, .stopSend), (.left, .stopSend): return [.begin(.uninitialize, plugin)]
        case (.ends, .uninitialize), (.left, .uninitialize): return [.begin(.destroy, plugin)]
        case (.ends(let isInOrder, let failure), .destroy):
            return depart(plugin, isInOrder: isInOrder, failure, at: now)
        case (.begins, _) where !phase.isEnding: break
        default: return []
        }
        switch step {
        case .create: return [.begin(.initialize, plugin)]
        case .initialize where plugins[plugin]?.facts.takesTracks == true:
            return [.begin(.track, plugin)]
        case .initialize where rests(plugin), .track where rests(plugin):
            return comeBack(plugin, at: now)
        case .initialize, .track: return [.begin(.startSend, plugin)]
        case .startSend: return comeBack(plugin, at: now)
        default: return []
        }
    }

    /// Whether a source sends no media: a command has stopped it, or no output receives the composer's
    /// video.
    package func rests(_ plugin: Int) -> Bool { isStopped(plugin) || isIdle(plugin) }

    /// Handles a plugin that has returned, or is present for the first time.
    private mutating func comeBack(_ plugin: Int, at now: Int64) -> [Effect] {
        guard let entry = plugins[plugin], case .begins(let since) = entry.state else { return [] }
        plugins[plugin]?.state = .present
        plugins[plugin]?.changedSettings = []
        if let track = entry.facts.track { slates.cancel(on: track) }
        let role = entry.facts.role
        var effects: [Effect] = []
        if let since {
            let seconds = Double(now - since) / 1e9
            losses.returned(role, after: seconds)
            effects = [.send(.pluginReturned(role: role, seconds: seconds))]
        } else if entry.facts.connects {
            effects = [.expectFrames(plugin), .send(.note(role: role, text: "connected"))]
        }
        return effects + entry.changedSettings.map { .set($0, plugin) }
    }
}
