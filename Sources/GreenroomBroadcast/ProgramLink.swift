import CLinux
import Glibc
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRunner
import Synchronization

/// A connection to a host that drives the plugins of this process.
package final class ProgramLink: Sendable {
    private struct State {
        var isFinished = false
        /// The instances that have begun and not ended.
        var live = 0
        var endings: [Runner.Ending] = []
    }

    private let library: PluginLibrary
    private let socket: ControlSocket
    private let state = Mutex(State())
    /// Signalled for each instance that ends.
    private let ended = Semaphore(0)

    /// The link of this process that runs; nil if none.
    private static let current = Mutex<ProgramLink?>(nil)

    /// Connects, and sends the greeting.
    init(to path: String, _ library: PluginLibrary) throws(BroadcastError) {
        let longest = Int(greenroom_socket_path_limit)
        guard (1...longest).contains(path.utf8.count) else {
            throw BroadcastError(
                .badArgument,
                "the path of a socket has 1 to \(longest) bytes, this one has "
                    + "\(path.utf8.count)")
        }
        let descriptor = greenroom_connect(path, greenroom_messages)
        guard descriptor >= 0 else { throw BroadcastError(connecting: path, errno: -descriptor) }
        self.library = library
        socket = ControlSocket(adopting: descriptor)
        let kinds = Set(library.descriptors.map(\.kind))
        socket.send(.greeting, ProgramGreeting(kinds: kinds).number)
    }

    /// Serves the host until every instance has ended, on the calling thread.
    func run() throws(BroadcastError) {
        let isFree = Self.current.withLock { current in
            guard current == nil else { return false }
            current = self
            return true
        }
        guard isFree else {
            throw BroadcastError(.badArgument, "this process is connected to a host already")
        }
        defer { Self.current.withLock { $0 = nil } }
        let setup = try waitForSetup()
        let runner = try begin(setup)
        if state.withLock({ $0.isFinished }) { runner.disconnect() }
        runner.run()
        _ = runner.end()
        while state.withLock({ $0.live > 0 }) { ended.take() }
        let endings = state.withLock { $0.endings }
        for case .failed(let status) in endings {
            throw BroadcastError(
                status, "a plugin returned \(status); the host's log has the reason")
        }
        guard endings.contains(.inOrder) else { throw .hostGone }
    }

    /// Asks the host to end every instance of this process; without an instance, disconnects. [any]
    package static func finish() {
        guard let link = current.withLock({ $0 }) else { return }
        link.state.withLock { $0.isFinished = true }
        if !Runner.finishAll() { link.socket.disconnect() }
    }

    /// Waits for the host's first message, sent when the session starts an instance.
    private func waitForSetup() throws(BroadcastError) -> ControlSocket.Message {
        switch socket.receive(waits: true) {
        case .message(let message) where message.kind == .setup: return message
        case .message(let message) where message.kind == .refusal:
            throw BroadcastError(ProgramRefusal(rawValue: message.value))
        case .message, .garbage, .nothing:
            throw BroadcastError(.unsupported, "the listener is not a host of this version")
        case .end: throw .hostGone
        }
    }

    private func begin(_ setup: ControlSocket.Message) throws(BroadcastError) -> Runner {
        var environment = Runner.Environment(
            confine: { _, _ in [] }, load: { [library] _ in library }, end: {})
        environment.willBegin = { [self] in state.withLock { $0.live += 1 } }
        environment.didEnd = { [self] ending, hasGivenUp in
            state.withLock { state in
                state.live -= 1
                if let ending { state.endings.append(ending) }
            }
            ended.give()
            // The plugins of a program end together.
            if hasGivenUp { _ = Runner.finishAll() }
        }
        do throws(ChannelError) {
            return try Runner(
                socket: try socket.copy(), setup: setup, environment: environment)
        } catch {
            throw BroadcastError(.unavailable, "\(error)")
        }
    }
}
