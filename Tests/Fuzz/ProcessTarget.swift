import Glibc
import GreenroomIPC
import GreenroomIsolation
import GreenroomPluginInterface

/// What a plugin's process, or a broadcast, can say to the host.
enum ProcessTarget {
    /// Calls with their messages: frames and blocks among them.
    static let rig = try? HostServiceRig()
    private static let sockets = try? ControlSocket.pair()

    /// Answers and descriptions. The first byte says which.
    static func read(_ bytes: [UInt8]) {
        var reader = WireReader(Array(bytes.dropFirst()))
        switch bytes.first.map({ $0 % 7 }) {
        case 0: _ = try? reader.readDescriptor()
        case 1: _ = try? reader.readOffer()
        case 2: _ = try? reader.readSetting()
        case 3: _ = try? reader.readLoadError()
        case 4: _ = try? reader.readCapability()
        case 5: _ = try? reader.readPluginCall()
        default:
            _ = try? reader.readArray(limit: 256) { reader throws(WireError) in
                try reader.readDescriptor()
            }
        }
    }

    /// Messages of the socket.
    static func receive(_ bytes: [UInt8]) {
        guard let sockets, !bytes.isEmpty else { return }
        send(sockets.runner, bytes, bytes.count, Int32(MSG_DONTWAIT))
        let host = ControlSocket(adopting: dup(sockets.host))
        guard case .message(let message) = host.receive(waits: false) else { return }
        for descriptor in message.descriptors { close(descriptor) }
        // A broadcast's first one.
        _ = ProgramGreeting(message.value)
    }
}
