internal import FoundationEssentials
import CLinux
import Glibc
import GreenroomRuntime
import GreenroomSession
import GreenroomIsolation
import GreenroomPluginInterface

/// Stops the process of a check and that of its plugin together, as a container does that is paused
/// or a machine that sleeps.
///
/// A process of its own does it: one that is stopped can't let itself go on.
enum ProcessFreezer {
    /// What goes to that process.
    private struct Order: Codable {
        /// The host's goes on last, so that it is not ahead of the plugin.
        var host: Int32
        var plugin: Int32
        var nanoseconds: Int64
    }

    /// Stops the processes that an order names, waits, and lets them go on.
    ///
    /// - Returns: Whether the order is one.
    static func perform(_ text: String) -> Bool {
        guard let order = try? JSONDecoder().decode(Order.self, from: Data(text.utf8)) else {
            return false
        }
        guard order.host == getppid(), order.plugin > 1 else { return false }
        kill(order.plugin, SIGSTOP)
        kill(order.host, SIGSTOP)
        let end = MonotonicClock.deadline(after: order.nanoseconds)
        while MonotonicClock.now < end {
            usleep(UInt32(clamping: max(end - MonotonicClock.now, 0) / 1000 + 1))
        }
        kill(order.plugin, SIGCONT)
        kill(order.host, SIGCONT)
        return true
    }

    /// Has this process and a plugin's stopped for a while, and returns when both go on.
    static func hold(_ plugin: SharedProcess, nanoseconds: Int64) throws(Verdict) {
        let order = Order(host: getpid(), plugin: plugin.process, nanoseconds: nanoseconds)
        guard let data = try? JSONEncoder().encode(order), let program = ownProgramFile else {
            throw .skipped("no process could be started")
        }
        // From here on it may be silent.
        plugin.freeze()
        defer {
            // It runs again since the order's end. What it was asked while it stood still it has time to
            // answer before it is expected to.
            usleep(200_000)
            plugin.thaw()
        }
        guard run(program, String(decoding: data, as: UTF8.self)) else {
            throw .skipped("no process could be started")
        }
    }

    /// Runs a process of the check's group to its end.
    private static func run(_ program: String, _ order: String) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The answer of the check is this process's to write.
        for number in [Int32(0), 1] {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] =
            [strdup(program), strdup("judge"), strdup(order), nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
            return false
        }
        var how: Int32 = 0
        while waitpid(process, &how, 0) < 0, errno == EINTR {}
        return how == 0
    }
}
