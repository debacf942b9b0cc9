import Glibc

/// An action that the sandbox refused, for the log.
///
/// The text names the missing grant if a plugin can have a use for it. For other actions the text
/// names no grant, because granting them would help an attacker.
package struct SandboxRefusal: Sendable, Equatable {
    /// The denied action and its fix; follows the plugin's name.
    package var text: String

    /// Makes a refusal.
    package init(text: String) { self.text = text }
}

extension SandboxRefusal {
    /// Access to a file without a grant.
    ///
    /// - Parameters:
    ///   - verb: The attempted action, after "denied: ".
    ///   - path: The path of the file.
    ///   - grant: The missing access.
    ///   - granted: The file or folder to grant.
    static func file(
        _ verb: String, _ path: String, grant: PathGrant.Access, for granted: String
    ) -> Self {
        let key =
            switch grant {
            case .read, .execute: "read"
            case .write: "write"
            case .device: "devices"
            }
        let cure =
            if let owner = PrivatePath.owner(of: path) {
                "\(owner), and \(distrust)"
            } else if grant == .write, PrivatePath.isOfSystem(granted) {
                "plugins must not write there; give the plugin a separate folder with "
                    + "allow: {write: [FOLDER]}"
            } else if grant == .device, PrivatePath.isOtherDevice(granted) {
                "a plugin needs only cameras, sound cards and graphics cards"
            } else if PrivatePath.isOfPrograms(path) {
                "programs keep settings, keys and data there; give the plugin a separate file or "
                    + "folder elsewhere"
            } else if PrivatePath.isTooWide(granted) {
                "that grants far more than a plugin needs; give the plugin a separate file or folder"
            } else {
                "add it to allow: {\(key): [\(yaml(granted))]}"
            }
        return Self(text: "denied: \(verb) \(yaml(path)); \(cure)")
    }

    /// A system call that the sandbox does not allow.
    ///
    /// - Parameters:
    ///   - name: The name of the system call.
    ///   - arguments: The first two arguments of the call.
    ///   - allowsNetwork: Whether sockets are granted.
    static func call(
        _ name: String, arguments: (first: UInt64, second: UInt64), allowsNetwork: Bool
    ) -> Self {
        let socketType = UInt32(truncatingIfNeeded: arguments.second) & 0xf
        if let attempt = socketAttempt(
            name, family: Int32(truncatingIfNeeded: arguments.first), type: socketType)
        {
            let cure =
                if allowsNetwork || name == "socketpair" || attempt == toPrograms {
                    final
                } else if attempt == toSystemLog {
                    "write to standard error, which is logged"
                } else {
                    "add allow: {network: true}"
                }
            return Self(text: "denied: \(attempt) (\(call(name, arguments.first))); \(cure)")
        }
        let attempt = attempts.first { $0.calls.contains(name) }
        let cure = attempt?.isAttack == true ? "\(final), and \(distrust)" : final
        // Programs call `fork`, which calls `clone`.
        return Self(
            text: "denied: \(attempt?.text ?? "make a system call") "
                + "(\(name == "clone" ? "fork" : name)); \(cure)")
    }

    /// Replaces further refusals after ``SandboxNotifier`` has reported its limit.
    static let tooMany = Self(
        text: "denied: further attempts, which are no longer logged")

    /// A thread beyond ``ResourceLimits/threadsOfProcess``.
    static let tooManyThreads = Self(
        text: "denied: start more than \(ResourceLimits.threadsOfProcess) threads; reuse "
            + "threads, or end idle ones")

    /// A Unix socket that would create a file.
    static let socketFile = Self(
        text: "denied: make a Unix socket for other programs (bind); \(final)")

    /// A socket that the host cannot bind for the plugin.
    static let uncheckedSocket = Self(
        text:
            "denied: use a socket (bind); the host cannot check the socket, because this machine "
            + "refuses Landlock and pidfd_getfd; allow one of them in the container's profile")

