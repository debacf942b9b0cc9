import CLinux
import Glibc
import GreenroomIPC
import GreenroomLifecycle
import GreenroomMedia
import Synchronization
import TestSupport
import Testing

@testable import GreenroomIsolation

/// Which peers a broadcast's socket accepts, and which it refuses.
@Suite(.ownThreads) struct BroadcastListenerTests {
    private let folder: TemporaryFolder
    private let listener: BroadcastListener
    private let events = Events()

    init() throws {
        folder = try TemporaryFolder()
        listener = BroadcastListener(path: folder("share.sock"))
    }

    /// The session's notifications.
    private final class Events: Sendable {
        private let all = Mutex<[IncomingConnection]>([])

        func add(_ arrival: IncomingConnection) { all.withLock { $0.append(arrival) } }

        var waiting: Int {
            all.withLock { all in
                all.count { if case .waiting = $0 { true } else { false } }
            }
        }

        /// Waits until a peer was refused with a text.
        func hasRefused(_ text: String) -> Bool {
            eventually {
                self.all.withLock { all in
                    all.contains {
                        if case .refused(let why) = $0 { why.contains(text) } else { false }
                    }
                }
            }
        }
    }

    private func open(_ kinds: PluginKind...) throws {
        for kind in kinds { try listener.open(kind) { [events] in events.add($0) } }
    }

    /// Connects like a broadcast.
    private func connect(_ kind: PluginKind? = .shareSource) throws -> ControlSocket {
        let descriptor = greenroom_connect(listener.path, greenroom_messages)
        try #require(descriptor >= 0)
        let socket = ControlSocket(adopting: descriptor)
        if let kind { socket.send(.greeting, BroadcastGreeting(kind: kind).number) }
        return socket
    }

    /// The host's first message, if it is a refusal.
    private func answer(to socket: borrowing ControlSocket) -> BroadcastRefusal? {
        guard case .message(let message) = socket.receive(waits: true), message.kind == .refusal
        else { return nil }
        return BroadcastRefusal(rawValue: message.value)
    }

    @Test func `a peer greets, waits, is accepted and makes room for the next`() throws {
        try open(.shareSource)
        #expect(!listener.hasPendingPeer(.shareSource))
        let first = try connect()
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        let peer = try #require(listener.accept(.shareSource))
        #expect(peer.process == getpid() && peer.user == geteuid())
        #expect(!listener.hasPendingPeer(.shareSource))
        #expect(listener.accept(.shareSource) == nil)

        // A peer that connects slightly early is accepted after the first one has left.
        let second = try connect()
        usleep(200_000)
        #expect(!listener.hasPendingPeer(.shareSource))
        listener.release(peer, .shareSource)
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        #expect(events.waiting == 2)
        #expect(listener.accept(.shareSource) != nil)
        _ = (first.descriptor, second.descriptor)
    }

    @Test func `a second peer of a kind is refused`() throws {
        try open(.shareSource)
        let first = try connect()
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        #expect(answer(to: try connect()) == .isTaken, "behind a peer that waits")
        #expect(listener.accept(.shareSource) != nil)
        #expect(answer(to: try connect()) == .isTaken, "behind a peer that is connected")
        #expect(events.hasRefused("the limit is one at a time"))
        _ = first.descriptor
    }

    @Test func `a share and its sound connect side by side`() throws {
        try open(.shareSource, .shareAudioSource)
        let share = try connect(.shareSource)
        let sound = try connect(.shareAudioSource)
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        #expect(eventually { listener.hasPendingPeer(.shareAudioSource) })
        _ = (share.descriptor, sound.descriptor)
    }

    @Test func `a kind that the session does not use is refused`() throws {
        try open(.shareSource)
        #expect(answer(to: try connect(.shareAudioSource)) == .isUnwanted)
        #expect(answer(to: try connect(.videoSource)) == .isUnwanted)
    }

    @Test func `another version is refused`() throws {
        try open(.shareSource)
        let socket = try connect(nil)
        let other = BroadcastGreeting(version: GreenroomProtocol.version + 1, kind: .shareSource)
        socket.send(.greeting, other.number)
        #expect(answer(to: socket) == .version)
        #expect(events.hasRefused("version"))
    }

