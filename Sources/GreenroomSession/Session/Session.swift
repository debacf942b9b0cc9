import GreenroomAudio
import GreenroomConversion
import GreenroomDecisions
package import GreenroomLifecycle
public import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomMedia
package import GreenroomRuntime
import GreenroomSchema
import GreenroomSystem
import GreenroomVideo
import Synchronization

/// One run of a plan: creates the plugins, drives their lifecycles, passes their media to the
/// outputs, and reports the results.
///
/// Threads: ``run()`` once, on a thread that may block; ``stop()`` and ``snapshot`` on any.
public final class Session: Sendable {
    /// Interval of report updates while the session runs.
    private static let reportNanoseconds: Int64 = 1_000_000_000

    /// Limit of time steps for a callback that seems to wait for a thread. An ending thread
    /// wakes once, and a hung callback must not let a session continue.
    private static let passLimit = 3
    /// The longest time step for such a callback, in nanoseconds.
    private static let passNanoseconds: Int64 = 200_000_000

    package let plan: SessionPlan
    private let events: SessionEvents
    private let pluginControl: ControlGrants
    private let hooks: SessionHooks
    private let captions = SessionCaptions()
    package let clock: SessionClock
    private let inbox = SessionInbox()
    /// Whether the session drains, for the report.
    private let isDraining = Atomic(false)
    /// Whether a thread finishes outputs at the session's end.
    private let isFinishing = Atomic(false)
    /// The ceilings that commands have set and not lifted.
    private let ceilings = Mutex<[SessionRole: VideoCapability]>([:])
    /// The next due time on the host clock while a virtual clock runs; nil for never.
    private let alarm = Mutex<Int64?>(nil)
    private let pipeline = Mutex<SessionPipeline?>(nil)
    /// The reports whose last write failed, so that a full disk is logged once rather than each
    /// second.
    private let unwrittenReports = Mutex<Set<String>>([])
    private let recordings = Mutex(RecordingLog())
    private let latestReport = Mutex<TimedReport?>(nil)
    private let allInstances = Mutex<[PluginInstance]>([])
    /// Receives each line of the journal; nil if none is kept.
    private let journal = Mutex<(@Sendable (String) -> Void)?>(nil)
    /// The numbers of plugins that do not wait on the virtual clock.
    private let offTheClock = Mutex<Set<Int>>([])

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - plan: The plan to run.
    ///   - host: The clock for callbacks that may hang.
    ///   - handler: Receives every event, on any thread, concurrently; it must not block.
    package init(
        plan: SessionPlan, host: HostClock = .real,
        events handler: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.plan = plan
        clock = SessionClock(isVirtual: plan.configuration.clock == .virtual, host: host)
        let pluginControl = ControlGrants(plan, clock: clock.host)
        self.pluginControl = pluginControl
        let inbox = inbox
        let hooks = SessionHooks(plan, clock: clock.host, handler: handler)
        self.hooks = hooks
        let captions = captions
        events = SessionEvents { event in
            guard let event = captions.take(event) else { return }
            handler(event)
            hooks.add(event)
            guard !pluginControl.isEmpty else { return }
            pluginControl.add(event)
            inbox.post()
        } waker: {
            inbox.post()
        } recordingFailure: {
            inbox.noteFailedRecording()
        }
        pluginControl.begin(self)
    }

    /// Keeps a journal: each event of the session and its effects, for a later replay.
    ///
    /// - Parameter add: Receives each line, on the session's thread, without its line break.
    package func keepJournal(_ add: @escaping @Sendable (String) -> Void) {
        journal.withLock { $0 = add }
    }

    /// Requests an orderly end of the session. [any]
    ///
    /// - Parameter isPlanned: Whether the end counts as planned.
    public func stop(isPlanned: Bool = false) {
        inbox.requestStop(isPlanned ? .finished : .interrupted)
    }

