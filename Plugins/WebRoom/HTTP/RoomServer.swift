import CGStreamer
import CMicroHTTPD
import Dispatch
import Glibc
import GreenroomPlugin
import RoomAccess
import RoomDecisions
import Synchronization

/// The room's HTTP server: libmicrohttpd, with the room's limits.
///
/// It bounds what untrusted clients can take: connections, together and of an address, and the bytes and
/// the time of a head, a body and an answer.
final class RoomServer: Sendable {
    /// Time limits in seconds: to receive a head, to receive a body, to make an answer, and to send 16 kB of
    /// it.
    private static let headSeconds = 10.0
    private static let bodySeconds = 10.0
    private static let answerSeconds = 40.0
    private static let writeSeconds = 15.0
    /// The time limit in seconds for sending an answer of known length, because a slow reader occupies a
    /// place.
    private static let sendSeconds = 60.0
    /// The time for which a connection waits for the next request.
    private static let idleSeconds = 60.0
    /// The memory of a connection: a head, and the head of an answer.
    private static let memory = 32 * 1024

    /// Safe to share: the functions that are called with it take the server's lock, and ``stop()`` is the last of
    /// them, because the state loses it then.
    private struct Server: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private struct Connection {
        var socket: Int32
        /// The far end's address; nil: unknown.
        var client: ClientAddress?
        /// The time at which an answer of known length must be sent; nil for other answers.
        var end: Double?
    }

    private struct State {
        var server: Server?
        var serving: Task<Void, Never>?
        var table: ConnectionTable
        var connections: [UInt64: Connection] = [:]
        /// Connections that are open and have no place yet.
        var waiting: [UInt64] = []
        var hasSaidFull = false
    }

    private let host: PluginHost
    private let handler: RoomHandler
    private let address: String
    private let port: Int
    private let publicURL: String?
    private let certificate: ServerCertificate?
    private let proxy: ClientAddress?
    private let state: Mutex<State>
    /// Connections that begin to wait for a place.
    private let crowding = Signal()
    private let requests: AsyncStream<RoomExchange>
    private let enqueue: AsyncStream<RoomExchange>.Continuation

    /// - Parameters:
    ///   - publicURL: The URL at which people open the page; nil: the machine's addresses.
    ///   - certificate: Nil: HTTP without TLS.
    ///   - proxy: The address of a proxy that says whom it speaks for; nil: none.
    /// - Throws: `PluginError` for an unusable address.
    init(
        address: String, port: Int, publicURL: String?, certificate: ServerCertificate?,
        proxy: ClientAddress?, handler: RoomHandler, host: PluginHost
    ) throws(PluginError) {
        (self.host, self.handler, self.proxy) = (host, handler, proxy)
        (self.address, self.port, self.publicURL) = (address, port, publicURL)
        self.certificate = certificate
        state = Mutex(
            State(table: RoomLimits.connections(openFiles: sysconf(Int32(_SC_OPEN_MAX)))))
        // A connection has one request at a time, so their number is bounded.
        (requests, enqueue) = AsyncStream.makeStream()
        guard ClientAddress(address) != nil else {
            throw PluginError(
                "address: \"\(address)\" is not an IP address. Write 127.0.0.1 for this machine only, or "
                    + "0.0.0.0 for every network that it is in.", status: .badSetting)
        }
    }

