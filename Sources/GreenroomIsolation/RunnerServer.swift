import CLinux
import Glibc
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomSandbox
import Synchronization

/// A started `greenroom-runner` that forks a process for each library of a scan. Forking costs a
/// third of starting the program.
///
/// The server loads no scanned library, and each process enters its own sandbox, so no library can
/// affect the result of another. One process runs at a time.
final class RunnerServer: Sendable {
    private let socket: ControlSocket
    /// The policy of every process, without the library's files.
    private let policy: SandboxPolicy
    private let hasProcess = Atomic(false)

    /// Starts the program.
    init(_ confinement: Confinement) throws(ChannelError) {
        let started = Monitor<Result<ChildProcess, ChannelError>?>(nil)
        // The kernel kills the server when the thread that started it ends.
        let thread = HostThread(name: "scan server") {
            let result = Result { () throws(ChannelError) in
                // Symbols are bound once, not in each process.
                try ChildProcess(
                    spawning: confinement.program, [String(getpid()), "server"],
                    environment: ["LD_BIND_NOW=1"])
            }
            started.change { $0 = result }
            guard case .success(let child) = result else { return }
            waitpid(child.process, nil, 0)
            close(child.pidfd)
            close(child.output)
        }
        if let problem = thread.problem { throw ChannelError(problem) }
        let result: Result<ChildProcess, ChannelError>? = started.wait(until: .max) { $0 }
        guard let result else { throw ChannelError("start a process", errno: EAGAIN) }
        socket = ControlSocket(adopting: try result.get().socket)
        policy = SandboxPolicy(confinement)
    }

    /// The policy of a library's process.
    func policy(of library: String) -> SandboxPolicy { policy.allowing(library) }

    /// Whether no process runs, so that the server can fork another.
    var isIdle: Bool { !hasProcess.load(ordering: .acquiring) }

    /// Forks a process. [any]
    func fork() throws(ChannelError) -> ChildProcess {
        let ends = try ChildProcess.Ends()
        hasProcess.store(true, ordering: .relaxed)
        defer { ends.closeChild() }
        guard socket.send(.fork, descriptors: [ends.childSocket, ends.childOutput]),
            case .message(let message) = socket.receive(waits: true), message.kind == .forked,
            let pidfd = message.descriptors.first
        else {
            ends.closeOwn()
            throw ChannelError("fork a process", errno: EAGAIN)
        }
        return ChildProcess(process: pid_t(bitPattern: message.value), pidfd: pidfd, ends)
    }

    /// Waits for the end of the forked process. [any]
    func reap() -> (code: Int32, status: Int32) {
        guard case .message(let message) = socket.receive(waits: true),
            message.kind == .forkedEnd
        else { return (greenroom_code_killed, SIGKILL) }
        hasProcess.store(false, ordering: .releasing)
        return (
            message.value < 256 ? greenroom_code_exited : greenroom_code_killed,
            Int32(message.value & 0xFF)
        )
    }
}