    /// Queues a command. [any]
    ///
    /// Returns immediately. When the command has started, ``SessionEvent/commanded(origin:text:)``
    /// follows. If the command fails, ``SessionEvent/note(role:text:)`` follows with the reason.
    ///
    /// - Parameter origin: The sender in a few words, for events and reports.
    /// - Throws: ``CommandError`` if the session cannot execute the command, or 1000 commands are
    ///   queued.
    public func perform(
        _ command: SessionCommand, origin: String = "program"
    ) throws(CommandError) {
        try perform(command, origin: origin, isFromFile: false)
    }

    /// Queues a command, as ``perform(_:origin:)`` does. [any]
    ///
    /// - Parameter isFromFile: Whether the session file contains the command, as after a reload.
    package func perform(
        _ command: SessionCommand, origin: String, isFromFile: Bool
    ) throws(CommandError) {
        let checked = try plan.check(command, isFromFile: isFromFile)
        guard inbox.add(checked, origin: origin) else {
            throw CommandError("dropped: too many commands are queued")
        }
    }

    /// Drains the session: see ``SessionCommand/drain``. [any]
    ///
    /// - Parameter origin: The sender in a few words, for events and reports.
    /// - Returns: Whether the session drains. Without a drain timeout it does not, and the caller can
    ///   stop it.
    package func drain(origin: String) -> Bool {
        guard plan.configuration.drainTimeout > .zero else { return false }
        do throws(CommandError) {
            try perform(.drain, origin: origin)
            return true
        } catch {
            return false
        }
    }

    /// The current state; nil before the sources are started. [any]
    public var snapshot: SessionSnapshot? {
        pipeline.withLock { $0 }.map { SessionSnapshot(of: $0, at: clock.now) }
    }

    /// The ceilings that commands have set and not lifted, by role. [any]
    var commandedCeilings: [SessionRole: VideoCapability] { ceilings.withLock { $0 } }

    /// The current state, with the report.
    package struct TimedReport: Sendable {
        /// The time since the start of the sources, in seconds.
        package var seconds: Double
        /// The report at that time.
        package var report: SessionReport
    }

    /// The state at the last report update, which runs each second and at the end; nil before the
    /// sources are started. [any]
    package var timedReport: TimedReport? { latestReport.withLock { $0 } }

    /// Every plugin, including plugins that left; empty before the session runs.
    package var instances: [PluginInstance] { allInstances.withLock { $0 } }

    /// Runs from the first plugin's `create` to the last output's end.
    ///
    /// - Returns: The report, including for a failed session.
    /// - Throws: ``OutputError`` if an output cannot be opened. Then nothing was recorded, and
    ///   every created plugin has been ended.
    public func run() throws -> SessionReport {
        var plugins = SessionPlugins(
            plan: plan, clock: clock, events: events, inbox: inbox, control: pluginControl,
            journal: journal.withLock { $0 })
        allInstances.withLock { $0 = plugins.instances }
        hooks.begin()
        clock.lead()
        watchClock(plugins.instances)
        defer {
            clock.leave()
            clock.close()
            events.send(.ended)
        }
        plugins.openListeners()
        lead(&plugins, nil) { $0.phase == .starting(.open) && $0.reasonToEnd == nil }
        guard plugins.state.phase.isStarting else {
            plugins.recordFailedEnds()
            return finished(
                report(
                    plugins, nil, at: 0,
                    outcome: (plugins.decidedEnd ?? plugins.state.reasonToEnd)?.outcome))
        }
        let pipeline: SessionPipeline
        do {
            pipeline = try SessionPipeline(
                plugins: plugins, plan: plan, clock: clock, events: events)
        } catch {
            plugins.handle(.opened(false))
            lead(&plugins, nil) { _ in false }
            hooks.finish(nil)
            throw error
        }
        plugins.handle(.opened(true))
        lead(&plugins, nil) { $0.phase == .running }
        pipeline.begin(at: clock.now)
        plugins.begin(at: pipeline.epoch)
        for composer in plugins.slots.composers where plugins.state.rests(composer.number) {
            if let track = composer.videoTrack { pipeline.showBlack(on: track) }
        }
        self.pipeline.withLock { $0 = pipeline }
        captions.begin(at: pipeline.epoch, in: pipeline.reports.compactMap(\.captions))
        events.send(.started)
        let disks = watchDisks(of: plugins, pipeline)
        publish(plugins, pipeline)
        let planned = watch(&plugins, pipeline)
        disks.end()
        var failed = plugins.failedOutputs(orLost: true)
        let end = pipeline.limit(
            to: min(clock.now - pipeline.epoch, plan.configuration.duration?.nanoseconds ?? .max))
        lead(&plugins, Ending(pipeline: pipeline, nanoseconds: end)) { _ in false }
        plugins.recordFailedEnds()
        failed.formUnion(plugins.failedOutputs(orLost: false))
        let outcome = planned.after(
            losingEveryOutput: pipeline.hasLostEveryOutput(without: failed))
        var report = report(
            plugins, pipeline, at: end,
            outcome: outcome.after(failedRecording: inbox.hasFailedRecording))
        captions.finish()
        publish(report, pipeline, at: end)
        // Writing the last report may itself make a recording incomplete.
        if outcome.after(failedRecording: inbox.hasFailedRecording) == .outputsFailed {
            report.outcome = .outputsFailed
        }
        report.hasWorkingOutput = outcome != .outputsFailed
        report = finished(report)
        // The hooks had the report to read; now it says what they did.
        if !hooks.isEmpty { publish(report, pipeline, at: end) }
        for file in pipeline.reports { file.release() }
        return report
    }

