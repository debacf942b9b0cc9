import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

extension SessionPlugins {
    /// Handles plugins that gave up, or that the host gave up.
    mutating func dropLost() {
        for plugin in slots.all {
            let instance = plugin.instance
            if instance.fault != nil {
                fail(plugin)
            } else if let (status, _) = instance.gaveUp, instance.lifecycle != .destroyed {
                // If it restarts, don't wait for its end: kill its process at once.
                guard status == .ok || plugin.plan.onFailure != .restart else {
                    fail(plugin)
                    continue
                }
                for step in LifecycleStep.ending { perform([plugin]) { $0.begin(ending: step) } }
                if status == .ok, instance.arrivals == nil {
                    // It owes nothing any more.
                    instance.audioIngest?.rest()
                    plugin.input?.showLastFrame()
                    remove(plugin)
                } else {
                    fail(plugin)
                }
            }
        }
    }

    /// Does with a plugin that has failed what its policy says.
    ///
    /// - Parameter reason: The text of the step that failed; nil where the host gave the plugin up, or the
    ///   plugin itself.
    mutating func fail(_ plugin: SessionPlugin, because reason: String? = nil) {
        let instance = plugin.instance
        let reason = reason ?? instance.fault
        guard instance.arrivals == nil else {
            awaitReconnection(of: plugin)
            return
        }
        if instance.hasRefusedSettings,
            refuseSettings(of: plugin, because: reason ?? instance.gaveUp?.reason)
        {
            return
        }
        // The system would refuse a process for the next life, too.
        if isStarting, instance.hasNoProcess, plugin.plan.onFailure == .restart {
            guard failedRole == nil else { return }
            failedRole = instance.role
            record(plugin, reason ?? instance.gaveUp?.reason, .end)
            return
        }
        if isNeeded(plugin), plugin.plan.onFailure == .restart,
            !(plugin.feed?.control.hasBeenLive ?? false)
        {
            guard !hasLostCall else { return }
            hasLostCall = true
            record(plugin, reason, .end)
            return
        }
        switch plugin.plan.onFailure {
        case .end:
            guard failedRole == nil else { return }
            failedRole = instance.role
            record(plugin, reason, .end)
        case .off:
            guard slots[instance] != nil else { return }
            record(plugin, reason, .off)
            drop(plugin)
        case .restart:
            restart(plugin, because: reason ?? instance.gaveUp?.reason)
        }
    }

    /// Whether the session can't be without a plugin.
    private func isNeeded(_ plugin: SessionPlugin) -> Bool {
        plugin.instance.roster != nil && plan.configuration.needsCall
    }

    /// Handles a plugin that can't use its settings: a new life has the same ones.
    ///
    /// - Returns: Whether that is all; false to handle it as any other failure.
    private mutating func refuseSettings(
        of plugin: SessionPlugin, because reason: String?
    ) -> Bool {
        if isStarting {
            guard failedRole == nil else { return true }
            failedRole = plugin.instance.role
            hasRefusedSettings = true
            record(plugin, reason, .end)
            return true
        }
        guard plugin.plan.onFailure == .restart else { return false }
        guard slots[plugin.instance] != nil else { return true }
        record(plugin, reason, .off)
        guard !isEnding else { return true }
        events.send(
            .note(
                role: plugin.instance.role,
                text: "it can't use its settings, and is not started again"))
        restarts.forget(plugin.number)
        drop(plugin)
        return true
    }

    /// Has a plugin started again that has failed; one that failed too often stays away.
    private mutating func restart(_ plugin: SessionPlugin, because reason: String?) {
        let instance = plugin.instance
        let wait = restarts.wait(of: plugin.number)
        guard wait == nil || wait == .steps, slots[instance] != nil else { return }
        // A new life begins in a new process.
        instance.giveUp(because: "it failed")
        guard !isEnding else {
            record(plugin, reason, .off)
            return
        }
        let now = clock.now
        guard let delay = restarts.lost(plugin.number, at: now) else {
            record(plugin, reason, .off)
            events.send(
                .note(
                    role: instance.role,
                    text: "it was lost \(Backoff.delays.count + 1) times within a minute, and is "
                        + "not started again"))
            drop(plugin)
            return
        }
        record(plugin, reason, .restart)
        if wait == nil { announceSlate(of: plugin, SlateText.restarting) }
        events.send(.pluginRestarts(role: instance.role, seconds: Double(delay) / 1e9))
    }

    /// Records a loss for the report.
    private mutating func record(
        _ plugin: SessionPlugin, _ evidence: String?, _ policy: FailurePolicy
    ) {
        losses.add(
            PluginLoss(
                role: plugin.instance.role, seconds: max(0, Double(clock.now - epoch) / 1e9),
                evidence: evidence ?? "it failed", policy: policy, awaySeconds: nil))
    }

    /// Schedules a slate, unless the video returns soon.
    private mutating func announceSlate(
        of plugin: SessionPlugin, _ text: (VideoTrackKind) -> SlateText
    ) {
        // Black by command stays.
        guard let track = plugin.videoTrack, !isStopped(plugin) else { return }
        slates.announce(text(track), on: track, at: clock.now)
    }

    /// Continues without a plugin.
    private mutating func drop(_ plugin: SessionPlugin) {
        guard remove(plugin) else { return }
        wasDropped = true
        if isNeeded(plugin) { hasLostCall = true }
        announceSlate(of: plugin, SlateText.lost)
        events.send(.pluginDropped(role: plugin.instance.role))
    }

