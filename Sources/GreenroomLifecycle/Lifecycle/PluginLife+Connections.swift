import Glibc
import GreenroomABI
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime

/// A plugin's calls for connections.
extension PluginLife {
    private func broker(for call: HostFunction) throws(Refusal) -> ConnectionBroker {
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
