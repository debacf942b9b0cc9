import Glibc
import GreenroomIPC
import GreenroomSandbox

/// Enters the sandbox.
///
/// - Parameters:
///   - message: The policy.
///   - socket: Receives the descriptor of notifications.
///   - host: The host's process id.
/// - Returns: The answer to the host: the report, or why the sandbox is incomplete.
func confine(_ message: [UInt8], _ socket: borrowing ControlSocket, host: pid_t) -> [UInt8] {
    var answer = WireWriter()
    do throws(WireError) {
        var reader = WireReader(message)
        let policy = try SandboxPolicy(from: &reader)
        do throws(SandboxError) {
            let report = try Sandbox.apply(policy, host: host) {
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
