import Glibc
import GreenroomSandbox
import TestSupport
import Testing

/// Limits, crashes, and kernels without a layer.
@Suite(.ownThreads, .enabled(if: Sandbox.available.shortfall == nil, "this kernel lacks a layer"))
struct LayerTests {
    @Test(arguments: Account.possible)
    func `memory far above the limit is refused`(account: Account) throws {
        let folder = try ProbeFolder()
        let actions = ["allocate:1000000000", "allocate:1300000000"]
        let outcome = try folder.run(["--memory", "50000000"] + actions, as: account)
        #expect(outcome.result(actions[0]) == 0, "stacks have room: \(outcome)")
        #expect(outcome.result(actions[1]) == ENOMEM, "\(outcome)")
        let roomier = try folder.run(["--memory", "500000000"] + actions, as: account)
        #expect(roomier.result(actions[1]) == 0, "\(roomier)")
    }

    @Test func `core dumps and open files are limited`() throws {
        let outcome = try ProbeFolder().run(["core-limit", "file-limit"])
        #expect(outcome.result("core-limit") == 0, "\(outcome)")
        #expect(outcome.result("file-limit") == 1024, "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `a crash in the sandbox ends with its usual signal`(account: Account) throws {
        let outcome = try ProbeFolder().run(["abort"], as: account)
        #expect(outcome.end == "signal \(SIGABRT)", "\(outcome)")
        #expect(outcome.refusals.isEmpty, "\(outcome)")
    }

    #if arch(x86_64)
        @Test func `a system call of another architecture kills the plugin`() throws {
            // getpid with the flag of the x32 interface
            let outcome = try ProbeFolder().run(["call:\(0x4000_0000 + 39)"])
            #expect(outcome.end == "signal \(SIGSYS)", "\(outcome)")
        }
    #endif

    @Test(arguments: Account.possible)
    func `a plugin dies with its host`(account: Account) throws {
        let folder = try ProbeFolder()
        let file = folder.makeOpenFolder("open") + "/plugin"
        let host = try folder.start(["--abandon", file, "sleep:60000"], as: account)
        #expect(waitUntil { access(file, F_OK) == 0 })
        let plugin = try #require(Int32(String(decoding: readFile(file), as: UTF8.self)))
        #expect(waitUntil { !isRunning(plugin) })
        #expect(host.wait().exit == .signal(SIGKILL))
    }

    @Test func `a plugin does not start after its host has ended`() throws {
        let outcome = try ProbeFolder().run(["--orphan", "read:/none"])
        #expect(outcome.end == "signal \(SIGKILL)", "\(outcome)")
        #expect(outcome.result("read:/none") == nil)
    }

    @Test func `a plugin that dies during a request does not block its host`() throws {
        let folder = try ProbeFolder()
        for _ in 0..<12 {
            let outcome = try folder.run(["die-while-opening:/etc/passwd"])
            #expect(outcome.end == "signal \(SIGKILL)", "\(outcome)")
        }
    }

