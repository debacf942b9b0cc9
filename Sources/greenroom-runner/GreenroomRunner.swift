import CLinux
import Glibc
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomRunner

/// The process that an isolated plugin lives in. It is started by the host, with a socket to it as
/// descriptor 3 and the host's process id as its one argument.
@main
struct RunnerProgram {
    private static let socketNumber: Int32 = 3

    static func main() {
        greenroom_close_from(socketNumber + 1)
        greenroom_report_crashes()
        guard CommandLine.arguments.count == 2, let host = pid_t(CommandLine.arguments[1]) else {
            print(
                "greenroom-runner is started by greenroom, for plugins in processes of their own.")
            _exit(64)
        }
        // Before anything else can keep it: a host that has ended meanwhile tells nobody.
        _ = greenroom_set_parent_death_signal(SIGKILL)
        guard getppid() == host else { _exit(0) }
        let environment = Runner.Environment(
            confine: { policy, socket in confine(policy, socket, host: host) },
            load: { path throws(LoadError) in try PluginLibrary(onThisThread: path) },
            end: { _exit(0) })
        do {
            let socket = ControlSocket(adopting: socketNumber)
            try Runner(socket: socket, environment: environment).run()
        } catch {
            print("greenroom-runner: \(error)")
            _exit(64)
        }
        _exit(0)
    }
}
