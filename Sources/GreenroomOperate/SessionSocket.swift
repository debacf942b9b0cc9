import GreenroomMedia
package import GreenroomModel
import CLinux
import Glibc
import GreenroomConfig
package import GreenroomSession
import GreenroomSystem
import Synchronization
import SystemPackage

/// The Unix socket at which programs of the same user reach a running session.
///
/// A client sends lines as `--control` takes them, and gets lines of JSON as `--json` prints them:
/// the outcomes of its commands, and the answers to its requests: see ``SessionRequest``.
package final class SessionSocket: Sendable {
    private struct State {
        var clients: [Client] = []
        var lastClient = 0
        /// The newest events.
        var log: [String] = []
    }

    /// A process that is connected.
    private struct Client {
        var number: Int
        /// Open as long as the client is among ``State/clients``.
        var socket: Int32
        var queue: PrintQueue
        var getsEvents = false
        /// The time at which it last sent a line.
        var heard = ContinuousClock.now
    }

    private static let mostClients = Limits.socketClients
    /// Of these, those that follow the events: the others can steer the session.
    private static let mostFollowers = Limits.socketFollowers
    /// A client that was silent for so long gives way to another one, unless it follows the events.
    private static let timeout: Duration = .seconds(5)
    private static let mostEvents = Limits.keptEvents
    /// The number of a client's lines that are answered at once, and each second from then on: a report takes
    /// milliseconds.
    private static let burst = 20.0
    private static let linesPerSecond = 50.0

    private let path: String
    private let name: String
    private let descriptor: Int32
    private let session: Session
    private let begun = ContinuousClock.now
    private let state = Mutex(State())

    /// Opens the socket, and begins to serve it.
    ///
    /// - Parameter name: The session's, with its process.
    /// - Throws: ``SessionConnectionError``.
    package init(of session: Session, named name: String) throws(SessionConnectionError) {
        self.name = name
        path = try RunningSession.ownPath(named: name)
        self.session = session
        RunningSession.removeStale()
        unlink(path)
        descriptor = greenroom_listen(path, greenroom_bytes, 16)
        guard descriptor >= 0 else {
            throw SessionConnectionError(path, Errno(rawValue: -descriptor))
        }
        DetachedThread { [self] in
            while true {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&wanted, 1, -1) > 0 else { continue }
                let client = greenroom_accept(descriptor)
                if client >= 0 { begin(client) } else { usleep(10_000) }
            }
        }
    }

    /// Removes the socket; clients that are connected get what is queued for them.
    package func close() {
        unlink(path)
        let deadline = ContinuousClock.now + .milliseconds(500)
        for client in state.withLock({ $0.clients }) {
            _ = client.queue.finish(within: max(.zero, deadline - .now))
        }
    }

    /// Passes an event on, and keeps it for a while. [any]
    package func add(_ record: EventRecord) {
        let text = text(
            of: record, at: Double((ContinuousClock.now - begun).nanoseconds) / 1e9)
        let queues = state.withLock { state -> [PrintQueue] in
            if state.log.count >= Self.mostEvents { state.log.removeFirst() }
            state.log.append(text)
            return state.clients.filter { client in
                client.getsEvents || Self.isOf(client, record.origin)
                    || Self.isOf(client, record.role)
            }.map(\.queue)
        }
        for queue in queues { queue.add { _ in text } }
    }

    private func text(of record: EventRecord, at seconds: Double?) -> String {
        record.text(at: seconds, of: name)
    }

    // MARK: Clients

    private static func origin(of number: Int) -> String { "control client \(number), line " }

    /// Whether an event is of a command of a client.
    private static func isOf(_ client: Client, _ origin: String?) -> Bool {
        origin?.hasPrefix(Self.origin(of: client.number)) == true
    }

    /// Whether a process may control the session: one of the same user or of root, but no plugin's. The
    /// network that a plugin may have been granted includes this socket.
    private static func isTrusted(_ process: pid_t, of user: uid_t) -> Bool {
        if user == 0, geteuid() != 0 { return true }
        var name = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &name, name.count)
        guard user == geteuid(), count > 0, !isPlugin(process) else { return false }
        return !String(decoding: name[..<count], as: UTF8.self).contains("/greenroom-runner")
    }

    /// Whether a process is a plugin of this session: the interpreter of a script has its own program.
    private static func isPlugin(_ process: pid_t) -> Bool {
        guard let bytes = try? FileDescriptor.contents(of: "/proc/\(process)/stat") else {
            return true
        }
        // The name in parentheses may contain anything; the state and the parent follow.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?
            .split(separator: " ")
        return fields.flatMap { $0.count > 1 ? pid_t($0[1]) : nil } == getpid()
    }

    private func begin(_ socket: Int32) {
        var (process, user): (pid_t, uid_t) = (0, 0)
        guard greenroom_peer(socket, &process, &user) == 0, Self.isTrusted(process, of: user)
        else {
            Glibc.close(socket)
            return
        }
        let queue = PrintQueue(descriptor: socket, content: .json, begun: begun) { [self] count in
            text(of: .leftOut(count), at: nil)
        }
        let number = state.withLock { state -> Int? in
            if state.clients.count >= Self.mostClients { Self.endSilentClient(&state) }
            guard state.clients.count < Self.mostClients else { return nil }
            state.lastClient += 1
            state.clients.append(Client(number: state.lastClient, socket: socket, queue: queue))
            return state.lastClient
        }
        guard let number else {
            complain("\(Self.mostClients) programs are connected: limit reached.", nil, queue)
            queue.end { Glibc.close(socket) }
            return
        }
        DetachedThread { [self] in
            serve(socket, number, queue)
            state.withLock { $0.clients.removeAll { $0.number == number } }
            queue.end { Glibc.close(socket) }
        }
    }

    /// Makes room for a client: disconnects the client that has been silent longest, whose thread then ends.
    private static func endSilentClient(_ state: inout State) {
        let silent = state.clients.indices.filter {
            !state.clients[$0].getsEvents && state.clients[$0].heard + timeout < .now
        }
        guard let oldest = silent.min(by: { state.clients[$0].heard < state.clients[$1].heard })
        else { return }
        shutdown(state.clients.remove(at: oldest).socket, Int32(SHUT_RDWR))
    }

    private func serve(_ socket: Int32, _ number: Int, _ queue: PrintQueue) {
        var line: [UInt8] = []
        var count = 0
        var chunk = [UInt8](repeating: 0, count: 4096)
        var (allowance, since) = (Self.burst, ContinuousClock.now)
        while true {
            guard let received = try? FileDescriptor(rawValue: socket).read(into: &chunk),
                received > 0
            else { return }
            for byte in chunk[..<received] {
                guard byte == UInt8(ascii: "\n") else {
                    // One byte more than is legal: the line is refused, whatever follows.
                    if line.count <= ControlParser.maximumBytes { line.append(byte) }
                    continue
                }
                count += 1
                let now = ContinuousClock.now
                let refill = Double((now - since).nanoseconds) / 1e9 * Self.linesPerSecond
                (allowance, since) = (min(Self.burst, allowance + refill) - 1, now)
                // Do not sleep, because the virtual clock looks for sleeping threads.
                if allowance < 0 { poll(nil, 0, Int32(1000 / Self.linesPerSecond)) }
                guard !hasGone(socket) else { return }
                update(number) { $0.heard = now }
                answer(line, "\(Self.origin(of: number))\(count)", number, queue)
                line.removeAll(keepingCapacity: true)
            }
        }
    }

    private func update(_ number: Int, _ body: (inout Client) -> Void) {
        state.withLock { state in
            guard let index = state.clients.firstIndex(where: { $0.number == number }) else {
                return
            }
            body(&state.clients[index])
        }
    }

    /// Has a client get all events.
    ///
    /// - Returns: Whether one more may.
    private func follow(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.clients.firstIndex(where: { $0.number == number }) else {
                return true
            }
            let others = state.clients.count { $0.getsEvents && $0.number != number }
            guard others < Self.mostFollowers else { return false }
            state.clients[index].getsEvents = true
            return true
        }
    }

    /// Whether the client reads no answers any more.
    private func hasGone(_ socket: Int32) -> Bool {
        var looked = pollfd(fd: socket, events: 0, revents: 0)
        return poll(&looked, 1, 0) > 0 && looked.revents & Int16(POLLHUP | POLLERR) != 0
    }

    private func answer(_ line: [UInt8], _ origin: String, _ number: Int, _ queue: PrintQueue) {
        guard line.count <= ControlParser.maximumBytes else {
            return complain(
                "the line is longer than \(ControlParser.maximumBytes) bytes.", origin, queue)
        }
        let text = String(decoding: line, as: UTF8.self).drop { $0 == " " }
        switch SessionRequest(rawValue: String(text)) {
        case .events:
            guard follow(number) else {
                return complain(
                    "\(Self.mostFollowers) programs follow the events: limit reached.", nil,
                    queue)
            }
        case .log:
            // As one: a queue that is full leaves out all or nothing.
            let events = state.withLock { $0.log }
            queue.add { seconds in
                (events + [self.text(of: EventRecord(event: .logEnd), at: seconds)])
                    .joined(separator: "\n")
            }
        case .status: status(queue)
        case .describe: show(session.descriptionText, origin, queue)
        case .report: show(session.reportText, origin, queue)
        case nil: perform(String(text), origin, queue)
        }
    }

    private func perform(_ line: String, _ origin: String, _ queue: PrintQueue) {
        do throws(CommandError) {
            switch try ControlParser.lines.read(line) {
            case .command(let command):
                try session.perform(command, origin: origin)
                guard command == .explain else { return }
                var record = EventRecord(event: .commanded)
                record.origin = origin
                record.text = "explained in the log: greenroom logs \(name)"
                queue.add { text(of: record, at: $0) }
            case .advance: throw CommandError(ControlLine.advanceRefusal)
            case .stop: session.stop(isPlanned: true)
            case .help:
                var record = EventRecord(event: .help)
                record.commands = ControlParser.lines.commands.map(\.line)
                queue.add { text(of: record, at: $0) }
            case .nothing: break
            }
        } catch {
            complain(error.description, origin, queue)
        }
    }

    /// - Parameter origin: The wrong line; nil if there is no place for the client.
    private func complain(_ message: String, _ origin: String?, _ queue: PrintQueue) {
        var record = EventRecord(event: .controlError)
        record.origin = origin
        record.text = message
        queue.add { text(of: record, at: $0) }
    }

    private func show(_ text: String?, _ origin: String, _ queue: PrintQueue) {
        guard let text else {
            return complain("the session has not started yet.", origin, queue)
        }
        queue.add { _ in text }
    }

    private func status(_ queue: PrintQueue) {
        var record = EventRecord(event: .status)
        if let snapshot = session.snapshot, let timedReport = session.timedReport {
            record.seconds = snapshot.seconds
            record.real = snapshot.realPercents
            record.summary = timedReport.report.summary
        }
        queue.add { text(of: record, at: $0) }
    }
}
