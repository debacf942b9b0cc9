import GreenroomDecisions
import GreenroomModel
import GreenroomLifecycle
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

extension SessionPlugins {
    /// Detects sources that owe media and send none: logs the silence, shows a slate, and fails the
    /// source after the callbacks' deadline.
    ///
    /// - Parameter offTheClock: The numbers of plugins that do not wait on the virtual clock.
    mutating func watchSilence(except offTheClock: Set<Int>) {
        for plugin in slots.sources {
            let instance = plugin.instance
            guard !isEnding, isOwing(plugin), !offTheClock.contains(plugin.number),
                !instance.isDebugged, let promise = promise(of: plugin)
            else {
                silence.excuse(plugin.number)
                continue
            }
            // Set this before the look, so that later media wakes the session.
            if silence.isTold(plugin.number) { instance.wakeOnActivity() }
            let finding = silence.look(
                at: plugin.number, accepted: instance.acceptedSinceStart,
                newest: plugin.input?.newestArrival, promise: promise,
                deadline: instance.deadline(plan.configuration.silenceDeadline.nanoseconds),
                startDeadline: plugin.plan.configuration.startDeadline?.nanoseconds, now: clock.now)
            switch finding {
            case nil: break
            case .silent(let nanoseconds, let isFirst):
                handle(.silent(plugin.number))
                events.send(
                    .sourceSilent(
                        role: instance.role, seconds: Double(nanoseconds) / 1e9,
                        text: text(
                            of: promise,
                            isFirst ? "since it was started" : "for \(seconds(nanoseconds)) s",
                            instance.newestRefusals, instance.hindrance,
                            isPython: instance.descriptor.id.hasPrefix("python."))))
            case .sends(let nanoseconds):
                events.send(
                    .sourceSends(role: instance.role, seconds: Double(nanoseconds) / 1e9))
            // A program that connects may pause; its silence is not a failure.
            case .failed where instance.arrivals != nil: break
            case .failed(let nanoseconds):
                let unit = plugin.role?.medium == .audio ? "audio" : "frame"
                let reason =
                    "no \(unit) accepted for \(seconds(nanoseconds)) s"
                    + (instance.newestRefusals.counts.map { ": \($0)" }
                        ?? instance.hindrance.map { ". \($0)" } ?? "")
                events.send(.pluginLost(role: instance.role, evidence: reason))
                fail(plugin, because: reason)
            }
        }
        handle(.timer)
    }

    /// Whether a source should be sending now.
    private func isOwing(_ plugin: SessionPlugin) -> Bool {
        let instance = plugin.instance
        return !isAway(plugin) && !state.rests(plugin.number) && !isPaused(plugin)
            && !instance.isHeld
            && instance.isStarted && instance.fault == nil && instance.gaveUp == nil
    }

    /// Whether the source has paused, or the share that the source's audio belongs to.
    private func isPaused(_ plugin: SessionPlugin) -> Bool {
        guard let role = plugin.role else { return false }
        return slots.sources.contains { source in
            source.instance.isPaused && source.role.map(role.follows) ?? false
        }
    }

    private func promise(of plugin: SessionPlugin) -> SourceSilence.Promise? {
        guard plugin.videoTrack != nil else { return .audio }
        if plugin.instance.descriptor.kind.facts.canPause { return .firstFrame }
        return negotiations[plugin]?.negotiator.track.map {
            // A slow camera may leave out two frames.
            .frames(within: $0.rate.dueNanoseconds(ofFrame: 3))
        }
    }

    private func text(
        of promise: SourceSilence.Promise, _ span: String, _ refusals: RefusalsInARow,
        _ hindrance: String?, isPython: Bool
    ) -> String {
        let (unit, stand, cure) =
            switch promise {
            case .frames:
                (
                    "frame", "showing a slate",
                    isPython
                        ? "Write draw(self, frame), or call send(planes) from start() on."
                        : "Send until stop-send, on a separate thread."
                )
            case .firstFrame:
                (
                    "frame", "showing a slate",
                    isPython
                        ? "Write draw(self, frame), or call send(planes) after start()."
                        : "Send the first frame after start-send."
                )
            case .audio:
                (
                    "audio", "playing silence",
                    isPython
                        ? "Write fill(self, block), or call play(pcm)."
                        : "Send zeros during silence."
                )
            }
        guard let counts = refusals.counts, let last = refusals.last else {
            return "no \(unit) accepted \(span); \(stand). \(hindrance ?? cure)"
        }
        return "no \(unit) accepted \(span): \(counts); \(stand). The last one: "
            + last.news
    }

    private func seconds(_ nanoseconds: Int64) -> Double {
        (Double(nanoseconds) / 1e8).rounded() / 10
    }
}
