public import Glibc
import SystemPackage

/// The longest wait of a test: only a hang lasts so long.
public let patience = Duration.seconds(600)

/// Waits for a condition, for ``patience`` at most.
///
/// - Returns: Whether the condition was met.
public func waitUntil(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + patience
    while try !condition() {
        if ContinuousClock.now > deadline { return false }
        usleep(5_000)
    }
    return true
}

/// A program that a test runs: in its own process group, with output to unnamed files, so that
/// neither a full pipe nor a grandchild can hang the test.
public final class ChildProcess {
    /// The process id, which is also the group's.
    public let id: pid_t

    private let commandLine: String
    private let launched = ContinuousClock.now
    private let input: AnonymousFile
    private let inputByteCount: Int
    private let output: AnonymousFile
    private let errors: AnonymousFile
    private var exit: Exit?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: A path, or a name to look for in `PATH`.
    ///   - input: Its standard input.
    ///   - environment: Changes to this process's environment; nil removes a variable.
    ///     `ALSA_CONFIG_PATH` is removed by default.
    /// - Throws: ``Failure`` if the program can't be started.
    public init(
        _ program: String, _ arguments: [String], input: [UInt8] = [],
        environment: [String: String?] = [:]
    ) throws {
        commandLine = ([program] + arguments).joined(separator: " ")
        output = try AnonymousFile()
        errors = try AnonymousFile()
        self.input = try AnonymousFile(containing: input)
        inputByteCount = input.count

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, self.input.descriptor, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.descriptor, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.descriptor, STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Default signals, whatever the test runner has blocked or ignored.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let words = CStrings([program] + arguments)
        let variables = CStrings(Self.environment(changedBy: environment))
        var id: pid_t = 0
        let code = posix_spawnp(
            &id, program, &actions, &attributes, words.pointers, variables.pointers)
        guard code == 0 else {
            throw Failure("can't start \(program): \(Errno(rawValue: code))")
        }
        self.id = id
    }

    deinit {
        if exit == nil { _ = wait(atMost: .zero) }
    }

    /// Sends a signal to the program only, as `kill` does.
    public func signal(_ number: Int32) {
        if exit == nil { kill(id, number) }
    }

    /// Whether it has read all of its input: the file's offset is this process's, too.
    public var hasReadInput: Bool { lseek(input.descriptor, 0, SEEK_CUR) >= inputByteCount }

    /// The standard error output so far.
    public var errorsSoFar: String { errors.text }

    /// What is on standard output so far.
    public var outputSoFar: String { output.text }

    /// Waits until standard error contains a text.
    ///
    /// - Returns: Whether it appeared while the program ran, within ``patience``.
    public func waitForErrors(containing text: String) -> Bool {
        wait { errors.text.contains(text) }
    }

    /// Waits until standard output contains a text.
    ///
    /// - Parameter times: The required number of occurrences.
    /// - Returns: Whether they appeared while the program ran, within ``patience``.
    public func waitForOutput(containing text: String, times: Int = 1) -> Bool {
        wait { output.text.ranges(of: text).count >= times }
    }

    private func wait(until hasCome: () -> Bool) -> Bool {
        var came = false
        _ = waitUntil {
            // First: the last output of a program that has ended counts.
            let ended = hasEnded
            came = hasCome()
            return came || ended
        }
        return came
    }

    /// Waits for the end of the program; after the limit kills its process group.
    public func wait(atMost limit: Duration = patience) -> Finished {
        if exit == nil {
            let deadline = ContinuousClock.now + limit
            while !hasEnded, ContinuousClock.now < deadline { usleep(2_000) }
            let inTime = hasEnded
            // Kill the group before reaping its leader: after that, its id may be reused.
            kill(-id, SIGKILL)
            var status: Int32 = 0
            while waitpid(id, &status, 0) == -1, errno == EINTR {}
            exit =
                if !inTime {
                    .killedAfter(limit)
                } else if status & 0x7f == 0 {
                    .code((status >> 8) & 0xff)
                } else {
                    .signal(status & 0x7f)
                }
        }
        return Finished(
            command: commandLine, process: id, exit: exit ?? .killedAfter(limit),
            standardOutput: output.bytes, standardError: errors.text,
            duration: .now - launched)
    }

    /// Whether the program has ended; does not reap it.
    public var hasEnded: Bool {
        if exit != nil { return true }
        var information = siginfo_t()
        let result = waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT)
        return result == 0 && information.si_signo == SIGCHLD
    }

    private static func environment(changedBy changes: [String: String?]) -> [String] {
        // A suite that opens devices in this process sets it itself.
        let changes = ["ALSA_CONFIG_PATH": nil].merging(changes) { $1 }
        var kept: [String] = []
        var entry = environ
        while let variable = entry.pointee {
            let text = String(cString: variable)
            if !changes.keys.contains(String(text.prefix { $0 != "=" })) { kept.append(text) }
            entry += 1
        }
        return kept + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
    }
}

/// How a program ended.
public enum Exit: Equatable, Sendable {
    /// It exited with a code.
    case code(Int32)
    /// A signal ended it: it crashed.
    case signal(Int32)
    /// It was killed at the test's time limit.
    case killedAfter(Duration)
}

/// An ended program.
public struct Finished: Sendable, CustomStringConvertible {
    /// The command line.
    public var command: String
    /// Its process id, which may be reused by now.
    public var process: pid_t
    /// How it ended.
    public var exit: Exit
    /// Its standard output.
    public var standardOutput: [UInt8]
    /// Its standard error.
    public var standardError: String
    /// From launch to end.
    public var duration: Duration

    /// - Parameters: As the properties.
    public init(
        command: String, process: pid_t, exit: Exit, standardOutput: [UInt8],
        standardError: String, duration: Duration
    ) {
        self.command = command
        self.process = process
        self.exit = exit
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.duration = duration
    }

    /// Standard output as text.
    public var text: String { String(decoding: standardOutput, as: UTF8.self) }

    /// The command, how it ended and its last output: the comment of an expectation.
    public var description: String {
        // What a command that failed has printed says why: the check that failed, the last event.
        let output = exit == .code(0) ? "" : "\n" + text.suffix(4_000)
        return "\(command)\n\(exit) after \(duration)\n\(standardError.suffix(4_000))\(output)"
    }
}

extension ChildProcess {
    /// Runs a program to its end.
    public static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [],
        environment: [String: String?] = [:]
    ) throws -> Finished {
        try ChildProcess(program, arguments, input: input, environment: environment).wait()
    }
}

/// An error of the test support.
public struct Failure: Error, CustomStringConvertible {
    /// The problem and the cure.
    public let description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}

/// A file without a name.
private struct AnonymousFile: ~Copyable {
    let descriptor: Int32

    init(containing bytes: [UInt8] = []) throws {
        var name = Array("/tmp/greenroom-test-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            throw Failure("can't make a file in /tmp: \(Errno(rawValue: errno))")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(name)
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw Failure("can't write to a file in /tmp: \(Errno(rawValue: errno))")
        }
    }

    deinit { close(descriptor) }

    var bytes: [UInt8] {
        let size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
        // Writing to the shared storage of empty arrays is a race for the thread sanitizer.
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let done = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                guard done > 0 else { break }
                count += done
            }
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Strings as a NULL-terminated C array.
private final class CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }

    deinit { pointers.forEach { free($0) } }
}
