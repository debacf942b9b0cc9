import GreenroomDecisions
import GreenroomModel
import GreenroomLifecycle
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

extension SessionPlugins {
    /// Detects plugins that reported a failure, and plugins that the host abandoned.
    mutating func findLost() {
        for plugin in slots.all {
            let instance = plugin.instance
            if instance.fault != nil {
                fail(plugin)
            } else if let (status, _) = instance.gaveUp, instance.lifecycle != .destroyed {
                handle(
                    .gaveUp(plugin.number, isInOrder: status == .ok, instance.failure()))
            }
        }
    }

    /// Handles a plugin that has failed.
    ///
    /// - Parameter reason: The failed step's error; nil if the host or the plugin reported the
    ///   failure.
    mutating func fail(_ plugin: SessionPlugin, because reason: String? = nil) {
        handle(.lost(plugin.number, plugin.instance.failure(of: reason)))
    }
}

// MARK: - Termination

extension SessionPlugins {
    /// Records the losses of outputs that reported a failure at their end.
    mutating func recordFailedEnds() {
        for output in slots.outputs {
            guard let (status, reason) = output.instance.gaveUp, status != .ok else { continue }
            handle(.failedAtEnd(output.number, reason: reason))
        }
    }

    /// The numbers of the outputs that take no media now: absent, failed, or refusing every track.
    ///
    /// - Parameter orLost: Whether to count outputs that have lost their destination, or have not reached it.
    func failedOutputs(orLost: Bool) -> Set<Int> {
        let failed = slots.outputs.filter { output in
            let (instance, feed) = (output.instance, output.feed)
            // An output that has finished has not failed, even if it still makes its last steps.
            return isAway(output) && instance.gaveUp?.status != .ok || instance.fault != nil
                || instance.gaveUp.map { $0.status != .ok } ?? false
                || feed?.hasRefusedAll ?? false
                || orLost && feed?.control.condition.map { $0.state != .live } ?? false
        }
        return Set(failed.map(\.number))
    }
}

// MARK: - Programs that connect

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
                        instance.tell(.programConnected(role: role, text: peer))
                        events.wake()
                    case .refused(let peer):
                        instance.tell(.programRefused(role: role, text: peer))
                    }
                }
                handle(.listens(plugin.number))
                // No media is due before the program connects.
                instance.audioIngest?.rest()
                plugin.input?.setUnconnected()
            } catch {
                let isBadSetting = error.code == .noSocket
                events.send(
                    .stepFailed(
                        role: role, step: .connect,
                        status: isBadSetting ? .badSetting : .unavailable,
                        reason: error.explanation))
                handle(
                    .failedToListen(
                        plugin.number,
                        PluginFailure(step: "\(error)", cause: isBadSetting ? .badSettings : .other)
                    ))
                return
            }
        }
    }
}
