import CLinux
import Glibc
import GreenroomRuntime
import GreenroomSystem
import SystemPackage

/// The process of one check, which leads a process group.
struct CheckWorkerProcess {
    /// The outcome of the process.
    enum End {
        case answered([UInt8])
        /// The process did not end in time.
        case tookTooLong
        /// The process ended without an answer, with the reason.
        case failed(String)
    }

    /// The maximum length of a response, in bytes.
    private static let byteLimit = 1 << 20

    /// Runs a check.
    ///
    /// - Parameters:
    ///   - program: The absolute path of `greenroom`.
    ///   - request: The process's standard input.
    ///   - limitSeconds: The time limit, in seconds.
    ///   - workers: The running workers, which kill the process on cancel.
    static func run(
        _ program: String, _ request: [UInt8], limitSeconds: Double, among workers: CheckWorkers
    ) -> End {
        // Use an unnamed file, because a request may be longer than a pipe's capacity.
        let input = greenroom_memory_file("greenroom-check-request")
        guard input >= 0 else {
            return .failed("no memory for its request: \(Errno(rawValue: -input))")
        }
        defer { close(input) }
        do {
            let file = FileDescriptor(rawValue: input)
            try file.writeAll(request)
            try file.seek(offset: 0, from: .start)
        } catch {
            return .failed("no memory for its request: \(error)")
        }
        var output: [Int32] = [-1, -1]
        let problem = greenroom_pipe(&output)
        guard problem == 0 else { return .failed("no pipe: \(Errno(rawValue: -problem))") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        // Unblock signals that this process blocks.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = [
            strdup(program), strdup(CheckWorker.command), nil,
        ]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let status = posix_spawn(&process, program, &actions, &attributes, &words, environ)
        close(output[1])
        defer { close(output[0]) }
        guard status == 0 else {
            return .failed("cannot start \(program): \(Errno(rawValue: status))")
        }
        workers.add(process)
        let answer = read(
            output[0], until: MonotonicClock.deadline(after: Int64(limitSeconds * 1e9)))
        workers.remove(process)
        // Kill the rest of the process group.
        kill(-process, SIGKILL)
        let how = reap(process) ?? 0
        guard let answer else { return .tookTooLong }
        guard !answer.isEmpty else {
            let end = how & 0x7f == 0 ? "code \(how >> 8 & 0xff)" : "signal \(how & 0x7f)"
            return .failed("ended without an answer, with \(end)")
        }
        return .answered(answer)
    }

    /// Reads to the end; nil after the deadline.
    private static func read(_ descriptor: Int32, until deadline: Int64) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let left = deadline - MonotonicClock.now
            guard left > 0 else { return nil }
            var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&readable, 1, Int32(clamping: left / 1_000_000 + 1)) > 0 else { continue }
            let count = (try? FileDescriptor(rawValue: descriptor).read(into: &buffer)) ?? 0
            guard count > 0, bytes.count < byteLimit else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
