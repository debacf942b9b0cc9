import Glibc
import GreenroomHost
import GreenroomModel
import Synchronization
import GreenroomModel

/// Lines on their way to a reader who may stop reading, as a pager does that waits for a key.
///
/// A thread of its own writes them in order. The queue is bounded: while it is full, lines are
/// left out, counted, and told in their place as soon as the reader reads again. So nobody who
/// has something to say ever waits for the reader.
final class PrintQueue: Sendable {
    /// As many bytes as may wait. What the thread has taken to write comes on top, which is as
    /// much at most.
    private static let maximumBytes = 256 * 1024

    private struct State {
        var lines: [String] = []
        var bytes = 0
        /// Lines that there was no room for, behind those that wait.
        var leftOut = 0
        /// The newest status; nobody needs the ones before it.
        var status: String?
        var isFinishing = false
        /// Whether the thread waits for something to write.
        var isAsleep = false

        /// Says that there is something; returns whether the thread has to be woken.
        mutating func wake() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let descriptor: Int32
    private let notice: @Sendable (Int) -> String
    private let begun = ContinuousClock.now
    private let state = Mutex(State())
    /// Rings for the thread when there is something to write.
    private let bell = Semaphore()
    /// Rings when everything was written after ``finish(within:)``.
    private let done = Semaphore()

    /// Begins with nothing to write. It lives as long as the process.
    ///
    /// - Parameters:
    ///   - descriptor: Where lines go.
    ///   - notice: The line that tells how many were left out.
    init(descriptor: Int32, notice: @escaping @Sendable (Int) -> String) {
        self.descriptor = descriptor
        self.notice = notice
        Thread { self.write() }
    }

    /// Adds a line. [any]
    ///
    /// - Parameter make: Makes the line, without its break, from the seconds since the beginning;
    ///   not called if there is no room.
    func add(_ make: (_ seconds: Double) -> String) {
        let isAsleep = state.withLock { state in
            guard state.leftOut == 0, state.bytes < Self.maximumBytes else {
                state.leftOut += 1
                return false
            }
            let line = make(Double((ContinuousClock.now - begun).nanoseconds) / 1e9)
            state.lines.append(line)
            state.bytes += line.utf8.count + 1
            return state.wake()
        }
        if isAsleep { bell.ring() }
    }

    /// Shows a line, or several with breaks between them, that the next ones take the place of; for
    /// terminals, which have room for all of it. [any]
    func show(status: String) {
        let isAsleep = state.withLock { state in
            state.status = status
            return state.wake()
        }
        if isAsleep { bell.ring() }
    }

    /// Leaves out a status that is not shown yet; the next line takes the place of one that is. [any]
    func dropStatus() {
        state.withLock { $0.status = nil }
    }

    /// Waits until everything is written; no longer than a reader may take.
    ///
    /// - Returns: Whether it was.
    func finish(within limit: Duration) -> Bool {
        let isAsleep = state.withLock { state in
            state.isFinishing = true
            return state.wake()
        }
        if isAsleep { bell.ring() }
        return done.wait(atMost: limit)
    }

    // MARK: The thread

    private func write() {
        // What removes the status that is on the terminal.
        var eraser = ""
        while true {
            guard let work = take() else {
                bell.wait()
                continue
            }
            switch work {
            case .lines(let text):
                write(eraser + text)
                eraser = ""
            case .status(let text):
                write((eraser.isEmpty ? Self.eraser(ofLines: 1) : eraser) + text)
                eraser = Self.eraser(ofLines: text.count { $0 == "\n" } + 1)
            case .end:
                done.ring()
            }
        }
    }

    /// Goes to the beginning of some lines, the last of which the cursor is in, and clears them.
    private static func eraser(ofLines count: Int) -> String {
        count == 1 ? "\r\u{1B}[K" : "\r\u{1B}[\(count - 1)A\u{1B}[J"
    }

    private enum Work {
        case lines(String)
        case status(String)
        case end
    }

    /// What is to be done next; nil for nothing until the bell rings.
    private func take() -> Work? {
        state.withLock { state in
            if !state.lines.isEmpty || state.leftOut > 0 {
                if state.leftOut > 0 { state.lines.append(notice(state.leftOut)) }
                let text = state.lines.map { "\($0)\n" }.joined()
                state.lines = []
                state.bytes = 0
                state.leftOut = 0
                return .lines(text)
            }
            if let status = state.status {
                state.status = nil
                return .status(status)
            }
            if state.isFinishing {
                state.isFinishing = false
                return .end
            }
            state.isAsleep = true
            return nil
        }
    }

    /// Writes all of a text, for as long as the reader takes; to a reader who is gone, nothing.
    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(descriptor, base, rest.count)
                if count < 0, errno == EAGAIN {
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&wanted, 1, -1)
                    continue
                }
                guard count > 0 || errno == EINTR else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(count, 0)))
            }
        }
    }
}

/// A bell that one thread waits for.
///
/// Sendable without the compiler's proof: the semaphore lies at a fixed address from `init` to
/// `deinit`, and its functions may be called on any thread.
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

    /// - Returns: Whether it rang in time.
    func wait(atMost limit: Duration) -> Bool {
        // A timed wait would go by the wall clock, which may be set meanwhile.
        let deadline = ContinuousClock.now + limit
        while sem_trywait(semaphore) != 0 {
            guard ContinuousClock.now < deadline else { return false }
            usleep(1000)
        }
        return true
    }
}
