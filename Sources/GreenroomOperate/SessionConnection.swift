import GreenroomModel
import Glibc
import GreenroomSystem
import SystemPackage

/// A connection to a session: lines there, and lines of JSON back.
package struct SessionConnection: ~Copyable {
    private let descriptor: Int32
    /// The session, for messages.
    private let name: String
    private var received: [UInt8] = []
    /// Whether the answer to a question of ``next()``'s own is still to come.
    private var awaitsStatus = false

    init(_ descriptor: Int32, _ name: String) {
        // A session that ends is an error of the write.
        signal(SIGPIPE, SIG_IGN)
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    /// Asks for something.
    package func send(_ request: SessionRequest) throws(SessionConnectionError) {
        try send(request.rawValue)
    }

    /// Sends a line. One that a session has closed the connection to is lost: ``next()`` has what it said
    /// before, such as the reason.
    package func send(_ line: String) throws(SessionConnectionError) {
        do throws(Errno) {
            try withErrno {
                _ = try FileDescriptor(rawValue: descriptor).writeAll("\(line)\n".utf8)
            }
        } catch {
            guard error != .brokenPipe else { return }
            throw SessionConnectionError("lost the connection to the session", error)
        }
    }

    /// The time that a session may take to answer: its report takes milliseconds.
    package static let timeout: Duration = .seconds(5)

    /// The next line; nil at the end of the session. A process that is stopped accepts connections and
    /// never answers: no command waits for it.
    ///
    /// - Throws: ``SessionConnectionError``, if there is none before the deadline.
    package mutating func next(before deadline: ContinuousClock.Instant)
        throws(SessionConnectionError)
        -> String?
    {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard hasBytes(before: deadline) else {
                throw SessionConnectionError(
                    .connection,
                    "\(name) does not answer. Check whether its process (the number) is stopped, or this "
                        + "machine is overloaded.")
            }
            guard receive() else { return nil }
        }
    }

    /// The next line of a session that may have nothing to say for long; nil at its end. While it is
    /// silent it is asked for its status.
    ///
    /// - Parameter output: The destination of the lines; nil is returned once its reader is gone.
    /// - Throws: ``SessionConnectionError``, if it does not answer that either.
    package mutating func next(unlessClosed output: Int32 = -1) throws(SessionConnectionError)
        -> String?
    {
        while true {
            if !received.contains(UInt8(ascii: "\n")),
                !hasBytes(before: .now + Self.timeout, unlessClosed: output)
            {
                guard !Self.isClosed(output) else { return nil }
                try send(.status)
                awaitsStatus = true
            }
            let line = try next(before: .now + Self.timeout)
            guard awaitsStatus, let line, EventRecord(json: line)?.event == .status else {
                return line
            }
            awaitsStatus = false
        }
    }

    /// Whether an output's reader is gone.
    private static func isClosed(_ output: Int32) -> Bool {
        var looked = pollfd(fd: output, events: 0, revents: 0)
        return poll(&looked, 1, 0) > 0 && looked.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// Waits until there is something to receive, the end included, or the output's reader is gone.
    private func hasBytes(
        before deadline: ContinuousClock.Instant, unlessClosed output: Int32 = -1
    ) -> Bool {
        while true {
            let rest = max(.zero, deadline - .now).components
            let milliseconds = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000
            var wanted: InlineArray<2, pollfd> = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                // A negative one is passed over.
                pollfd(fd: output, events: 0, revents: 0),
            ]
            let count = withUnsafeMutableBytes(of: &wanted) {
                poll(
                    $0.baseAddress?.assumingMemoryBound(to: pollfd.self), 2,
                    Int32(clamping: milliseconds))
            }
            if count < 0, errno == EINTR { continue }
            return count > 0 && wanted[0].revents != 0
        }
    }

    /// Waits for bytes.
    ///
    /// - Returns: Whether there are more.
    private mutating func receive() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        guard let count = try? FileDescriptor(rawValue: descriptor).read(into: &chunk), count > 0
        else { return false }
        received += chunk[..<count]
        return true
    }
}
