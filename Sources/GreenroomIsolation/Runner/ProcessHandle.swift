import CLinux
import Glibc

/// A process by its pidfd, which never refers to a later process with the same id.
final class ProcessHandle: Sendable {
    /// The process id; 0 if the process is in another container and has no id here.
    let id: pid_t
    /// The pidfd, readable after the process has ended; negative if none.
    let descriptor: Int32
    /// The server that forked the process, which is its parent; nil if this process is.
    private let server: RunnerServer?

    init(_ id: pid_t) {
        self.id = id
        descriptor = id > 0 ? greenroom_pidfd(id) : -1
        server = nil
    }

    /// Creates the handle of a child process, which adopts its pidfd.
    init(_ child: ChildProcess, of server: RunnerServer?) {
        id = child.process
        descriptor = child.pidfd
        self.server = server
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func send(signal: Int32) { greenroom_pidfd_kill(descriptor, signal) }

    /// Reaps the process, which this host or a server started.
    ///
    /// - Returns: The code and status of `waitid`; nil while the process lives.
    func reap() -> (code: Int32, status: Int32)? {
        if let server { return hasEnded ? server.reap() : nil }
        var (code, status): (Int32, Int32) = (0, 0)
        return greenroom_reap(id, &code, &status) != 0 ? (code, status) : nil
    }

    /// Waits for the end of the process, and reaps it.
    func waitAndReap() {
        if let server {
            _ = server.reap()
        } else {
            waitpid(id, nil, 0)
        }
    }

    private var hasEnded: Bool {
        var ended = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ended, 1, 0) == 1
    }
}
