import CLinux
import Glibc
import GreenroomIPC
import GreenroomSession
import GreenroomMedia
import Synchronization
import TestSupport
import Testing

@testable import GreenroomIsolation

/// Who is let in at a broadcast's socket, and who is sent away.
@Suite(.ownThreads) struct BroadcastListenerTests {
    private let folder: TemporaryFolder
    private let listener: BroadcastListener
    private let news = News()

    init() throws {
        folder = try TemporaryFolder()
        listener = BroadcastListener(path: folder("share.sock"))
    }

    /// What the session hears.
    private final class News: Sendable {
        private let all = Mutex<[Arrival]>([])

        func add(_ arrival: Arrival) { all.withLock { $0.append(arrival) } }

        var waiting: Int {
            all.withLock { all in
                all.count { if case .waiting = $0 { true } else { false } }
            }
        }

        /// Waits until somebody was sent away with a text.
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
        for kind in kinds { try listener.open(kind) { [news] in news.add($0) } }
    }

    /// Connects as a broadcast does.
    private func connect(_ kind: PluginKind? = .shareSource) throws -> ControlSocket {
        let descriptor = greenroom_connect(listener.path)
        try #require(descriptor >= 0)
        let socket = ControlSocket(adopting: descriptor)
        if let kind { socket.send(.greeting, BroadcastGreeting(kind: kind).number) }
        return socket
    }

    /// What the host says first, or that it hangs up.
    private func answer(to socket: borrowing ControlSocket) -> BroadcastRefusal? {
        guard case .message(let message) = socket.receive(waits: true), message.kind == .refusal
        else { return nil }
        return BroadcastRefusal(rawValue: message.value)
    }

    @Test func `who greets waits, is let in, and leaves room for the next one`() throws {
        try open(.shareSource)
        #expect(!listener.hasPendingPeer(.shareSource))
        let first = try connect()
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        let peer = try #require(listener.admit(.shareSource))
        #expect(peer.process == getpid() && peer.user == geteuid())
        #expect(!listener.hasPendingPeer(.shareSource))
        #expect(listener.admit(.shareSource) == nil)

        // One that comes a moment early is let in when the first one has left.
        let second = try connect()
        usleep(200_000)
        #expect(!listener.hasPendingPeer(.shareSource))
        listener.dismiss(peer, .shareSource)
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        #expect(news.waiting == 2)
        #expect(listener.admit(.shareSource) != nil)
        _ = (first.descriptor, second.descriptor)
    }

    @Test func `who comes while there is one is sent away`() throws {
        try open(.shareSource)
        let first = try connect()
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        #expect(answer(to: try connect()) == .isTaken, "behind one that waits")
        #expect(listener.admit(.shareSource) != nil)
        #expect(answer(to: try connect()) == .isTaken, "behind one that is in")
        #expect(news.hasRefused("one is let in at a time"))
        _ = first.descriptor
    }

    @Test func `a share and its sound come in side by side`() throws {
        try open(.shareSource, .shareAudioSource)
        let share = try connect(.shareSource)
        let sound = try connect(.shareAudioSource)
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        #expect(eventually { listener.hasPendingPeer(.shareAudioSource) })
        _ = (share.descriptor, sound.descriptor)
    }

    @Test func `what the session has no use for is sent away`() throws {
        try open(.shareSource)
        #expect(answer(to: try connect(.shareAudioSource)) == .isUnwanted)
        #expect(answer(to: try connect(.videoSource)) == .isUnwanted)
    }

    @Test func `another version is sent away`() throws {
        try open(.shareSource)
        let socket = try connect(nil)
        let other = BroadcastGreeting(version: GreenroomProtocol.version + 1, kind: .shareSource)
        socket.send(.greeting, other.number)
        #expect(answer(to: socket) == .version)
        #expect(news.hasRefused("version"))
    }

    @Test func `who says nothing, or something else, is sent away`() throws {
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

    @Test func `who waits and goes on talking, or hangs up, waits no longer`() throws {
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

    @Test func `many who say nothing keep nobody out for long`() throws {
        try open(.shareSource)
        var silent: [Int32] = []
        for _ in 0..<24 { silent.append(greenroom_connect(listener.path)) }
        defer { for descriptor in silent where descriptor >= 0 { close(descriptor) } }
        var polite: Int32 = -1
        #expect(
            eventually {
                polite = greenroom_connect(listener.path)
                return polite >= 0
            })
        let socket = ControlSocket(adopting: polite)
        socket.send(.greeting, BroadcastGreeting(kind: .shareSource).number)
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
    }

    @Test func `who waits when it closes is sent away, and the socket goes`() throws {
        try open(.shareSource, .shareAudioSource)
        let socket = try connect()
        #expect(eventually { listener.hasPendingPeer(.shareSource) })
        listener.close(.shareSource)
        #expect(answer(to: socket) == .isClosed)
        #expect(folder.has("share.sock"), "the sound may come still")
        listener.close(.shareAudioSource)
        listener.close(.shareAudioSource)
        #expect(!folder.has("share.sock"))
        try open(.shareSource)
        #expect(folder.has("share.sock"))
        listener.close(.shareSource)
    }

    /// As another user, on a socket that somebody has opened to all.
    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `another user's process is sent away`() throws {
        try open(.shareSource)
        chmod(folder.path, 0o755)
        chmod(listener.path, 0o666)
        let source = try folder.write(
            "pendingPeer.c",
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
        let program = folder("pendingPeer")
        let build = try ChildProcess.run("cc", [source, "-o", program])
        try #require(build.exit == .code(0), "\(build)")
        let run = try ChildProcess.run(
            "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", program, listener.path])
        #expect(run.exit == .code(0), "\(run)")
        let refusal = "\(ControlSocket.Kind.refusal.rawValue) \(BroadcastRefusal.user.rawValue)"
        #expect(String(decoding: run.standardOutput, as: UTF8.self) == refusal)
        #expect(news.hasRefused("user 65534"))
        #expect(!listener.hasPendingPeer(.shareSource))
    }

    @Test func `of many refusals in a second five are told`() {
        var news = RefusalLog()
        let told = (0..<20).map { _ in news.add(at: 0) }
        #expect(told.compactMap(\.self) == [0, 0, 0, 0, 0])
        #expect(news.add(at: 1_000_000_000) == 15)
        #expect(news.add(at: 1_000_000_001) == 0)
    }
}

/// Waits until something is so.
private func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<1000 {
        if condition() { return true }
        usleep(5_000)
    }
    return false
}
