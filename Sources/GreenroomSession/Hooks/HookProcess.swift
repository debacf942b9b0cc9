import CLinux
import Glibc
import GreenroomRuntime
import GreenroomSystem
import SystemPackage

/// A program that a hook runs: it reads a text, and its last line of output is the reason if it fails.
///
/// The program may outlive a host that is killed: an upload is finished.
enum HookProcess {
    /// The time limit of a command, in seconds.
    static let commandSeconds = 600
    /// The time between SIGTERM and SIGKILL, in seconds.
    private static let endSeconds = 5
    /// The length of the output that is kept, in bytes.
    private static let outputLimit = 2000

    /// Attempts to deliver an event. Blocks.
    ///
    /// - Parameter folder: The working directory.
    static func deliver(_ event: HookEvent, by job: HookJob, in folder: String) -> HookResult {
        switch job {
        case .command(let words):
            let end = run(
                words, reading: event.text + "\n", event.variables, in: folder,
                seconds: commandSeconds)
            guard end.exit != 0 else { return .delivered }
            let reason = end.output.split(separator: "\n").last.map { ": \($0)" } ?? ""
            return .failed("\(words[0]) \(end.text)\(reason)", isFinal: false)
        case .post(let url, let key):
            let options = HookRequest.options(
                of: event, url: url, key: key, timestamp: Int64(time(nil)))
            let end = run(
                ["curl", "--disable", "--config", "-"], reading: options, [:], in: folder,
                seconds: HookRequest.seconds + endSeconds)
            return HookRequest.result(exit: end.exit, output: end.output)
        }
    }

    private struct End {
        /// nil if the program was not started, or killed by a signal.
        var exit: Int32?
        var text: String
        var output = ""
    }

    private static func run(
        _ words: [String], reading input: String, _ variables: [String: String], in folder: String,
        seconds: Int
    ) -> End {
        let file = greenroom_memory_file("hook")
        var pipe: [Int32] = [-1, -1]
        guard file >= 0, greenroom_pipe(&pipe) == 0 else {
            if file >= 0 { close(file) }
            return End(text: "cannot be started: \(Errno.last)")
        }
        defer { close(pipe[0]) }
        let bytes = Array(input.utf8)
        let isWritten =
            bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count
            && lseek(file, 0, SEEK_SET) == 0
        // Both ends of a pipe of the program's block as usual.
        _ = fcntl(pipe[1], F_SETFL, 0)
        let process: pid_t
        do throws(Errno) {
            defer {
                close(file)
                close(pipe[1])
            }
            guard isWritten else { throw Errno.noSpace }
            process = try ProgramStart.spawn(
                words, [0: file, 1: pipe[1], 2: pipe[1]], variables, in: folder,
                restoring: [SIGPIPE, SIGINT, SIGTERM, SIGHUP])
        } catch {
            return End(text: "cannot be started: \(error)")
        }
        return wait(for: process, reading: pipe[0], seconds: seconds)
    }

    /// Waits for the end, and keeps the end of the output.
    private static func wait(for process: pid_t, reading pipe: Int32, seconds: Int) -> End {
        let handle = greenroom_pidfd(process)
        guard handle >= 0 else {
            kill(-process, SIGKILL)
            _ = reap(process)
            return End(text: "cannot be watched: \(Errno(rawValue: -handle))")
        }
        defer { close(handle) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        /// Whether there may be more.
        func read() -> Bool {
            let count = Glibc.read(pipe, &buffer, buffer.count)
            if count > 0 { output = (output + buffer[..<count]).suffix(outputLimit) }
            return count > 0 || count < 0 && errno == EAGAIN
        }
        var signals = [SIGTERM, SIGKILL]
        var deadline = MonotonicClock.now + Int64(seconds) * 1_000_000_000
        var isOpen = true
        var wasKilled = false
        while true {
            let milliseconds = max(0, (deadline - MonotonicClock.now) / 1_000_000 + 1)
            var queries = [
                pollfd(fd: handle, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOpen ? pipe : -1, events: Int16(POLLIN), revents: 0),
            ]
            poll(&queries, 2, Int32(clamping: milliseconds))
            if queries[1].revents != 0 { isOpen = read() }
            if queries[0].revents != 0 { break }
            guard MonotonicClock.now >= deadline else { continue }
            guard let signal = signals.first else { break }
            signals.removeFirst()
            kill(-process, signal)
            wasKilled = true
            deadline = MonotonicClock.now + Int64(endSeconds) * 1_000_000_000
        }
        // Output that the program wrote before its end.
        for _ in 0..<16 where isOpen && hasInput(pipe) { isOpen = read() }
        let status = reap(process) ?? -1
        let text = String(decoding: output, as: UTF8.self)
        if wasKilled { return End(text: "did not end within \(seconds) s", output: text) }
        let signal = status & 0x7f
        return signal == 0
            ? End(
                exit: status >> 8 & 0xff, text: "ended with exit code \(status >> 8 & 0xff)",
                output: text)
            : End(text: "was ended by signal \(signal)", output: text)
    }

    private static func hasInput(_ pipe: Int32) -> Bool {
        var query = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        return poll(&query, 1, 0) > 0 && query.revents & Int16(POLLIN) != 0
    }
}
