import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomPluginInterface
package import GreenroomMedia
import Synchronization

extension Runner {
    /// How far a life has come.
    enum Stage {
        case absent
        case created
        case initialized
        case sending
        case destroyed
    }

    /// How a life has ended.
    package enum Ending: Equatable, Sendable {
        /// By every step that was due.
        case inOrder
        /// The plugin returned that from one of its steps.
        case failed(Status)
        /// The host is gone.
        case lost
    }

    var isShare: Bool {
        state.withLock { $0.descriptor?.kind.facts.canPause ?? false }
    }

    /// Whether the plugin does not get an extension of the host that it would get in a session.
    func withholds(_ id: UnsafePointer<CChar>) -> Bool {
        state.withLock { state in state.withheldExtension.map { strcmp($0, id) == 0 } ?? false }
    }

    /// Takes note of a step that has been made.
    func note(_ call: Call, _ status: Status) {
        state.withLock { state in
            guard status == .ok else {
                if call == .initialize || call == .startSend { state.failure = status }
                return
            }
            switch call {
            case .initialize, .stopSend: state.stage = .initialized
            case .startSend: state.stage = .sending
            case .uninitialize: state.stage = .created
            case .destroy: state.stage = .destroyed
            default: break
            }
        }
    }

    /// Says to the host that nothing more will be sent; it ends the life then. Without one, the
    /// host is left. [any]
    package func finish() {
        let instance = state.withLock { $0.stage == .absent ? nil : $0.instance.own }
        guard let instance else { return leave() }
        // On a thread of its own, whose channel goes back with it.
        Thread.start {
            _ = RunnerInterface.broadcast.pointee.finished(instance, "the share has finished")
        }
    }

    /// Ends what the host has left behind: makes the steps that are due, and gives the channels of
    /// the calling thread back. Called once, after ``run()``, on the same thread.
    package func end() -> Ending {
        // Whoever waits for the host, or calls it from now on, hears that it is gone.
        leave()
        let (functions, stage, failure) = state.withLock { ($0.functions, $0.stage, $0.failure) }
        if let functions {
            if stage == .sending { functions.stopSend() }
            if stage == .sending || stage == .initialized { functions.uninitialize() }
            functions.destroy()
            state.withLock { $0.functions = nil }
        }
        RunnerInterface.runners.withLock { $0.removeAll { $0 === self } }
        ThreadChannels.forget(self)
        if let failure { return .failed(failure) }
        return stage == .destroyed ? .inOrder : .lost
    }
}
