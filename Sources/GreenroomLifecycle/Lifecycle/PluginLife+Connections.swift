import Glibc
package import GreenroomABI
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime

/// A plugin's calls for connections.
extension PluginLife {
    private func broker(for call: SenderCall) throws(Refusal) -> ConnectionBroker {
        guard let broker = state.withLock({ $0.connections }) else {
            throw Refusal(.gone, in: call)
        }
        return broker
    }

    /// Connects to a program or a socket.
    func connect(to name: String) throws(Refusal) -> gr_connection {
        let broker = try broker(for: .connect)
        do throws(ConnectionError) {
            return try broker.open(name)
        } catch {
            if error.code == .unsupported { state.withLock { $0.wasDenied = true } }
            throw Refusal(.connection(error.code, error.description), in: .connect)
        }
    }

    /// Creates memory to share over a connection.
    func makeMemory(byteCount: UInt64) throws(Refusal) -> Int32 {
        let broker = try broker(for: .makeMemory)
        do throws(ConnectionError) {
            return try broker.makeMemory(byteCount: byteCount)
        } catch {
            throw Refusal(.connection(error.code, error.description), in: .makeMemory)
        }
    }
}

extension HostInterface {
    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let connections = leaked(
        gr_connections(
            struct_size: UInt32(MemoryLayout<gr_connections>.size), reserved: 0,
            open: { instance, name, connection in
                answer { () throws(Refusal) in
                    let life = try life(instance, .connect)
                    guard UInt(bitPattern: name) != 0, UInt(bitPattern: connection) != 0 else {
                        throw Refusal(.null, in: .connect)
                    }
                    let size = connection.pointee.struct_size
                    let needed = MemoryLayout<gr_connection>.size
                    guard size >= needed else {
                        throw Refusal(.structTooSmall(size: size, needed: needed), in: .connect)
                    }
                    let opened = try life.connect(
                        to: String(pluginText: name, longest: Int(PATH_MAX)) ?? "")
                    connection.pointee = opened
                    connection.pointee.struct_size = size
                }
            },
            make_memory: { instance, byteCount, descriptor in
                answer { () throws(Refusal) in
                    let life = try life(instance, .makeMemory)
                    guard UInt(bitPattern: descriptor) != 0 else {
                        throw Refusal(.null, in: .makeMemory)
                    }
                    descriptor.pointee = try life.makeMemory(byteCount: byteCount)
                }
            }))
}
