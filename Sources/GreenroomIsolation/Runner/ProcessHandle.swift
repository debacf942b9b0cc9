import CLinux
import Glibc

/// A process by its descriptor, which never means another process that gets the same number later.
final class ProcessHandle: Sendable {
    /// 0 if the process can't be named here: it runs in another container.
    let id: pid_t
    /// Readable once the process has ended; negative if there is none.
    let descriptor: Int32

    init(_ id: pid_t) {
        self.id = id
        descriptor = id > 0 ? greenroom_pidfd(id) : -1
    }

    /// - Parameter descriptor: The process's; closed with the handle.
    init(_ id: pid_t, adopting descriptor: Int32) {
        self.id = id
        self.descriptor = descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func send(signal: Int32) { greenroom_pidfd_kill(descriptor, signal) }
}
