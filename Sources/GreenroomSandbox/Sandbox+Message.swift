import Glibc
package import GreenroomIPC

extension Sandbox {
    /// Enters the sandbox that a host asks for.
    ///
    /// - Parameters:
    ///   - message: The policy.
    ///   - socket: Receives the descriptor of notifications.
    ///   - host: The host's process id.
    /// - Returns: The answer to the host: the report, or why the sandbox is incomplete.
    package static func confine(
        _ message: [UInt8], _ socket: borrowing ControlSocket, host: Int32
    ) -> [UInt8] {
        var answer = WireWriter()
        do throws(WireError) {
            var reader = WireReader(message)
            let policy = try SandboxPolicy(from: &reader)
            if let folder = policy.temporaryFolder { setenv("TMPDIR", folder, 1) }
            do throws(SandboxError) {
                let report = try apply(policy, host: host) {
                    socket.send(.sandboxNotifier, descriptors: [$0])
                }
                answer.write(true)
                report.write(to: &answer)
            } catch {
                answer.write(false)
                answer.write(error.description)
            }
        } catch {
            answer.write(false)
            answer.write("cannot read the host's policy")
        }
        return answer.bytes
    }
}
