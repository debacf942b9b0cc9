import CLinux
import Glibc
import GreenroomPlugin
import PluginProcess

/// Writes to the standard input of a command.
///
/// Nothing here waits longer than its limits of time. Use it from one thread at a time.
final class CommandWriter {
    /// The number of bytes written to the command's pipe.
    private(set) var byteCount: Int64 = 0
    /// Whether the command reads no more.
    private var isGone = false

    private let process: CommandProcess
    /// The bytes of the newest write, and the number of them that are already in the pipe.
    private var rest: [UInt8] = []
    private var written = 0
    /// Whether the last write timed out. The next writes then do not wait.
    private var isStalled = false
    /// Nanoseconds on the session clock.
    private let sessionTime: () -> Int64
    /// The time at which the callback that writes has to return, in milliseconds of real time.
    private var callbackEnd: Int64 = .max

    /// Time limits in milliseconds of real time: for a write; for a write while the virtual clock waits for
    /// this output, so that no session time passes; and for all writes of a callback. With the end of a
    /// command, they stay below the 2 s that the host allows a callback.
    private static let timeouts = (write: 250, standing: 1200, callback: 1500)

    /// The time that a command may take at its end, in milliseconds of real time.
    struct EndLimits {
        /// The time to read the rest of the input.
        var flush: Int
        var process: CommandProcess.EndLimits

        /// The sum stays below the 2 s that the host allows a callback.
        static let whileSending = EndLimits(
            flush: 300, process: CommandProcess.EndLimits(close: 1000, terminate: 400))
        /// The sum stays below the 10 s that the host allows an output's stop-send.
        static let atStop = EndLimits(
            flush: 1000, process: CommandProcess.EndLimits(close: 7000, terminate: 1000))
    }

    /// - Parameters:
    ///   - process: A command with a pipe to its standard input. The writer ends it.
    ///   - sessionTime: Nanoseconds on the session clock.
    init(_ process: CommandProcess, sessionTime: @escaping () -> Int64) {
        self.process = process
        self.sessionTime = sessionTime
    }

    /// Begins the stream, which the pipe of a new command always has room for.
    func begin(with header: [UInt8]) { put(header) }

    /// A callback begins, which limits the time of all writes in it.
    func beginCallback() { callbackEnd = realMilliseconds() + Int64(Self.timeouts.callback) }

    /// Writes, for at most 250 ms, or 1.2 s while no session time passes. The rest
    /// follows with ``flush()``.
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

    /// Whether the command has ended, or closed its input.
    var hasEnded: Bool { isGone || process.hasExited }

    /// Ends the command, which may still read what is left. Call it once.
    ///
    /// - Returns: The way in which the command ended, with all bytes that it has not read.
    func end(within limits: EndLimits) -> CommandProcess.Ending {
        callbackEnd = .max
        if !isGone { _ = flush(within: limits.flush) }
        var ending = process.end(within: limits.process)
        ending.unreadByteCount += rest.count - written
        return ending
    }

    /// Whether all bytes of the newest write are in the pipe.
    private var isComplete: Bool { written == rest.count }

    private func put(_ bytes: [UInt8]) {
        rest.removeAll(keepingCapacity: true)
        rest.append(contentsOf: bytes)
        written = 0
        _ = flush()
    }

    /// - Parameter standing: The time limit while no session time passes, in milliseconds.
    private func flush(within milliseconds: Int, orWhileStanding standing: Int = 0) -> Bool {
        let start = realMilliseconds()
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
            let now = realMilliseconds()
            var end = start + Int64(milliseconds)
            if now >= end, sessionTime() == sessionStart {
                end = max(end, start + Int64(standing))
            }
            guard now < end else {
                hasWaited = true
                break
            }
            guard now < callbackEnd else { break }
            var query = pollfd(fd: process.pipe, events: Int16(POLLOUT), revents: 0)
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
            Glibc.write(process.pipe, $0.baseAddress, $0.count)
        }
        guard count < 0 else { return count }
        if errno == EPIPE {
            var now = timespec()
            // Remove the pending SIGPIPE; none is pending if the process ignores the signal.
            while sigtimedwait(&pipeSignal, nil, &now) == -1, errno == EINTR {}
        }
        if errno != EAGAIN, errno != EINTR { isGone = true }
        return 0
    }
}
