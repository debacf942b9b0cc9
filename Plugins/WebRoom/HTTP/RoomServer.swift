import CGStreamer
import FlyingSocks
import Foundation
import Glibc
import GreenroomPlugin
import GreenroomRoom
import Synchronization

/// The room's HTTP server, on the sockets of FlyingSocks.
///
/// It bounds what untrusted clients can take: connections, together and of an address, and the bytes and
/// the time of a head, a body and an answer. It begins again at the same port if it ends: the viewers'
/// media continue meanwhile.
final class RoomServer: Sendable {
    private struct State {
        /// The port that it listens at; nil before.
        var port: UInt16?
        var serving: Task<Void, Never>?
        var connections: ConnectionTable
        /// The sockets of the connections.
        var files: [Int: Int32] = [:]
        var next = 0
        var hasSaidFull = false
    }

    private let host: PluginHost
    private let handler: RoomHandler
    private let address: String
    private let port: Int
    private let proxy: ClientAddress?
    private let state: Mutex<State>

    /// - Parameter proxy: The address of a proxy that says whom it speaks for; nil: none.
    /// - Throws: What is wrong with the address.
    init(
        address: String, port: Int, proxy: ClientAddress?, handler: RoomHandler, host: PluginHost
    ) throws(PluginError) {
        (self.host, self.handler, self.proxy) = (host, handler, proxy)
        (self.address, self.port) = (address, port)
        state = Mutex(
            State(connections: RoomLimits.connections(openFiles: sysconf(Int32(_SC_OPEN_MAX)))))
        guard ClientAddress(address) != nil else {
            throw PluginError(
                "address: \"\(address)\" is no IP address. Write 127.0.0.1 for this machine alone, or "
                    + "0.0.0.0 for every network that it is in.", status: .badSetting)
        }
    }

    /// Begins to listen. Gives up if that is impossible.
    ///
    /// - Parameter onListening: Gets the URL of the page.
    func start(onListening: @escaping @Sendable (String) -> Void) {
        let serving = Task { [self] in await serve(onListening) }
        state.withLock { $0.serving = serving }
    }

