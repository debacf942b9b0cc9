import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime

extension SessionPlugins {
    /// A plugin that was lost and is to come back, or has not come yet.
    struct PendingRestart {
        /// What it waits for.
        enum Wait: Equatable {
            /// To be started, at a time on the session clock.
            case start(at: Int64)
            /// To arrive by itself.
            case arrival
            /// For its new life to begin, step by step.
            case steps
        }

        /// When it was lost, on the session clock.
        var since: Int64
        var wait: Wait
    }

    /// A slate that is to be shown if the picture stays away.
    struct DueSlate {
        var kind: VideoTrackKind
        var due: Int64
        var text: SlateText
    }

    /// How long the last picture stays before a slate takes its place, in nanoseconds.
    private static let slateDelay: Int64 = 1_000_000_000

    /// Whether a plugin is lost, and waits for its next life or is in the middle of its beginning.
    func isAway(_ instance: PluginInstance) -> Bool { pendingRestarts[instance.number] != nil }

    /// Lets a plugin come back that has failed, unless it failed too often: then it stays away.
    mutating func restart(_ source: Source) {
        let instance = source.instance
        let pendingRestart = pendingRestarts[instance.number]
        // Of a loss everybody hears who waits for the plugin, also when that was the last one.
        guard pendingRestart == nil || pendingRestart?.wait == .steps,
            all.contains(where: { $0.instance === instance })
        else { return }
        let reason = instance.fault ?? instance.gaveUp?.reason
        // A new life begins in a new process.
        instance.giveUp(because: "it failed")
        let now = clock.now
        guard !isEnding else {
            record(instance, lostAt: now, reason, .off)
            return
        }
        let since = pendingRestart?.since ?? now
        guard let delay = backoffs[instance.number, default: Backoff()].lost(at: now) else {
            pendingRestarts[instance.number] = nil
            record(instance, lostAt: now, reason, .off)
            events.send(
                .note(
                    role: instance.role,
                    text: "it was lost \(Backoff.delays.count + 1) times within a minute, and is "
                        + "not started again"))
            drop(source)
            return
        }
        record(instance, lostAt: now, reason, .restart)
        pendingRestarts[instance.number] = PendingRestart(
            since: since, wait: .start(at: now + delay))
        if pendingRestart == nil { announceSlate(of: instance, SlateText.restarting, at: now) }
        events.send(.pluginRestarts(role: instance.role, seconds: Double(delay) / 1e9))
    }

    /// When a plugin is to be started again next, or a slate to be shown, on the session clock.
    var nextRestart: Int64? {
        let starts = pendingRestarts.values.compactMap { pendingRestart -> Int64? in
            if case .start(let due) = pendingRestart.wait { due } else { nil }
        }
        return (starts + slates.map(\.due)).min()
    }

    /// Starts the plugins again whose time has come.
    mutating func startDueRestarts() {
        let now = clock.now
        for source in all {
            let number = source.instance.number
            switch pendingRestarts[number]?.wait {
            case .start(let due) where due <= now: break
            case .arrival where source.instance.arrivals?.hasPendingPeer == true: break
            default: continue
            }
            pendingRestarts[number]?.wait = .steps
            // It is made with them.
            pendingSettings[number] = nil
            begin(source) { $0.beginCreate() }
        }
    }

    /// Waits for plugins that arrive by themselves.
    mutating func openListeners() {
        for source in all {
            guard let arrivals = source.instance.arrivals else { continue }
            let (role, events, instance) = (source.instance.role, events, source.instance)
            do throws(LoadError) {
                try arrivals.open { arrival in
                    switch arrival {
                    case .waiting(let who):
                        instance.tell(.broadcastArrived(role: role, text: who))
                        events.wake()
                    case .refused(let who):
                        instance.tell(.broadcastRefused(role: role, text: who))
                    }
                }
                pendingRestarts[source.instance.number] = PendingRestart(
                    since: clock.now, wait: .arrival)
                announceSlate(of: source.instance, SlateText.waiting, at: clock.now)
            } catch {
                events.send(
                    .stepFailed(
                        role: role, step: "broadcast", status: .unavailable,
                        reason: error.explanation))
                failedRole = role
                return
            }
        }
    }

    /// Lets nobody in any more.
    func closeListeners() {
        for instance in everyone { instance.arrivals?.close() }
    }