    /// Waits for the hooks, and adds their results to a report.
    private func finished(_ report: SessionReport) -> SessionReport {
        hooks.finish(report)
        var report = report
        report.setHooks(hooks.reports)
        return report
    }

    /// The outputs at the end of the session.
    private struct Ending: Sendable {
        let pipeline: SessionPipeline
        /// The end of all outputs, in nanoseconds of session time.
        let nanoseconds: Int64
    }

    /// Leads the plugins through the first start or the end, until a condition holds while no step
    /// runs, or until the end.
    ///
    /// - Parameter ending: The outputs to end; nil if none are open.
    private func lead(
        _ plugins: inout SessionPlugins, _ ending: Ending?,
        until isReached: (SessionState) -> Bool
    ) {
        while true {
            let seen = inbox.posts
            if plugins.state.phase.isBeforeOutputs, let stop = inbox.stopRequest {
                plugins.handle(.settled(SessionEnd.Causes(stop: stop)))
            }
            plugins.settleSteps()
            for step in plugins.takeEndSteps() { perform(step, ending, &plugins) }
            guard plugins.steps.isQuiet else {
                // A virtual clock stands still until the steps have ended.
                inbox.wait(after: seen, until: plugins.steps.nextLook, on: clock.host)
                continue
            }
            guard !isFinishing.load(ordering: .acquiring) else {
                inbox.wait(after: seen, until: nil, on: clock)
                continue
            }
            guard plugins.state.phase != .ending(nil), !isReached(plugins.state) else { return }
            plugins.handle(.quiet)
            for step in plugins.takeEndSteps() { perform(step, ending, &plugins) }
        }
    }

    /// Performs a step of the session's end.
    private func perform(_ step: EndStep, _ ending: Ending?, _ plugins: inout SessionPlugins) {
        switch (step, ending) {
        case (.tellEvents, _): plugins.tellEvents()
        case (.closeIngests, _): plugins.closeIngests()
        case (.stopSources, _): plugins.stopSources()
        case (.stopPlugins, _): plugins.end(.stopSend)
        case (.uninitializePlugins, _): plugins.end(.uninitialize)
        case (.destroyPlugins, _): plugins.end(.destroy)
        case (.finishAudio, let ending?): ending.pipeline.finishAudio(at: ending.nanoseconds)
        case (.followParticipants, let ending?): plugins.followParticipants(on: ending.pipeline)
        case (.finishTracks, let ending?): finish { ending.pipeline.finish(at: ending.nanoseconds) }
        case (.finishPluginSinks, let ending?): finish { ending.pipeline.finishPluginSinks() }
        case (.finishOutputs, let ending?): finish { ending.pipeline.finishOutputs() }
        case (.tellOfEmptyOutputs, let ending?): ending.pipeline.tellOfEmptyOutputs()
        case (_, nil): break
        }
    }

