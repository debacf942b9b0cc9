import CLinux
import Glibc
import GreenroomIPC

/// A child process, with a socket to this process.
package struct ChildProcess {
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
        let ends = try Ends()
        defer { ends.closeChild() }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends.childOutput, 1)
        posix_spawn_file_actions_adddup2(&actions, ends.childOutput, 2)
        posix_spawn_file_actions_adddup2(
            &actions, ends.childSocket, ControlSocket.ofStartedProcess)
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
            ends.closeOwn()
            throw ChannelError("start \(program)", errno: status)
        }
        self.init(process: process, pidfd: greenroom_pidfd(process), ends)
        guard pidfd >= 0 else {
            // The process is not reaped yet, so its id is still valid.
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            ends.closeOwn()
            throw ChannelError("watch \(program)", errno: -pidfd)
        }
    }

    /// - Parameter ends: The ends of the process's socket and output.
    init(process: pid_t, pidfd: Int32, _ ends: Ends) {
        self.process = process
        self.pidfd = pidfd
        socket = ends.socket
        output = ends.output
    }

    /// The socket and the pipe between this process and a child.
    struct Ends {
        var socket: Int32
        var childSocket: Int32
        var output: Int32
        var childOutput: Int32

        init() throws(ChannelError) {
            var pipe: [Int32] = [-1, -1]
            let result = greenroom_pipe(&pipe)
            guard result == 0 else { throw ChannelError("make a pipe", errno: -result) }
            do throws(ChannelError) {
                let pair = try ControlSocket.pair()
                (socket, childSocket) = (pair.host, pair.runner)
            } catch {
                close(pipe[0])
                close(pipe[1])
                throw error
            }
            (output, childOutput) = (pipe[0], pipe[1])
        }

        func closeOwn() {
            close(socket)
            close(output)
        }

        func closeChild() {
            close(childSocket)
            close(childOutput)
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
            if inherits(String(name)), !replaced.contains(name) { variables.append(text) }
            next += 1
        }
        return variables
    }

    /// Whether plugins' processes get a variable: it belongs to Greenroom, or configures libraries, language or time.
    package static func inherits(_ name: String) -> Bool {
        let names = [
            "PATH", "HOME", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "TMPDIR", "DISPLAY",
            "WAYLAND_DISPLAY",
        ]
        let beginnings = ["GREENROOM_", "LC_", "ALSA_", "ASAN_", "TSAN_", "XDG_"]
        return names.contains(name) || beginnings.contains { name.hasPrefix($0) }
    }
}
