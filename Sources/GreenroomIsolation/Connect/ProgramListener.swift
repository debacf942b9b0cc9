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

/// Accepts programs at a Unix socket, one at a time. A program may offer several plugins, and serves
/// each of the session's plugins that name the socket.
///
/// The kernel reports the peer's process and user. A peer must greet within a second. The peer then
/// waits until the session starts one of its instances, which takes over the connection. If another
/// program is connected, the listener refuses the peer after a second, because the other program may
/// be about to end.
package final class ProgramListener: Sendable {
    /// A plugin of the session that this socket serves.
    private struct Endpoint {
        var kind: PluginKind
        var notify: @Sendable (IncomingConnection) -> Void
        /// Whether the connected program has served the plugin. A program serves each plugin once.
        var isServed = false
    }

    private struct State {
        /// By the plugin's place.
        var endpoints: [Int: Endpoint] = [:]
        /// The peers that have not greeted yet.
        var greeting: [PendingPeer] = []
        var waiting: GreetedPeer?
        /// The peer with live instances.
        var connected: GreetedPeer?
        /// Wakes the listener thread; nil if the thread does not run.
        var wakeupPipe: WakeupPipe?
        var refusals = RefusalLog()

        /// The plugins that a peer can serve.
        func endpoints(of peer: GreetedPeer) -> [Endpoint] {
            endpoints.values.filter { peer.kinds.contains($0.kind) }
        }
    }

    /// A peer that has greeted.
    private final class GreetedPeer: Sendable {
        let peer: PendingPeer
        let kinds: Set<PluginKind>
        /// Locked while the process is taken over.
        let process = Mutex<CommonProcess?>(nil)

        init(_ peer: PendingPeer, _ kinds: Set<PluginKind>) {
            self.peer = peer
            self.kinds = kinds
        }
    }

    /// Time limit for the greeting, and for waiting until another program has left.
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

    /// Creates a factory for a plugin from this listener's programs.
    ///
    /// - Parameter place: A number that no other plugin of the listener has.
    package func factory(
        of kind: PluginKind, named name: String? = nil, place: Int
    ) -> ConnectedFactory {
        ConnectedFactory(listener: self, kind: kind, name: name, place: place)
    }

    // MARK: Endpoints

    /// Starts to accept programs for a plugin. Called by the session's thread.
    func open(
        _ place: Int, _ kind: PluginKind,
        _ notify: @escaping @Sendable (IncomingConnection) -> Void
    ) throws(LoadError) {
        if state.withLock({ $0.wakeupPipe == nil }) { try startListening() }
        state.withLock { $0.endpoints[place] = Endpoint(kind: kind, notify: notify) }
    }

    /// Stops accepting programs for a plugin. Refuses a waiting program that can serve no other. The last endpoint closes
    /// the socket.
    func close(_ place: Int) {
        var refused: [PendingPeer] = []
        let wakeupPipe = state.withLock { state -> WakeupPipe? in
            state.endpoints[place] = nil
            if let waiting = state.waiting, state.endpoints(of: waiting).isEmpty {
                refused.append(waiting.peer)
                state.waiting = nil
            }
            guard state.endpoints.isEmpty else { return nil }
            refused += state.greeting
            state.greeting = []
            return state.wakeupPipe.take()
        }
        for peer in refused { peer.refuse(.isClosed) }
        wakeupPipe?.endAndWait()
    }

    /// Whether a program is ready to serve a plugin. [any]
    func hasPendingPeer(_ place: Int) -> Bool {
        state.withLock { state in
            guard let endpoint = state.endpoints[place],
                let peer = state.connected ?? state.waiting
            else { return false }
            return peer.kinds.contains(endpoint.kind) && !endpoint.isServed
        }
    }

    /// Takes the process of the program that waits or is connected.
    ///
    /// - Returns: The process; nil if no program can serve the plugin.
    func accept(_ place: Int) throws(LoadError) -> CommonProcess? {
        let peer = state.withLock { state -> GreetedPeer? in
            guard let endpoint = state.endpoints[place],
                let peer = state.connected ?? state.waiting,
                peer.kinds.contains(endpoint.kind), !endpoint.isServed
            else { return nil }
            if state.connected == nil { (state.connected, state.waiting) = (peer, nil) }
            state.endpoints[place]?.isServed = true
            return peer
        }
        guard let peer else { return nil }
        do throws(LoadError) {
            return try peer.process.withLock { process throws(LoadError) in
                if let process { return process }
                let taken = try CommonProcess(of: peer.peer, at: path) { [weak self, weak peer] in
                    if let peer { self?.release(peer) }
                }
                process = taken
                return taken
            }
        } catch {
            release(peer)
            throw error
        }
    }

    /// Forgets a program that has disconnected.
    private func release(_ peer: GreetedPeer) {
        let (notified, next) = state.withLock { state -> ([Endpoint], GreetedPeer?) in
            guard state.connected === peer else { return ([], nil) }
            state.connected = nil
            for place in state.endpoints.keys { state.endpoints[place]?.isServed = false }
            return (state.waiting.map(state.endpoints(of:)) ?? [], state.waiting)
        }
        if let next {
            for endpoint in notified { endpoint.notify(.waiting(next.peer.description)) }
        }
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
        _ = HostThread(name: "programs") { [self] in
            listen(box.descriptor, wakeupPipe)
            box.close()
            wakeupPipe.didEnd()
        }
    }

    private func listen(_ socket: Int32, _ wakeupPipe: WakeupPipe) {
        while !wakeupPipe.isEnding {
            let (greeting, waiting) = state.withLock { state in
                (state.greeting, [state.waiting].compactMap(\.self))
            }
            let isFull = greeting.count >= Self.greetingLimit
            var descriptors = [
                pollfd(fd: wakeupPipe.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isFull ? -1 : socket, events: Int16(POLLIN), revents: 0),
            ]
            descriptors += (greeting + waiting.map(\.peer)).map {
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
            return refuse(peer, .user)
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
        /// The peer has disconnected, or waits because another program is connected.
        case settled
        case refused(ProgramRefusal)
        /// The endpoints that the peer can serve.
        case ready([Endpoint])
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
            case .nothing: outcome = isLate ? .refused(.noGreeting) : .waits
            case .end: outcome = .settled
            case .message(let message):
                descriptors = message.descriptors
                outcome = Self.handle(message, of: peer, in: &state)
            case .garbage: outcome = .refused(.noGreeting)
            }
            if case .waits = outcome {} else { state.greeting.remove(at: index) }
            return outcome
        }
        conclude(outcome, for: peer)
    }

    private static func handle(
        _ message: ControlSocket.Message, of peer: PendingPeer, in state: inout State
    ) -> Outcome {
        guard message.kind == .greeting, let greeting = ProgramGreeting(message.value) else {
            return .refused(.noGreeting)
        }
        guard greeting.version == GreenroomProtocol.version else { return .refused(.version) }
        let greeted = GreetedPeer(peer, greeting.kinds)
        let endpoints = state.endpoints(of: greeted)
        guard !endpoints.isEmpty else { return .refused(.isUnwanted) }
        guard state.waiting == nil else { return .refused(.isTaken) }
        state.waiting = greeted
        return state.connected == nil ? .ready(endpoints) : .settled
    }

    /// Drops a waiting peer that has disconnected, sends something, or has waited too long.
    private func checkWaiting(_ greeted: GreetedPeer) {
        let peer = greeted.peer
        var descriptors: [Int32] = []
        defer { ControlSocket.discard(descriptors) }
        let outcome = state.withLock { state -> Outcome in
            guard state.waiting === greeted else { return .settled }
            let isLate =
                state.connected != nil
                && clock.now - peer.connectedAt > Self.timeoutNanoseconds
            // Receive only while the peer waits: the runner receives an accepted peer's messages.
            let received = peer.socket.receive(waits: false)
            if case .message(let message) = received { descriptors = message.descriptors }
            let outcome: Outcome =
                switch received {
                case .nothing: isLate ? .refused(.isTaken) : .waits
                case .end: .settled
                case .message, .garbage: .refused(.noGreeting)
                }
            if case .waits = outcome {} else { state.waiting = nil }
            return outcome
        }
        conclude(outcome, for: peer)
    }

    private func conclude(_ outcome: Outcome, for peer: PendingPeer) {
        switch outcome {
        case .waits, .settled: break
        case .refused(let reason): refuse(peer, reason)
        case .ready(let endpoints):
            for endpoint in endpoints { endpoint.notify(.waiting(peer.description)) }
        }
    }

    private func refuse(_ peer: PendingPeer, _ reason: ProgramRefusal) {
        peer.refuse(reason)
        let (notify, count) = state.withLock { state in
            let first = state.endpoints.min { $0.key < $1.key }
            return (first?.value.notify, state.refusals.add(at: clock.now))
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
