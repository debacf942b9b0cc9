import Glibc
import GreenroomMedia
import GreenroomModel
import Synchronization
package import SystemPackage

/// A queue of lines for a reader that may stop reading, for example a pager.
///
/// Its own thread writes the lines in order. The queue is bounded: while it is full, lines are
/// dropped and counted, and a notice replaces them when the reader continues. So adding a line
/// never waits for the reader.
///
/// No control character of a line reaches the reader, which may be a terminal.
package final class PrintQueue: Sendable {
    /// Limit of queued bytes. The thread may have taken up to the same amount.
    private static let maximumBytes = 256 * 1024

    /// The kind of the lines.
    package enum Content: Sendable {
        /// Text. A line may contain line breaks.
        case text
        /// JSON.
        case json
    }

    private struct State {
        var lines: [String] = []
        var bytes = 0
        /// Number of lines dropped after the queued ones.
        var dropped = 0
        /// The newest status; it replaces older ones.
        var status: String?
        var isFinishing = false
        /// The action after the last line, when the thread ends.
        var end: (@Sendable () -> Void)?
        /// The first error of a write.
        var error: Errno?
        /// Whether the thread waits for work.
        var isAsleep = false

        /// Records new work; returns whether to wake the thread.
        mutating func wake() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let descriptor: Int32
    private let content: Content
    private let notice: @Sendable (Int) -> String
    private let begun: ContinuousClock.Instant
    private let state = Mutex(State())
    /// Signals new work to the thread.
    private let workSignal = Semaphore()
    /// Signals that everything is written after ``finish(within:)``.
    private let done = Semaphore()

    /// Starts an empty queue. It lives as long as the process, or until ``end(then:)``.
    ///
    /// - Parameters:
    ///   - descriptor: The destination of the lines.
    ///   - content: The kind of the lines.
    ///   - begun: The time from which seconds count.
    ///   - notice: The line for a number of dropped lines.
    package init(
        descriptor: Int32, content: Content, begun: ContinuousClock.Instant = .now,
        notice: @escaping @Sendable (Int) -> String
    ) {
        self.descriptor = descriptor
        self.content = content
        self.begun = begun
        self.notice = notice
        DetachedThread { self.write() }
    }

    /// Adds a line. [any]
    ///
    /// - Parameter make: Makes the line without its break, from the seconds since the start; not
    ///   called if the queue is full.
    package func add(_ make: (_ seconds: Double) -> String) {
        let isAsleep = state.withLock { state in
            guard state.dropped == 0, state.bytes < Self.maximumBytes else {
                state.dropped += 1
                return false
            }
            let line = shown(make(Double((ContinuousClock.now - begun).nanoseconds) / 1e9))
            state.lines.append(line)
            state.bytes += line.utf8.count + 1
            return state.wake()
        }
        if isAsleep { workSignal.ring() }
    }

    /// Shows a status of one or several lines that the next line replaces, on a terminal with room
    /// for it. [any]
    package func show(status: String) {
        let status = shown(status)
        let isAsleep = state.withLock { state in
            state.status = status
            return state.wake()
        }
        if isAsleep { workSignal.ring() }
    }

    /// Drops a status that is not shown yet; the next line replaces a shown one. [any]
    package func dropStatus() {
        state.withLock { $0.status = nil }
    }

    /// The first error of a write; nil if none. [any]
    package var error: Errno? { state.withLock { $0.error } }

    /// Waits until everything is written, up to a limit.
    ///
    /// - Returns: Whether it is.
    package func finish(within limit: Duration) -> Bool {
        let isAsleep = state.withLock { state in
            state.isFinishing = true
            return state.wake()
        }
        if isAsleep { workSignal.ring() }
        return done.wait(atMost: limit)
    }

    /// Ends the queue when everything is written, or the reader is gone. Nothing may be added then.
    ///
    /// - Parameter body: Runs on the queue's thread, last.
    func end(then body: @escaping @Sendable () -> Void) {
        let isAsleep = state.withLock { state in
            state.end = body
            return state.wake()
        }
        if isAsleep { workSignal.ring() }
    }

    private func shown(_ line: String) -> String {
        switch content {
        case .text: line.printableLines.joined(separator: "\n")
        case .json: line.printableJSON
        }
    }

    // MARK: The thread

    private func write() {
        // Removes the status on the terminal.
        var eraser = ""
        while true {
            guard let work = take() else {
                workSignal.wait()
                continue
            }
            switch work {
            case .lines(let text):
                write(eraser + text)
                eraser = ""
            case .status(let text):
                write((eraser.isEmpty ? Self.eraser(ofLines: 1) : eraser) + text)
                eraser = Self.eraser(ofLines: text.count { $0 == "\n" } + 1)
            case .finished:
                done.ring()
            case .end(let body):
                return body()
            }
        }
    }

    /// Moves to the start of some lines, with the cursor in the last one, and clears them.
    private static func eraser(ofLines count: Int) -> String {
        count == 1 ? "\r\u{1B}[K" : "\r\u{1B}[\(count - 1)A\u{1B}[J"
    }

    private enum Work {
        case lines(String)
        case status(String)
        case finished
        case end(@Sendable () -> Void)
    }

    /// The next work; nil if none.
    private func take() -> Work? {
        state.withLock { state in
            if !state.lines.isEmpty || state.dropped > 0 {
                if state.dropped > 0 { state.lines.append(notice(state.dropped)) }
                let text = state.lines.map { "\($0)\n" }.joined()
                state.lines = []
                state.bytes = 0
                state.dropped = 0
                return .lines(text)
            }
            if let status = state.status {
                state.status = nil
                return .status(status)
            }
            if state.isFinishing {
                state.isFinishing = false
                return .finished
            }
            if let end = state.end { return .end(end) }
            state.isAsleep = true
            return nil
        }
    }

    /// Writes a whole text, however long the reader takes; drops it if the reader is gone.
    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                do {
                    let count = try FileDescriptor(rawValue: descriptor).write(rest)
                    guard count > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } catch Errno.resourceTemporarilyUnavailable {
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&wanted, 1, -1)
                } catch {
                    state.withLock { $0.error = $0.error ?? error as? Errno }
                    return
                }
            }
        }
    }
}

/// A semaphore for one thread.
///
/// Sendable without the compiler's proof: the semaphore has a fixed address from `init` to
/// `deinit`, and any thread may call its functions.
private final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func ring() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    /// - Returns: Whether it was signalled in time.
    func wait(atMost limit: Duration) -> Bool {
        // A timed wait would use the wall clock, which may be set meanwhile.
        let deadline = ContinuousClock.now + limit
        while sem_trywait(semaphore) != 0 {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1000)
        }
        return true
    }
}
