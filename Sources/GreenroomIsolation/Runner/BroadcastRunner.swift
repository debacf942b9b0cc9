import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomLifecycle

/// The runner of a broadcast: a process that connected to this host's socket, with its own rights
/// and memory.
final class BroadcastRunner: AttachedRunner {
    let connection: RunnerConnection
    let process: ProcessHandle
    /// The path of the socket.
    let program: String
    private let leave: @Sendable () -> Void

    /// Takes over the connection of a peer.
    ///
    /// - Parameter leave: The function to call after the broadcast has disconnected.
    /// - Throws: ``ChannelError`` if memory cannot be shared.
    init(
        _ peer: PendingPeer, at path: String, frames: SharedMemory?, context: InstanceContext,
        leave: @escaping @Sendable () -> Void
    ) throws(ChannelError) {
        let channels = try Channels()
        program = path
        process = ProcessHandle(peer.process)
        self.leave = leave
        connection = RunnerConnection(
            try peer.socket.copy(), channels, frames: frames, context: context
        ) { $0.disconnect() }
        _ = HostThread(name: "watch \(context.role)") { [self] in watch() }
    }

    func didDisconnect() { leave() }
}
