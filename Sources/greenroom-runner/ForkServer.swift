import CLinux
import Glibc
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface

/// Forks a runner for each request of the host, one after the other, and reports the end of each. Ends with
/// the host.
///
/// The process has one thread and loads no scanned library, so its memory is the same for each runner.
func serveForks() -> Never {
    let socket = ControlSocket(adopting: ControlSocket.ofStartedProcess)
    let server = getpid()
    // Most files of a scan are effects.
    EffectInterface.loadBridges()
    while case .message(let request) = socket.receive(waits: true), request.kind == .fork,
        request.descriptors.count == 2
    {
        let process = greenroom_fork()
        if process == 0 {
            dup2(request.descriptors[1], 1)
            dup2(request.descriptors[1], 2)
            dup2(request.descriptors[0], ControlSocket.ofStartedProcess)
            greenroom_close_from(ControlSocket.ofStartedProcess + 1)
            // A signal from the terminal reaches only the host.
            setpgid(0, 0)
            RunnerProgram.runPlugin(host: server)
        }
        for descriptor in request.descriptors { close(descriptor) }
        let pidfd = process > 0 ? greenroom_pidfd(process) : -1
        guard pidfd >= 0, socket.send(.forked, UInt32(process), descriptors: [pidfd]) else { break }
        close(pidfd)
        var (code, status): (Int32, Int32) = (0, 0)
        guard greenroom_wait(process, &code, &status) > 0,
            socket.send(
                .forkedEnd, UInt32(status & 0xFF) + (code == greenroom_code_exited ? 0 : 256))
        else { break }
    }
    _exit(0)
}
