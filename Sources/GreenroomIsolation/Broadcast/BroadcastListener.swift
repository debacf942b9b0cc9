import CLinux
import Glibc
import GreenroomSystem
import SystemPackage
import GreenroomIPC
package import GreenroomMedia
import GreenroomPluginInterface
package import GreenroomRuntime
import GreenroomLifecycle
import Synchronization

/// Accepts broadcasts at a Unix socket, at most one of each kind at a time.
///
/// The kernel reports the peer's process and user. A peer must greet within a second. The peer then
/// waits until the session starts its instance, which takes over the connection. If another
/// broadcast of the kind is connected, the listener refuses the peer after a second, because the
/// other broadcast may be about to end.
package final class BroadcastListener: Sendable {
    /// The peers of one kind.
    private struct Endpoint {
        var notify: @Sendable (IncomingConnection) -> Void
        var waiting: PendingPeer?
        /// The peer of the live instance.
        var connected: PendingPeer?
    }

    private struct State {
        var endpoints: [PluginKind: Endpoint] = [:]
        /// The peers that have not greeted yet.
        var greeting: [PendingPeer] = []
        /// Wakes the listener thread; nil if the thread does not run.
        var wakeupPipe: WakeupPipe?
        var refusals = RefusalLog()
    }

    /// Time limit for the greeting, and for waiting until a kind is free.
    private static let timeoutNanoseconds: Int64 = 1_000_000_000
    /// Limit of peers without a greeting. Further peers wait in the socket's queue.
    private static let greetingLimit = 8

    package let path: String
    private let clock: HostClock
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: The socket's path. The first open endpoint creates the socket.
    ///   - clock: The clock for the time limits of peers.
    package init(path: String, clock: HostClock = .real) {
        self.path = path
        self.clock = clock
    }

    /// Creates a factory for plugins of a kind from this listener's peers.
    package func factory(of kind: PluginKind) -> BroadcastFactory {
        BroadcastFactory(listener: self, kind: kind)
    }

    // MARK: Endpoints

    /// Starts to accept peers of a kind. Called by the session's thread.
    func open(_ kind: PluginKind, _ notify: @escaping @Sendable (IncomingConnection) -> Void)
        throws(LoadError)
    {
        if state.withLock({ $0.wakeupPipe == nil }) { try startListening() }
        state.withLock { $0.endpoints[kind] = Endpoint(notify: notify) }
    }

    /// Stops accepting peers of a kind. The last endpoint closes the socket.
    func close(_ kind: PluginKind) {
        var refused: [PendingPeer] = []
        let wakeupPipe = state.withLock { state -> WakeupPipe? in
            if let waiting = state.endpoints.removeValue(forKey: kind)?.waiting {
                refused.append(waiting)
            }
            guard state.endpoints.isEmpty else { return nil }
            refused += state.greeting
            state.greeting = []
            return state.wakeupPipe.take()
        }
        for peer in refused { peer.refuse(.isClosed) }
        wakeupPipe?.endAndWait()
    }

    /// Whether a peer of a kind is ready to accept. [any]
    func hasPendingPeer(_ kind: PluginKind) -> Bool {
        state.withLock { state in
            guard let endpoint = state.endpoints[kind] else { return false }
            return endpoint.waiting != nil && endpoint.connected == nil
        }
    }

    /// Takes the waiting peer; nil if none waits or another peer of the kind is connected.
    func accept(_ kind: PluginKind) -> PendingPeer? {
        state.withLock { state in
            guard state.endpoints[kind]?.connected == nil,
                let peer = state.endpoints[kind]?.waiting
            else { return nil }
            state.endpoints[kind]?.waiting = nil
            state.endpoints[kind]?.connected = peer
            return peer
        }
    }

    /// Frees the kind of an accepted peer after it disconnected.
    func release(_ peer: PendingPeer, _ kind: PluginKind) {
        let (notify, next) = state.withLock { state in
            guard state.endpoints[kind]?.connected === peer else {
                return (nil as (@Sendable (IncomingConnection) -> Void)?, nil as PendingPeer?)
            }
            state.endpoints[kind]?.connected = nil
            return (state.endpoints[kind]?.notify, state.endpoints[kind]?.waiting)
        }
        if let next { notify?(.waiting(next.description)) }
    }

    // MARK: The listener thread

    private func startListening() throws(LoadError) {
        let socket = try ListeningSocket(at: path)
        guard let wakeupPipe = WakeupPipe() else {
            throw LoadError(
                code: .noRunner, place: path,
                explanation: "cannot make a pipe: \(Errno.last).")
        }
        state.withLock { $0.wakeupPipe = wakeupPipe }
        let box = SocketBox(socket)
        _ = HostThread(name: "broadcasts") { [self] in
            listen(box.descriptor, wakeupPipe)
            box.close()
            wakeupPipe.didEnd()
        }
    }

    private func listen(_ socket: Int32, _ wakeupPipe: WakeupPipe) {
        while !wakeupPipe.isEnding {
            let (greeting, waiting) = state.withLock { state in
                (state.greeting, state.endpoints.values.compactMap(\.waiting))
            }
            let isFull = greeting.count >= Self.greetingLimit
            var descriptors = [
                pollfd(fd: wakeupPipe.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isFull ? -1 : socket, events: Int16(POLLIN), revents: 0),
            ]
            descriptors += (greeting + waiting).map {
                pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0)
            }
            let isIdle = greeting.isEmpty && waiting.isEmpty
            _ = poll(&descriptors, nfds_t(descriptors.count), isIdle ? -1 : 50)
            for peer in greeting { readGreeting(of: peer) }
            for peer in waiting { checkWaiting(peer) }
            if descriptors[1].revents != 0 { acceptConnection(socket) }
        }
    }

    private func acceptConnection(_ socket: Int32) {
        let descriptor = greenroom_accept(socket)
        guard descriptor >= 0 else {
            // The process is out of descriptors, and the socket stays readable. Pause before the
            // next attempt.
            if descriptor != -EAGAIN { usleep(50_000) }
            return
        }
        guard let peer = PendingPeer(adopting: descriptor, at: clock.now) else { return }
        guard peer.user == geteuid() || peer.user == 0 else {
            return refuse(peer, .user, of: nil)
        }
        let isOpen = state.withLock { state in
            guard state.wakeupPipe != nil else { return false }
            state.greeting.append(peer)
            return true
        }
        if !isOpen { peer.refuse(.isClosed) }
    }

    /// The result of checking a peer.
    private enum Outcome {
        case waits
        /// The peer has disconnected, or waits because another peer of the kind is connected.
        case settled
        case refused(BroadcastRefusal, PluginKind?)
        case ready(@Sendable (IncomingConnection) -> Void)
    }

    private func readGreeting(of peer: PendingPeer) {
        // Close the descriptors after unlocking, because the session needs the lock.
        var descriptors: [Int32] = []
        defer { ControlSocket.discard(descriptors) }
        let outcome = state.withLock { state -> Outcome in
            guard let index = state.greeting.firstIndex(where: { $0 === peer }) else {
                return .settled
            }
            let isLate = clock.now - peer.connectedAt > Self.timeoutNanoseconds
            let outcome: Outcome
            switch peer.socket.receive(waits: false) {
            case .nothing: outcome = isLate ? .refused(.noGreeting, nil) : .waits
            case .end: outcome = .settled
            case .message(let message):
                descriptors = message.descriptors
                outcome = Self.handle(message, of: peer, in: &state)
            case .garbage: outcome = .refused(.noGreeting, nil)
            }
            if case .waits = outcome {} else { state.greeting.remove(at: index) }
            return outcome
        }
        conclude(outcome, for: peer)
    }

    private static func handle(
        _ message: ControlSocket.Message, of peer: PendingPeer, in state: inout State
    ) -> Outcome {
        guard message.kind == .greeting, let greeting = BroadcastGreeting(message.value) else {
            return .refused(.noGreeting, nil)
        }
        guard greeting.version == GreenroomProtocol.version else {
            return .refused(.version, greeting.kind)
        }
        guard let endpoint = state.endpoints[greeting.kind] else {
            return .refused(.isUnwanted, nil)
        }
        guard endpoint.waiting == nil else { return .refused(.isTaken, greeting.kind) }
        state.endpoints[greeting.kind]?.waiting = peer
        return endpoint.connected == nil ? .ready(endpoint.notify) : .settled
    }

    /// Drops a waiting peer that has disconnected, sends something, or has waited too long.
    private func checkWaiting(_ peer: PendingPeer) {
        var descriptors: [Int32] = []
        defer { ControlSocket.discard(descriptors) }
        let outcome = state.withLock { state -> Outcome in
            let found = state.endpoints.first { $0.value.waiting === peer }
            guard let (kind, endpoint) = found else { return .settled }
            let isLate =
                endpoint.connected != nil
                && clock.now - peer.connectedAt > Self.timeoutNanoseconds
            // Receive only while the peer waits: the runner receives an accepted peer's messages.
            let received = peer.socket.receive(waits: false)
            if case .message(let message) = received { descriptors = message.descriptors }
            let outcome: Outcome =
                switch received {
                case .nothing: isLate ? .refused(.isTaken, kind) : .waits
                case .end: .settled
                case .message, .garbage: .refused(.noGreeting, kind)
                }
            if case .waits = outcome {} else { state.endpoints[kind]?.waiting = nil }
            return outcome
        }
        conclude(outcome, for: peer)
    }

    private func conclude(_ outcome: Outcome, for peer: PendingPeer) {
        switch outcome {
        case .waits, .settled: break
        case .refused(let reason, let kind): refuse(peer, reason, of: kind)
        case .ready(let notify): notify(.waiting(peer.description))
        }
    }

    private func refuse(_ peer: PendingPeer, _ reason: BroadcastRefusal, of kind: PluginKind?) {
        peer.refuse(reason)
        let (notify, count) = state.withLock { state in
            let endpoint = kind.flatMap { state.endpoints[$0] } ?? state.endpoints[.shareSource]
            return (
                (endpoint ?? state.endpoints.values.first)?.notify,
                state.refusals.add(at: clock.now)
            )
        }
        guard let notify, let count else { return }
        let others = count > 0 ? "; \(count) others were refused before" : ""
        notify(
            .refused(
                "\(peer.description), user \(peer.user), was refused: \(reason.text)\(others)"))
    }
}

/// Moves a noncopyable socket to the listener thread.
private final class SocketBox: Sendable {
    let descriptor: Int32
    private let socket: Mutex<ListeningSocket?>

    init(_ socket: consuming ListeningSocket) {
        descriptor = socket.descriptor
        self.socket = Mutex(socket)
    }

    func close() { socket.withLock { $0 = nil } }
}