    private func serve(_ onListening: (String) -> Void) async {
        while !Task.isCancelled {
            do {
                let socket = try listen(at: state.withLock { $0.port } ?? UInt16(clamping: port))
                defer { try? socket.close() }
                let pool = SocketPool(queue: RoomEventQueue())
                try await pool.prepare()
                let isFirst = state.withLock { $0.port == nil }
                let bound = try socket.sockname().port
                state.withLock { $0.port = bound }
                if isFirst, let bound {
                    let name = address.contains(":") ? "[\(address)]" : address
                    onListening("http://\(name):\(bound)/")
                }
                try await serve(on: try AsyncSocket(socket: socket, pool: pool), pool)
            } catch {
                guard !Task.isCancelled else { return }
                guard state.withLock({ $0.port }) != nil else {
                    return host.giveUp(
                        Self.explain(error, address, self.port), status: .unavailable)
                }
                host.log(.warning, "the page's server begins again: \(error)")
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// A socket that listens.
    private func listen(at port: UInt16) throws -> Socket {
        let isWide = address.contains(":")
        let socket = try Socket(domain: isWide ? AF_INET6 : AF_INET)
        do {
            try socket.setValue(true, for: .localAddressReuse)
            if isWide {
                try socket.bind(to: try sockaddr_in6.inet6(ip6: address, port: port))
            } else {
                try socket.bind(to: try sockaddr_in.inet(ip4: address, port: port))
            }
        } catch {
            try? socket.close()
            throw error
        }
        try socket.listen()
        return socket
    }

    private func serve(
        on listener: AsyncSocket, _ pool: SocketPool<RoomEventQueue>
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            group.addTask { try await self.accept(on: listener) }
            group.addTask { try await self.expire() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Takes connections for ever.
    private func accept(on listener: AsyncSocket) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                try Task.checkCancellation()
                do {
                    let socket = try await listener.accept()
                    guard let (id, peer) = try await admit(socket) else { continue }
                    group.addTask {
                        let connection = RoomConnection(
                            id: id, socket: socket, peer: peer, proxy: self.proxy, server: self)
                        await connection.serve(self.handler)
                        self.leave(id, socket)
                    }
                } catch SocketError.failed(let type, let code, let message) {
                    guard [EMFILE, ENFILE, ENOBUFS, ENOMEM, ECONNABORTED, EINTR].contains(code)
                    else {
                        throw SocketError.failed(type: type, errno: code, message: message)
                    }
                    // The connection waits in the kernel, until there are files again.
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    /// Gives a connection a place; waits for one, and others in the kernel meanwhile.
    ///
    /// - Returns: nil if its address has as many as it may: it is closed.
    private func admit(_ socket: AsyncSocket) async throws -> (id: Int, peer: ClientAddress?)? {
        let address = (try? socket.socket.remotePeer())?.client
        // What many share has no limit of its own.
        let key = address.flatMap { $0.isLocal || $0.isExactly(proxy) ? nil : $0.text }
        let file = socket.socket.file.rawValue
        while true {
            switch add(file, from: key) {
            case .id(let id): return (id, address)
            case .full: try await Task.sleep(for: .milliseconds(5))
            case .refused(let isNews):
                try? socket.close()
                if isNews {
                    host.log(
                        .warning,
                        "a connection is closed: its address has as many as it may, and all of them "
                            + "are in use")
                }
                return nil
            }
        }
    }

    private enum Place {
        case id(Int)
        case full
        case refused(isNews: Bool)
    }

    private func add(_ file: Int32, from key: String?) -> Place {
        state.withLock { state in
            let id = state.next
            state.next += 1
            let files = state.files
            let verdict = state.connections.add(
                id, from: key, at: Self.now, until: Self.now + RoomConnection.headSeconds
            ) { Self.hasInput(files[$0]) }
            switch verdict {
            case .full: return .full
            case .refused:
                defer { state.hasSaidFull = true }
                return .refused(isNews: !state.hasSaidFull)
            case .inPlace(of: let old):
                if let file = state.files[old] { shutdown(file, Int32(SHUT_RDWR)) }
            case .admitted: break
            }
            state.files[id] = file
            return .id(id)
        }
    }

    /// Whether a socket has unread input.
    private static func hasInput(_ file: Int32?) -> Bool {
        guard let file else { return false }
        var byte: UInt8 = 0
        return recv(file, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    private func leave(_ id: Int, _ socket: AsyncSocket) {
        state.withLock { state in
            state.connections.remove(id)
            state.files[id] = nil
        }
        try? socket.close()
    }

    /// A connection begins its next step.
    ///
    /// - Parameter seconds: How long it may take.
    /// - Returns: Whether it may continue.
    func allows(_ id: Int, isBusy: Bool, for seconds: Double) -> Bool {
        state.withLock {
            $0.connections.set(id, isBusy: isBusy, at: Self.now, until: Self.now + seconds)
        }
    }

    /// Ends those that take too long.
    private func expire() async throws {
        while true {
            try await Task.sleep(for: .milliseconds(500))
            // Under the lock: later the file may be another one's.
            state.withLock { state in
                for id in state.connections.expire(at: Self.now) {
                    if let file = state.files[id] { shutdown(file, Int32(SHUT_RDWR)) }
                }
            }
        }
    }

    private static var now: Double { Double(greenroom_gst_now()) / 1e9 }

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
        guard let serving = state.withLock({ $0.serving.take() }) else { return }
        serving.cancel()
        let done = DispatchSemaphore(value: 0)
        Task {
            await serving.value
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

    /// Whose it is.
    var client: ClientAddress? {
        switch self {
        case .ip4(let address, _), .ip6(let address, _): ClientAddress(address)
        case .unix: nil
        }
    }
}
