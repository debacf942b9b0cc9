internal import CLinux
import Glibc

extension SystemCallGroup {
    /// The system calls that a plugin may make without the host. The filter refuses all other calls
    /// or asks the host.
    ///
    /// - Parameters:
    ///   - process: The plugin's process.
    ///   - allowsNetwork: Whether sockets are granted.
    ///   - makesMemory: Whether memory files are granted.
    package static func allowed(
        process: Int32, allowsNetwork: Bool, makesMemory: Bool = false
    ) -> [SystemCallGroup] {
        usual + conditional(process: process) + (allowsNetwork ? [network] : [])
            + (makesMemory ? [memoryFiles] : [])
    }

    /// The calls that the host decides about, if the kernel can notify the host.
    ///
    /// - Parameters:
    ///   - allowsNetwork: Whether sockets are granted.
    ///   - landlock: Whether Landlock decides about files.
    static func asked(allowsNetwork: Bool, landlock: Bool) -> [SystemCallGroup] {
        [newThreads] + (allowsNetwork && !landlock ? [names] : [])
    }

    /// The calls of ``asked(allowsNetwork:landlock:)`` that need no decision of the host.
    static func unasked(allowsNetwork: Bool, landlock: Bool) -> [SystemCallGroup] {
        allowsNetwork && landlock ? [names] : []
    }

    /// The call that replaces the process's program. The new program keeps every layer.
    static let ownProgram = SystemCallGroup(
        name: "program", reason: "the interpreter of a script replaces the runner",
        calls: ["execve"])

    private static let usual = [
        SystemCallGroup(
            name: "memory",
            calls: [
                "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "msync", "mincore",
                "membarrier",
            ]),
        SystemCallGroup(
            name: "pinned memory",
            reason: "audio libraries lock their buffers in memory; the limit of locked memory "
                + "holds",
            calls: ["mlock", "mlock2", "munlock"]),
        SystemCallGroup(
            name: "threads",
            calls: [
                "futex", "futex_time64", "futex_waitv", "set_robust_list", "get_robust_list",
                "rseq", "set_tid_address", "exit", "exit_group", "sched_yield", "gettid",
                "getcpu", "arch_prctl",
            ]),
        SystemCallGroup(
            name: "its own signal handlers",
            calls: [
                "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending",
                "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack", "signalfd", "signalfd4",
                "restart_syscall", "pause",
            ]),
        SystemCallGroup(
            name: "time",
            calls: [
                "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday",
                "time", "times", "timerfd_create", "timerfd_settime", "timerfd_gettime",
                "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun",
                "timer_delete", "setitimer", "getitimer", "alarm",
            ]),
        SystemCallGroup(
            name: "waiting for events",
            calls: [
                "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1",
                "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2",
                "pipe", "pipe2",
            ]),
        SystemCallGroup(
            name: "open files",
            calls: [
                "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev",
                "preadv2", "pwritev2", "lseek", "close", "close_range", "dup", "dup2", "dup3",
                "fcntl", "flock", "fsync", "fdatasync", "sync_file_range", "ftruncate",
                "fallocate", "fadvise64", "readahead", "sendfile", "copy_file_range",
                "getdents", "getdents64", "fstat", "fstatfs", "fchdir", "umask",
            ]),
        SystemCallGroup(
            name: "control of open files and devices",
            reason: "requests differ between devices; Landlock decides which devices open, and "
                + "requests that reach other processes are refused",
            calls: ["ioctl"]),
        SystemCallGroup(
            name: "metadata of files",
            reason: "show whether a file exists and its size, never its content; the kernel "
                + "can't limit them to granted files",
            calls: [
                "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
                "readlink", "readlinkat", "statfs", "getcwd", "chdir",
            ]),
        SystemCallGroup(
            name: "messages over open sockets",
            reason: "the socket to the host is open already; new sockets need the network grant",
            calls: [
                "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "sendto", "recvfrom", "shutdown",
                "getsockopt", "setsockopt", "getsockname", "getpeername",
            ]),
        SystemCallGroup(
            name: "facts about itself and the machine",
            calls: [
                "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getresuid",
                "getresgid", "getgroups", "getpgrp", "getpgid", "getsid", "getrlimit",
                "getrusage", "getpriority", "capget", "uname", "sysinfo", "getrandom",
                "sched_getaffinity", "sched_getscheduler", "sched_getparam", "sched_getattr",
                "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
            ]),
        SystemCallGroup(
            name: "its own memory policy",
            reason: "libnuma probes the kernel for these calls when it is loaded; they affect only "
                + "the caller's memory",
            calls: ["get_mempolicy", "set_mempolicy"]),
        SystemCallGroup(
            name: "more restrictions",
            reason: "the last step of the sandbox itself; they only remove rights",
            calls: ["landlock_add_rule", "landlock_restrict_self"]),
        SystemCallGroup(
            name: "waiting for processes",
            reason: "some libraries ask, though it has no child processes",
            calls: ["wait4", "waitid"]),
    ]

