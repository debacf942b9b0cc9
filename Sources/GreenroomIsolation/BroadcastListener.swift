import CLinux
import Glibc
import GreenroomChannel
import GreenroomHost
import GreenroomLoading
package import GreenroomMedia
import Synchronization

/// Lets broadcasts in at a Unix socket: one at a time of each kind.
///
/// Who connects is asked for by the kernel's word, and has to greet within a moment. Until its life
/// begins it waits; then its connection belongs to that life. One that comes while there is another
/// waits a moment too, because that one may just be ending, and is sent away then.
package final class BroadcastListener: Sendable {
    /// What one kind of plugin finds here.
    private struct Entrance {
        var tell: @Sendable (Arrival) -> Void
        var waiting: BroadcastVisitor?
        /// Whose life goes on.
        var guest: BroadcastVisitor?
    }

    private struct State {
        var entrances: [PluginKind: Entrance] = [:]
        /// Those who have not greeted yet.
        var strangers: [BroadcastVisitor] = []
        /// Set while it listens: wakes the thread that does.
        var bell: Bell?
        var refusals = RefusalNews()
    }

    /// How long a stranger has to greet, and how long to wait for one's place to become free.
    private static let patienceNanoseconds: Int64 = 1_000_000_000
    /// How many may be about to greet; more have to wait in the socket's queue.
    private static let mostStrangers = 8

    package let path: String
    private let state = Mutex(State())

    /// - Parameter path: Of the socket, which is made when the first entrance is opened.
    package init(path: String) { self.path = path }

    /// The origin of the plugins of a kind that come in here.
    package func origin(of kind: PluginKind) -> BroadcastOrigin {
        BroadcastOrigin(listener: self, kind: kind)
    }

    // MARK: Entrances

    func open(_ kind: PluginKind, _ tell: @escaping @Sendable (Arrival) -> Void) throws(LoadError) {
        // Opened by one thread, that of the session.
        if state.withLock({ $0.bell == nil }) {
            let socket = try ListeningSocket(at: path)
            guard let bell = Bell() else {
                throw LoadError(
                    code: .noSocket, place: path,
                    explanation: "no pipe can be made: \(String(cString: strerror(errno))).")
            }
            state.withLock { $0.bell = bell }
            let box = SocketBox(socket)
            _ = HostThread(name: "broadcasts") { [self] in
                listen(box.descriptor, bell)
                box.close()
                bell.hasEnded.change { $0 = true }
            }
        }
        state.withLock { $0.entrances[kind] = Entrance(tell: tell) }
    }

    /// Closes an entrance; with the last one the socket goes.
    func close(_ kind: PluginKind) {
        var turnedAway: [BroadcastVisitor] = []
        let bell = state.withLock { state -> Bell? in
            if let waiting = state.entrances.removeValue(forKey: kind)?.waiting {
                turnedAway.append(waiting)
            }
            guard state.entrances.isEmpty else { return nil }
            turnedAway += state.strangers
            state.strangers = []
            return state.bell.take()
        }
        for visitor in turnedAway { visitor.refuse(.isClosed) }
        bell?.endAndWait()
    }

    func isAnybodyWaiting(_ kind: PluginKind) -> Bool {
        state.withLock { state in
            guard let entrance = state.entrances[kind] else { return false }
            return entrance.waiting != nil && entrance.guest == nil
        }
    }

    /// Lets in who waits.
    func admit(_ kind: PluginKind) -> BroadcastVisitor? {
        state.withLock { state in
            guard state.entrances[kind]?.guest == nil,
                let visitor = state.entrances[kind]?.waiting
            else { return nil }
            state.entrances[kind]?.waiting = nil
            state.entrances[kind]?.guest = visitor
            return visitor
        }
    }

    /// Takes note that a life has ended: the next one may come in.
    func dismiss(_ guest: BroadcastVisitor, _ kind: PluginKind) {
        let (tell, next) = state.withLock { state in
            guard state.entrances[kind]?.guest === guest else {
                return (nil as (@Sendable (Arrival) -> Void)?, nil as BroadcastVisitor?)
            }
            state.entrances[kind]?.guest = nil
            return (state.entrances[kind]?.tell, state.entrances[kind]?.waiting)
        }
        if let next { tell?(.waiting(next.description)) }
    }

    // MARK: The thread that listens

    /// Until the bell says that it is over.
    private func listen(_ socket: Int32, _ bell: Bell) {
        while !bell.isOver {
            let (strangers, waiting) = state.withLock { state in
                (state.strangers, state.entrances.values.compactMap(\.waiting))
            }
            let isFull = strangers.count >= Self.mostStrangers
            var descriptors = [
                pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isFull ? -1 : socket, events: Int16(POLLIN), revents: 0),
            ]
            descriptors += (strangers + waiting).map {
                pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0)
            }
            let isIdle = strangers.isEmpty && waiting.isEmpty
            _ = poll(&descriptors, nfds_t(descriptors.count), isIdle ? -1 : 50)
            for stranger in strangers { hear(stranger) }
            for visitor in waiting { lookAfter(visitor) }
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
        guard let visitor = BroadcastVisitor(adopting: descriptor, at: MonotonicClock.now) else {
            return
        }
        guard visitor.user == geteuid() || visitor.user == 0 else {
            return refuse(visitor, .user, of: nil)
        }
        let isOpen = state.withLock { state in
            guard state.bell != nil else { return false }
            state.strangers.append(visitor)
            return true
        }
        if !isOpen { visitor.refuse(.isClosed) }
    }

    /// What becomes of somebody who connected.
    private enum Reception {
        case wait
        /// It has left, or nobody has to hear of it yet.
        case noNews
        case refused(BroadcastRefusal, PluginKind?)
        case welcome(@Sendable (Arrival) -> Void)
    }

    /// Hears whether a stranger greets.
    private func hear(_ stranger: BroadcastVisitor) {
        // What came with a message is closed without the lock, which the session needs.
        var descriptors: [Int32] = []
        defer { ControlSocket.discard(descriptors) }
        let reception = state.withLock { state -> Reception in
            guard let index = state.strangers.firstIndex(where: { $0 === stranger }) else {
                return .noNews
            }
            let isLate = MonotonicClock.now - stranger.arrival > Self.patienceNanoseconds
            let reception: Reception
            switch stranger.socket.receive(waits: false) {
            case .nothing: reception = isLate ? .refused(.noGreeting, nil) : .wait
            case .end: reception = .noNews
            case .message(let message):
                descriptors = message.descriptors
                reception = Self.receive(stranger, message, in: &state)
            case .garbage: reception = .refused(.noGreeting, nil)
            }
            if case .wait = reception {} else { state.strangers.remove(at: index) }
            return reception
        }
        conclude(reception, of: stranger)
    }

    private static func receive(
        _ stranger: BroadcastVisitor, _ message: ControlSocket.Message, in state: inout State
    ) -> Reception {
        guard message.kind == .greeting, let greeting = BroadcastGreeting(message.value) else {
            return .refused(.noGreeting, nil)
        }
        guard greeting.version == GreenroomProtocol.version else {
            return .refused(.version, greeting.kind)
        }
        guard let entrance = state.entrances[greeting.kind] else {
            return .refused(.isUnwanted, nil)
        }
        guard entrance.waiting == nil else { return .refused(.isTaken, greeting.kind) }
        state.entrances[greeting.kind]?.waiting = stranger
        // Whose place is taken may still get it, and is no news until then.
        return entrance.guest == nil ? .welcome(entrance.tell) : .noNews
    }

    /// Looks whether one who waits is still there, and whether it waits in vain.
    private func lookAfter(_ visitor: BroadcastVisitor) {
        var descriptors: [Int32] = []
        defer { ControlSocket.discard(descriptors) }
        let reception = state.withLock { state -> Reception in
            guard
                let (kind, entrance) = state.entrances.first(where: { $0.value.waiting === visitor }
                )
            else { return .noNews }
            let isInVain =
                entrance.guest != nil
                && MonotonicClock.now - visitor.arrival > Self.patienceNanoseconds
            // Only while it waits: what it says as a guest is for its runner.
            let received = visitor.socket.receive(waits: false)
            if case .message(let message) = received { descriptors = message.descriptors }
            let reception: Reception =
                switch received {
                case .nothing: isInVain ? .refused(.isTaken, kind) : .wait
                case .end: .noNews
                case .message, .garbage: .refused(.noGreeting, kind)
                }
            if case .wait = reception {} else { state.entrances[kind]?.waiting = nil }
            return reception
        }
        conclude(reception, of: visitor)
    }

    private func conclude(_ reception: Reception, of visitor: BroadcastVisitor) {
        switch reception {
        case .wait, .noNews: break
        case .refused(let reason, let kind): refuse(visitor, reason, of: kind)
        case .welcome(let tell): tell(.waiting(visitor.description))
        }
    }

    private func refuse(
        _ visitor: BroadcastVisitor, _ reason: BroadcastRefusal, of kind: PluginKind?
    ) {
        visitor.refuse(reason)
        let (tell, count) = state.withLock { state in
            let entrance = kind.flatMap { state.entrances[$0] } ?? state.entrances[.shareSource]
            return (
                (entrance ?? state.entrances.values.first)?.tell,
                state.refusals.add(at: MonotonicClock.now)
            )
        }
        guard let tell, let count else { return }
        let others = count > 0 ? "; so were \(count) others" : ""
        tell(
            .refused(
                "\(visitor.description), user \(visitor.user), was sent away: \(reason.text)"
                    + others))
    }
}

/// Says for which refusals there is a line in the log: for five a second.
struct RefusalNews {
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
private final class Bell: Sendable {
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
