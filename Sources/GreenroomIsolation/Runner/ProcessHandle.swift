import CLinux
import Glibc

/// A process by its pidfd, which never refers to a later process with the same id.
final class ProcessHandle: Sendable {
    /// The process id; 0 if the process is in another container and has no id here.
    let id: pid_t
    /// The pidfd, readable after the process has ended; negative if none.
    let descriptor: Int32

    init(_ id: pid_t) {
        self.id = id
        descriptor = id > 0 ? greenroom_pidfd(id) : -1
    }

    /// - Parameter descriptor: The pidfd; the handle closes it.
    init(_ id: pid_t, adopting descriptor: Int32) {
        self.id = id
        self.descriptor = descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func send(signal: Int32) { greenroom_pidfd_kill(descriptor, signal) }
}