    /// Begins to listen. Gives up if that is impossible.
    ///
    /// - Parameter onListening: Gets the URL of the page.
    func start(onListening: @Sendable (String) -> Void) {
        let secure = certificate?.take()
        guard certificate == nil || secure != nil else {
            return host.giveUp(
                "the certificate cannot be read any more. Restore its file", status: .unavailable)
        }
        let socket = greenroom_mhd_listen(address, UInt16(clamping: port))
        guard socket >= 0 else {
            return host.giveUp(Self.explain(errno, address, port), status: .unavailable)
        }
        let bound = greenroom_mhd_port(socket)
        // The server thread's calls keep the room's server, until ``stop()``.
        let context = Unmanaged.passRetained(self)
        var calls = Self.calls(context.toOpaque())
        let most = state.withLock { $0.table.most } + 8
        let server = greenroom_mhd_start(
            socket, UInt32(clamping: most), Self.memory, secure, &calls)
        guard let server else {
            context.release()
            return host.giveUp("libmicrohttpd cannot start the room's server", status: .unavailable)
        }
        let serving = Task { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.admitWaiting() }
                for await exchange in requests {
                    group.addTask { [handler] in await exchange.serve(handler) }
                }
                group.cancelAll()
            }
        }
        let shared = Server(pointer: server)
        state.withLock { ($0.server, $0.serving) = (shared, serving) }
        onListening(
            PageAddress(
                publicURL: publicURL, address: address, port: Int(bound),
                isSecure: certificate != nil, machine: NetworkAddress.ofMachine
            ).urls[0])
    }

    /// Uses the files of the certificate again if they have changed. Called every second.
    func renewCertificate() {
        guard let certificate, let new = certificate.changed() else { return }
        state.withLock { state in
            if let server = state.server {
                greenroom_mhd_renew(server.pointer, new)
            } else {
                greenroom_mhd_certificate_free(new)
            }
        }
    }

    /// Ends all connections; waits a second at most for what is being answered.
    func stop() {
        let (server, serving) = state.withLock { ($0.server.take(), $0.serving.take()) }
        guard let server else { return }
        serving?.cancel()
        enqueue.finish()
        greenroom_mhd_stop(server.pointer)
        Unmanaged.passUnretained(self).release()
        let done = DispatchSemaphore(value: 0)
        Task {
            await serving?.value
            done.signal()
        }
        _ = done.wait(timeout: .now() + 1)
    }

    /// The reason why the room is not open.
    static func explain(_ code: Int32, _ address: String, _ port: Int) -> String {
        switch code {
        case EADDRINUSE:
            "port \(port) of \(address) is in use by another program: choose another one, or none "
                + "to get a free one"
        case EACCES:
            "port \(port) of \(address) is not allowed: choose one from 1024 on, or grant the "
                + "network with allow: { network: true }"
        case EPERM:
            "the network is not granted: add allow: { network: true }"
        case EADDRNOTAVAIL: "this machine does not have the address \(address)"
        default:
            "the room cannot listen at \(address), port \(port): \(String(cString: strerror(code)))"
        }
    }

    // MARK: Calls of the server's thread

    private static func calls(_ context: UnsafeMutableRawPointer) -> greenroom_mhd_calls {
        greenroom_mhd_calls(
            context: context,
            opened: { context, id, socket, address in
                Unmanaged<RoomServer>.fromOpaque(context).takeUnretainedValue()
                    .open(id, socket, ClientAddress(of: address))
            },
            closed: { context, id in
                Unmanaged<RoomServer>.fromOpaque(context).takeUnretainedValue().close(id)
            },
            stepped: { context, id, step in
                Unmanaged<RoomServer>.fromOpaque(context).takeUnretainedValue().step(id, step)
            },
            began: { context, request, method, target, version, fields, count in
                Unmanaged<RoomServer>.fromOpaque(context).takeUnretainedValue().begin(
                    request,
                    Result { () throws(RequestError) -> RequestHead in
                        try RequestHead(
                            method: String(cString: method), target: String(cString: target),
                            version: String(cString: version),
                            fields: UnsafeBufferPointer(start: fields, count: count).map {
                                RequestHead.Field(
                                    name: String(cString: $0.name),
                                    value: String(cString: $0.value))
                            })
                    })
            },
            asked: { context, request in
                Unmanaged<RoomServer>.fromOpaque(context).takeUnretainedValue().ask(request)
            },
            drained: { value in
                Unmanaged<RoomExchange>.fromOpaque(value).takeUnretainedValue().drain()
            },
            release: { value in Unmanaged<RoomExchange>.fromOpaque(value).release() })
    }

    /// Handles the head of a request.
    ///
    /// - Returns: Whether its body is wanted; else the reason is the answer.
    private func begin(
        _ request: OpaquePointer, _ head: Result<RequestHead, RequestError>
    ) -> Bool {
        switch head {
        case .success(let head):
            let peer = state.withLock {
                $0.connections[greenroom_mhd_connection(request)]?.client
            }
            let client = ClientAddress.of(
                peer: peer, proxy: proxy, forwarded: head["x-forwarded-for"])
            let exchange = RoomExchange(request, head: head, client: client)
            greenroom_mhd_set_value(request, Unmanaged.passRetained(exchange).toOpaque())
            return true
        case .failure(let fault):
            var reply = HTTPReply.refused(fault.code.rawValue, fault.description)
            reply.close()
            reply.send(to: request)
            return false
        }
    }

    private func ask(_ request: OpaquePointer) {
        let value = greenroom_mhd_value(request)
        let exchange = value.map {
            Unmanaged<RoomExchange>.fromOpaque($0).takeUnretainedValue()
        }
        guard let exchange else { return greenroom_mhd_request_free(request) }
        exchange.take()
        let id = greenroom_mhd_connection(request)
        _ = set(id, isBusy: true, for: Self.answerSeconds)
        setEnd(id, Self.now + Self.answerSeconds + Self.sendSeconds)
        if case .terminated = enqueue.yield(exchange) { exchange.abandon() }
    }

    // MARK: Places and times

    private static var now: Double { Double(greenroom_gst_now()) / 1e9 }

    private func open(_ id: UInt64, _ socket: Int32, _ client: ClientAddress?) {
        let isNews = state.withLock { state in
            state.connections[id] = Connection(socket: socket, client: client)
            return admit(id, in: &state)
        }
        if isNews {
            host.log(
                .warning,
                "a connection is closed: its address has reached the limit, and all its connections are in use"
            )
        }
    }

    /// Gives a connection a place, or lets it wait for one.
    ///
    /// - Returns: Whether it is refused, for the first time.
    private func admit(_ id: UInt64, in state: inout State) -> Bool {
        guard let connection = state.connections[id] else { return false }
        let client = connection.client
        // Many clients share this machine's address and the proxy's: these have no limit.
        let key = client.flatMap { $0.isLocal || $0.isExactly(proxy) ? nil : $0.text }
        let connections = state.connections
        let verdict = state.table.add(
            Int(id), from: key, at: Self.now, until: Self.now + Self.headSeconds
        ) { Self.hasInput(connections[UInt64($0)]?.socket) }
        switch verdict {
        case .admitted: break
        case .inPlace(let old): Self.end(state.connections[UInt64(old)])
        case .full:
            state.waiting.append(id)
            crowding.post()
        case .refused:
            Self.end(connection)
            defer { state.hasSaidFull = true }
            return !state.hasSaidFull
        }
        return false
    }

    /// The server's thread closes the connection then. The socket is open: it is closed after ``close(_:)``.
    private static func end(_ connection: Connection?) {
        if let connection { shutdown(connection.socket, Int32(SHUT_RDWR)) }
    }

    /// Whether a socket has unread input.
    private static func hasInput(_ socket: Int32?) -> Bool {
        guard let socket else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    private func close(_ id: UInt64) {
        state.withLock { state in
            state.table.remove(Int(id))
            state.connections[id] = nil
            state.waiting.removeAll { $0 == id }
        }
    }

    private func step(_ id: UInt64, _ step: greenroom_mhd_step) -> Bool {
        switch step {
        case GREENROOM_MHD_HEAD: return set(id, isBusy: false, for: Self.headSeconds)
        case GREENROOM_MHD_BODY: return set(id, isBusy: false, for: Self.bodySeconds)
        case GREENROOM_MHD_WAIT: return set(id, isBusy: true, for: Self.answerSeconds)
        case GREENROOM_MHD_IDLE:
            setEnd(id, nil)
            return set(id, isBusy: false, for: Self.idleSeconds)
        default:
            let end = state.withLock { $0.connections[id]?.end }
            let left = end.map { $0 - Self.now } ?? .infinity
            return set(id, isBusy: true, for: min(Self.writeSeconds, left))
        }
    }

    private func setEnd(_ id: UInt64, _ end: Double?) {
        state.withLock { state in
            guard state.connections[id] != nil else { return }
            state.connections[id]?.end = end
        }
    }

    /// A connection begins its next step.
    ///
    /// - Parameter seconds: The time limit of the step.
    /// - Returns: Whether it may continue.
    private func set(_ id: UInt64, isBusy: Bool, for seconds: Double) -> Bool {
        state.withLock { state in
            // A connection without a place is served anyway: files are left.
            state.waiting.contains(id)
                || state.table.set(
                    Int(id), isBusy: isBusy, at: Self.now, until: Self.now + seconds)
        }
    }

    /// Ends connections that take too long, and gives free places to waiting connections. Called every second.
    ///
    /// - Returns: Whether connections still wait for a place.
    @discardableResult
    func keepTime() -> Bool {
        state.withLock { state in
            for id in state.table.expire(at: Self.now) {
                Self.end(state.connections[UInt64(id)])
            }
            let waiting = state.waiting
            state.waiting = []
            for id in waiting { _ = admit(id, in: &state) }
            return !state.waiting.isEmpty
        }
    }

    /// Gives free places to waiting connections soon.
    private func admitWaiting() async {
        while !Task.isCancelled {
            let seen = crowding.count
            if keepTime() {
                try? await Task.sleep(for: .milliseconds(20))
            } else {
                await crowding.wait(after: seen, atMost: nil)
            }
        }
    }
}

extension ClientAddress {
    /// - Parameter address: The far end of a socket.
    fileprivate init?(of address: UnsafePointer<sockaddr>) {
        guard let text = NetworkAddress.text(of: address) else { return nil }
        self.init(text)
    }
}
