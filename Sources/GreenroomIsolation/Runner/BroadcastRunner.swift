import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomSession

/// A broadcast: a process that has connected to this host's socket, with rights and memory of its
/// own.
final class BroadcastRunner: AttachedRunner {
    let connection: RunnerConnection
    let process: ProcessHandle
    /// The path of the socket.
    let program: String
    private let leave: @Sendable () -> Void

    /// Takes a peer over.
    ///
    /// - Parameter leave: Called once it has disconnected.
    /// - Throws: ``ChannelError`` if there is no memory for it.
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
