import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomLifecycle

/// The first runner of a program that connected to this host's socket. The process has the rights
/// and the memory that its own starter gave it.
final class ConnectedRunner: AttachedRunner {
    let connection: RunnerConnection
    let process: ProcessHandle
    /// The path of the socket.
    let program: String
    private let leave: @Sendable () -> Void

    /// Takes over the connection of a program.
    ///
    /// - Parameter leave: The function to call after the program has disconnected.
    /// - Throws: ``ChannelError`` if memory cannot be shared.
    init(
        _ peer: PendingPeer, at path: String, context: InstanceContext,
        leave: @escaping @Sendable () -> Void
    ) throws(ChannelError) {
        let channels = try Channels()
        program = path
        process = ProcessHandle(peer.process)
        self.leave = leave
        connection = RunnerConnection(
            try peer.socket.copy(), channels, frames: nil, context: context
        ) { $0.disconnect() }
        _ = HostThread(name: "watch \(context.role)") { [self] in watch() }
    }

    func didDisconnect() { leave() }
}
