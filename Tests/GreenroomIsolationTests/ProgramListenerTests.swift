import CLinux
import Glibc
import GreenroomIPC
import GreenroomLifecycle
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRunner
import GreenroomRuntime
import Synchronization
import TestSupport
import Testing

@testable import GreenroomIsolation

/// Tests which programs a socket accepts.
@Suite(.ownThreads) struct ProgramListenerTests {
    private let folder: TemporaryFolder
    private let listener: ProgramListener
    private let events = Events()

    init() throws {
        folder = try TemporaryFolder()
        listener = ProgramListener(path: folder("share.sock"))
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
        for kind in kinds {
            try listener.open(Int(kind.rawValue), kind) { [events] in events.add($0) }
        }
    }

    /// Connects like the client library.
    private func connect(_ kinds: Set<PluginKind> = [.shareSource]) throws -> ControlSocket {
        let descriptor = greenroom_connect(listener.path, greenroom_messages)
        try #require(descriptor >= 0)
        let socket = ControlSocket(adopting: descriptor)
        if !kinds.isEmpty { socket.send(.greeting, ProgramGreeting(kinds: kinds).number) }
        return socket
    }

    /// The host's first message, if it is a refusal.
    private func answer(to socket: borrowing ControlSocket) -> ProgramRefusal? {
        guard case .message(let message) = socket.receive(waits: true), message.kind == .refusal
        else { return nil }
        return ProgramRefusal(rawValue: message.value)
    }

    private func place(_ kind: PluginKind) -> Int { Int(kind.rawValue) }

    private func isPending(_ kind: PluginKind) -> Bool { listener.hasPendingPeer(place(kind)) }

    /// Serves a connection as the client library does, until the host ends it.
    private func serve(_ socket: consuming ControlSocket) -> HostThread {
        let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
        return HostThread(name: "program") {
            let environment = Runner.Environment(
                confine: { _, _ in [] },
                load: { path throws(LoadError) in throw .withoutEntry(path) }, end: {})
            guard
                let runner = try? Runner(
                    socket: ControlSocket(adopting: descriptor), environment: environment)
            else { return }
            runner.run()
            _ = runner.end()
        }
    }

    @Test
    func `a program waits to be accepted, and the next waits for the program to leave`() throws {
        try open(.shareSource)
        #expect(!isPending(.shareSource))
        let first = try connect()
        #expect(eventually { isPending(.shareSource) })
        let thread = serve(first)
        let process = try #require(try listener.accept(place(.shareSource)))
        #expect(!isPending(.shareSource))
        #expect(try listener.accept(place(.shareSource)) == nil)

        // A program that connects slightly early is accepted after the first one has left.
        let second = try connect()
        usleep(200_000)
        #expect(!isPending(.shareSource))
        process.end()
        thread.join()
        #expect(eventually { isPending(.shareSource) })
        #expect(events.waiting == 2)
        _ = second.descriptor
    }

    @Test func `each of many programs is accepted after the one before has left`() throws {
        try open(.shareSource)
        // Memory of a program that has left is soon used again.
        for _ in 0..<50 {
            let program = try connect()
            try #require(eventually { isPending(.shareSource) })
            let thread = serve(program)
            let process = try #require(try listener.accept(place(.shareSource)))
            process.end()
            thread.join()
        }
    }

    @Test func `a second program is refused`() throws {
        try open(.shareSource)
        let first = try connect()
        #expect(eventually { isPending(.shareSource) })
        #expect(answer(to: try connect()) == .isTaken, "behind a program that waits")
        let thread = serve(first)
        let process = try #require(try listener.accept(place(.shareSource)))
        #expect(answer(to: try connect()) == .isTaken, "behind a program that is connected")
        #expect(events.hasRefused("a socket serves one at a time"))
        process.end()
        thread.join()
    }

    @Test func `one program serves several plugins, each once`() throws {
        try open(.shareSource, .shareAudioSource, .videoSource)
        let program = try connect([.shareSource, .shareAudioSource])
        #expect(eventually { isPending(.shareSource) && isPending(.shareAudioSource) })
        #expect(!isPending(.videoSource))
        let thread = serve(program)
        let process = try #require(try listener.accept(place(.shareSource)))
        #expect(try listener.accept(place(.videoSource)) == nil)
        #expect(isPending(.shareAudioSource))
        #expect(try listener.accept(place(.shareAudioSource)) === process)
        #expect(!isPending(.shareAudioSource))
        process.end()
        thread.join()
    }

    @Test func `a kind that the session does not use is refused`() throws {
        try open(.shareSource)
        #expect(answer(to: try connect([.shareAudioSource])) == .isUnwanted)
        #expect(answer(to: try connect([.videoSource])) == .isUnwanted)
    }

    @Test func `another version is refused`() throws {
        try open(.shareSource)
        let socket = try connect([])
        let other = ProgramGreeting(version: GreenroomProtocol.version + 1, kinds: [.shareSource])
        socket.send(.greeting, other.number)
        #expect(answer(to: socket) == .version)
        #expect(events.hasRefused("version"))
    }

    @Test func `a peer without a greeting is refused`() throws {
        try open(.shareSource)
        let silent = try connect([])
        let wrong = try connect([])
        wrong.send(.pong, 7)
        let garbled = try connect([])
        #expect(greenroom_send(garbled.descriptor, "garbage", 7, nil, 0) == 7)
        #expect(answer(to: wrong) == .noGreeting)
        #expect(answer(to: garbled) == .noGreeting)
        #expect(answer(to: silent) == .noGreeting, "after a while")
        #expect(!isPending(.shareSource))
    }

    @Test func `a waiting peer that sends or disconnects is dropped`() throws {
        try open(.shareSource)
        let talking = try connect()
        #expect(eventually { isPending(.shareSource) })
        talking.send(.pong, 7)
        #expect(answer(to: talking) == .noGreeting)
        do {
            let leaving = try connect()
            #expect(eventually { isPending(.shareSource) })
            _ = leaving.descriptor
        }
        #expect(eventually { !isPending(.shareSource) })
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
        socket.send(.greeting, ProgramGreeting(kinds: [.shareSource]).number)
        #expect(eventually { isPending(.shareSource) })
    }

    @Test func `closing refuses the waiting peer, and removes the socket`() throws {
        try open(.shareSource, .shareAudioSource)
        let socket = try connect()
        #expect(eventually { isPending(.shareSource) })
        listener.close(place(.shareSource))
        #expect(answer(to: socket) == .isClosed)
        #expect(folder.has("share.sock"), "the sound may still connect")
        listener.close(place(.shareAudioSource))
        listener.close(place(.shareAudioSource))
        #expect(!folder.has("share.sock"))
        try open(.shareSource)
        #expect(folder.has("share.sock"))
        listener.close(place(.shareSource))
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
              uint32_t words_[2] = {7, \(ProgramGreeting(kinds: [.shareSource]).number)};
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
        let refusal = "\(ControlSocket.Kind.refusal.rawValue) \(ProgramRefusal.user.rawValue)"
        #expect(String(decoding: run.standardOutput, as: UTF8.self) == refusal)
        #expect(events.hasRefused("user 65534"))
        #expect(!isPending(.shareSource))
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
