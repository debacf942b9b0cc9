import GreenroomIPC
import GreenroomRuntime
import GreenroomLifecycle

/// Another instance in a process that hosts one already. It has its own connection; the first
/// runner confines, measures and ends the process.
final class CompanionRunner: AttachedRunner {
    let connection: RunnerConnection
    let process: ProcessHandle
    private let first: SpawnedRunner

    /// - Throws: ``ChannelError`` if memory can't be shared.
    init(
        beside first: SpawnedRunner, frames: SharedMemory?, context: InstanceContext,
        observer: (any InstanceObserver)?
    ) throws(ChannelError) {
        let channels = try Channels()
        self.first = first
        process = ProcessHandle(first.process.id)
        connection = RunnerConnection(
            try first.connection.addInstance(), channels, frames: frames, of: process.id,
            context: context, observer: observer
        ) { $0.disconnect() }
        _ = HostThread(name: "watch \(context.role)") { [self] in watch() }
    }

    var program: String { first.confinement.program }
    var isFrozen: Bool { first.isFrozen }
    var isDebugged: Bool { first.isDebugged }
    var hindrance: String? { first.hindrance }

    func didDisconnect() {}
}
