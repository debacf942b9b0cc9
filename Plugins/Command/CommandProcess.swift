import CLinux
import Glibc
import GreenroomPlugin
import SystemPackage

/// A command that runs, in a process group of its own, and its standard input.
///
/// Nothing here waits longer than its limits of time. Use it from one thread at a time.
final class CommandProcess {
    /// The bytes that the command's pipe has taken.
    private(set) var byteCount: Int64 = 0
    /// Whether the command reads no more.
    private(set) var isGone = false
    /// The bytes that the command has not read; known at its end.
    private(set) var unreadByteCount = 0

    private let process: pid_t
    private var input: Int32
    /// Reads what the command writes to its standard error.
    private let reader: PluginThread
    /// Closed to end the reader.
    private let wakeup: Int32
    /// What is still to be written, and how much of it was.
    private var rest: [UInt8] = []
    private var written = 0
    /// Whether the command has taken nothing for the time of a write: the next ones don't wait.
    private var isStalled = false
    /// Nanoseconds on the session clock.
    private let sessionTime: () -> Int64
    /// When the callback that writes has to return, in milliseconds of real time.
    private var callbackEnd: Int64 = .max

    /// How long a write may take, in milliseconds of real time; without the passing of session time,
    /// which stands while a virtual clock waits for this output; and all writes of a callback, with
    /// the end of a command before them below the 2 s that the host gives it.
    private static let timeouts = (write: 250, standing: 1200, callback: 1500)
    /// How long a command may take at its end, in milliseconds of real time.
    struct EndLimits {
        /// To read what is left.
        var flush: Int
        /// To end after its input.
        var close: Int
        /// To end after SIGTERM.
        var terminate: Int