    /// Finishes outputs on a separate thread, because the session's thread only waits for events.
    private func finish(_ body: @escaping @Sendable () -> Void) {
        isFinishing.store(true, ordering: .releasing)
        let thread = HostThread(name: "finishing", clock: clock) { [self] in
            body()
            isFinishing.store(false, ordering: .releasing)
            inbox.post()
        }
        guard thread.problem != nil else { return }
        body()
        isFinishing.store(false, ordering: .releasing)
    }

    /// Logs the disk space that recordings need, and watches the disks.
    private func watchDisks(of plugins: SessionPlugins, _ pipeline: SessionPipeline) -> DiskWatcher
    {
        let sizes = pipeline.videoTracks.compactMap { video in
            plugins.capability(of: video.track.kind).map { (video.track.kind, $0) }
        }
        let uses = plan.diskUses(
            of: DiskUse.Tracks(
                video: Dictionary(sizes, uniquingKeysWith: { first, _ in first }),
                audio: pipeline.audioTracks.count))
        let duration = plan.configuration.duration
        for (_, use) in uses {
            if let text = use.words {
                events.send(.disk(folder: use.folder, text: text, isLow: false))
            }
        }
        for (_, folder, text) in plan.shortages(of: uses) {
            events.send(.disk(folder: folder, text: text, isLow: true))
        }
        return DiskWatcher(
            uses.map(\.use.folder), duration: duration, clock: clock, epoch: pipeline.epoch,
            events: events)
    }

    /// Logs plugins that the virtual clock does not wait for. Wakes the session when its alarm is
    /// due, or if an output hangs.
    private func watchClock(_ instances: [PluginInstance]) {
        let deadline = plan.configuration.hangDeadline.nanoseconds
        let ring: @Sendable () -> Void = { [inbox, clock, weak self] in
            let isDue = self?.alarm.withLock { alarm in
                guard let due = alarm, due <= clock.host.now else { return false }
                alarm = nil
                return true
            }
            // While a track waits for a hung output, session time stands still.
            if isDue ?? false
                || instances.contains(where: {
                    ($0.longestMediaNanoseconds ?? 0) > $0.deadline(deadline)
                })
            {
                inbox.post()
            }
        }
        clock.watch(look: ring) { [events, weak self] number, hadWaited in
            // A plugin that has stopped waiting may hang. The log reports the hang in session time.
            if !hadWaited { _ = self?.offTheClock.withLock { $0.insert(number) } }
            events.wake()
            guard let instance = instances.first(where: { $0.number == number }) else { return }
            let what =
                hadWaited
                ? "a thread stopped waiting on the session clock"
                : "started, but does not wait on the session clock"
            events.send(
                .note(
                    role: instance.role,
                    text:
                        "\(what). The virtual clock does not wait for the plugin, so results differ "
                        + "between runs. Wait with wait_until_ns, not with sleep(); a source that a "
                        + "device paces needs clock: real."))
        }
    }

    /// The state of the session's thread between two events.
    private struct Running {
        /// The end of the duration, on the session clock; nil without a duration.
        let end: Int64?
        /// The timeline entries that are not yet executed.
        var timeline: ArraySlice<TimelineEntry>
        var real: RealWatch
        /// nil unless the session drains.
        var drain: SessionDrain?
        /// The time of the next report, on the host clock, because readers of a running session
        /// work in real time.
        var report: Int64
        /// The number of time steps for the callbacks that run now.
        var passes = 0
    }

