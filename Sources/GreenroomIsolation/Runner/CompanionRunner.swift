import GreenroomIPC
import GreenroomRuntime
import GreenroomSandbox
import GreenroomLifecycle

/// A runner of another instance in a process that already hosts one. The runner has its own
/// connection. The first runner confines and measures a process of this host, and ends the process.
final class CompanionRunner: AttachedRunner {
    let connection: RunnerConnection
    let process: ProcessHandle
    private let first: any FirstRunner
    /// The session's process with several instances; nil in the validator.
    private let common: CommonProcess?

    /// - Throws: ``ChannelError`` if memory cannot be shared.
    init(
        beside first: any FirstRunner, frames: SharedMemory?, context: InstanceContext,
        observer: (any InstanceObserver)?, in common: CommonProcess? = nil
    ) throws(ChannelError) {
        let channels = try Channels()
        self.first = first
        self.common = common
        process = ProcessHandle(first.process.id)
        connection = RunnerConnection(
            try first.connection.addInstance(), channels, frames: frames,
            of: first is SpawnedRunner ? process.id : nil, context: context, observer: observer
        ) { socket in
            // If an instance hangs, the host kills this process with all instances.
            if let common { common.kill(context.handle) } else { socket.disconnect() }
        }
        _ = HostThread(name: "watch \(context.role)") { [self] in watch() }
    }

    var program: String { first.program }
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
