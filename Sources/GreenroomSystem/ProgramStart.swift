internal import CLinux
package import Glibc
package import SystemPackage

/// Starts programs from `PATH`.
package enum ProgramStart {
    /// Starts a program without waiting for it.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - streams: Descriptors by the number that they get. Standard streams that are missing are empty.
    ///   - variables: They are added to this process's environment.
    ///   - folder: The working directory; nil for this process's.
    ///   - group: The process group; 0 for a new one. Ctrl-C reaches only the host.
    ///   - signals: The signals that end the program as usual, even if this process ignores them.
    /// - Returns: The process, which the caller reaps.
    package static func spawn(
        _ words: [String], _ streams: [Int32: Int32], _ variables: [String: String] = [:],
        in folder: String? = nil, group: pid_t = 0, restoring signals: [Int32] = [SIGPIPE]
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The host's standard output may be media.
        for number in Int32(0)...2 where streams[number] == nil {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        for (number, stream) in streams {
            posix_spawn_file_actions_adddup2(&actions, stream, number)
        }
        if let folder { greenroom_spawn_in(&actions, folder) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in signals { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, group)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var lines: [UnsafeMutablePointer<CChar>?] =
            environment(with: variables).map { strdup($0) } + [nil]
        defer { for line in lines { free(line) } }
        var process = pid_t()
        let status = posix_spawnp(
            &process, words[0], &actions, &attributes, &arguments, &lines)
        guard status == 0 else { throw Errno(rawValue: status) }
        return process
    }

    /// This process's environment with other variables.
    private static func environment(with variables: [String: String]) -> [String] {
        var lines: [String] = []
        var next = environ
        while let line = next.pointee {
            let text = String(cString: line)
            if variables[String(text.prefix { $0 != "=" })] == nil { lines.append(text) }
            next += 1
        }
        return lines + variables.map { "\($0)=\($1)" }
    }
}
