import CLinux
import Glibc
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRunner
import Synchronization

/// A connection to a host that drives one plugin of this process.
final class BroadcastLink: Sendable {
    private enum State: Sendable {
        case waiting
        case running(Runner)
        case over
    }

    private let library: PluginLibrary
    private let kind: PluginKind
    private let socket: ControlSocket
    private let state = Mutex(State.waiting)

    /// Connects, and sends the greeting.
    init(to path: String, _ library: PluginLibrary, _ kind: PluginKind) throws(BroadcastError) {
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
        self.kind = kind
        socket = ControlSocket(adopting: descriptor)
        socket.send(.greeting, BroadcastGreeting(kind: kind).number)
    }

    /// Serves the host until the instance ends, on the calling thread.
    func run() throws(BroadcastError) {
        defer { state.withLock { $0 = .over } }
        let setup = try waitForSetup()
        let runner = try begin(setup)
        let isWanted = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .running(runner)
            return true
        }
        if isWanted { runner.run() }
        switch runner.end() {
        case .inOrder: return
        case .failed(let status):
            throw BroadcastError(status, "the plugin returned \(status); the host's log says why")
        case .lost: throw .hostGone
        }
    }

    /// Asks the host to end the instance; without an instance, disconnects. [any]
    func finish() {
        let before = state.withLock { state in
            defer { if case .waiting = state { state = .over } }
            return state
        }
        switch before {
        case .waiting: socket.disconnect()
        case .running(let runner): runner.finish()
        case .over: break
        }
    }

    /// Waits for the host's first message, sent when the session starts the instance.
    private func waitForSetup() throws(BroadcastError) -> ControlSocket.Message {
        switch socket.receive(waits: true) {
        case .message(let message) where message.kind == .setup: return message
        case .message(let message) where message.kind == .refusal:
            throw BroadcastError(BroadcastRefusal(rawValue: message.value))
        case .message, .garbage, .nothing:
            throw BroadcastError(.unsupported, "the listener is not a host of this version")
        case .end: throw .hostGone
        }
    }

    private func begin(_ setup: ControlSocket.Message) throws(BroadcastError) -> Runner {
        let environment = Runner.Environment(
            confine: { _, _ in [] }, load: { [library] _ in library }, end: {})
        do throws(ChannelError) {
            return try Runner(
                socket: try socket.copy(), setup: setup, environment: environment)
        } catch {
            throw BroadcastError(.unavailable, "\(error)")
        }
    }
}
