import Glibc
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomSandbox

/// Enters the sandbox, and then becomes the interpreter of a script.
///
/// The interpreter has the socket as descriptor 3 and the channels as descriptor 4. It calls
/// `greenroom_client_serve`, which continues where this function ends.
func runScript(_ command: [String], host: pid_t) -> Never {
    func fail(_ text: String) -> Never {
        print("greenroom-runner: \(text)".printable)
        _exit(64)
    }
    // A copy: the interpreter keeps the socket's descriptor.
    let own = fcntl(
        ControlSocket.ofStartedProcess, F_DUPFD_CLOEXEC, ControlSocket.channelsOfScript + 1)
    guard own >= 0 else { fail("out of descriptors") }
    let socket = ControlSocket(adopting: own)
    guard case .message(let setup) = socket.receive(waits: true), setup.kind == .setup,
        let memory = setup.descriptors.first
    else { fail("cannot understand the host") }
    let copy = fcntl(memory, F_DUPFD_CLOEXEC, ControlSocket.channelsOfScript + 1)
    guard copy >= 0 else { fail("out of descriptors") }
    // The received descriptor may have this number already.
    if memory == ControlSocket.channelsOfScript {
        _ = fcntl(memory, F_SETFD, 0)
    } else {
        guard dup2(memory, ControlSocket.channelsOfScript) >= 0 else { fail("out of descriptors") }
        close(memory)
    }
    do throws(ChannelError) {
        let channel = try Channels(adopting: copy)[Channels.control]
        guard let (call, length) = channel.receive(), call == .confine else {
            fail("cannot understand the host")
        }
        var message = WireReader(channel, length: length)
        var answer = WireWriter()
        answer.write(GreenroomProtocol.version)
        if (try? message.read(UInt32.self)) == GreenroomProtocol.version {
            answer.append(Sandbox.confine(message.remaining, socket, host: host))
        }
        channel.send(.return, length: answer.put(into: channel) ?? 0)
    } catch {
        fail("\(error)")
    }
    var argv: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    execv(command.first ?? "", &argv)
    fail("cannot start \(command.first ?? "nothing"): \(String(cString: strerror(errno)))")
}
