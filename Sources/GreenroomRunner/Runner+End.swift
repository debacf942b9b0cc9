import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomPluginInterface
package import GreenroomMedia
import Synchronization

extension Runner {
    /// The instance's position in the lifecycle.
    enum Stage {
        case none
        case created
        case initialized
        case sending
        case destroyed
    }

    /// The end of the instance.
    package enum Ending: Equatable, Sendable {
        /// The host executed every step of the lifecycle.
        case inOrder
        /// The plugin refused a step with this status.
        case failed(Status)
        /// The host disconnected before the last step.
        case lost
    }

    /// Records a step and its status.
    func record(_ call: PluginCall, _ status: Status) {
        state.withLock { state in
            switch call {
            case .initialize, .startSend:
                guard status == .ok else { return state.failure = status }
                state.stage = if case .startSend = call { .sending } else { .initialized }
            case .stopSend: state.stage = .initialized
            case .uninitialize: state.stage = .created
            case .destroy:
                state.stage = .destroyed
                state.functions = nil
            default: break
            }
        }
    }

    /// Reports to the host that every plugin of this process has finished, so that the host ends the
    /// instances. [any]
    ///
    /// - Returns: Whether the process has an instance.
    package static func finishAll() -> Bool {
        let instances = all.withLock { runners in
            runners.compactMap { runner -> UInt64? in
                runner.state.withLock { state in
                    guard state.stage != .none, !state.hasGivenUp else { return nil }
                    return state.instance.own
                }
            }
        }
        guard !instances.isEmpty else { return false }
        // Use a new thread, which frees its channels when it ends.
        Thread.start {
            for instance in instances {
                HostInterface.host.pointee.give_up(
                    instance, Status.ok.rawValue, "the program has finished")
            }
        }
        return true
    }

    /// Executes the remaining steps of the lifecycle, and frees the calling thread's channels. Call
    /// it once, after ``run()``, on the same thread.
    package func end() -> Ending {
        // After this the plugin's calls return GONE.
        disconnect()
        let (functions, stage, failure) = state.withLock { ($0.functions, $0.stage, $0.failure) }
        if let functions {
            if stage == .sending { functions.perform(.stopSend) }
            if stage == .sending || stage == .initialized { functions.perform(.uninitialize) }
            functions.perform(.destroy)
            state.withLock { $0.functions = nil }
        }
        Self.remove(self)
        ThreadChannels.forget(self)
        if let failure { return .failed(failure) }
        return stage == .destroyed ? .inOrder : .lost
    }
}
