import CLinux
import Glibc
import GreenroomIPC
import GreenroomSystem
import SystemPackage

/// A process that has connected.
///
/// Its descriptor goes with it, unless somebody takes that over.
final class PendingPeer: Sendable {
    let socket: ControlSocket
    /// 0 if it can't be named here.
    let process: pid_t
    let user: uid_t
    /// When it connected.
    let arrival: Int64

    /// - Returns: nil if it has gone already.
    init?(adopting descriptor: Int32, at now: Int64) {
        socket = ControlSocket(adopting: descriptor)
        var (process, user): (pid_t, uid_t) = (0, 0)
        guard greenroom_peer(descriptor, &process, &user) == 0 else { return nil }
        self.process = process
        self.user = user
        arrival = now
    }

    /// Who it is, for people.
    var description: String {
        let name = process > 0 ? Self.name(of: process).map { "\($0), " } ?? "" : ""
        return process > 0 ? "\(name)process \(process)" : "a process of another container"
    }

    /// Sends it away.
    func refuse(_ reason: BroadcastRefusal) {
        socket.send(.refusal, reason.rawValue)
        // Closed with something unread, the socket would tell the pendingPeer of a broken connection
        // instead of the reason.
        shutdown(socket.descriptor, Int32(SHUT_RD))
        while case .message(let message) = socket.receive(waits: false) {
            ControlSocket.discard(message.descriptors)
        }
    }

    /// What the kernel calls a process. It has chosen that name: only what is harmless in a log is
    /// taken of it.
    private static func name(of process: pid_t) -> String? {
        let bytes = (try? FileDescriptor.contents(of: "/proc/\(process)/comm")) ?? []
        let harmless = bytes.filter { (0x21...0x7e).contains($0) }
        return harmless.isEmpty ? nil : String(decoding: harmless, as: UTF8.self)
    }
}
