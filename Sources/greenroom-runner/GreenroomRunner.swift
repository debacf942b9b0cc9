import CLinux
import Glibc
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRunner
import GreenroomSandbox

/// The process that an isolated plugin lives in.
///
/// The host starts it with a socket as descriptor 3. Its arguments are the host's process id and, for
/// the validator, `probe`; for scans, `server`; for a script, `script` and the interpreter's command,
/// which replaces this program in the sandbox.
@main
struct RunnerProgram {
    static func main() {
        greenroom_close_from(ControlSocket.ofStartedProcess + 1)
        greenroom_report_crashes()
        let arguments = CommandLine.arguments.dropFirst()
        guard let host = arguments.first.flatMap({ pid_t($0) }),
            arguments.count == 1 || arguments.dropFirst() == ["probe"]
                || arguments.dropFirst() == ["server"]
                || arguments.dropFirst().first == "script"
        else {
            print("greenroom starts greenroom-runner to run plugins in separate processes.")
            _exit(64)
        }
        // First: if the host has ended already, no signal follows.
        _ = greenroom_set_parent_death_signal(SIGKILL)
        guard getppid() == host else { _exit(0) }
        if arguments.dropFirst().first == "script" {
            runScript(Array(arguments.dropFirst(2)), host: host)
        }
        if arguments.dropFirst() == ["server"] { serveForks() }
        runPlugin(host: host, hasProbe: arguments.count > 1)
    }

    /// Hosts a plugin until the host ends the process.
    ///
    /// - Parameter host: The parent process.
    static func runPlugin(host: pid_t, hasProbe: Bool = false) -> Never {
        var environment = Runner.Environment(
            confine: { policy, socket in Sandbox.confine(policy, socket, host: host) },
            load: { path throws(LoadError) in try PluginLibrary(onThisThread: path) },
            end: { _exit(0) })
        if hasProbe { environment.makeProbe = { PluginProbe() } }
        do {
            let socket = ControlSocket(adopting: ControlSocket.ofStartedProcess)
            try Runner(socket: socket, environment: environment).run()
        } catch {
            print("greenroom-runner: \(error)".printable)
            _exit(64)
        }
        _exit(0)
    }
}