    /// Waits for a plugin that has left to arrive once more.
    mutating func waitForPeer(_ source: Source) {
        let instance = source.instance
        guard pendingRestarts[instance.number]?.wait != .arrival else { return }
        // One that has finished is no loss.
        if let reason = instance.fault { record(instance, lostAt: clock.now, reason, .restart) }
        instance.giveUp(because: "it has left")
        pendingRestarts[instance.number] = PendingRestart(since: clock.now, wait: .arrival)
        announceSlate(of: instance, SlateText.waiting, at: clock.now)
        events.send(.note(role: instance.role, text: "it has left, and may come again"))
    }

    /// Takes the slates that are due.
    mutating func takeSlates() -> [DueSlate] {
        let now = clock.now
        defer { slates.removeAll { $0.due <= now } }
        return slates.filter { $0.due <= now }
    }

    /// Goes on with the beginning of a new life, after a step of it that succeeded.
    mutating func advance(_ source: Source, after step: LifecycleStep) {
        let instance = source.instance
        guard pendingRestarts[instance.number] != nil, !isEnding else { return }
        switch step {
        case .create:
            guard let offer = freshOffer(to: instance) else {
                begin(source) { $0.beginInitialize(offer: nil) }
                return
            }
            begin(source) { $0.beginInitialize(offer: offer) }
        case .initialize:
            settleChange(of: instance)
            if switchedOff.contains(instance.number) {
                welcome(instance)
            } else {
                begin(source) { $0.beginStartSend() }
            }
        case .startSend: welcome(instance)
        default: break
        }
    }

    /// A plugin is back.
    mutating func welcome(_ instance: PluginInstance) {
        guard let pendingRestart = pendingRestarts.removeValue(forKey: instance.number) else {
            return
        }
        let kind = kind(of: instance)
        slates.removeAll { $0.kind == kind }
        let seconds = Double(clock.now - pendingRestart.since) / 1e9
        if let last = losses.lastIndex(where: { $0.role == instance.role }) {
            losses[last].awaySeconds = seconds
        }
        events.send(.pluginReturned(role: instance.role, seconds: seconds))
        guard let source = all.first(where: { $0.instance === instance }), !isPumping(instance)
        else { return }
        for setting in pendingSettings.removeValue(forKey: instance.number) ?? [] {
            begin(source) { $0.beginSetParameter(setting) }
        }
    }

    /// What a plugin is offered at the beginning of a new life; nil for sound.
    private mutating func freshOffer(to instance: PluginInstance) -> Offer? {
        if let index = negotiations.firstIndex(where: { $0.instance === instance }) {
            return negotiations[index].renew(at: clock.now - epoch)
        }
        guard instance.descriptor.kind == .preProcessor else { return nil }
        return filterOffer
    }

    /// Has a slate shown unless the picture comes back soon.
    mutating func announceSlate(
        of instance: PluginInstance, _ text: (VideoTrackKind) -> SlateText, at now: Int64
    ) {
        guard let kind = kind(of: instance) else { return }
        slates.removeAll { $0.kind == kind }
        slates.append(DueSlate(kind: kind, due: now + Self.slateDelay, text: text(kind)))
    }

    private func kind(of instance: PluginInstance) -> VideoTrackKind? {
        switch instance.descriptor.kind {
        case .videoSource: .camera
        case .shareSource: .share
        case .preProcessor, .virtualMic, .shareAudioSource: nil
        }
    }

    /// Takes a loss down for the report.
    mutating func record(
        _ instance: PluginInstance, lostAt moment: Int64, _ evidence: String?,
        _ policy: FailurePolicy
    ) {
        guard losses.count < Self.mostLosses else { return }
        losses.append(
            PluginLoss(
                role: instance.role, seconds: max(0, Double(moment - epoch) / 1e9),
                evidence: evidence ?? "it failed", policy: policy, awaySeconds: nil))
    }

    private static let mostLosses = 1000
}

/// A plugin that was lost.
struct PluginLoss: Sendable {
    var role: String
    /// Session time.
    var seconds: Double
    /// Why, in words.
    var evidence: String
    /// What the session did about it.
    var policy: FailurePolicy
    /// How long it was away; nil if it did not come back from this loss.
    var awaySeconds: Double?
}
