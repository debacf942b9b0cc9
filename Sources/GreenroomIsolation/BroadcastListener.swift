import CLinux
import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomSession
import GreenroomPluginInterface
package import GreenroomMedia
import GreenroomSystem
import Synchronization
import SystemPackage

/// Lets broadcasts in at a Unix socket: one at a time of each kind.
///
/// Who connects is asked for by the kernel's word, and has to greet within a moment. Until its life
/// begins it waits; then its connection belongs to that life. One that comes while there is another
/// waits a moment too, because that one may just be ending, and is sent away then.
package final class BroadcastListener: Sendable {
    /// What one kind of plugin finds here.
    private struct Endpoint {
        var tell: @Sendable (Arrival) -> Void
        var waiting: PendingPeer?
        /// Whose life goes on.
        var peer: PendingPeer?
    }

    private struct State {
        var endpoints: [PluginKind: Endpoint] = [:]
        /// Those who have not greeted yet.
        var connectingPeers: [PendingPeer] = []
        /// Set while it listens: wakes the thread that does.
        var wakeupPipe: WakeupPipe?
        var refusals = RefusalLog()
    }

    /// How long a connecting peer has to greet, and how long to wait for one's place to become free.
    private static let patienceNanoseconds: Int64 = 1_000_000_000
    /// How many may be about to greet; more have to wait in the socket's queue.
    private static let mostConnectingPeers = 8

    package let path: String
    private let state = Mutex(State())

    /// - Parameter path: Of the socket, which is made when the first endpoint is opened.
    package init(path: String) { self.path = path }

    /// The origin of the plugins of a kind that come in here.
    package func factory(of kind: PluginKind) -> BroadcastFactory {
        BroadcastFactory(listener: self, kind: kind)
    }

    // MARK: Endpoints

    func open(_ kind: PluginKind, _ tell: @escaping @Sendable (Arrival) -> Void) throws(LoadError) {
        // Opened by one thread, that of the session.
        if state.withLock({ $0.wakeupPipe == nil }) {
            let socket = try ListeningSocket(at: path)
            guard let wakeupPipe = WakeupPipe() else {
                throw LoadError(
                    code: .noSocket, place: path,
                    explanation: "no pipe can be made: \(Errno.last).")
            }
            state.withLock { $0.wakeupPipe = wakeupPipe }
            let box = SocketBox(socket)
            _ = HostThread(name: "broadcasts") { [self] in
                listen(box.descriptor, wakeupPipe)
                box.close()
                wakeupPipe.hasEnded.change { $0 = true }
            }
        }
        state.withLock { $0.endpoints[kind] = Endpoint(tell: tell) }
    }

    /// Closes an endpoint; with the last one the socket goes.
    func close(_ kind: PluginKind) {
        var turnedAway: [PendingPeer] = []
        let wakeupPipe = state.withLock { state -> WakeupPipe? in
            if let waiting = state.endpoints.removeValue(forKey: kind)?.waiting {
                turnedAway.append(waiting)
            }
            guard state.endpoints.isEmpty else { return nil }
            turnedAway += state.connectingPeers
            state.connectingPeers = []
            return state.wakeupPipe.take()
        }
        for pendingPeer in turnedAway { pendingPeer.refuse(.isClosed) }
        wakeupPipe?.endAndWait()
    }

    func hasPendingPeer(_ kind: PluginKind) -> Bool {
        state.withLock { state in
            guard let endpoint = state.endpoints[kind] else { return false }
            return endpoint.waiting != nil && endpoint.peer == nil
        }
    }

    /// Lets in who waits.
    func admit(_ kind: PluginKind) -> PendingPeer? {
        state.withLock { state in
            guard state.endpoints[kind]?.peer == nil,
                let pendingPeer = state.endpoints[kind]?.waiting
            else { return nil }
            state.endpoints[kind]?.waiting = nil
            state.endpoints[kind]?.peer = pendingPeer
            return pendingPeer
        }
    }

    /// Takes note that a life has ended: the next one may come in.
    func dismiss(_ peer: PendingPeer, _ kind: PluginKind) {
        let (tell, next) = state.withLock { state in
            guard state.endpoints[kind]?.peer === peer else {
                return (nil as (@Sendable (Arrival) -> Void)?, nil as PendingPeer?)
            }
            state.endpoints[kind]?.peer = nil
            return (state.endpoints[kind]?.tell, state.endpoints[kind]?.waiting)
        }
        if let next { tell?(.waiting(next.description)) }
    }

    // MARK: The thread that listens

    /// Until the wakeupPipe says that it is over.
    private func listen(_ socket: Int32, _ wakeupPipe: WakeupPipe) {
        while !wakeupPipe.isOver {
            let (connectingPeers, waiting) = state.withLock { state in
                (state.connectingPeers, state.endpoints.values.compactMap(\.waiting))
            }
            let isFull = connectingPeers.count >= Self.mostConnectingPeers
            var descriptors = [
                pollfd(fd: wakeupPipe.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isFull ? -1 : socket, events: Int16(POLLIN), revents: 0),
            ]
            descriptors += (connectingPeers + waiting).map {
                pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0)
            }
            let isIdle = connectingPeers.isEmpty && waiting.isEmpty
            _ = poll(&descriptors, nfds_t(descriptors.count), isIdle ? -1 : 50)
            for connectingPeer in connectingPeers { hear(connectingPeer) }
            for pendingPeer in waiting { lookAfter(pendingPeer) }
            if descriptors[1].revents != 0 { accept(socket) }
        }
    }

    private func accept(_ socket: Int32) {
        let descriptor = greenroom_accept(socket)
        guard descriptor >= 0 else {
            // Without descriptors to spare it goes on being ready.
            if descriptor != -EAGAIN { usleep(50_000) }
            return
        }
        guard let pendingPeer = PendingPeer(adopting: descriptor, at: MonotonicClock.now) else {
            return
        }
        guard pendingPeer.user == geteuid() || pendingPeer.user == 0 else {
            return refuse(pendingPeer, .user, of: nil)
        }
        let isOpen = state.withLock { state in
            guard state.wakeupPipe != nil else { return false }
            state.connectingPeers.append(pendingPeer)
            return true
        }
        if !isOpen { pendingPeer.refuse(.isClosed) }
    }

    /// What becomes of somebody who connected.
    private enum Reception {
        case wait
        /// It has left, or nobody has to hear of it yet.
        case noNews
        case refused(BroadcastRefusal, PluginKind?)
        case welcome(@Sendable (Arrival) -> Void)
    }

    /// Hears whether a connecting peer greets.
    private func hear(_ connectingPeer: PendingPeer) {
        // What came with a message is closed without the lock, which the session needs.
        var descriptors: [Int32] = []
        defer { ControlSocket.discard(descriptors) }
        let reception = state.withLock { state -> Reception in
            guard let index = state.connectingPeers.firstIndex(where: { $0 === connectingPeer })
            else {
                return .noNews
            }
            let isLate = MonotonicClock.now - connectingPeer.arrival > Self.patienceNanoseconds
            let reception: Reception
            switch connectingPeer.socket.receive(waits: false) {
            case .nothing: reception = isLate ? .refused(.noGreeting, nil) : .wait
            case .end: reception = .noNews
            case .message(let message):
                descriptors = message.descriptors
                reception = Self.receive(connectingPeer, message, in: &state)
            case .garbage: reception = .refused(.noGreeting, nil)
            }
            if case .wait = reception {} else { state.connectingPeers.remove(at: index) }
            return reception
        }
        conclude(reception, of: connectingPeer)
    }

    private static func receive(
        _ connectingPeer: PendingPeer, _ message: ControlSocket.Message, in state: inout State
    ) -> Reception {
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
        state.endpoints[greeting.kind]?.waiting = connectingPeer
        // Whose place is taken may still get it, and is no news until then.
        return endpoint.peer == nil ? .welcome(endpoint.tell) : .noNews
    }

    /// Looks whether one who waits is still there, and whether it waits in vain.
    private func lookAfter(_ pendingPeer: PendingPeer) {
        var descriptors: [Int32] = []
        defer { ControlSocket.discard(descriptors) }
        let reception = state.withLock { state -> Reception in
            guard
                let (kind, endpoint) = state.endpoints.first(where: {
                    $0.value.waiting === pendingPeer
                }
                )
            else { return .noNews }
            let isInVain =
                endpoint.peer != nil
                && MonotonicClock.now - pendingPeer.arrival > Self.patienceNanoseconds
            // Only while it waits: what it says as a peer is for its runner.
            let received = pendingPeer.socket.receive(waits: false)
            if case .message(let message) = received { descriptors = message.descriptors }
            let reception: Reception =
                switch received {
                case .nothing: isInVain ? .refused(.isTaken, kind) : .wait
                case .end: .noNews
                case .message, .garbage: .refused(.noGreeting, kind)
                }
            if case .wait = reception {} else { state.endpoints[kind]?.waiting = nil }
            return reception
        }
        conclude(reception, of: pendingPeer)
    }

    private func conclude(_ reception: Reception, of pendingPeer: PendingPeer) {
        switch reception {
        case .wait, .noNews: break
        case .refused(let reason, let kind): refuse(pendingPeer, reason, of: kind)
        case .welcome(let tell): tell(.waiting(pendingPeer.description))
        }
    }

    private func refuse(
        _ pendingPeer: PendingPeer, _ reason: BroadcastRefusal, of kind: PluginKind?
    ) {
        pendingPeer.refuse(reason)
        let (tell, count) = state.withLock { state in
            let endpoint = kind.flatMap { state.endpoints[$0] } ?? state.endpoints[.shareSource]
            return (
                (endpoint ?? state.endpoints.values.first)?.tell,
                state.refusals.add(at: MonotonicClock.now)
            )
        }
        guard let tell, let count else { return }
        let others = count > 0 ? "; so were \(count) others" : ""
        tell(
            .refused(
                "\(pendingPeer.description), user \(pendingPeer.user), was sent away: \(reason.text)"
                    + others))
    }
}