        /// Together below the 2 s that the host gives a callback.
        static let whileSending = EndLimits(flush: 300, close: 1000, terminate: 400)
        /// Together below the 10 s that the host gives an output's stop-send.
        static let atStop = EndLimits(flush: 1000, close: 7000, terminate: 1000)
    }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - words: The program, which is looked for in PATH, and its arguments.
    ///   - sessionTime: Nanoseconds on the session clock.
    ///   - line: Takes a line of its standard error. [any]
    /// - Throws: ``PluginError`` with the cure.
    init(
        _ words: [String], sessionTime: @escaping () -> Int64,
        line: @escaping @Sendable (String) -> Void
    ) throws {
        self.sessionTime = sessionTime
        var pipes: [Int32] = []
        func pipe() throws -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            let result = greenroom_pipe(&ends)
            guard result == 0 else {
                throw PluginError(
                    "a pipe to \(words[0]) can't be made: \(Errno(rawValue: -result))",
                    status: .unavailable)
            }
            pipes += ends
            return (ends[0], ends[1])
        }
        do {
            let (input, errors, wakeup) = (try pipe(), try pipe(), try pipe())
            // The command reads as from any pipe; this side never waits.
            _ = fcntl(input.read, F_SETFL, 0)
            _ = fcntl(input.write, F_SETFL, O_NONBLOCK)
            process = try Self.spawn(words, input: input.read, errors: errors.write)
            do {
                reader = try Self.reader(of: errors.read, until: wakeup.read, line)
            } catch {
                kill(process, SIGKILL)
                waitpid(process, nil, 0)
                throw error
            }
            close(input.read)
            close(errors.write)
            self.input = input.write
            self.wakeup = wakeup.write
        } catch {
            for descriptor in pipes { close(descriptor) }
            throw error
        }
    }

    private static func spawn(
        _ words: [String], input: Int32, errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        // The host's standard output may be media.
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
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
        // A process group of its own: Ctrl-C reaches only the host, and all of it can be ended.
        posix_spawnattr_setpgroup(&attributes, 0)
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

    // MARK: Writing

    /// Begins the stream, which the pipe of a new command always has room for.
    func begin(with header: [UInt8]) { put(header) }

    /// A callback begins, which limits the time of all writes in it.
    func beginCallback() { callbackEnd = Self.now() + Int64(Self.timeouts.callback) }

    /// Writes, for at most 250 ms, or 1.2 s while no session time passes. What the command has not taken
    /// by then follows with ``flush()``.
    ///
    /// Call it after a ``flush()`` that left nothing.
    func write(_ bytes: [UInt8]) { put(bytes) }

    /// Writes what is left of the last bytes, as ``write(_:)`` does.
    ///
    /// - Returns: Whether nothing is left.
    func flush() -> Bool {
        flush(
            within: isStalled ? 0 : Self.timeouts.write,
            orWhileStanding: isStalled ? 0 : Self.timeouts.standing)
    }

    /// Whether the command's pipe has taken all that was written.
    var isComplete: Bool { written == rest.count }

    private func put(_ bytes: [UInt8]) {
        rest.removeAll(keepingCapacity: true)
        rest.append(contentsOf: bytes)
        written = 0
        _ = flush()
    }

    /// - Parameter standing: How long it may take while no session time passes.
    private func flush(within milliseconds: Int, orWhileStanding standing: Int = 0) -> Bool {
        let start = Self.now()
        let sessionStart = sessionTime()
        let before = byteCount
        var hasWaited = false
        while written < rest.count, !isGone {
            let count = take()
            if count > 0 {
                written += count
                byteCount += Int64(count)
                continue
            }
            let now = Self.now()
            var end = start + Int64(milliseconds)
            if now >= end, sessionTime() == sessionStart {
                end = max(end, start + Int64(standing))
            }
            guard now < end else {
                hasWaited = true
                break
            }
            guard now < callbackEnd else { break }
            var query = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
            poll(&query, 1, Int32(clamping: min(end, callbackEnd) - now))
        }
        isStalled = !isComplete && byteCount == before && hasWaited
        return isComplete && !isGone
    }

    /// Writes once, without waiting and without SIGPIPE.
    ///
    /// - Returns: The bytes; 0 if the pipe is full or closed.
    private func take() -> Int {
        var pipeSignal = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        var former = sigset_t()
        pthread_sigmask(SIG_BLOCK, &pipeSignal, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let count = rest[written...].withUnsafeBytes {
            Glibc.write(input, $0.baseAddress, $0.count)
        }
        guard count < 0 else { return count }
        if errno == EPIPE {
            var now = timespec()
            // It is pending, unless the process ignores it.
            while sigtimedwait(&pipeSignal, nil, &now) == -1, errno == EINTR {}
        }
        if errno != EAGAIN, errno != EINTR { isGone = true }
        return 0
    }

    // MARK: The end

    /// Whether the command has ended, or closed its input.
    var hasEnded: Bool { isGone || hasExited }

    private var hasExited: Bool {
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
    }

    /// Ends the command: its input ends, and if that is not enough it gets SIGTERM and SIGKILL, with
    /// all of its process group. Call it once.
    func end(within limits: EndLimits) -> Ending {
        callbackEnd = .max
        if !isGone { _ = flush(within: limits.flush) }
        unreadByteCount = rest.count - written
        // The other side of the pipe, to see what is in it at last.
        let unread = open("/proc/self/fd/\(input)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        close(input)
        var wasKilled = false
        if !waitForExit(limits.close) {
            kill(-process, SIGTERM)
            wasKilled = !waitForExit(limits.terminate)
        }
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        if unread >= 0 {
            var count: Int32 = 0
            if ioctl(unread, UInt(FIONREAD), &count) == 0 { unreadByteCount += Int(count) }
            close(unread)
        }
        close(wakeup)
        reader.join()
        let signal = status & 0x7f
        return Ending(
            text: signal == 0
                ? "ended with exit code \(status >> 8 & 0xff)" : "was ended by signal \(signal)",
            hasFailed: status != 0, wasKilled: wasKilled)
    }

    private func waitForExit(_ milliseconds: Int) -> Bool {
        let end = Self.now() + Int64(milliseconds)
        while !hasExited {
            guard Self.now() < end else { return false }
            usleep(5000)
        }
        return true
    }

    /// Milliseconds of real time.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
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