    /// Removes a plugin from the session, after ending it as far as possible.
    @discardableResult
    private mutating func remove(_ plugin: SessionPlugin) -> Bool {
        guard slots.remove(plugin) else { return false }
        silence.excuse(plugin.number)
        let instance = plugin.instance
        for step in LifecycleTable.stepsToEnd(from: instance.lifecycle) {
            let pending = instance.begin(ending: step)
            let deadline = clock.host.deadline(after: steps.deadlineNanoseconds)
            guard instance.finish(pending, until: deadline) != nil else {
                events.send(
                    .callbackHangs(
                        role: instance.role, callback: .lifecycle(step),
                        seconds: Double(steps.deadlineNanoseconds) / 1e9))
                instance.giveUp(because: "it hangs in \(step)")
                break
            }
        }
        return true
    }
}

// MARK: - The end

extension SessionPlugins {
    /// Records the losses of outputs that gave up at their end.
    mutating func recordFailedEnds() {
        for output in slots.outputs where !isAway(output) && output.instance.role != failedRole {
            guard let (status, reason) = output.instance.gaveUp, status != .ok else { continue }
            record(output, reason, .off)
        }
    }

    /// The numbers of the outputs that take nothing now: that are away, have failed, or refuse all.
    ///
    /// - Parameter orLost: Whether to count those that have lost what they write to.
    func failedOutputs(orLost: Bool) -> Set<Int> {
        let failed = slots.outputs.filter { output in
            let (instance, feed) = (output.instance, output.feed)
            return isAway(output) || instance.fault != nil
                || instance.gaveUp.map { $0.status != .ok } ?? false
                || feed?.hasRefusedAll ?? false
                || orLost && feed?.control.condition?.state == .lost
        }
        return Set(failed.map(\.number))
    }
}

// MARK: - New lives

extension SessionPlugins {
    /// Starts to listen for plugins that connect by themselves.
    mutating func openListeners() {
        for plugin in slots.all {
            guard let arrivals = plugin.instance.arrivals else { continue }
            let (role, events, instance) = (plugin.instance.role, events, plugin.instance)
            do throws(LoadError) {
                try arrivals.open { arrival in
                    switch arrival {
                    case .waiting(let peer):
                        instance.tell(.broadcastArrived(role: role, text: peer))
                        events.wake()
                    case .refused(let peer):
                        instance.tell(.broadcastRefused(role: role, text: peer))
                    }
                }
                restarts.awaitConnection(of: plugin.number, isFirst: true, at: clock.now)
                // A broadcast may have audio or video alone: it owes none before it has connected with some.
                instance.audioIngest?.rest()
                plugin.input?.setUnconnected()
                announceSlate(of: plugin, SlateText.waiting)
            } catch {
                hasRefusedSettings = error.code == .noSocket
                events.send(
                    .stepFailed(
                        role: role, step: .broadcast,
                        status: hasRefusedSettings ? .badSetting : .unavailable,
                        reason: error.explanation))
                failedRole = role
                record(plugin, "\(error)", .end)
                return
            }
        }
    }

    /// Waits for a plugin that has left to connect again.
    private mutating func awaitReconnection(of plugin: SessionPlugin) {
        let instance = plugin.instance
        guard restarts.wait(of: plugin.number) != .connection else { return }
        // A finished plugin is no loss.
        if let reason = instance.fault { record(plugin, reason, .restart) }
        instance.giveUp(because: "it has left")
        restarts.awaitConnection(of: plugin.number, at: clock.now)
        announceSlate(of: plugin, SlateText.waiting)
        events.send(.note(role: instance.role, text: "it has left, and may connect again"))
    }

    /// Starts the plugins whose restart is due.
    mutating func startDueRestarts() {
        let now = clock.now
        for plugin in slots.all {
            let isConnecting = plugin.instance.arrivals?.hasPendingPeer == true
            guard restarts.isDue(plugin.number, isConnecting: isConnecting, at: now) else {
                continue
            }
            restarts.begin(plugin.number)
            begin(plugin) { $0.beginCreate() }
        }
    }

    /// Makes the next step of a new life, after a step that succeeded.
    mutating func advance(_ plugin: SessionPlugin, after step: LifecycleStep) {
        guard !isEnding else { return }
        switch step {
        case .create:
            let offer = negotiations.fresh(to: plugin, at: clock.now - epoch)
            begin(plugin) { $0.beginInitialize(offer: offer) }
        case .initialize:
            settleChange(of: plugin)
            if let feed = plugin.feed {
                let tracks = tracks(for: plugin) + feed.takeQuestions()
                begin(plugin) { $0.beginDescribing(tracks) }
            } else if isStopped(plugin) {
                didRestart(plugin)
            } else {
                begin(plugin) { $0.beginStartSend() }
            }
        case .track where isStopped(plugin): didRestart(plugin)
        case .track: begin(plugin) { $0.beginStartSend() }
        case .startSend: didRestart(plugin)
        default: break
        }
    }

    /// Records that a plugin is back.
    mutating func didRestart(_ plugin: SessionPlugin) {
        let instance = plugin.instance
        guard let (away, settings) = restarts.finish(plugin.number, at: clock.now) else { return }
        if let track = plugin.videoTrack { slates.cancel(on: track) }
        if let away {
            let seconds = Double(away) / 1e9
            losses.returned(instance.role, after: seconds)
            events.send(.pluginReturned(role: instance.role, seconds: seconds))
        } else if instance.arrivals != nil {
            plugin.input?.setStarted()
            events.send(.note(role: instance.role, text: "it is connected"))
        }
        guard slots[instance] != nil else { return }
        for setting in settings { begin(plugin, setting: setting) }
    }
}
