import Glibc
import GreenroomIPC
import GreenroomIsolation
import GreenroomPluginInterface

/// What a plugin's process can say to its host: calls with their messages, answers, and messages
/// of the socket. The first byte says which.
private enum Target {
    static let rig = try? HostServiceRig()
    static let sockets = try? ControlSocket.pair()

    static func read(_ bytes: [UInt8]) {
        var reader = WireReader(Array(bytes.dropFirst()))
        switch bytes.first.map({ $0 % 6 }) {
        case 0: _ = try? reader.readDescriptor()
        case 1: _ = try? reader.readOffer()
        case 2: _ = try? reader.readSetting()
        case 3: _ = try? reader.readLoadError()
        case 4: _ = try? reader.readCapability()
        default:
            _ = try? reader.readArray(most: 256) { reader throws(WireReader.Problem) in
                try reader.readDescriptor()
            }
        }
    }

    static func receive(_ bytes: [UInt8]) {
        guard let sockets, !bytes.isEmpty else { return }
        send(sockets.runner, bytes, bytes.count, Int32(MSG_DONTWAIT))
        let host = ControlSocket(adopting: dup(sockets.host))
        guard case .message(let message) = host.receive(waits: false) else { return }
        for descriptor in message.descriptors { close(descriptor) }
    }
}

/// What libFuzzer calls.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    switch bytes.first.map({ $0 % 8 }) {
    case nil: break
    case 0: Target.read(Array(bytes.dropFirst()))
    case 1: Target.receive(Array(bytes.dropFirst()))
    default: _ = Target.rig?.serve(bytes.dropFirst())
    }
    return 0
}
