import Glibc
import GreenroomSandbox
import TestSupport
import Testing

/// What works in the sandbox: with the grants of every plugin, and with its own.
@Suite(.ownThreads, .enabled(if: Sandbox.available.shortfall == nil, "this kernel lacks a layer"))
struct GrantTests {
    @Test(arguments: Account.possible)
    func `every layer of the sandbox is on`(account: Account) throws {
        let outcome = try ProbeFolder().run([], as: account)
        for layer in SandboxLayer.allCases { #expect(outcome.state(layer) == "on", "\(outcome)") }
        #expect(outcome.end == "exit 0")
    }

    @Test(arguments: Account.possible)
    func `threads, events, Dispatch and Foundation work without grants`(
        account: Account
    ) throws {
        let actions = [
            "threads:16", "dispatch", "dispatch-watched", "foundation", "load:libFoundationXML.so",
            "record:null",
            "call:eventfd2,0,0", "call:epoll_create1,0", "call:timerfd_create,1,0",
            "call:sched_setaffinity,0,0,0", "socketpair:stream", "own-signal",
            "read:/proc/self/maps", "list:/proc/self/task", "read:/etc/ld.so.cache",
            "update:/dev/null", "read:/dev/urandom", "read:/sys/devices/system/cpu/online",
            "allocate:50000000",
        ]
        let outcome = try ProbeFolder().run(actions, as: account)
        for action in actions where !action.hasPrefix("call:sched") {
            #expect(outcome.result(action) == 0, "\(action) \(outcome)")
        }
        // The call reached the kernel, which refuses an empty set.
        #expect(outcome.result("call:sched_setaffinity,0,0,0") == EINVAL, "\(outcome)")
        #expect(outcome.end == "exit 0", "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `a granted file is readable, its neighbour is not`(account: Account) throws {
        let outcome = try ProbeFolder().run(
            ["--read", "/etc/passwd", "read:/etc/passwd", "update:/etc/passwd", "read:/etc/group"],
            as: account)
        #expect(outcome.result("read:/etc/passwd") == 0, "\(outcome)")
        #expect(outcome.result("update:/etc/passwd") == EACCES, "\(outcome)")
        #expect(outcome.result("read:/etc/group") == EACCES, "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `files in a granted folder can be made, written and removed`(
        account: Account
    ) throws {
        let folder = try ProbeFolder()
        let open = folder.makeOpenFolder("open")
        let other = folder.makeOpenFolder("other")
        let actions = [
            "fill:\(open)/file", "read:\(open)/file", "mkdir:\(open)/deep",
            "rename:\(open)/file,\(open)/deep/file", "unlink:\(open)/deep/file",
        ]
        let outcome = try folder.run(
            ["--write", open] + actions + [
                "write:\(other)/file", "mkdir:\(other)/deep", "symlink:\(open)/link",
                "fill:\(open)/kept", "rename:\(open)/kept,\(other)/kept",
            ], as: account)
        for action in actions { #expect(outcome.result(action) == 0, "\(action) \(outcome)") }
        #expect(outcome.result("write:\(other)/file") == EACCES, "\(outcome)")
        #expect(outcome.result("mkdir:\(other)/deep") == EACCES, "\(outcome)")
        #expect(outcome.result("rename:\(open)/kept,\(other)/kept") == EACCES, "\(outcome)")
        #expect(outcome.result("symlink:\(open)/link") == EPERM, "\(outcome)")
        #expect(
            outcome.refusals.contains {
                $0.hasPrefix("denied: make the folder \"\(other)/deep\"")
            }, "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `a plugin may change its folder for temporary files, and nothing beside it`(
        account: Account
    ) throws {
        for options in [[], ["--without", "landlock"], ["--without", "notifications"]] {
            let folder = try ProbeFolder()
            let open = folder.makeOpenFolder("open")
            let other = folder.makeOpenFolder("other")
            let actions = [
                "fill:\(open)/file", "read:\(open)/file", "mkdir:\(open)/deep",
                "rename:\(open)/file,\(open)/deep/file", "unlink:\(open)/deep/file",
            ]
            let outcome = try folder.run(
                options + ["--temporary", open] + actions + ["write:\(other)/file"], as: account)
            for action in actions { #expect(outcome.result(action) == 0, "\(action) \(outcome)") }
            #expect(outcome.result("write:\(other)/file") == EACCES, "\(outcome)")
        }
    }

    @Test(arguments: Account.possible)
    func `a write grant does not allow set-user-ID and set-group-ID files`(account: Account) throws
    {
        for options in [[], ["--without", "landlock"]] {
            let folder = try ProbeFolder()
            let open = folder.makeOpenFolder("open")
            let outcome = try folder.run(
                options + [
                    "--write", open, "set-user-id:\(open)/user", "set-group-id:\(open)/group",
                ],
                as: account)
            #expect(outcome.end == "exit 0", "\(outcome)")
            for name in ["user", "group"] {
                var about = stat()
                guard stat("\(open)/\(name)", &about) == 0 else { continue }
                #expect(about.st_mode & 0o6000 == 0, "\(name) \(outcome)")
            }
        }
    }

    @Test(arguments: Account.possible)
    func `Foundation can write files in a granted folder`(account: Account) throws {
        let folder = try ProbeFolder()
        let open = folder.makeOpenFolder("open")
        let outcome = try folder.run(["--write", open, "keep:\(open)"], as: account)
        #expect(outcome.result("keep:\(open)") == 0, "\(outcome)")
        #expect(outcome.refusals.isEmpty, "\(outcome)")
    }

    @Test func `a grant of a missing file is reported`() throws {
        let outcome = try ProbeFolder().run(["--write", "/none/recording.wav", "--read", "/none"])
        #expect(
            outcome.notes == [
                "can't grant /none: No such file or directory",
                "can't grant /none/recording.wav: not found; make it, or grant its future "
                    + "folder",
            ], "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `a granted device can be opened`(account: Account) throws {
        let outcome = try ProbeFolder().run(
            ["--device", "/dev/tty", "update:/dev/tty"], as: account)
        // Without a terminal the device itself fails.
        #expect([0, ENXIO].contains(outcome.result("update:/dev/tty")), "\(outcome)")
        #expect(outcome.refusals.isEmpty, "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `with the network granted, sockets can be made and connected`(account: Account) throws {
        let (listener, port) = try listen()
        defer { close(listener) }
        let outcome = try ProbeFolder().run(
            [
                "--network", "socket:inet", "socket:inet6", "socket:unix", "socket:netlink",
                "connect:\(port)", "socket:packet", "read:/etc/hosts",
            ], as: account)
        for action in ["socket:inet", "socket:netlink", "connect:\(port)"] {
            #expect(outcome.result(action) == 0, "\(action) \(outcome)")
        }
        // Other programs' sockets lead out of the sandbox. Name look-up tries one, and can do without.
        #expect(outcome.result("socket:unix") == EAFNOSUPPORT, "\(outcome)")
        #expect(outcome.result("socket:packet") == EPERM, "\(outcome)")
        #expect(outcome.result("read:/etc/hosts") == 0, "\(outcome)")
        #expect(
            outcome.refusals == [
                "denied: open a socket (socket of family 17); no grant allows it"
            ], "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `ALSA captures from a file with the right grants`(account: Account) throws {
        let folder = try ProbeFolder()
        let sound = folder.makeOpenFolder("sound")
        let input = try folder.folder.write("sound/in.raw", [UInt8](repeating: 1, count: 96_000))
        // Outside of the folders that the program may always read.
        let granted = try TemporaryFolder()
        chmod(granted.path, 0o755)
        let moved = granted("in.raw")
        #expect(rename(input, moved) == 0)
        var name = Array("/tmp/greenroom-alsa-XXXXXX".utf8CString)
        let configuration = mkstemp(&name)
        let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer {
            close(configuration)
            unlink(path)
        }
        let text = Array(
            """
            pcm.sound {
                type file
                slave.pcm "null"
                file "\(sound)/out.raw"
                infile "\(moved)"
                format "raw"
            }
            """.utf8)
        #expect(write(configuration, text, text.count) == text.count)
        chmod(path, 0o644)

        let environment = ["ALSA_CONFIG_PATH": "/usr/share/alsa/alsa.conf:\(path)"]
        let without = try folder.run(
            ["--read", path, "--write", sound, "record:sound"], as: account,
            environment: environment)
        #expect(without.result("record:sound") != 0, "\(without)")
        #expect(
            without.refusals == [
                "denied: read \"\(moved)\"; add it to allow: {read: [\"\(moved)\"]}"
            ], "\(without)")
        let with = try folder.run(
            ["--read", path, "--read", granted.path, "--write", sound, "record:sound"],
            as: account, environment: environment)
        #expect(with.result("record:sound") == 0, "\(with)")
        #expect(with.refusals.isEmpty, "\(with)")
    }

    /// A listening socket on this machine.
    private func listen() throws -> (descriptor: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && Glibc.listen(listener, 8) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw Failure("can't listen on a port") }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}
