import Glibc
import GreenroomSandbox
import TestSupport
import Testing

/// An action that a plugin may not do.
struct Attempt: CustomTestStringConvertible {
    /// The probe's action.
    var action: String
    /// The errno that the plugin gets.
    var error: Int32
    /// The host's message.
    var text: String?

    init(_ action: String, _ error: Int32, _ text: String? = nil) {
        self.action = action
        self.error = error
        self.text = text
    }

    var testDescription: String { action }
}

private let final = "no grant allows it"
/// What is said of what only an attacker has a use for.
private let attack = final + ", and a trustworthy plugin does not try"

/// Refusals without grants, and their messages.
@Suite(.ownThreads, .enabled(if: Sandbox.available.shortfall == nil, "this kernel lacks a layer"))
struct RefusalTests {
    static let attempts = [
        // Libraries look at these when they start.
        Attempt("read:/etc/passwd", EACCES),
        Attempt("list:/tmp", EACCES),
        Attempt("list:/var/tmp", EACCES),
        Attempt(
            "update:/etc/passwd", EACCES,
            "denied: write /etc/passwd; plugins must not write there; give the plugin a separate "
                + "folder with allow: {write: [FOLDER]}"),
        Attempt(
            "relative:/etc/group", EACCES,
            "denied: read /etc/group; add it to allow: {read: [/etc/group]}"),
        Attempt(
            "list:/etc", EACCES,
            "denied: read /etc; that grants far more than a plugin needs; give the plugin a separate "
                + "file or folder"),
        Attempt(
            "read:/proc/1/status", EACCES,
            "denied: read /proc/1/status; the path belongs to another process, and a "
                + "trustworthy plugin does not try"),
        Attempt(
            "read:/etc/shadow", EACCES,
            "denied: read /etc/shadow; the path holds keys, passwords or private data, and a "
                + "trustworthy plugin does not try"),
        Attempt(
            "write:/etc/greenroom-sandbox-test", EACCES,
            "denied: make /etc/greenroom-sandbox-test; plugins must not write there; give "
                + "the plugin a separate folder with allow: {write: [FOLDER]}"),
        Attempt(
            "write:/tmp/greenroom-sandbox-test", EACCES,
            "denied: make /tmp/greenroom-sandbox-test; that grants far more than a plugin "
                + "needs; give the plugin a separate file or folder"),
        Attempt(
            "mkdir:/tmp/greenroom-sandbox-test", EACCES,
            "denied: make the folder /tmp/greenroom-sandbox-test; that grants far more than "
                + "a plugin needs; give the plugin a separate file or folder"),
        Attempt(
            "update:/dev/tty", EACCES,
            "denied: write /dev/tty; a plugin needs only cameras, sound cards and graphics cards"
        ),
        Attempt(
            "socket:inet", EPERM,
            "denied: open a network socket (socket AF_INET); add allow: {network: true}"),
        Attempt(
            "socket:inet6", EPERM,
            "denied: open a network socket (socket AF_INET6); add allow: {network: true}"),
        Attempt(
            "socket:unix", EPERM,
            "denied: open a socket to other programs (socket AF_UNIX); \(final)"),
        Attempt(
            "socket:netlink", EPERM,
            "denied: ask the kernel about the network (socket AF_NETLINK); "
                + "add allow: {network: true}"),
        Attempt(
            "socket:log", EPERM,
            "denied: write to the system's log or to another program (socket AF_UNIX); "
                + "write to standard error, which is logged"
        ),
        Attempt(
            "call:connect,0", EPERM,
            "denied: use a socket (connect); add allow: {network: true}"),
        // A pair of them could send to any other socket.
        Attempt(
            "socketpair:datagram", EPERM,
            "denied: write to the system's log or to another program (socketpair AF_UNIX); "
                + final),
        Attempt("fork", EPERM, "denied: start a process (fork); \(final)"),
        Attempt("spawn:/bin/true", EPERM, "denied: start a process (fork); \(final)"),
        Attempt("call:execve", EPERM, "denied: start a process (execve); \(final)"),
        Attempt("call:vfork", EPERM, "denied: start a process (vfork); \(final)"),
        // CLONE_THREAD with CLONE_NEWUSER: a thread in a user namespace of its own
        Attempt("call:clone,268500992", EPERM, "denied: start a process (fork); \(final)"),
        Attempt("kill-host", EPERM, "denied: signal another process (kill); \(attack)"),
        Attempt("kill-group", EPERM, "denied: signal another process (kill); \(attack)"),
        Attempt("call:tkill,1,0", EPERM, "denied: signal another process (tkill); \(attack)"),
        Attempt("type-into-terminal", EPERM),
        Attempt("own-file-signal", EPERM),
        Attempt("lease", EPERM),
        // PR_SET_PDEATHSIG: it would outlive the host
        Attempt(
            "call:prctl,1,0", EPERM,
            "denied: change how the kernel treats it (prctl); \(final)"),
        Attempt(
            "call:ptrace,0", EPERM, "denied: look into another process (ptrace); \(attack)"),
        Attempt(
            "call:process_vm_readv,1", EPERM,
            "denied: look into another process (process_vm_readv); \(attack)"),
        Attempt(
            "call:pidfd_open,1,0", EPERM,
            "denied: look into another process (pidfd_open); \(attack)"),
        Attempt(
            "call:io_uring_setup,1", EPERM,
            "denied: hand work to the kernel out of sight of the sandbox (io_uring_setup); "
                + final),
        Attempt("call:bpf", EPERM, "denied: load code into the kernel (bpf); \(attack)"),
        Attempt(
            "call:userfaultfd", EPERM,
            "denied: handle its own page faults (userfaultfd); \(final)"),
        Attempt("call:keyctl", EPERM, "denied: use the kernel's keys (keyctl); \(attack)"),
        Attempt("call:mount", EPERM, "denied: mount a file system (mount); \(attack)"),
        Attempt("call:chroot", EPERM, "denied: mount a file system (chroot); \(attack)"),
        Attempt(
            "call:perf_event_open", EPERM,
            "denied: measure the machine (perf_event_open); \(final)"),
        Attempt(
            "call:unshare,268435456", EPERM,
            "denied: change its namespaces (unshare); \(attack)"),
        Attempt("call:setns", EPERM, "denied: change its namespaces (setns); \(attack)"),
        Attempt(
            "call:setuid,0", EPERM, "denied: change its user or its rights (setuid); \(attack)"),
        Attempt(
            "call:setrlimit,0", EPERM, "denied: change its limits (setrlimit); \(final)"),
        Attempt(
            "call:memfd_create", EPERM,
            "denied: make memory that no limit counts (memfd_create); \(final)"),
        Attempt(
            "call:shmget,0,4096,512", EPERM,
            "denied: make memory that no limit counts (shmget); \(final)"),
        Attempt("call:setsid", EPERM, "denied: leave its process group (setsid); \(final)"),
        Attempt(
            "call:sched_setattr,1,0,0", EPERM,
            "denied: change how another thread is scheduled (sched_setattr); \(final)"),
        Attempt(
            "call:sched_setscheduler,1,0,0", EPERM,
            "denied: change how another thread is scheduled (sched_setscheduler); \(final)"),
        Attempt("call:swapon", EPERM, "denied: make a system call (swapon); \(final)"),
        // The C library falls back to older calls.
        Attempt("call:clone3", ENOSYS),
        Attempt("call:openat2", ENOSYS),
    ]