    /// Runs the session until its duration, a request, a fatal failure, or the end of every source.
    /// Handles events and due work, then waits for the next event or due time.
    private func watch(_ plugins: inout SessionPlugins, _ pipeline: SessionPipeline)
        -> SessionOutcome
    {
        var running = Running(
            end: plan.configuration.duration.map { pipeline.epoch + $0.nanoseconds },
            timeline: plan.configuration.timeline[...],
            real: RealWatch(minimum: plan.configuration.minimumRealPercent),
            report: clock.host.deadline(after: Self.reportNanoseconds))
        while true {
            let seen = inbox.posts
            if let outcome = look(&running, &plugins, pipeline) { return outcome }
            wait(after: seen, &running, plugins, pipeline)
        }
    }

    /// Handles all events and due work.
    ///
    /// - Returns: The outcome if the session ends; nil while it continues.
    private func look(
        _ running: inout Running, _ plugins: inout SessionPlugins, _ pipeline: SessionPipeline
    ) -> SessionOutcome? {
        plugins.watch()
        plugins.followParticipants(on: pipeline)
        plugins.followStages(on: pipeline)
        pipeline.followWants()
        plugins.tellDemands(on: pipeline)
        pipeline.abandonLostOutputs(orStuck: plugins.stuckOutputs)
        plugins.watchSilence(except: offTheClock.withLock { $0 })
        for slate in plugins.takeSlates() {
            pipeline.showSlate(of: slate.track, slate.text, at: slate.due)
        }
        // Execute commands first, because a stop request follows earlier commands.
        for (command, origin) in inbox.takeCommands() {
            perform(command, origin, &running, &plugins, pipeline)
        }
        tellOfRecordings(plugins, pipeline)
        let drained = running.drain?.follow(guests: plugins.guests, at: clock.now)
        plugins.handle(
            .settled(
                SessionEnd.Causes(
                    hasLostEveryOutput: pipeline.hasLostEveryOutput(),
                    isOver: running.end.map { clock.now >= $0 } ?? false,
                    stop: inbox.stopRequest, drained: drained)))
        if let end = plugins.decidedEnd { return end.outcome }
        while let entry = running.timeline.first,
            pipeline.epoch + entry.time.nanoseconds <= clock.now
        {
            running.timeline.removeFirst()
            perform(entry.command, entry.origin, &running, &plugins, pipeline)
        }
        negotiate(&plugins, pipeline)
        plugins.tellEvents()
        let now = clock.now - pipeline.epoch
        for (role, text) in running.real.look(at: now, accounts: { pipeline.accounts(at: now) }) {
            events.send(.note(role: role, text: text))
        }
        if clock.host.now >= running.report {
            publish(plugins, pipeline)
            running.report = clock.host.deadline(after: Self.reportNanoseconds)
        }
        return nil
    }

    /// Sends an event if recordings have begun, or if all have paused or stopped.
    private func tellOfRecordings(_ plugins: SessionPlugins, _ pipeline: SessionPipeline) {
        let files = plan.configuration.outputs.contains { $0.output.makesFiles }
        let outputs = plugins.recordings + [RecordingLog.Output(records: files)]
        let now = clock.now - pipeline.epoch
        if let event = recordings.withLock({ $0.follow(outputs, at: now) }) { events.send(event) }
    }

    /// Waits until something is posted or due: the only wait of a running session.
    private func wait(
        after seen: Int, _ running: inout Running, _ plugins: SessionPlugins,
        _ pipeline: SessionPipeline
    ) {
        var due = plugins.due(measures: !clock.isVirtual)
        due.add(session: running.end)
        due.add(session: running.timeline.first.map { pipeline.epoch + $0.time.nanoseconds })
        due.add(session: pipeline.epoch + running.real.due)
        due.add(session: running.drain?.due)
        due.add(session: plugins.nextOfParticipants(on: pipeline))
        guard clock.isVirtual else {
            due.add(host: running.report)
            due.add(host: plugins.nextMediaLook)
            // Both are the host clock.
            due.add(session: due.host)
            return inbox.wait(after: seen, until: due.session, on: clock)
        }
        // Callbacks take no session time: a virtual clock stands still until they return.
        guard plugins.steps.awaitsCallbacks || plugins.nextHoldingLook != nil else {
            running.passes = 0
            // Do not wake for other times on the host clock, because such wake-ups are not
            // reproducible.
            alarm.withLock { $0 = due.host }
            return inbox.wait(after: seen, until: due.session, on: clock)
        }
        if running.passes < Self.passLimit {
            if passTime(for: plugins, until: due.session, seen) { running.passes += 1 }
            // While a callback waits for a thread that has not waited yet, the clock's watchdog
            // wakes the session.
            let next = plugins.steps.nextPass
            alarm.withLock { $0 = next }
        }
        due.add(host: plugins.nextMediaLook)
        inbox.wait(after: seen, until: due.host, on: clock.host)
    }

