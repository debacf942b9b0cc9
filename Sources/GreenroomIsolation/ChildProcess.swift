import CLinux
import Glibc
import GreenroomIPC

/// A child process, with a socket to this process.
struct ChildProcess {
    var process: pid_t
    var pidfd: Int32
    /// This side's end of the socket.
    var socket: Int32
    /// The child's standard output and error.
    var output: Int32

    /// The descriptor of the preloaded library. The runner closes it.
    private static let preloadNumber: Int32 = 4

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - library: The library to load before all others; nil if none.
    ///   - more: Environment variables, besides harmless ones of the host, which they replace.
    /// - Throws: ``ChannelError`` with the kernel's reason.
    init(
        spawning program: String, _ arguments: [String], preloading library: String? = nil,
        environment more: [String] = []
    ) throws(ChannelError) {
        let pair = try ControlSocket.pair()
        var pipe: [Int32] = [-1, -1]
        let result = greenroom_pipe(&pipe)
        guard result == 0 else { throw ChannelError("make a pipe", errno: -result) }
        defer {
            close(pair.runner)
            close(pipe[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 2)
        posix_spawn_file_actions_adddup2(&actions, pair.runner, ControlSocket.ofStartedProcess)
        // Pass the library by descriptor: LD_PRELOAD accepts no path with blanks or colons.
        if let library {
            posix_spawn_file_actions_addopen(&actions, Self.preloadNumber, library, O_RDONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // Start a new process group, so that Ctrl-C reaches only the host.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        // Create the group before the first child: a cgroup with processes cannot be divided.
        _ = ProcessorGroups.own
        let words = [program] + arguments
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in argv { free(word) } }
        let preload = library == nil ? [] : ["LD_PRELOAD=/proc/self/fd/\(Self.preloadNumber)"]
        var environment: [UnsafeMutablePointer<CChar>?] =
            (Self.environment(replacing: more) + preload + more).map { strdup($0) } + [nil]
        defer { for variable in environment { free(variable) } }
        var process = pid_t()
        let status = posix_spawn(
            &process, program, &actions, &attributes, &argv, &environment)
        guard status == 0 else {
            close(pair.host)
            close(pipe[0])
            throw ChannelError("start \(program)", errno: status)
        }
        self.process = process
        socket = pair.host
        output = pipe[0]
        pidfd = greenroom_pidfd(process)
        guard pidfd >= 0 else {
            // The process is not reaped yet, so its id is still valid.
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            close(pair.host)
            close(pipe[0])
            throw ChannelError("watch \(program)", errno: -pidfd)
        }
    }

    /// The environment variables of the host that contain no secrets.
    private static func environment(replacing more: [String]) -> [String] {
        let replaced = Set(more.map { $0.prefix { $0 != "=" } })
        var variables = ["SWIFT_BACKTRACE=enable=no"]
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            let name = text.prefix { $0 != "=" }
            if isHarmless(String(name)), !replaced.contains(name) { variables.append(text) }
            next += 1
        }
        return variables
    }

    /// Whether a variable belongs to Greenroom, or configures libraries, language or time.
    private static func isHarmless(_ name: String) -> Bool {
        let names = [
            "PATH", "HOME", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "TMPDIR", "DISPLAY",
            "WAYLAND_DISPLAY",
        ]
        let beginnings = ["GREENROOM_", "LC_", "ALSA_", "ASAN_", "TSAN_", "XDG_"]
        return names.contains(name) || beginnings.contains { name.hasPrefix($0) }
    }
}
