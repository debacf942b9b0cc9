import GreenroomIPC
import GreenroomRuntime
import GreenroomSandbox
import GreenroomLifecycle

/// Another instance in a process that hosts one already. It has its own connection; the first
/// runner confines, measures and ends the process.
final class CompanionRunner: AttachedRunner {
    let connection: RunnerConnection
    let process: ProcessHandle
    private let first: SpawnedRunner
    /// The process of a session that it shares with other instances; nil in the validator.
    private let common: CommonProcess?

    /// - Throws: ``ChannelError`` if memory can't be shared.
    init(
        beside first: SpawnedRunner, frames: SharedMemory?, context: InstanceContext,
        observer: (any InstanceObserver)?, in common: CommonProcess? = nil
    ) throws(ChannelError) {
        let channels = try Channels()
        self.first = first
        self.common = common
        process = ProcessHandle(first.process.id)
        connection = RunnerConnection(
            try first.connection.addInstance(), channels, frames: frames, of: process.id,
            context: context, observer: observer
        ) { socket in
            // The host kills an instance that hangs, and it hangs in this process.
            if let common { common.kill(context.handle) } else { socket.disconnect() }
        }
        _ = HostThread(name: "watch \(context.role)") { [self] in watch() }
    }

    var program: String { first.confinement.program }
    var isFrozen: Bool { first.isFrozen }
    var isDebugged: Bool { first.isDebugged }
    var hindrance: String? { first.hindrance }

    var sandbox: SandboxReport? { common?.sandbox }

    var evidence: String? {
        common?.waitForEnd()
        return common?.evidence
    }

    func willLose() { common?.remove(connection.context.handle) }
    func didDisconnect() {}
}