    /// Lets a virtual clock reach the time that a plugin's thread waits for, if a callback of the
    /// plugin seems to wait for that thread: to stop and restart its own pump, for example.
    ///
    /// - Parameter check: The time of the session's next task, which limits the time step.
    /// - Returns: Whether time has reached the thread.
    private func passTime(
        for plugins: SessionPlugins, until check: Int64?, _ seen: Int
    ) -> Bool {
        guard let waiting = plugins.steps.callbacksWaitingForThreads else { return false }
        let latest = SessionDue.earlier(check, clock.now + Self.passNanoseconds)
        let due = waiting.compactMap { clock.release(callbackOf: $0, until: latest) }.min()
        guard let due else { return false }
        // The thread that is due runs first.
        inbox.wait(after: seen, until: max(due, clock.now) + 1, on: clock)
        return clock.now >= due
    }

    private func negotiate(_ plugins: inout SessionPlugins, _ pipeline: SessionPipeline) {
        plugins.negotiate(on: pipeline, at: clock.now - pipeline.epoch, measures: !clock.isVirtual)
    }

    private func perform(
        _ command: SessionCommand, _ origin: String, _ running: inout Running,
        _ plugins: inout SessionPlugins, _ pipeline: SessionPipeline
    ) {
        if command == .drain { return drain(origin, &running, &plugins) }
        switch command {
        case .gain(let target, let decibels):
            return adjust(target, "gain \(target) \(decibels) dB", origin, plugins, pipeline) {
                $0.decibels = decibels
            }
        case .delay(let target, let time):
            let frames = time.nanoseconds * Int64(AudioFormat.session.sampleRate) / 1_000_000_000
            let text = "delay \(target) \(time.asWritten)"
            let video = min(max(time, .zero), SessionCommand.longestDelay).nanoseconds
            switch target {
            case .source(let role) where role.medium == .video:
                return report(pipeline.delay(role.track, by: video), target, text, origin)
            case .participantVideo(let name):
                return report(
                    pipeline.participants.delayVideo(of: name, by: video), target, text, origin)
            case .source, .participant, .output: break
            }
            return adjust(target, text, origin, plugins, pipeline) {
                $0.delayFrames = min(max(Int(clamping: frames), 0), AudioAdjustment.longestDelay)
            }
        case .message(let author, let text):
            events.send(.message(role: origin, author: author, text: text))
            return events.send(.commanded(origin: origin, text: "message passed on"))
        default: break
        }
        var isExplained = false
        if command == .explain {
            // Earlier commands have already started.
            negotiate(&plugins, pipeline)
            plugins.negotiations.recordFollowed()
            for (track, record) in pipeline.participants.explanations {
                events.send(.explanation(role: track, record))
                isExplained = true
            }
        }
        switch plugins.perform(command, origin: origin, at: clock.now - pipeline.epoch) {
        case .done(let text):
            if case .stop(let role) = command, role.facts.stopping?.shows == .black {
                pipeline.showBlack(on: role.track)
            }
            if case .start(let role) = command, !plugins.isIdle(role),
                role.facts.stopping?.shows == .black
            {
                pipeline.setStarted(on: role.track)
            }
            if case .except = command { pipeline.participants.leaveOut(plugins.people.values) }
            if case .ceiling(let role, let limit) = command {
                ceilings.withLock { $0[role] = limit }
            }
            guard command != .explain else { return }
            events.send(.commanded(origin: origin, text: text))
        case .refused where isExplained: break
        case .refused(let reason): events.send(.note(role: origin, text: reason))
        }
    }

