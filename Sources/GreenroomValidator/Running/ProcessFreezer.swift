internal import FoundationEssentials
import CLinux
import Glibc
import GreenroomRuntime
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomSystem

/// Stops the processes of a check and its plugin together, as a paused container or a suspended
/// machine does.
///
/// A separate process does this, because a stopped process can't continue itself.
enum ProcessFreezer {
    /// The input of that process.
    private struct Request: Codable {
        /// Continued last, so that the host is not ahead of the plugin.
        var host: Int32
        var plugin: Int32
        var nanoseconds: Int64
    }

    /// Stops the processes in a request, waits, and continues them.
    ///
    /// - Returns: Whether the request is valid.
    static func perform(_ text: String) -> Bool {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(text.utf8)) else {
            return false
        }
        guard request.host == getppid(), request.plugin > 1 else { return false }
        kill(request.plugin, SIGSTOP)
        kill(request.host, SIGSTOP)
        let end = MonotonicClock.deadline(after: request.nanoseconds)
        while MonotonicClock.now < end {
            usleep(UInt32(clamping: max(end - MonotonicClock.now, 0) / 1000 + 1))
        }
        kill(request.plugin, SIGCONT)
        kill(request.host, SIGCONT)
        return true
    }

    /// Stops this process and a plugin's for a while, and returns after they continue.
    static func hold(_ plugin: SharedProcess, nanoseconds: Int64) throws(Verdict) {
        let request = Request(host: getpid(), plugin: plugin.process, nanoseconds: nanoseconds)
        guard let data = try? JSONEncoder().encode(request), let program = ownProgramFile else {
            throw .notProven("no process could be started")
        }
        // After this the process may be silent.
        plugin.freeze()
        defer {
            // The process has continued since the end of the request. Give it time to answer
            // earlier pings.
            usleep(200_000)
            plugin.thaw()
        }
        guard run(program, String(decoding: data, as: UTF8.self)) else {
            throw .notProven("no process could be started")
        }
    }

    /// Runs a process of the check's group to its end.
    private static func run(_ program: String, _ request: String) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Only this process writes the check's response.
        for number in [Int32(0), 1] {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] =
            [strdup(program), strdup(CheckWorker.command), strdup(request), nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
            return false
        }
        return reap(process) == 0
    }
}