/// Says for which refusals there is a line in the log: for five a second.
struct RefusalLog {
    private static let mostASecond = 5

    private var second: Int64 = 0
    private var told = 0
    private var untold = 0

    /// Adds one.
    ///
    /// - Returns: How many were not told before it; nil if this one is not told either.
    mutating func add(at nanoseconds: Int64) -> Int? {
        let now = nanoseconds / 1_000_000_000
        if now != second { (second, told) = (now, 0) }
        guard told < Self.mostASecond else {
            untold += 1
            return nil
        }
        told += 1
        defer { untold = 0 }
        return untold
    }
}

/// A socket on its way to the thread that listens at it.
private final class SocketBox: Sendable {
    let descriptor: Int32
    private let socket: Mutex<ListeningSocket?>

    init(_ socket: consuming ListeningSocket) {
        descriptor = socket.descriptor
        self.socket = Mutex(socket)
    }

    func close() { socket.withLock { $0 = nil } }
}

/// Tells the thread that listens that it is over.
private final class WakeupPipe: Sendable {
    let descriptor: Int32
    let hasEnded = Monitor(false)
    private let writing: Int32
    private let over = Atomic(false)

    init?() {
        var pipe: [Int32] = [-1, -1]
        guard greenroom_pipe(&pipe) == 0 else { return nil }
        (descriptor, writing) = (pipe[0], pipe[1])
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    var isOver: Bool { over.load(ordering: .acquiring) }

    func endAndWait() {
        over.store(true, ordering: .releasing)
        _ = write(writing, [1] as [UInt8], 1)
        _ = hasEnded.wait(until: MonotonicClock.deadline(after: 1_000_000_000)) { $0 ? () : nil }
    }
}