    @Test(arguments: [true, false])
    func `a descriptor of another kind ends the handling of notifications`(isOpen: Bool) {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0 && write(ends[1], "x", 1) == 1)
        if !isOpen { close(ends[1]) }
        var notifier = SandboxNotifier(
            descriptor: ends[0], process: getpid(), policy: SandboxPolicy(),
            report: Sandbox.available)
        let notice = notifier?.handleOne()
        #expect(notice == .ended)
        if isOpen { close(ends[1]) }
    }

    @Test func `without a listener, opening files fails without waiting`() throws {
        let outcome = try ProbeFolder().run(["--deaf", "sleep:200", "read:/etc/ld.so.cache"])
        #expect(outcome.result("read:/etc/ld.so.cache") == ENOSYS, "\(outcome)")
        #expect(outcome.end == "exit 0", "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `without Landlock the host opens and changes granted files, and no others`(
        account: Account
    ) throws {
        let folder = try ProbeFolder()
        let open = folder.makeOpenFolder("open")
        let other = folder.makeOpenFolder("other")
        // An untrusted folder may hold any link.
        symlink("/proc/self", open + "/own")
        symlink("/etc/group", open + "/link")
        symlink("/etc", open + "/way")
        // A slash that a combining mark follows, or that follows a scalar which joins the next one, is
        // one to the kernel.
        symlink(other, open + "/joins\u{600}")
        let (composed, decomposed) = (open + "/\u{e9}", other + "/e\u{301}")
        mkdir(composed, 0o777)
        mkdir(decomposed, 0o777)
        mkfifo(open + "/pipe", 0o666)
        let allowed = [
            "fill:\(open)/file", "read:\(open)/file", "mkdir:\(open)/deep",
            "rename:\(open)/file,\(open)/deep/file", "unlink:\(open)/deep/file",
            "keep:\(open)", "list:\(open)", "at:\(open),deep/../own/status", "read:\(open)/pipe",
            "read:\(open)/own/mem", "read:/proc/self/maps", "list:/proc/self/task", "threads:8",
            "dispatch", "dispatch-watched", "foundation", "load:libFoundationXML.so", "record:null",
            "update:/dev/null", "read:/dev/urandom", "mkdir:\(open)/\u{301}x",
            "read:/proc/self/exe",
        ]
        let refused = [
            "read:/etc/passwd", "read:\(open)/link", "relative:\(open)/link",
            "update:\(open)/own/mem", "read:\(open)/own/root/etc/group",
            "at:\(open),../../../etc/group", "list:\(open)/way", "write:\(open)/way/new",
            "mkdir:\(other)/new", "rename:\(open)/deep,\(other)/deep", "read:/proc/HOST/mem",
            "unlink:\(other)/none", "mkdir:\(open)/joins\u{600}/new",
            "rename:\(open)/joins\u{600}/e\u{301},\(open)/got", "mkdir:\(decomposed)/new",
            "rename:\(open),\(folder.folder.path)/moved", "read:/proc/HOST/task/HOST/mem",
            "update:/dev/tty", "socket:inet",
        ]
        let outcome = try folder.run(
            ["--without", "landlock", "--write", open] + allowed + refused, as: account)
        #expect(outcome.state(.landlock) == "unavailable", "\(outcome)")
        #expect(outcome.state(.seccomp) == "on")
        for action in allowed { #expect(outcome.result(action) == 0, "\(action) \(outcome)") }
        for action in refused {
            #expect(![0, nil, -1].contains(outcome.result(action)), "\(action) \(outcome)")
        }
        #expect(
            outcome.refusals.contains {
                $0.hasPrefix("denied: make the folder") && $0.contains("/other/new")
            }, "\(outcome)")
        #expect(!folder.folder.has("other/new") && !folder.folder.has("other/deep"))
        #expect(outcome.end == "exit 0", "\(outcome)")
    }

    @Test(arguments: [[], ["--without", "landlock"]])
    func `a grant of devices lets them be used, and not be replaced`(kernel: [String]) throws {
        let folder = try ProbeFolder()
        let devices = folder.makeOpenFolder("devices")
        try folder.folder.write("devices/device", "")
        mkdir(devices + "/folder", 0o777)
        let refused = [
            "write:\(devices)/new", "mkdir:\(devices)/new", "unlink:\(devices)/device",
            "rename:\(devices)/device,\(devices)/new",
            "rename:\(devices)/folder,\(devices)/new",
        ]
        let outcome = try folder.run(
            kernel + ["--device", devices, "update:\(devices)/device"] + refused)
        #expect(outcome.result("update:\(devices)/device") == 0, "\(outcome)")
        for action in refused { #expect(outcome.result(action) == EACCES, "\(action) \(outcome)") }
        #expect(folder.folder.has("devices/device") && !folder.folder.has("devices/new"))
    }

    @Test(arguments: [[], ["--without", "landlock"]], Account.possible)
    func `a network grant does not allow a Unix socket with a path`(
        kernel: [String], account: Account
    ) throws {
        let folder = try ProbeFolder()
        let place = folder.makeOpenFolder("open") + "/socket"
        let unix = "bind:unix,\(place)"
        let allowed = ["bind:inet", "bind:netlink"]
        let outcome = try folder.run(kernel + ["--network", unix] + allowed, as: account)
        #expect(outcome.result(unix) == EACCES, "\(outcome)")
        #expect(!folder.folder.has("open/socket"))
        for action in allowed { #expect(outcome.result(action) == 0, "\(action) \(outcome)") }
        if !kernel.isEmpty {
            #expect(
                outcome.refusals == [
                    "denied: make a Unix socket for other programs (bind); no grant allows it"
                ], "\(outcome)")
        }
    }

    @Test(arguments: [[], ["--without", "landlock"]], Account.possible)
    func `files that the host opens for a plugin show only what the plugin may see`(
        kernel: [String], account: Account
    ) throws {
        let outcome = try ProbeFolder().run(kernel + ["frame-number", "kernel-stack"], as: account)
        #expect(outcome.result("frame-number") == 0, "\(outcome)")
        #expect(![0, nil].contains(outcome.result("kernel-stack")), "\(outcome)")
    }

    @Test(arguments: [[], ["--without", "landlock"]])
    func `an exchange of a file with a symbolic link is refused`(kernel: [String]) throws {
        let folder = try ProbeFolder()
        let open = folder.makeOpenFolder("open")
        for name in ["one", "two"] { try folder.folder.write("open/\(name)", name) }
        symlink("/etc/passwd", open + "/link")
        let exchanges = ["one,two", "one,link", "link,one"].map { names in
            "exchange:" + names.split(separator: ",").map { "\(open)/\($0)" }.joined(separator: ",")
        }
        let outcome = try folder.run(kernel + ["--write", open] + exchanges)
        #expect(outcome.result(exchanges[0]) == 0, "\(outcome)")
        for action in exchanges[1...] { #expect(outcome.result(action) == EACCES, "\(outcome)") }
    }

    @Test(arguments: Account.possible)
    func `a plugin cannot use up the user's signals, pipes and threads`(account: Account) throws {
        let outcome = try ProbeFolder().run(
            [
                "timers:100", "timers:5000", "pipe-size:1048576", "resting-threads:100",
                "resting-threads:1300",
            ], as: account)
        #expect(outcome.result("timers:100") == 0, "\(outcome)")
        #expect(outcome.result("timers:5000") == EAGAIN, "\(outcome)")
        #expect(outcome.result("pipe-size:1048576") == EPERM, "\(outcome)")
        #expect(outcome.result("resting-threads:100") == 0, "\(outcome)")
        #expect(outcome.result("resting-threads:1300") == EAGAIN, "\(outcome)")
        #expect(
            outcome.refusals.contains { $0.hasPrefix("denied: start more than 1280 threads") },
            "\(outcome)")
    }

    // MARK: A matrix of kernels

    /// A kernel that lacks parts of the sandbox, and whether the rest keeps a plugin to its grants.
    struct Kernel: CustomTestStringConvertible {
        var lacks: [String]
        var confines: Bool

        var testDescription: String { lacks.isEmpty ? "all" : lacks.joined(separator: ", ") }
        var options: [String] { lacks.flatMap { ["--without", $0] } }
    }

    static let kernels = [
        Kernel(lacks: [], confines: true),
        Kernel(lacks: ["landlock"], confines: true),
        Kernel(lacks: ["landlock 2"], confines: true),
        Kernel(lacks: ["landlock 3"], confines: true),
        Kernel(lacks: ["notifications"], confines: true),
        Kernel(lacks: ["seccomp"], confines: false),
        Kernel(lacks: ["landlock", "notifications"], confines: false),
        Kernel(lacks: ["landlock", "seccomp"], confines: false),
        Kernel(lacks: ["landlock", "openat2"], confines: false),
    ]

    /// Ways to the host's process.
    static let waysToHost = [
        "read:/proc/HOST/mem", "update:/proc/HOST/mem", "read:/proc/HOST/environ",
        "read:/proc/HOST/maps", "read:/proc/HOST/fd/0", "read:/proc/HOST/root/etc/passwd",
        "call:ptrace,16,HOST,0,0", "call:ptrace,16902,HOST,0,0",
        "call:process_madvise,HOST,0,0,0,0",
    ]

    /// Other ways around what is granted.
    static let waysToFiles = [
        "read:/usr/lib/../../etc/passwd", "read:/proc/self/root/etc/passwd",
        "read:/proc/thread-self/root/etc/passwd", "read:/proc/self/../1/environ",
        "at:/usr/lib,../../etc/passwd", "at:/proc/self,root/etc/passwd",
        "at:/proc/self,../1/environ", "read:/dev/fd/../environ/../../1/environ",
        "write:/usr/lib/greenroom-none", "mkdir:/usr/share/greenroom-none",
        "rename:/usr/share/none,/tmp/none", "unlink:/usr/lib/none", "update:/proc/self/mem",
        "empty:/etc/passwd", "truncate:/etc/passwd", "chmod:/etc/passwd",
        "symlink:/tmp/greenroom-none", "list:/root", "list:/home", "list:/proc", "list:/",
        "list:/proc/HOST/fd", "read:/dev/mem", "read:/dev/kmsg",
        "open-for-nothing:/etc/passwd", "open-for-nothing:/dev/kmsg", "open-for-nothing:/etc",
        "read:/sys/kernel/debug/none",
    ]

    @Test(arguments: kernels, Account.possible)
    func `every escape fails, or the plugin does not start on that kernel`(
        kernel: Kernel, account: Account
    ) throws {
        let escapes =
            RefusalTests.attempts.map(\.action) + Self.waysToHost + Self.waysToFiles
        #expect(escapes.count > 80)
        let outcome = try ProbeFolder().run(kernel.options + escapes, as: account)
        for old in kernel.lacks.compactMap({ $0.wholeMatch(of: /landlock ([0-9])/)?.1 }) {
            let version = try #require(Int(old)) - 1
            #expect(outcome.description.contains("landlock=on version \(version):"), "\(outcome)")
        }
        guard kernel.confines else {
            #expect(
                outcome.requirement?.contains("this kernel lacks parts of the sandbox") == true,
                "\(outcome)")
            #expect(outcome.end == "exit 4")
            #expect(outcome.result(escapes[0]) == nil)
            return
        }
        // Dispatch needs the states of threads, which Landlock can grant only with those of all processes.
        let shown = ["read:/proc/1/status", "list:/proc/HOST/fd", "list:/proc"]
        for escape in escapes
        where !kernel.lacks.contains("notifications") || !shown.contains(escape) {
            #expect(![0, nil, -1].contains(outcome.result(escape)), "\(escape) \(outcome)")
        }
        #expect(outcome.end == "exit 0", "\(outcome)")
    }

    /// `sandbox: partial`: the plugin is then kept from the host's process alone.
    @Test(arguments: kernels.filter { !$0.confines }, Account.possible)
    func `a plugin cannot open the host's process, whichever layer is missing`(
        kernel: Kernel, account: Account
    ) throws {
        let outcome = try ProbeFolder().run(
            ["--mode", "partial"] + kernel.options
                + Self.waysToHost.filter { $0 != "read:/proc/HOST/maps" },
            as: account)
        for way in Self.waysToHost where way != "read:/proc/HOST/maps" {
            #expect(![0, nil, -1].contains(outcome.result(way)), "\(way) \(outcome)")
        }
        #expect(outcome.end == "exit 0", "\(outcome)")
    }

    @Test func `a kernel without notifications still refuses ungranted access`() throws {
        let folder = try ProbeFolder()
        let open = folder.makeOpenFolder("open")
        let outcome = try folder.run([
            "--without", "notifications", "--write", open, "read:/etc/passwd", "socket:inet",
            "fork", "fill:\(open)/file", "mkdir:\(open)/deep", "mkdir:/tmp/none-such",
            "threads:2", "read:/etc/ld.so.cache", "dispatch-watched",
        ])
        #expect(outcome.state(.seccomp) == "on", "\(outcome)")
        #expect(outcome.result("read:/etc/passwd") == EACCES, "\(outcome)")
        #expect(outcome.result("socket:inet") == EPERM)
        #expect(outcome.result("fork") == EPERM)
        #expect(outcome.result("mkdir:/tmp/none-such") == EACCES)
        for action in [
            "fill:\(open)/file", "mkdir:\(open)/deep", "threads:2", "read:/etc/ld.so.cache",
            "dispatch-watched",
        ] {
            #expect(outcome.result(action) == 0, "\(action) \(outcome)")
        }
        #expect(outcome.refusals.isEmpty)
    }

    /// As under systemd before Linux 5.13.
    @Test func `without Landlock and openat2, the plugin opens granted files itself`() throws {
        let outcome = try ProbeFolder().run([
            "--mode", "partial", "--without", "landlock", "--without", "openat2",
            "read:/etc/ld.so.cache", "read:/etc/passwd", "read:/etc/shadow", "threads:2",
            "dispatch-watched",
        ])
        #expect(outcome.state(.landlock) == "unavailable", "\(outcome)")
        for action in ["read:/etc/ld.so.cache", "threads:2", "dispatch-watched"] {
            #expect(outcome.result(action) == 0, "\(action) \(outcome)")
        }
        #expect(outcome.result("read:/etc/passwd") == EACCES, "\(outcome)")
        #expect(outcome.result("read:/etc/shadow") == EACCES, "\(outcome)")
        #expect(outcome.refusals.contains { $0.contains("/etc/shadow") }, "\(outcome)")
    }

    @Test func `a kernel without seccomp is reported`() throws {
        let outcome = try ProbeFolder().run(
            [
                "--mode", "partial", "--without", "seccomp", "read:/etc/passwd", "socket:inet",
                "dispatch-watched",
            ])
        #expect(outcome.state(.seccomp) == "unavailable", "\(outcome)")
        #expect(outcome.result("read:/etc/passwd") == EACCES, "\(outcome)")
        #expect(outcome.result("socket:inet") == 0, "\(outcome)")
        #expect(outcome.result("dispatch-watched") == 0, "\(outcome)")
    }

    @Test(arguments: ["landlock", "seccomp"])
    func `a required sandbox with a missing layer is an error`(layer: String) throws {
        let outcome = try ProbeFolder().run(
            ["--mode", "require", "--without", layer, "read:/none"])
        let text = try #require(outcome.requirement, "\(outcome)")
        #expect(text.lowercased().contains("lacks parts of the sandbox: \(layer) ("), "\(text)")
        #expect(outcome.end == "exit 4")
        #expect(outcome.result("after") != nil, "it did not wait")
        #expect(outcome.result("read:/none") == nil)
    }

    @Test(arguments: Account.possible)
    func `a required sandbox works with all layers`(account: Account) throws {
        let outcome = try ProbeFolder().run(
            ["--mode", "require", "read:/etc/passwd"], as: account)
        #expect(outcome.result("read:/etc/passwd") == EACCES, "\(outcome)")
    }

    @Test func `a plugin without a sandbox still dies with its host, and dumps no core`() throws {
        let outcome = try ProbeFolder().run(
            ["--mode", "off", "read:/etc/passwd", "fork", "socket:inet", "core-limit"])
        for action in ["read:/etc/passwd", "fork", "socket:inet", "core-limit"] {
            #expect(outcome.result(action) == 0, "\(action) \(outcome)")
        }
        #expect(outcome.state(.diesWithHost) == "on")
        #expect(outcome.state(.landlock) == "off")
        #expect(outcome.state(.seccomp) == "off")
    }

    @Test func `the available layers are known without starting a plugin`() {
        let report = Sandbox.available
        #expect(report.entries.map(\.layer) == SandboxLayer.allCases)
        // Asking changed nothing: this process can still start others and open sockets.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(descriptor >= 0)
        close(descriptor)
    }

    /// Whether a process runs and is no zombie.
    private func isRunning(_ process: Int32) -> Bool {
        guard let status = try? readFile("/proc/\(process)/stat") else { return false }
        let text = String(decoding: status, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return false }
        return !["Z", "X"].contains(text[end...].dropFirst(2).prefix(1))
    }
}