    @Test func `a peer without a greeting is refused`() throws {
        try open(.shareSource)
        let silent = try connect(nil)
        let wrong = try connect(nil)
        wrong.send(.pong, 7)
        let garbled = try connect(nil)
        #expect(greenroom_send(garbled.descriptor, "garbage", 7, nil, 0) == 7)
        #expect(answer(to: wrong) == .noGreeting)
        #expect(answer(to: garbled) == .noGreeting)
        #expect(answer(to: silent) == .noGreeting, "after a while")
        #expect(!listener.hasPendingPeer(.shareSource))
    }

    @Test func `a waiting peer that sends or disconnects is dropped`() throws {
        try open(.shareSource)
        let talking = try connect()
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        talking.send(.pong, 7)
        #expect(answer(to: talking) == .noGreeting)
        do {
            let leaving = try connect()
            #expect(eventually { listener.hasPendingPeer(.shareSource) })
            _ = leaving.descriptor
        }
        #expect(eventually { !listener.hasPendingPeer(.shareSource) })
    }

    @Test func `silent peers do not block others for long`() throws {
        try open(.shareSource)
        var silent: [Int32] = []
        for _ in 0..<24 { silent.append(greenroom_connect(listener.path, greenroom_messages)) }
        defer { for descriptor in silent where descriptor >= 0 { close(descriptor) } }
        var polite: Int32 = -1
        #expect(
            eventually {
                polite = greenroom_connect(listener.path, greenroom_messages)
                return polite >= 0
            })
        let socket = ControlSocket(adopting: polite)
        socket.send(.greeting, BroadcastGreeting(kind: .shareSource).number)
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
    }

    @Test func `closing refuses the waiting peer, and removes the socket`() throws {
        try open(.shareSource, .shareAudioSource)
        let socket = try connect()
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        listener.close(.shareSource)
        #expect(answer(to: socket) == .isClosed)
        #expect(folder.has("share.sock"), "the sound may still connect")
        listener.close(.shareAudioSource)
        listener.close(.shareAudioSource)
        #expect(!folder.has("share.sock"))
        try open(.shareSource)
        #expect(folder.has("share.sock"))
        listener.close(.shareSource)
    }

    /// On a socket that is open to every user.
    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `another user's process is refused`() throws {
        try open(.shareSource)
        chmod(folder.path, 0o755)
        chmod(listener.path, 0o666)
        let source = try folder.write(
            "peer.c",
            """
            #include <stdint.h>
            #include <stdio.h>
            #include <string.h>
            #include <sys/socket.h>
            #include <sys/un.h>
            int main(int count, char **words) {
              struct sockaddr_un address = {.sun_family = AF_UNIX};
              strncpy(address.sun_path, words[count - 1], sizeof address.sun_path - 1);
              int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
              if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) return 1;
              uint32_t words_[2] = {7, \(BroadcastGreeting(kind: .shareSource).number)};
              send(fd, words_, sizeof words_, MSG_NOSIGNAL);
              if (recv(fd, words_, sizeof words_, 0) != sizeof words_) return 2;
              printf("%u %u", words_[0], words_[1]);
              return 0;
            }
            """)
        let program = folder("peer")
        let build = try ChildProcess.run("cc", [source, "-o", program])
        try #require(build.exit == .code(0), "\(build)")
        let run = try ChildProcess.run(
            "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", program, listener.path])
        #expect(run.exit == .code(0), "\(run)")
        let refusal = "\(ControlSocket.Kind.refusal.rawValue) \(BroadcastRefusal.user.rawValue)"
        #expect(String(decoding: run.standardOutput, as: UTF8.self) == refusal)
        #expect(events.hasRefused("user 65534"))
        #expect(!listener.hasPendingPeer(.shareSource))
    }

    @Test func `five refusals a second are logged`() {
        var log = RefusalLog()
        let logged = (0..<20).map { _ in log.add(at: 0) }
        #expect(logged.compactMap(\.self) == [0, 0, 0, 0, 0])
        #expect(log.add(at: 1_000_000_000) == 15)
        #expect(log.add(at: 1_000_000_001) == 0)
    }
}

/// Waits until a condition holds.
private func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<1000 {
        if condition() { return true }
        usleep(5_000)
    }
    return false
}
