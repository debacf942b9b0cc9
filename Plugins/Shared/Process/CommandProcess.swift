internal import CLinux
internal import Glibc
internal import GreenroomPlugin
internal import GreenroomSchema
internal import GreenroomSystem
internal import SystemPackage

/// A command that runs in a separate process group, with pipes to and from it.
///
/// The group ends with this process, even if SIGKILL ends this process.
package final class CommandProcess: Sendable {
    /// A descriptor of the command that a pipe is connected to.
    package struct Stream: Sendable {
        /// The command's number, from 0 to 9; not 2, whose lines are read.
        var number: Int32
        /// Whether the command reads it.
        var isRead: Bool

        /// Standard input.
        package static let input = reads(0)
        /// Standard output.
        package static let output = writes(1)

        /// A descriptor that the command reads.
        package static func reads(_ number: Int32) -> Stream {
            Stream(number: number, isRead: true)
        }

        /// A descriptor that the command writes to.
        package static func writes(_ number: Int32) -> Stream {
            Stream(number: number, isRead: false)
        }
    }

    /// This side of each pipe, which never blocks. ``end(within:)`` closes them.
    package let pipes: [Int32]

    /// This side of the first pipe.
    package var pipe: Int32 { pipes.first ?? -1 }

    private let isFirstRead: Bool
    private let process: pid_t
    /// The leader of the process group: ends the group when this process has ended.
    private let watch: pid_t
    /// The watch reads the other side: this process's end closes it.
    private let lifeline: Int32
    /// Reads what the command writes to its standard error.
    private let reader: PluginThread
    /// Closed to end the reader.
    private let wakeup: Int32

    /// The time that a command may take at its end, in milliseconds of real time.
    package struct EndLimits: Sendable {
        /// The time to end by itself, after its pipes are closed.
        package var close: Int
        /// The time to end after SIGTERM.
        package var terminate: Int

        package init(close: Int, terminate: Int) {
            (self.close, self.terminate) = (close, terminate)
        }
    }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - words: The program, which is looked for in PATH, and its arguments.
    ///   - streams: The descriptors that pipes are connected to.
    ///   - variables: Variables of its environment beside this process's.
    ///   - folder: A folder to remove if this process ends before the command.
    ///   - confinement: The files that the command may access; nil for all.
    ///   - line: Takes a line of its standard error. [any]
    /// - Throws: ``PluginError`` with the fix.
    package init(
        _ words: [String], pipes streams: [Stream], variables: [String: String] = [:],
        removing folder: String? = nil, confinement: FileConfinement? = nil,
        line: @escaping @Sendable (String) -> Void
    ) throws {
        var open: [Int32] = []
        func pipe() throws -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            let result = greenroom_pipe(&ends)
            guard result == 0 else {
                throw PluginError(
                    "cannot make a pipe to \(words.first ?? ""): \(Errno(rawValue: -result))",
                    status: .unavailable)
            }
            // Moves descriptors behind the numbers that the command uses, so that no copy overwrites another.
            for index in ends.indices where ends[index] < Self.firstOwn {
                let copy = fcntl(ends[index], F_DUPFD_CLOEXEC, Self.firstOwn)
                if copy >= 0 {
                    close(ends[index])
                    ends[index] = copy
                }
            }
            open += ends
            return (ends[0], ends[1])
        }
        do {
            let (errors, wakeup, lifeline) = (try pipe(), try pipe(), try pipe())
            _ = fcntl(lifeline.read, F_SETFL, 0)
            var theirs: [Int32: Int32] = [2: errors.write]
            var ours: [Int32] = []
            for stream in streams {
                let ends = try pipe()
                // The command reads and writes as at any pipe; this side never waits.
                for end in [ends.read, ends.write] { _ = fcntl(end, F_SETFL, 0) }
                // A command that starts slowly misses nothing that fits; the system may refuse the size.
                greenroom_grow_pipe(ends.write, Self.pipeBytes)
                theirs[stream.number] = stream.isRead ? ends.read : ends.write
                let own = stream.isRead ? ends.write : ends.read
                _ = fcntl(own, F_SETFL, O_NONBLOCK)
                ours.append(own)
            }
            watch = try Self.spawnWatch(on: lifeline.read, folder)
            do {
                let (group, streams) = (watch, theirs)
                @Sendable func start() throws -> pid_t {
                    try Self.spawn(words, streams, variables, group: group)
                }
                process = try confinement?.confining { try start() } ?? start()
                reader = try Self.reader(of: errors.read, until: wakeup.read, line)
            } catch {
                // The command is in the group of the watch, if it runs.
                kill(-watch, SIGKILL)
                while waitpid(-watch, nil, 0) > 0 {}
                throw error
            }
            for end in theirs.values { close(end) }
            close(lifeline.read)
            isFirstRead = streams.first?.isRead ?? false
            pipes = ours
            self.wakeup = wakeup.write
            self.lifeline = lifeline.write
        } catch {
            for descriptor in open { close(descriptor) }
            throw error
        }
    }

    /// The capacity of a pipe: Linux gives users without rights no more.
    private static let pipeBytes: Int32 = 1 << 20

    /// The least number of a descriptor of this side.
    private static let firstOwn: Int32 = 10

    // MARK: Starting

    /// Starts the process that ends the command's group once the other side of a pipe is closed.
    ///
    /// `PR_SET_PDEATHSIG` would reach the command alone, and would end it with the thread that started it.
    private static func spawnWatch(on lifeline: Int32, _ folder: String?) throws -> pid_t {
        // A process of another session removes the folder once the last process of the group has ended. It
        // closes its standard output when it has left the group.
        let remover = """
            : "$(setsid /bin/sh -c 'exec >&-; n=0; while [ $n -lt 100 ] && kill -0 -- "-$1" 2>&-; do \
            sleep 0.1; n=$((n + 1)); done; rm -rf -- "$2"' sh $$ "$1" &)"; 
            """
        let script =
            "trap '' HUP INT QUIT TERM; read -r _; " + (folder == nil ? "" : remover)
        return try spawn(
            ["/bin/sh", "-c", script + "kill -KILL 0", "sh"] + (folder.map { [$0] } ?? []),
            [0: lifeline], [:], group: 0)
    }

    private static func spawn(
        _ words: [String], _ streams: [Int32: Int32], _ variables: [String: String], group: pid_t
    ) throws -> pid_t {
        do throws(Errno) {
            return try ProgramStart.spawn(words, streams, variables, group: group)
        } catch {
            throw refusal(of: words[0], error.rawValue)
        }
    }

    private static func refusal(of program: String, _ status: Int32) -> PluginError {
        switch status {
        case ENOENT:
            PluginError(
                "\(program): no such program; install it, or correct the first word of 'command'",
                status: .unavailable)
        case EACCES:
            PluginError("\(program): not executable; correct 'command'", status: .unavailable)
        case EPERM, ENOSYS:
            // No later attempt succeeds.
            PluginError(
                "\(program): cannot start it: the sandbox lets a plugin start no program; set isolation: "
                    + "host, or sandbox: off", status: .badSetting)
        default:
            PluginError(
                "\(program): cannot start it: \(Errno(rawValue: status))", status: .unavailable)
        }
    }

    // MARK: Termination

    /// Whether the command has ended.
    package var hasExited: Bool {
        // It is not reaped yet: its number stays its own.
        var info = siginfo_t()
        let result = waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
        return result != 0 || info.si_signo == SIGCHLD
    }

    /// Describes how a command ended.
    package struct Ending: Sendable {
        /// In words, after its name.
        package var text: String
        /// Whether a signal ended it, or it says itself that it failed.
        package var hasFailed: Bool
        /// Whether it was killed because it did not end.
        package var wasKilled: Bool
        /// The bytes that the command has not read of the first pipe.
        package var unreadByteCount: Int
    }

    /// Ends the command: the pipes are closed, and if that is not enough it gets SIGTERM and SIGKILL, with
    /// all of its process group. Call it once.
    package func end(within limits: EndLimits) -> Ending {
        // The other side of the pipe, to see what is in it at last.
        let unread =
            isFirstRead
            ? open("/proc/self/fd/\(pipe)", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
        for pipe in pipes { close(pipe) }
        var wasKilled = false
        if !waitForExit(limits.close) {
            kill(-watch, SIGTERM)
            wasKilled = !waitForExit(limits.terminate)
        }
        kill(-watch, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        while waitpid(watch, nil, 0) == -1, errno == EINTR {}
        // Processes that the command has started: its folder is in use until they have ended.
        for _ in 0..<Self.longestGroupEnd / 5 where kill(-watch, 0) == 0 { usleep(5000) }
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

    /// The time in which killed processes of the group must end, in milliseconds.
    private static let longestGroupEnd = 2000

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
            // ffmpeg prints the address of a camera with its password.
            if !text.isEmpty { line(String(decoding: text, as: UTF8.self).hidingUsers) }
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
                // Bytes that have arrived are still read.
                if isLast { rest -= count }
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EINTR, !isLast else { break }
        }
        flush()
    }
}

/// Milliseconds of real time, from an arbitrary start.
package func realMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
