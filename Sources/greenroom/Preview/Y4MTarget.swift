import Glibc
import GreenroomOutputs
import GreenroomSystem
import SystemPackage

/// The target of `--y4m`.
struct Y4MTarget: Sendable {
    let stream: Y4MStream
    /// The name that the user gave.
    let name: String
    private let descriptor: Int32

    /// Opens the target. Waits for the reader of a named pipe.
    init(_ path: String, screen: PreviewScreen) throws {
        name = path == "-" ? "standard output" : path
        if path == "-" {
            descriptor = StandardOutput.descriptor.rawValue
        } else {
            descriptor = try Self.open(path, screen).rawValue
        }
        guard isatty(descriptor) == 0 else {
            throw ExitError(
                .outputFailed,
                "--y4m \(path): \(name) is a terminal. Pipe it into a program, e.g. "
                    + "`greenroom preview PLUGIN --y4m - | ffplay -`.")
        }
        stream = Y4MStream(descriptor: descriptor, name: name)
    }

    /// Opens a named pipe, a device, or a file for only this user. Follows no link to a regular
    /// file.
    private static func open(
        _ path: String, _ screen: PreviewScreen
    ) throws(ExitError) -> FileDescriptor {
        func failure(_ reason: String) -> ExitError {
            ExitError(
                .outputFailed,
                "--y4m \(path): \(reason). Name a file in an existing folder, a named pipe, or "
                    + "- for standard output.")
        }
        // A link to a pipe or a device, such as /dev/stdout, is allowed, because nothing is
        // replaced.
        let type = (try? Stat(path))?.type
        guard type == .fifo || type == .characterSpecial else {
            do throws(FileError) {
                return try FileDescriptor.output(path, replaces: true)
            } catch {
                if let error = error.underlyingError { throw failure("cannot be opened: \(error)") }
                throw failure(error.rule)
            }
        }
        if type == .fifo { screen.show("\(path): waiting for a reader") }
        do throws(Errno) {
            return try FileDescriptor.creating(path)
        } catch {
            throw failure("cannot be opened: \(error)")
        }
    }

    /// Whether the reader of the target is gone.
    var hasLostItsReader: Bool {
        var query = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&query, 1, 0) == 1 && query.revents & Int16(POLLERR | POLLHUP) != 0
    }
}