    /// Changes the level or the delay of audio.
    private func adjust(
        _ target: MediaTarget, _ text: String, _ origin: String, _ plugins: SessionPlugins,
        _ pipeline: SessionPipeline, _ change: (inout AudioAdjustment) -> Void
    ) {
        let isDone =
            switch target {
            case .source(let role): pipeline.adjust(role, change)
            case .participant(let name): pipeline.participants.adjust(name, change)
            case .participantVideo: false
            case .output(let address, let track):
                plugins.slots[address].map { pipeline.adjust($0.number, track, change) } ?? false
            }
        report(isDone, target, text, origin)
    }

    /// Reports a change of a level or a delay.
    private func report(_ isDone: Bool, _ target: MediaTarget, _ text: String, _ origin: String) {
        events.send(
            isDone
                ? .commanded(origin: origin, text: text)
                : .note(role: origin, text: "the session has no track \(target) now"))
    }

    /// Begins to drain.
    private func drain(
        _ origin: String, _ running: inout Running, _ plugins: inout SessionPlugins
    ) {
        guard running.drain == nil else {
            return events.send(.note(role: origin, text: "the session is draining already"))
        }
        let timeout = plan.configuration.drainTimeout
        guard timeout > .zero else {
            events.send(.commanded(origin: origin, text: "stopping: drain-timeout is 0s"))
            return stop(isPlanned: true)
        }
        running.drain = SessionDrain(until: clock.now + timeout.nanoseconds)
        isDraining.store(true, ordering: .relaxed)
        plugins.refuseGuests()
        let guests =
            plugins.guests.map { "\($0) guest\($0 == 1 ? "" : "s")" } ?? "the call's restart"
        events.send(
            .commanded(
                origin: origin,
                text: "draining: waiting for \(guests), at most \(timeout.asWritten)"))
    }

    /// Updates the report while the session runs.
    private func publish(_ plugins: SessionPlugins, _ pipeline: SessionPipeline) {
        let now = clock.now - pipeline.epoch
        publish(report(plugins, pipeline, at: now, outcome: nil), pipeline, at: now)
    }

    private func publish(
        _ report: SessionReport, _ pipeline: SessionPipeline, at nanoseconds: Int64
    ) {
        latestReport.withLock {
            $0 = TimedReport(seconds: Double(nanoseconds) / 1e9, report: report)
        }
        for file in pipeline.reports {
            do throws(OutputError) {
                try file.write(report)
                _ = unwrittenReports.withLock { $0.remove(file.path) }
            } catch {
                guard unwrittenReports.withLock({ $0.insert(file.path).inserted }) else { continue }
                events.sendFailed(
                    output: error.place, reason: error.explanation, isRecording: file.isRecording)
            }
        }
    }

    private func report(
        _ plugins: SessionPlugins, _ pipeline: SessionPipeline?, at nanoseconds: Int64,
        outcome: SessionOutcome?
    ) -> SessionReport {
        var negotiations = plugins.negotiations
        negotiations.recordFollowed()
        var report = SessionReport(
            plan: plan, instances: plugins.instances, losses: plugins.state.losses.all,
            negotiations: negotiations.all,
            participants: plugins.participants, pipeline: pipeline, at: nanoseconds,
            outcome: outcome)
        if isDraining.load(ordering: .relaxed) { report.draining = true }
        report.setHooks(hooks.reports)
        let pauses = recordings.withLock { $0.pauses }
        if !pauses.isEmpty { report.recordingPauses = pauses.map(SessionReport.Pause.init) }
        // A session on the virtual clock has the same report each time.
        if !clock.isVirtual { report.processorSeconds = ProcessTree.own.processorSeconds }
        return report
    }
}