    private static func conditional(process: Int32) -> [SystemCallGroup] {
        [
            SystemCallGroup(
                name: "signals to its own process",
                reason: "abort and pthread_kill use them; signals to other processes are refused",
                calls: [
                    SystemCall("kill", .argument(0, is: process)),
                    SystemCall("tgkill", .argument(0, is: process)),
                    SystemCall("rt_sigqueueinfo", .argument(0, is: process)),
                    SystemCall("rt_tgsigqueueinfo", .argument(0, is: process)),
                ]),
            SystemCallGroup(
                name: "its threads' names, memory names and timer slack",
                reason: "the requests of prctl that affect only the caller and can't undo the "
                    + "sandbox",
                calls: [
                    PR_SET_NAME, PR_GET_NAME, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK,
                    PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_GET_DUMPABLE, PR_GET_PDEATHSIG,
                    PR_GET_SECCOMP, PR_CAPBSET_READ, setMemoryName,
                ].map { SystemCall("prctl", .argument(0, is: $0)) }),
            SystemCallGroup(
                name: "its limits",
                reason: "read only: a new value is refused, but for open files, which the sandbox "
                    + "lowers last and the kernel never lets rise",
                calls: [
                    SystemCall(
                        "prlimit64", .argument(0, is: 0),
                        .argument(1, is: Int32(RLIMIT_NOFILE.rawValue))),
                    SystemCall(
                        "prlimit64", .argument(0, is: 0), .argument(2, masked: .max, is: 0)),
                    SystemCall(
                        "prlimit64", .argument(0, is: process),
                        .argument(2, masked: .max, is: 0)),
                ]),
            SystemCallGroup(
                name: "how the calling thread is scheduled",
                reason: "media threads set it; for other threads and processes it is refused",
                calls: [
                    SystemCall("sched_setaffinity", .argument(0, is: 0)),
                    SystemCall("sched_setscheduler", .argument(0, is: 0)),
                    SystemCall("sched_setparam", .argument(0, is: 0)),
                    SystemCall("sched_setattr", .argument(0, is: 0)),
                ]),
            SystemCallGroup(
                name: "pairs of sockets",
                reason:
                    "libraries wake their threads with them; only types that reach nothing but the "
                    + "other end",
                calls: [SOCK_STREAM, SOCK_SEQPACKET].map { type in
                    SystemCall(
                        "socketpair", .argument(0, is: AF_UNIX),
                        .argument(1, masked: socketTypes, is: UInt64(type.rawValue)))
                }),
        ]
    }

    private static let newThreads = SystemCallGroup(
        name: "new threads",
        reason:
            "clone also makes processes; only threads of this process in its own namespaces are "
            + "allowed; the host counts them",
        calls: [
            SystemCall(
                "clone", .argument(0, masked: cloneThread | cloneNamespaces, is: cloneThread))
        ])

    /// Whether the flags of `clone` make a thread, and nothing else.
    static func makesThread(_ flags: UInt64) -> Bool {
        flags & (cloneThread | cloneNamespaces) == cloneThread
    }

    private static let names = SystemCallGroup(
        name: "addresses of sockets",
        reason:
            "a Unix socket is a file where it is bound; without Landlock the host binds all others",
        calls: ["bind"])

    /// The calls that the host answers where possible.
    static let ownPriority = SystemCallGroup(
        name: "the calling thread's priority",
        reason: "Dispatch asks for more for its workers, and complains to the system's log",
        calls: [SystemCall("setpriority", .argument(0, is: 0), .argument(1, is: 0))])

    private static let network = SystemCallGroup(
        name: "network",
        reason: "granted in the session file; includes the kernel's routing tables, which name "
            + "look-up reads, and not the sockets of other programs: the agent of ssh and D-Bus "
            + "would do what the sandbox refuses",
        calls: [AF_INET, AF_INET6, AF_NETLINK].map {
            SystemCall("socket", .argument(0, is: $0))
        } + ["connect", "listen", "accept", "accept4"])

    private static let memoryFiles = SystemCallGroup(
        name: "memory files",
        reason: "granted with PipeWire, whose library makes one for each stream; PipeWire makes "
            + "memory for its clients, too",
        calls: ["memfd_create"])

