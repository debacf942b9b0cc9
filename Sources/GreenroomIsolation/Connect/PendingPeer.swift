import CLinux
import Glibc
import GreenroomIPC
import GreenroomSystem
import SystemPackage

/// A process connected to a socket for programs.
final class PendingPeer: Sendable {
    let socket: ControlSocket
    /// The process id; 0 if the peer is in another container and has no id here.
    let process: pid_t
    let user: uid_t
    /// The time of the connection, in nanoseconds on the monotonic clock.
    let connectedAt: Int64

    /// - Parameter descriptor: The connection's descriptor. The peer closes it.
    /// - Returns: The peer; nil if it has disconnected.
    init?(adopting descriptor: Int32, at now: Int64) {
        socket = ControlSocket(adopting: descriptor)
        var (process, user): (pid_t, uid_t) = (0, 0)
        guard greenroom_peer(descriptor, &process, &user) == 0 else { return nil }
        self.process = process
        self.user = user
        connectedAt = now
    }

    /// The name and id of the peer's process.
    var description: String {
        let name = process > 0 ? Self.name(of: process).map { "\($0), " } ?? "" : ""
        return process > 0 ? "\(name)process \(process)" : "a process of another container"
    }

    /// Sends a refusal and disconnects.
    func refuse(_ reason: ProgramRefusal) {
        socket.send(.refusal, reason.rawValue)
        // Closing a socket with unread messages would send ECONNRESET instead of the reason.
        shutdown(socket.descriptor, Int32(SHUT_RD))
        while case .message(let message) = socket.receive(waits: false) {
            ControlSocket.discard(message.descriptors)
        }
    }

    /// The kernel's name of a process, reduced to printable ASCII because the process chooses it.
    private static func name(of process: pid_t) -> String? {
        let bytes = (try? FileDescriptor.contents(of: "/proc/\(process)/comm")) ?? []
        let printable = bytes.filter { (0x21...0x7e).contains($0) }
        return printable.isEmpty ? nil : String(decoding: printable, as: UTF8.self)
    }
}