    @Test(arguments: Account.possible)
    func `each forbidden action fails, and the host logs the action once with its fix`(
        account: Account
    ) throws {
        let folder = try ProbeFolder()
        let outcome = try folder.run(Self.attempts.map(\.action), as: account)
        for attempt in Self.attempts {
            #expect(outcome.result(attempt.action) == attempt.error, "\(attempt.action) \(outcome)")
        }
        let expected = Set(Self.attempts.compactMap(\.text))
        #expect(Set(outcome.refusals) == expected, "\(outcome)")
        #expect(outcome.refusals.count == expected.count, "each is told once")
        #expect(outcome.end == "exit 0", "\(outcome)")
    }

    /// Dispatch asks for it for each of its workers, and writes to the system's log where it is refused.
    @Test(arguments: Account.possible)
    func `a plugin's request for thread priority has no effect and no log line`(
        account: Account
    ) throws {
        let own = ["call:setpriority,0,0,-4", "call:setpriority,0,0,0", "call:setpriority,0,0,3"]
        let other = "call:setpriority,0,1,3"
        let outcome = try ProbeFolder().run(own + [other], as: account)
        for action in own { #expect(outcome.result(action) == 0, "\(action) \(outcome)") }
        #expect(outcome.result(other) == EPERM, "\(outcome)")
        #expect(
            outcome.refusals == [
                "denied: change how another thread is scheduled (setpriority); \(final)"
            ], "\(outcome)")
    }

