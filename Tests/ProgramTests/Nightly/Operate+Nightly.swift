import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension OperateTests {
    @Test func `silent clients of a session's socket give way to a new client`() throws {
        let session = try start("idle")
        let path = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder("greenroom")).first)
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        for _ in 0..<16 { sockets.append(try connect(to: folder("greenroom/" + path))) }
        let full = try #require(try line(of: session))
        #expect(!full.contains("starting"), "it is full, or has room again:\n\(full)")
        var status = try greenroom("status", "idle")
        while status.standardError.contains("16 programs are connected") {
            status = try greenroom("status", "idle")
        }
        #expect(status.exit == .code(0), "\(status)")
        #expect(try greenroom("stop", "idle").exit == .code(0))
        #expect(session.wait().exit == .code(0))
    }

    @Test func `readers of the log leave connections free for commands`() throws {
        let session = try start("read")
        var readers: [ChildProcess] = []
        defer { for reader in readers { reader.signal(SIGKILL) } }
        for _ in 0..<12 {
            readers.append(try Greenroom.start(["logs", "-f", "read"], environment: environment))
        }
        for reader in readers {
            #expect(reader.waitForOutput(containing: "\"started\""))
        }
        let refused = try greenroom("logs", "-f", "read")
        #expect(refused.exit == .code(74), "\(refused)")
        #expect(refused.standardError.contains("12 programs follow"), "\(refused)")
        #expect(try greenroom("control", "read", "ceiling 160x90@15").exit == .code(0))
        #expect(try greenroom("stop", "read").exit == .code(0))
        #expect(session.wait().exit == .code(0))
    }

    @Test func `hostile clients do not harm the session`() throws {
        let session = try start("stage")
        let path = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder("greenroom")).first)
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        for _ in 0..<40 { sockets.append(try connect(to: folder("greenroom/" + path))) }
        // Endless lines, invalid UTF-8, and clients that never read.
        let noise = [UInt8](repeating: 0xff, count: 100_000) + [10]
        for socket in sockets {
            _ = noise.withUnsafeBytes {
                send(
                    socket, $0.baseAddress, $0.count,
                    Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            let lines = String(repeating: "events\nreport\nlog\n", count: 2000)
            _ = send(
                socket, lines, lines.utf8.count,
                Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        let refused = try greenroom("status", "stage")
        #expect(refused.exit != .code(0) || refused.text.contains("track camera"))
        while let socket = sockets.popLast() { close(socket) }
        // They are gone as soon as the session has read that.
        var status = try greenroom("status", "stage")
        while !status.text.contains("track camera"), !session.hasEnded {
            status = try greenroom("status", "stage")
        }
        #expect(status.text.contains("track camera"), "\(status)")
        #expect(try greenroom("stop", "stage").exit == .code(0))
        #expect(session.wait().exit == .code(0))
    }

    @Test func `greenroom live reloads its session file on SIGHUP and keeps its links`() throws {
        // A room takes seconds to load on a busy machine.
        func text(_ pattern: String) -> String {
            Self.session(pattern).replacing(
                "session: {", with: "session: { callback-deadline: 10s,")
        }
        let file = try folder.write("page.yaml", text("bars"))
        let session = try Greenroom.start(["live", file], environment: environment)
        try expectError(session, "operators: http")
        kill(session.id, SIGHUP)
        try expectError(session, "session file: no changes")
        try folder.write("page.yaml", text("grey"))
        kill(session.id, SIGHUP)
        try expectError(session, "pattern set to grey")
        #expect(!session.errorsSoFar.contains("next start"), "\(session.errorsSoFar)")
        kill(session.id, SIGTERM)
        #expect(session.wait().exit == .code(130))
    }

    @Test func `a suspended session does not block commands for other sessions`() throws {
        let (one, other) = (try start("asleep"), try start("awake"))
        kill(one.id, SIGSTOP)
        let listed = try greenroom("sessions")
        let lines = listed.text.split(separator: "\n")
        #expect(lines.contains { $0.contains("asleep") && $0.contains("does not answer") })
        #expect(lines.contains { $0.contains("awake") && $0.contains("% real") }, "\(listed.text)")
        #expect(try greenroom("sessions", "--json").text.contains(#""silent""#))
        let commands = [
            ["status", "asleep"], ["control", "asleep", "mute"], ["logs", "asleep"],
            ["logs", "asleep", "-f"], ["stop", "asleep"],
        ]
        let asked = try commands.map { try Greenroom.start($0, environment: environment) }
        for command in asked {
            let run = command.wait()
            #expect(run.exit == .code(74), "\(run)")
            #expect(run.standardError.contains("does not answer"), "\(run)")
        }
        kill(one.id, SIGCONT)
        // The session skips commands whose client has disconnected.
        #expect(try greenroom("status", "asleep").exit == .code(0))
        for name in ["asleep", "awake"] {
            #expect(try greenroom("stop", name).exit == .code(0))
        }
        _ = (one.wait(), other.wait())
    }

    @Test
    func `a session is found by its name even without XDG_RUNTIME_DIR`()
        throws
    {
        let name = "ä show. of \(getpid())"
        let file = try folder.write(
            "s.yaml",
            Self.session("bars").replacing("session: {", with: "session: { name: \"\(name)\","))
        // Its socket is in the folder of users without a login.
        let session = try Greenroom.start(
            ["run", file], environment: environment.merging(["XDG_RUNTIME_DIR": nil]) { $1 })
        try expectError(session, "sending")
        let status = try greenroom("status", name)
        #expect(status.exit == .code(0) && status.text.contains("track camera"), "\(status)")
        // One argument may have several commands.
        let done = try greenroom("control", name, "mute\nunmute", "bogus")
        #expect(done.exit == .code(65) && done.standardError.contains("\nbogus: "), "\(done)")
        #expect(try greenroom("stop", name).exit == .code(0))
        _ = session.wait()
    }

    @Test func `a log ends with its reader`() throws {
        let session = try start("unread")
        let command = "'\(Checkout.greenroom)' logs unread -f | head -1; echo ${PIPESTATUS[0]}"
        let shell = try ChildProcess("bash", ["-c", command], environment: environment)
            .wait()
        #expect(shell.exit == .code(0) && shell.text.hasSuffix("}\n0\n"), "\(shell)\n\(shell.text)")
        let full = try ChildProcess(
            "sh", ["-c", "'\(Checkout.greenroom)' logs unread > /dev/full"],
            environment: environment
        )
        .wait()
        #expect(full.exit == .code(74) && full.standardError.contains("No space left"), "\(full)")
        #expect(try greenroom("stop", "unread").exit == .code(0))
        _ = session.wait()
    }

    @Test func `a session without events does not count as suspended`()
        throws
    {
        let session = try start("quiet")
        let log = try Greenroom.start(["logs", "quiet", "-f"], environment: environment)
        // Longer than a session may take to answer.
        sleep(7)
        #expect(try greenroom("stop", "quiet").exit == .code(0))
        let followed = log.wait()
        #expect(followed.exit == .code(0), "\(followed)")
        #expect(followed.text.contains(#""ended""#) && !followed.text.contains(#""status""#))
        _ = session.wait()
    }

    @Test func `a log is followed until the session ends`() throws {
        let session = try start("followed")
        let log = try Greenroom.start(["logs", "followed", "-f"], environment: environment)
        #expect(log.waitForOutput(containing: #""started""#))
        for pattern in ["grey", "bars"] {
            _ = try greenroom("control", "followed", "set camera.settings.pattern=\(pattern)")
        }
        #expect(try greenroom("stop", "followed").exit == .code(0))
        let followed = log.wait()
        #expect(followed.exit == .code(0), "\(followed)")
        for text in [#""started""#, "set to grey", "set to bars", #""ended""#] {
            #expect(
                followed.text.split(separator: "\n").count { $0.contains(text) } == 1,
                "\(text):\n\(followed.text)")
        }
        _ = session.wait()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `another user cannot control a session`() throws {
        let session = try start("private")
        let path = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder("greenroom")).first)
        let socket = folder("greenroom/" + path)
        // As if a folder were open to all.
        for folder in [folder.path, folder("greenroom")] { chmod(folder, 0o711) }
        func ask() throws -> Finished {
            try ChildProcess.run(
                "setpriv",
                [
                    "--reuid=65534", "--regid=65534", "--clear-groups", "perl",
                    "-MIO::Socket::UNIX", "-e",
                    #"""
                    $SIG{PIPE} = "IGNORE";
                    $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "refused: $!\n";
                    $s->autoflush(1); print $s "status\n"; $l = <$s>;
                    print defined $l ? "answered $l" : "closed\n";
                    """#, socket,
                ])
        }
        let refused = try ask()
        #expect(refused.standardError.contains("refused: Permission denied"), "\(refused)")
        // The mode is not all that keeps it.
        chmod(socket, 0o666)
        let closed = try ask()
        #expect(closed.text == "closed\n", "\(closed)\n\(closed.text)")
        #expect(try greenroom("stop", "private").exit == .code(0))
        #expect(session.wait().exit == .code(0))
    }

    /// - Returns: The socket. Programs that other tests start don't get it: it would stay open in them.
    private func connect(to path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = unixAddress(path)
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure("can't connect to \(path)") }
        return descriptor
    }
}
