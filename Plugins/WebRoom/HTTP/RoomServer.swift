import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import GreenroomPlugin
import Synchronization

/// The room's HTTP server.
///
/// It begins again at the same port if it ends, as it does when the process has no descriptor left for
/// a connection: the viewers' media go on meanwhile.
final class RoomServer: Sendable {
    private struct State {
        var server: HTTPServer
        /// The port that it listens at; nil before.
        var port: UInt16?
        var serving: Task<Void, Never>?
    }

    private let host: PluginHost
    private let handler: RoomHandler
    private let address: String
    private let port: Int
    private let state: Mutex<State>

    /// - Throws: What is wrong with the address.
    init(
        address: String, port: Int, handler: RoomHandler, host: PluginHost
    ) throws(PluginError) {
        self.host = host
        self.handler = handler
        self.address = address
        self.port = port
        do {
            state = Mutex(State(server: try Self.server(address, UInt16(clamping: port), handler)))
        } catch {
            throw PluginError(
                "address: \"\(address)\" is no IP address. Write 127.0.0.1 for this machine alone, or "
                    + "0.0.0.0 for every network that it is in.", status: .badSetting)
        }
    }

    private static func server(
        _ address: String, _ port: UInt16, _ handler: RoomHandler
    ) throws -> HTTPServer {
        address.contains(":")
            ? HTTPServer(
                address: try sockaddr_in6.inet6(ip6: address, port: port),
                pool: SocketPool(queue: RoomEventQueue()), logger: .disabled, handler: handler)
            : HTTPServer(
                address: try sockaddr_in.inet(ip4: address, port: port),
                pool: SocketPool(queue: RoomEventQueue()), logger: .disabled, handler: handler)
    }

    /// Begins to listen. Gives up if that is impossible.
    ///
    /// - Parameter onListening: Gets the URL of the page.
    func start(onListening: @escaping @Sendable (String) -> Void) {
        let server = state.withLock { $0.server }
        let serving = Task { [self] in await serve() }
        state.withLock { $0.serving = serving }
        Task { [self] in
            try await server.waitUntilListening()
            guard let port = await server.listeningAddress?.port else { return }
            state.withLock { $0.port = port }
            let name = address.contains(":") ? "[\(address)]" : address
            onListening("http://\(name):\(port)/")
        }
    }

    /// Why the process can't have sockets; nil: it can. The server leaves files open where it can't.
    private var refusal: String? {
        let probe = socket(
            address.contains(":") ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard probe < 0 else {
            close(probe)
            return nil
        }
        let error = SocketError.makeFailed("socket")
        return Self.explain(error, address, port)
    }

    private func serve() async {
        if let refusal { return host.giveUp(refusal, status: .unavailable) }
        while !Task.isCancelled {
            do {
                try await state.withLock { $0.server }.run()
            } catch {
                guard !Task.isCancelled else { return }
                guard let port = state.withLock({ $0.port }),
                    let next = try? Self.server(address, port, handler)
                else {
                    return host.giveUp(
                        Self.explain(error, address, self.port), status: .unavailable)
                }
                host.log(.warning, "the page's server begins again: \(error)")
                state.withLock { $0.server = next }
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Why the room is not open.
    static func explain(_ error: any Error, _ address: String, _ port: Int) -> String {
        guard case SocketError.failed(_, let code, let message) = error else {
            return "the room's server has ended: \(error)"
        }
        return switch code {
        case EADDRINUSE:
            "port \(port) of \(address) is taken by another program: choose another one, or none to "
                + "get a free one"
        case EACCES:
            "port \(port) of \(address) is not allowed: choose one from 1024 on, or grant the "
                + "network with allow: { network: true }"
        case EPERM:
            "the network is not granted: add allow: { network: true }"
        case EADDRNOTAVAIL: "\(address) is no address of this machine"
        default: "the room can't listen at \(address), port \(port): \(message)"
        }
    }

    /// Ends all connections; waits a second at most.
    func stop() {
        let (server, serving) = state.withLock { ($0.server, $0.serving.take()) }
        guard let serving else { return }
        serving.cancel()
        let done = DispatchSemaphore(value: 0)
        Task {
            await server.stop(timeout: 0)
            done.signal()
        }
        _ = done.wait(timeout: .now() + 1)
    }
}

extension Socket.Address {
    fileprivate var port: UInt16? {
        switch self {
        case .ip4(_, let port), .ip6(_, let port): port
        case .unix: nil
        }
    }
}