    @Test(arguments: Account.possible)
    func `the plugin's own folder is read-only`(account: Account) throws {
        let folder = try ProbeFolder()
        let open = folder.makeOpenFolder("open")
        let file = try folder.folder.write("open/file", "text")
        chmod(file, 0o666)
        let actions = [
            "update:\(file)", "write:\(file)", "empty:\(file)", "truncate:\(file)",
            "unlink:\(file)", "chmod:\(file)", "rename:\(file),\(open)/other",
            "mkdir:\(open)/new", "symlink:\(open)/link",
        ]
        let outcome = try folder.run(["read:\(file)"] + actions, as: account)
        #expect(outcome.result("read:\(file)") == 0, "\(outcome)")
        for action in actions {
            #expect([EACCES, EPERM].contains(outcome.result(action)), "\(action) \(outcome)")
        }
        #expect(try readFile(file) == Array("text".utf8))
        #expect(!folder.folder.has("open/other"))
        // The path contains a space.
        #expect(
            outcome.refusals.contains(
                "denied: write \"\(file)\"; add it to allow: {write: [\"\(file)\"]}"),
            "\(outcome)")
    }

    @Test func `looking for a missing file is not a refusal`() throws {
        let outcome = try ProbeFolder().run(["read:/etc/greenroom/none", "read:/none"])
        #expect(outcome.result("read:/etc/greenroom/none") == ENOENT)
        #expect(outcome.refusals.isEmpty, "\(outcome)")
    }

    @Test func `a path relative to an open folder is reported in full`() throws {
        let folder = try ProbeFolder()
        let action = "at:\(folder.folder.path),../../etc/group"
        let outcome = try folder.run([action])
        #expect(outcome.result(action) == EACCES, "\(outcome)")
        #expect(
            outcome.refusals == [
                "denied: read /etc/group; add it to allow: {read: [/etc/group]}"
            ], "\(outcome)")
    }

    @Test func `invalid addresses do not harm the host`() throws {
        // null, unmapped, the last bytes of user space, kernel space
        let addresses = ["0", "1", "140737488351232", "-1", "-4096"]
        let actions = addresses.flatMap {
            ["call:openat,-100,\($0)", "call:mkdir,\($0)", "call:rename,\($0),\($0)"]
        }
        let outcome = try ProbeFolder().run(actions)
        for action in actions { #expect(outcome.result(action) == EFAULT, "\(outcome)") }
        #expect(outcome.refusals.isEmpty, "\(outcome)")
    }

    @Test func `common start-up calls of libraries are not reported as refusals`() throws {
        let outcome = try ProbeFolder().run([
            "foundation", "load:libFoundationXML.so", "own-scheduling", "read:/etc/passwd",
            "list:/tmp",
        ])
        #expect(outcome.result("own-scheduling") == 0, "\(outcome)")
        #expect(outcome.refusals.isEmpty, "\(outcome)")
    }

    @Test func `the number of reported refusals is limited`() throws {
        let outcome = try ProbeFolder().run(["probe-many:200"])
        #expect(outcome.refusals.count == 65, "\(outcome)")
        #expect(outcome.refusals.last?.contains("no longer logged") == true)
    }

    @Test func `a path can't write lines into the log`() throws {
        let folder = try ProbeFolder()
        let path = "/tmp/greenroom \"x\"\u{1b}[2J"
        let outcome = try folder.run(["write:\(path)"])
        #expect(
            outcome.refusals == [
                "denied: make \"/tmp/greenroom \\\"x\\\"\\x1b[2J\"; that grants far more "
                    + "than a plugin needs; give the plugin a separate file or folder"
            ], "\(outcome)")
    }
}
