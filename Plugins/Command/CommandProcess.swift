import CLinux
import Glibc
import GreenroomPlugin
import SystemPackage

/// A command that runs in a process group of its own, with a pipe to its standard input or from its
/// standard output.
///
/// The group ends with this process, also if SIGKILL ends this process.
final class CommandProcess: Sendable {
    /// The stream of the command that the pipe is connected to.
    enum Stream: Sendable {
        case input, output
    }

    /// This side of the pipe, which never blocks. ``end(within:)`` closes it.
    let pipe: Int32

    private let stream: Stream
    private let process: pid_t
    /// The leader of the process group: ends the group when this process has ended.
    private let watch: pid_t
    /// The watch reads the other side: this process's end closes it.
    private let lifeline: Int32
    /// Reads what the command writes to its standard error.
    private let reader: PluginThread
    /// Closed to end the reader.
    private let wakeup: Int32

    /// How long a command may take at its end, in milliseconds of real time.
    struct EndLimits {
        /// To end by itself.
        var close: Int
        /// To end after SIGTERM.
        var terminate: Int
    }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - words: The program, which is looked for in PATH, and its arguments.
    ///   - stream: The stream that the pipe is connected to.
    ///   - line: Takes a line of its standard error. [any]
    /// - Throws: ``PluginError`` with the cure.
    init(
        _ words: [String], pipe stream: Stream, line: @escaping @Sendable (String) -> Void
    ) throws {
        var open: [Int32] = []
        func pipe() throws -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            let result = greenroom_pipe(&ends)
            guard result == 0 else {
                throw PluginError(
                    "a pipe to \(words[0]) can't be made: \(Errno(rawValue: -result))",
                    status: .unavailable)
            }
            open += ends
            return (ends[0], ends[1])
        }
        do {
            let (media, errors, wakeup, lifeline) = (
                try pipe(), try pipe(), try pipe(), try pipe()
            )
            // The command reads and writes as at any pipe; this side never waits.
            for end in [media.read, media.write, lifeline.read] { _ = fcntl(end, F_SETFL, 0) }
            let (theirs, ours) =
                stream == .input ? (media.read, media.write) : (media.write, media.read)
            _ = fcntl(ours, F_SETFL, O_NONBLOCK)
            watch = try Self.spawnWatch(on: lifeline.read)
            do {
                process = try Self.spawn(
                    words,
                    stream == .input ? [theirs, nil, errors.write] : [nil, theirs, errors.write],
                    group: watch)
                reader = try Self.reader(of: errors.read, until: wakeup.read, line)
            } catch {
                // The command is in the group of the watch, if it runs.
                kill(-watch, SIGKILL)
                while waitpid(-watch, nil, 0) > 0 {}
                throw error
            }
            for end in [theirs, errors.write, lifeline.read] { close(end) }
            self.stream = stream
            self.pipe = ours
            self.wakeup = wakeup.write
            self.lifeline = lifeline.write
        } catch {
            for descriptor in open { close(descriptor) }
            throw error
        }
    }

    // MARK: Starting

    /// Starts the process that ends the command's group once the other side of a pipe is closed.
    ///
    /// `PR_SET_PDEATHSIG` would reach the command alone, and would end it with the thread that started it.
    private static func spawnWatch(on lifeline: Int32) throws -> pid_t {
        try spawn(
            ["/bin/sh", "-c", "trap '' HUP INT QUIT TERM; read -r _; kill -KILL 0"],
            [lifeline, nil, nil], group: 0)
    }

    /// - Parameters:
    ///   - streams: Standard input, output and error; nil for none.
    ///   - group: The process group; 0 for a new one. Ctrl-C reaches only the host.
    private static func spawn(
        _ words: [String], _ streams: [Int32?], group: pid_t
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in zip(Int32(0)..., streams) {
            if let stream {
                posix_spawn_file_actions_adddup2(&actions, stream, number)
            } else {
                // The host's standard output may be media.
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, group)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var process = pid_t()
        let status = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
        guard status == 0 else { throw refusal(of: words[0], status) }
        return process
    }

    private static func refusal(of program: String, _ status: Int32) -> PluginError {
        let text =
            switch status {
            case ENOENT:
                "\(program): there is no such program; install it, or correct the first word of "
                    + "'command'"
            case EACCES: "\(program): is no program that may be executed; correct 'command'"
            case EPERM, ENOSYS:
                "\(program): can't be started: the sandbox lets a plugin start no program; set "
                    + "isolation: host, or sandbox: off"
            default:
                "\(program): can't be started: \(Errno(rawValue: status))"
            }
        return PluginError(text, status: .unavailable)
    }

    // MARK: The end

    var hasExited: Bool {
        // It is not reaped yet: its number stays its own.
        var info = siginfo_t()
        let result = waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
        return result != 0 || info.si_signo == SIGCHLD
    }

    /// How a command ended.
    struct Ending {
        /// In words, after its name.
        var text: String
        /// Whether a signal ended it, or it says itself that it failed.
        var hasFailed: Bool
        /// Whether it was killed because it did not end.
        var wasKilled: Bool
        /// The bytes that the command has not read of its standard input.
        var unreadByteCount: Int
    }

    /// Ends the command: the pipe is closed, and if that is not enough it gets SIGTERM and SIGKILL, with
    /// all of its process group. Call it once.
    func end(within limits: EndLimits) -> Ending {
        // The other side of the pipe, to see what is in it at last.
        let unread =
            stream == .input
            ? open("/proc/self/fd/\(pipe)", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
        close(pipe)
        var wasKilled = false
        if !waitForExit(limits.close) {
            kill(-watch, SIGTERM)
            wasKilled = !waitForExit(limits.terminate)
        }
        kill(-watch, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        while waitpid(watch, nil, 0) == -1, errno == EINTR {}
        close(lifeline)
        var count: Int32 = 0
        if unread >= 0 {
            if ioctl(unread, UInt(FIONREAD), &count) != 0 { count = 0 }
            close(unread)
        }
        close(wakeup)
        reader.join()
        let signal = status & 0x7f
        return Ending(
            text: signal == 0
                ? "ended with exit code \(status >> 8 & 0xff)" : "was ended by signal \(signal)",
            hasFailed: status != 0, wasKilled: wasKilled, unreadByteCount: Int(count))
    }

    private func waitForExit(_ milliseconds: Int) -> Bool {
        let end = realMilliseconds() + Int64(milliseconds)
        while !hasExited {
            guard realMilliseconds() < end else { return false }
            usleep(5000)
        }
        return true
    }

    // MARK: Standard error

    /// In bytes. A longer line is split.
    private static let lineLimit = 1000

    /// A thread that reads lines, and closes the descriptors at its end.
    private static func reader(
        of descriptor: Int32, until wakeup: Int32, _ line: @escaping @Sendable (String) -> Void
    ) throws -> PluginThread {
        try PluginThread(name: "command-log") {
            read(descriptor, until: wakeup, line)
            close(descriptor)
            close(wakeup)
        }
    }

    /// In bytes: what is still read after the wakeup, which a process outside the group may never end.
    private static let restLimit = 1 << 16

    /// Reads lines until the other side is closed, or the wakeup is.
    private static func read(_ descriptor: Int32, until wakeup: Int32, _ line: (String) -> Void) {
        var text: [UInt8] = []
        func flush() {
            if !text.isEmpty { line(String(decoding: text, as: UTF8.self)) }
            text.removeAll()
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var rest = restLimit
        while rest > 0 {
            var queries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
            ]
            poll(&queries, 2, -1)
            let isLast = queries[1].revents != 0
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                for byte in buffer[..<count] {
                    // ffmpeg ends the lines of its progress with a carriage return.
                    let isEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
                    if !isEnd { text.append(byte) }
                    if isEnd || text.count == lineLimit { flush() }
                }
                // What is there is still read.
                if isLast { rest -= count }
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EINTR, !isLast else { break }
        }
        flush()
    }
}

/// Milliseconds of real time, from an arbitrary start.
func realMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
