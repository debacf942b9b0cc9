import CLinux
import Glibc
import GreenroomIPC
import GreenroomMedia
import GreenroomRuntime
import GreenroomPluginInterface
import GreenroomSandbox
import Synchronization
import GreenroomModel

/// A process of this program that enters a plugin's sandbox and hosts the plugin.
package enum ConfinedProcess {
    /// The outcome of the process.
    package enum End: Sendable {
        /// The process exited with status 0 and this output.
        case ended([UInt8])
        /// The process crashed or failed, with the reason.
        case lost(String)
        /// The process exceeded its time limit and was killed.
        case timedOut
        /// The process did not start, with the reason.
        case failed(String)
    }

    /// Limit of kept output, in bytes.
    private static let outputLimit = 4 << 20

    // MARK: The process itself

    /// Enters the sandbox. Call it while the process has one thread, before the plugin loads.
    ///
    /// - Parameter host: The process that started this one. This process ends with the host.
    /// - Returns: The reason for the failure; nil if the sandbox is on.
    package static func enter(
        _ confinement: Confinement, library: String, host: Int32
    ) -> String? {
        greenroom_close_from(ControlSocket.ofStartedProcess + 1)
        let socket = ControlSocket(adopting: ControlSocket.ofStartedProcess)
        do throws(SandboxError) {
            let policy = SandboxPolicy(confinement, library: library)
            _ = try Sandbox.apply(policy, host: host) {
                socket.send(.sandboxNotifier, descriptors: [$0])
            }
            return nil
        } catch {
            return error.description
        }
    }

    // MARK: Its host

    /// Runs a program that enters the sandbox. Serves the sandbox's notifier until the program
    /// ends.
    ///
    /// - Parameter seconds: The time limit, in seconds.
    package static func run(
        _ program: String, _ arguments: [String], in confinement: Confinement, library: String,
        seconds: Double
    ) -> End {
        Sandbox.protectHost()
        let child: ChildProcess
        do throws(ChannelError) {
            child = try ChildProcess(spawning: program, arguments)
        } catch {
            return .failed("\(error)")
        }
        let socket = ControlSocket(adopting: child.socket)
        defer {
            close(child.output)
            close(child.pidfd)
        }
        let policy = SandboxPolicy(confinement, library: library)
        let deadline = MonotonicClock.deadline(after: Int64(seconds * 1e9))
        var notifier: SandboxNotifier?
        var hasNotifier = false
        var output: [UInt8] = []
        while true {
            var descriptors = [
                pollfd(fd: child.pidfd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: hasNotifier ? -1 : socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: notifier?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, nfds_t(descriptors.count), 20)
            let isOpen = read(child.output, to: &output)
            if descriptors[2].revents != 0 {
                // The process sent the first message before loading the plugin. Later messages may
                // be the plugin's.
                hasNotifier = true
                notifier = Self.notifier(from: socket.receive(waits: false), policy, child.process)
            }
            if descriptors[3].revents != 0, notifier?.handleOne() == .ended { notifier = nil }
            var (code, status): (Int32, Int32) = (0, 0)
            if greenroom_reap(child.process, &code, &status) != 0 {
                if isOpen { _ = read(child.output, to: &output) }
                return code == greenroom_code_exited && status == 0
                    ? .ended(output) : .lost(evidence(code, status, output))
            }
            if MonotonicClock.now > deadline {
                greenroom_pidfd_kill(child.pidfd, SIGKILL)
                waitpid(child.process, nil, 0)
                return .timedOut
            }
        }
    }

    private static func notifier(
        from received: ControlSocket.Received, _ policy: SandboxPolicy, _ process: Int32
    ) -> SandboxNotifier? {
        guard case .message(let message) = received else { return nil }
        guard message.kind == .sandboxNotifier, policy.mode != .off, message.descriptors.count == 1
        else {
            ControlSocket.discard(message.descriptors)
            return nil
        }
        return SandboxNotifier(
            descriptor: message.descriptors[0], process: process, policy: policy,
            report: Sandbox.available)
    }

    /// Reads from a non-blocking descriptor.
    ///
    /// - Returns: Whether the descriptor is still open.
    private static func read(_ descriptor: Int32, to output: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count < 0 }
            if output.count < outputLimit { output += buffer[..<count] }
        }
    }

    private static func evidence(_ code: Int32, _ status: Int32, _ output: [UInt8]) -> String {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").suffix(100)
        return CrashReport(
            code: code, status: status, whereabouts: nil,
            stderrTail: lines.map { $0.description.printable }
        ).text
    }
}
