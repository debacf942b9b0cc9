import Glibc

/// An action that the sandbox refused, for the log.
package struct SandboxRefusal: Sendable, Equatable {
    /// What the plugin tried, and the missing grant; follows the plugin's name.
    package var text: String

    /// Makes a refusal.
    package init(text: String) { self.text = text }
}

extension SandboxRefusal {
    /// Access to a file without a grant.
    ///
    /// - Parameters:
    ///   - verb: What was tried, after "it tried to".
    ///   - path: The file.
    ///   - grant: The missing access.
    ///   - granted: The file or folder to grant.
    static func file(
        _ verb: String, _ path: String, grant: PathGrant.Access, for granted: String
    ) -> Self {
        let key =
            switch grant {
            case .read: "read"
            case .write: "write"
            case .device: "devices"
            }
        return Self(
            text: "it tried to \(verb) \(yaml(path)): "
                + "add it to allow: {\(key): [\(yaml(granted))]}")
    }

    /// A system call that the sandbox does not allow.
    ///
    /// - Parameters:
    ///   - name: The call.
    ///   - arguments: Its arguments.
    ///   - allowsNetwork: Whether sockets are granted.
    static func call(
        _ name: String, arguments: (first: UInt64, second: UInt64), allowsNetwork: Bool
    ) -> Self {
        let socketType = UInt32(truncatingIfNeeded: arguments.second) & 0xf
        if let attempt = socketAttempt(
            name, family: Int32(truncatingIfNeeded: arguments.first), type: socketType)
        {
            let cure =
                if allowsNetwork || name == "socketpair" {
                    final
                } else if attempt == toSystemLog {
                    "what it writes to standard error is logged; allow: {network: true} would let it"
                } else {
                    "add allow: {network: true}"
                }
            return Self(text: "it tried to \(attempt) (\(call(name, arguments.first))): \(cure)")
        }
        let attempt = attempts.first { $0.calls.contains(name) }?.text ?? "make a system call"
        // Programs call `fork`, which calls `clone`.
        return Self(text: "it tried to \(attempt) (\(name == "clone" ? "fork" : name)): \(final)")
    }

    /// Replaces further refusals after ``SandboxNotifier`` has reported its limit.
    static let tooMany = Self(
        text: "it keeps trying other things that are not granted; they are no longer logged")

    private static let final = "a sandboxed plugin can't; sandbox: off would let it"

    /// The purpose of a socket, after "it tried to"; nil for other calls.
    private static func socketAttempt(_ name: String, family: Int32, type: UInt32) -> String? {
        switch name {
        case "socket", "socketpair":
            switch family {
            case AF_INET, AF_INET6: "open a network socket"
            case AF_UNIX where type == SOCK_DGRAM.rawValue: toSystemLog
            case AF_UNIX: "open a socket to other programs"
            case AF_NETLINK: "ask the kernel about the network"
            default: "open a socket"
            }
        case "connect", "bind", "listen", "accept", "accept4": "use a socket"
        default: nil
        }
    }

    private static let toSystemLog = "write to the system's log or to another program"

    /// The call's name, with the address family if it makes a socket.
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

    /// The purposes of calls, after "it tried to".
    private static let attempts: [(text: String, calls: Set<String>)] = [
        (
            "start a process",
            ["fork", "vfork", "clone", "clone3", "execve", "execveat"]
        ),
        (
            "signal another process",
            [
                "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
                "pidfd_send_signal",
            ]
        ),
        (
            "look into another process",
            [
                "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_open", "pidfd_getfd",
                "process_madvise", "kcmp",
            ]
        ),
        (
            "change whose file it is or who may use it",
            [
                "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown",
                "fchownat",
            ]
        ),
        (
            "change a file's times or attributes",
            [
                "utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr",
                "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
            ]
        ),
        ("cut a file by its name", ["truncate"]),
        ("make a link", ["symlink", "symlinkat"]),
        ("make a device or a named pipe", ["mknod", "mknodat"]),
        (
            "make memory that no limit counts",
            [
                "memfd_create", "memfd_secret", "shmget", "shmat", "mq_open", "msgget", "semget",
            ]
        ),
        (
            "mount a file system",
            [
                "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
                "mount_setattr", "fsopen", "fsmount", "fsconfig", "fspick",
            ]
        ),
        ("change its namespaces", ["unshare", "setns"]),
        (
            "change its user or its rights",
            [
                "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid",
                "setgroups", "setfsuid", "setfsgid", "capset",
            ]
        ),
        ("change its limits", ["setrlimit", "prlimit64"]),
        ("leave its process group", ["setsid", "setpgid"]),
        (
            "change how another thread is scheduled",
            [
                "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
                "setpriority", "ioprio_set",
            ]
        ),
        ("change how the kernel treats it", ["prctl", "seccomp", "personality"]),
        (
            "hand work to the kernel out of sight of the sandbox",
            ["io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit"]
        ),
        ("load code into the kernel", ["bpf", "init_module", "finit_module", "kexec_load"]),
        ("handle its own page faults", ["userfaultfd"]),
        ("measure the machine", ["perf_event_open", "lookup_dcookie"]),
        ("use the kernel's keys", ["keyctl", "add_key", "request_key"]),
        ("watch files", ["inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init"]),
    ]

    /// A path as a session file writes it: quoted if needed. Drops control characters, which don't
    /// belong in a log.
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
