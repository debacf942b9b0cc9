import GreenroomLifecycle
import CLinux
import Glibc
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomSandbox

/// A runner in a process that was not started for this runner. The host connects and disconnects.
/// The runner does not confine, measure or kill the process.
protocol AttachedRunner: RunnerProcess {
    var process: ProcessHandle { get }
    /// The path of the runner's program or socket, for errors.
    var program: String { get }
    /// Whether the runner's process is stopped intentionally.
    var isFrozen: Bool { get }

    /// The reason that the process ended; nil if unknown.
    var evidence: String? { get }

    /// Called when the runner has disconnected or its process has ended, before the connection is
    /// marked lost.
    func willLose()

    /// Called when the connection is lost or has ended normally.
    func didDisconnect()
}

extension AttachedRunner {
    var sandbox: SandboxReport? { nil }
    var isFrozen: Bool { false }
    var isDebugged: Bool { false }
    var hindrance: String? { ProcessStatus(of: process.id)?.hindrance }
    var evidence: String? { nil }
    func willLose() {}

    func prepare() throws(LoadError) {
        _ = try connection.handshake(with: program)
        connection.expectPongs()
    }

    /// Watches the connection and the process until one of them ends.
    func watch() {
        var watch = RunnerWatch(connection, memoryLimitBytes: .max)
        while true {
            var descriptors = [
                pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: connection.socketDescriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, nfds_t(descriptors.count), watch.waitMilliseconds)
            var isConnected = true
            if descriptors[1].revents != 0 {
                switch connection.receive() {
                case .none: break
                case .disconnected: isConnected = false
                // This host does not sandbox the process.
                case .sandboxNotifier(let descriptor): ControlSocket.discard([descriptor])
                }
            }
            let hasEnded = descriptors[0].revents != 0
            if hasEnded || !isConnected {
                let evidence = evidence(hasEnded: hasEnded)
                willLose()
                connection.lose(because: evidence)
                didDisconnect()
                connection.didEnd()
                return
            }
            guard watch.isDue else { continue }
            let status = ProcessStatus(of: process.id)
            // A process in another container has no status here, but answers pings.
            guard status != nil || process.id == 0 else {
                watch.skip()
                continue
            }
            var sample = connection.sample
            sample.hasAnswered = sample.hasAnswered || isFrozen || isDebugged
            watch.check(sample, isStopped: status?.isStopped ?? false)
        }
    }

    private func evidence(hasEnded: Bool) -> String {
        if let evidence = connection.isEnding ? nil : evidence { return evidence }
        let whereabouts = connection.context.whereabouts().map { " \($0)" } ?? ""
        return hasEnded
            ? "the process ended\(whereabouts) without finishing"
            : "disconnected\(whereabouts) without finishing"
    }
}
