import Glibc
import GreenroomSession

/// Where `--y4m` writes to.
struct Y4MTarget: Sendable {
    let stream: Y4MStream
    /// What the user called it.
    let name: String
    private let descriptor: Int32

    /// Opens it. A named pipe is waited for until somebody reads it.
    init(_ path: String, screen: PreviewScreen) throws {
        name = path == "-" ? "standard output" : path
        if path == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw Failure(
                    .outputFailed,
                    "--y4m -: standard output is a terminal. Pipe it into a program, e.g. "
                        + "`greenroom preview PLUGIN --y4m - | ffplay -`.")
            }
            descriptor = STDOUT_FILENO
        } else {
            var status = stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
                screen.show("\(path): waiting for a reader")
            }
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else {
                throw Failure(
                    .outputFailed,
                    "--y4m \(path): it can't be opened: \(String(cString: strerror(errno))). Name a "
                        + "file in a folder that is there, a named pipe, or - for standard output.")
            }
        }
        stream = Y4MStream(descriptor: descriptor, name: name)
    }

    /// Whether whoever read it has gone.
    var hasLostItsReader: Bool {
        var query = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&query, 1, 0) == 1 && query.revents & Int16(POLLERR | POLLHUP) != 0
    }
}
