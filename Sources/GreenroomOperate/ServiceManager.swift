import CLinux
import Glibc
package import GreenroomSession
import GreenroomSystem

/// Notifies a service manager such as systemd of a session's start, end and life (sd_notify(3)).
package struct ServiceManager: Sendable {
    /// A path, or a name that begins with `@`.
    private let address: String

    /// nil if no service manager waits for a word.
    package init?() {
        guard let address = environmentVariable("NOTIFY_SOCKET"),
            address.hasPrefix("/") || address.hasPrefix("@")
        else { return nil }
        self.address = address
    }

    /// Tells it.
    ///
    /// - Parameter state: Such as `READY=1`.
    package func tell(_ state: String) {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
        // An abstract socket name begins with NUL.
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let bytes = Array(state.utf8)
        withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    /// Asks it for more time to stop, so that it does not kill a session that drains.
    package func extendStop(by timeout: Duration) {
        // The session's end takes time as well: as much as the unit's TimeoutStopSec.
        let seconds = timeout.components.seconds + 30
        tell("EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000)")
    }

    /// Tells it that the session is alive, as often as it wants to hear, for as long as the session's
    /// own thread works.
    package func keepAlive(_ session: Session) {
        guard let text = environmentVariable("WATCHDOG_USEC"),
            let limit = UInt64(text), limit > 0
        else { return }
        DetachedThread {
            var last = -1.0
            while true {
                // The session updates its report every second.
                let seconds = session.timedReport?.seconds ?? 0
                if session.timedReport == nil || seconds != last { tell("WATCHDOG=1") }
                last = seconds
                // Do not sleep, because the virtual clock looks for sleeping threads.
                poll(nil, 0, Int32(clamping: max(limit / 3000, 1100)))
            }
        }
    }
}