    /// The calls that fail with an errno without notifying the host. Callers have a fallback.
    ///
    /// - Parameters:
    ///   - allowsNetwork: Whether sockets are granted.
    ///   - makesMemory: Whether memory files are granted.
    static func missing(
        allowsNetwork: Bool, makesMemory: Bool = false
    ) -> [(call: SystemCall, errno: Int32)] {
        // Callers fall back to an older call, whose arguments a filter can see: clone and openat.
        let newer: [(SystemCall, Int32)] =
            [("clone3", ENOSYS), ("openat2", ENOSYS)]
            // NumPy's OpenBLAS asks for memory near its threads, and works without.
            + [("mbind", ENOSYS)]
        // Name look-up first queries the host's cache of names. PipeWire's library looks up the
        // user's name.
        let names = SystemCall("socket", .argument(0, is: AF_UNIX))
        return allowsNetwork || makesMemory ? newer + [(names, EAFNOSUPPORT)] : newer
    }

    /// The calls that the filter refuses by their arguments, although the call itself is allowed or
    /// Landlock decides about it.
    static let refused = [
        SystemCallGroup(
            name: "input to the terminal",
            reason: "the shell in the host's terminal would execute it",
            calls: [TIOCSTI, tioclinux].map { SystemCall("ioctl", .argument(1, is: $0)) }),
        SystemCallGroup(
            name: "signals to the owner of a file",
            reason: "the owner can be any process",
            calls: [F_SETOWN, setOwnerOfKind, setOwnerSignal].map {
                SystemCall("fcntl", .argument(1, is: $0))
            }
                + [FIOSETOWN, SIOCSPGRP].map { SystemCall("ioctl", .argument(1, is: $0)) }),
        SystemCallGroup(
            name: "attributes of files",
            reason: "a descriptor open for reading can set them",
            calls: [0x66, 0x58].map { kind in
                SystemCall("ioctl", .argument(1, masked: 0xff00, is: kind << 8))
            }),
        SystemCallGroup(
            name: "its own shared memory",
            reason: "no limit counts it once it is unmapped",
            calls: [
                SystemCall(
                    "mmap", .argument(3, masked: sharedAnonymous, is: sharedAnonymous))
            ]),
        SystemCallGroup(
            name: "larger pipes",
            reason:
                "the kernel limits the pipes of all programs of the user together, to 64 MB",
            calls: [SystemCall("fcntl", .argument(1, is: setPipeSize))]),
        SystemCallGroup(
            name: "leases of files",
            reason: "other programs that open the file for writing would wait for the plugin",
            calls: [SystemCall("fcntl", .argument(1, is: setLease))]),
        SystemCallGroup(
            name: "truncating a file that is opened for reading",
            reason: "Landlock before version 3 treats it as reading",
            calls: [
                SystemCall("openat", .argument(2, masked: truncating, is: UInt64(O_TRUNC))),
                SystemCall("open", .argument(1, masked: truncating, is: UInt64(O_TRUNC))),
            ]),
        SystemCallGroup(
            name: "opening a file neither for reading nor for writing",
            reason: "Landlock asks for no right then, and the file can still be emptied, made or, "
                + "as a device, controlled",
            calls: [
                SystemCall("openat", .argument(2, masked: accessMode, is: accessMode)),
                SystemCall("open", .argument(1, masked: accessMode, is: accessMode)),
            ]),
        SystemCallGroup(
            name: "making a file that runs with its owner's rights",
            reason: "under a root host every user of the machine could become root with it",
            calls: [setUserID, setGroupID].flatMap { bit in
                [UInt64(O_CREAT), temporaryFile].flatMap { flag in
                    [
                        SystemCall(
                            "openat", .argument(2, masked: flag, is: flag),
                            .argument(3, masked: bit, is: bit)),
                        SystemCall(
                            "open", .argument(1, masked: flag, is: flag),
                            .argument(2, masked: bit, is: bit)),
                    ]
                } + [SystemCall("creat", .argument(1, masked: bit, is: bit))]
            }),
    ]
}

// MARK: Constants that Swift does not import, or that older C headers lack

private let cloneThread: UInt64 = 0x0001_0000
/// The flags for new mount, cgroup, host name, IPC, user, process and network namespaces.
private let cloneNamespaces: UInt64 = 0x7e02_0000
private let socketTypes: UInt64 = 0xf
private let setMemoryName: Int32 = 0x5356_4d41
/// `O_TMPFILE` without `O_DIRECTORY`.
private let temporaryFile: UInt64 = 0o20_000_000
private let setUserID: UInt64 = 0o4000
private let setGroupID: UInt64 = 0o2000
private let truncating = UInt64(O_TRUNC | O_ACCMODE)
/// The mask of the access mode. All bits set are a mode that is none of `O_RDONLY`, `O_WRONLY` and
/// `O_RDWR`.
private let accessMode = UInt64(O_ACCMODE)
private let sharedAnonymous = UInt64(MAP_SHARED | MAP_ANONYMOUS)
private let setLease: Int32 = 1024
private let setPipeSize: Int32 = 1031
private let setOwnerOfKind: Int32 = 15
private let setOwnerSignal: Int32 = 10
private let tioclinux: Int32 = 0x541c
