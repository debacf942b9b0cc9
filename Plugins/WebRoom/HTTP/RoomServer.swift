import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import GreenroomPlugin
import Synchronization

/// The room's HTTP server.
final class RoomServer: Sendable {
    private let server: HTTPServer
    private let host: PluginHost
    private let address: String
    private let port: Int
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Throws: What is wrong with the address.
    init(
        address: String, port: Int, handler: RoomHandler, host: PluginHost
    ) throws(PluginError) {
        self.host = host
        self.address = address
        self.port = port
        let port = UInt16(clamping: port)
        do {
            server =
                address.contains(":")
                ? HTTPServer(
                    address: try sockaddr_in6.inet6(ip6: address, port: port), logger: .disabled,
                    handler: handler)
                : HTTPServer(
                    address: try sockaddr_in.inet(ip4: address, port: port), logger: .disabled,
                    handler: handler)
        } catch {
            throw PluginError(
                "address: \"\(address)\" is no IP address. Write 127.0.0.1 for this machine alone, or "
                    + "0.0.0.0 for every network that it is in.", status: .badSetting)
        }
    }

    /// Begins to listen. Gives up if that is impossible.
    ///
    /// - Parameter onListening: Gets the URL of the page.
    func start(onListening: @escaping @Sendable (String) -> Void) {
        let (server, host) = (server, host)
        let (address, port) = (address, port)
        let serving = Task {
            do {
                try await server.run()
            } catch {
                guard !Task.isCancelled else { return }
                host.giveUp(Self.explain(error, address, port), status: .unavailable)
            }
        }
        task.withLock { $0 = serving }
        Task {
            try await server.waitUntilListening()
            guard let port = await server.listeningAddress?.port else { return }
            let name = address.contains(":") ? "[\(address)]" : address
            onListening("http://\(name):\(port)/")
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
        guard let serving = task.withLock({ $0.take() }) else { return }
        serving.cancel()
        let server = server
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