    private static let final = "no grant allows it"
    private static let distrust = "a trustworthy plugin does not try"

    /// The purpose of a socket, after "denied: "; nil if the call makes no socket.
    private static func socketAttempt(_ name: String, family: Int32, type: UInt32) -> String? {
        switch name {
        case "socket", "socketpair":
            switch family {
            case AF_INET, AF_INET6: "open a network socket"
            case AF_UNIX where type == SOCK_DGRAM.rawValue: toSystemLog
            case AF_UNIX: toPrograms
            case AF_NETLINK: "ask the kernel about the network"
            default: "open a socket"
            }
        case "connect", "bind", "listen", "accept", "accept4": "use a socket"
        default: nil
        }
    }

    private static let toPrograms = "open a socket to other programs"
    private static let toSystemLog = "write to the system's log or to another program"

    /// The call's name, with the address family if the call makes a socket.
    private static func call(_ name: String, _ family: UInt64) -> String {
        guard name == "socket" || name == "socketpair" else { return name }
        return switch Int32(truncatingIfNeeded: family) {
        case AF_INET: "\(name) AF_INET"
        case AF_INET6: "\(name) AF_INET6"
        case AF_UNIX: "\(name) AF_UNIX"
        case AF_NETLINK: "\(name) AF_NETLINK"
        case let other: "\(name) of family \(other)"
        }
    }

    /// The purposes of calls, after "denied: ", and whether only an attacker uses them.
    private static let attempts: [(text: String, isAttack: Bool, calls: Set<String>)] = [
        (
            "start a process", false,
            ["fork", "vfork", "clone", "clone3", "execve", "execveat"]
        ),
        (
            "signal another process", true,
            [
                "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
                "pidfd_send_signal",
            ]
        ),
        (
            "look into another process", true,
            [
                "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_open", "pidfd_getfd",
                "process_madvise", "kcmp",
            ]
        ),
        (
            "change the owner or mode of a file", false,
            [
                "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown",
                "fchownat",
            ]
        ),
        (
            "change a file's times or attributes", false,
            [
                "utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr",
                "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
            ]
        ),
        ("cut a file by its name", false, ["truncate"]),
        ("make a link", false, ["symlink", "symlinkat"]),
        ("make a device or a named pipe", false, ["mknod", "mknodat"]),
        (
            "make memory that no limit counts", false,
            [
                "memfd_create", "memfd_secret", "shmget", "shmat", "mq_open", "msgget", "semget",
            ]
        ),
        (
            "mount a file system", true,
            [
                "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
                "mount_setattr", "fsopen", "fsmount", "fsconfig", "fspick",
            ]
        ),
        ("change its namespaces", true, ["unshare", "setns"]),
        (
            "change its user or its rights", true,
            [
                "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid",
                "setgroups", "setfsuid", "setfsgid", "capset",
            ]
        ),
        ("change its limits", false, ["setrlimit", "prlimit64"]),
        ("leave its process group", false, ["setsid", "setpgid"]),
        (
            "change how another thread is scheduled", false,
            [
                "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
                "setpriority", "ioprio_set",
            ]
        ),
        ("change how the kernel treats it", false, ["prctl", "seccomp", "personality"]),
        (
            "hand work to the kernel out of sight of the sandbox", false,
            ["io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit"]
        ),
        ("load code into the kernel", true, ["bpf", "init_module", "finit_module", "kexec_load"]),
        ("handle its own page faults", false, ["userfaultfd"]),
        ("measure the machine", false, ["perf_event_open", "lookup_dcookie"]),
        ("use the kernel's keys", true, ["keyctl", "add_key", "request_key"]),
        (
            "watch files", false,
            ["inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init"]
        ),
    ]

    /// A path as a session file writes it, quoted if needed. Drops control characters, which must
    /// not appear in a log.
    private static func yaml(_ path: String) -> String {
        let plain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        if plain { return path }
        var quoted = "\""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted += "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\x" + (digits.count < 2 ? "0" : "") + digits
            default:
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
