import CLinux
import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

extension Runner {
    /// Stores a descriptor until the requesting call takes it.
    func addDescriptor(_ number: UInt32, _ descriptors: [Int32]) {
        ControlSocket.discard(Array(descriptors.dropFirst()))
        guard let descriptor = descriptors.first else { return }
        self.descriptors.withLock { $0[number] = descriptor }
        descriptorArrived.give()
    }

    /// Makes a call that returns a descriptor, and waits for the descriptor. The host sends it
    /// through the socket before the answer.
    ///
    /// - Returns: The status and the descriptor; -1 if the descriptor did not arrive.
    func callForDescriptor(_ call: RemoteCall, length: Int) -> (
        status: gr_status, descriptor: Int32
    ) {
        // Make one call at a time, so that each descriptor wakes the waiting thread.
        descriptorCalls.withLock { _ in
            let channel = channel
            let status = channel.status(of: call, length: length)
            guard status == Status.ok.rawValue else { return (status, -1) }
            let number: UInt32 = channel.read(at: MessageLayout.number)
            let deadline = greenroom_monotonic_now() + 1_000_000_000
            while !channels.isLost {
                if let descriptor = descriptors.withLock({ $0.removeValue(forKey: number) }) {
                    return (status, descriptor)
                }
                guard descriptorArrived.take(until: deadline) else { break }
            }
            return (Status.gone.rawValue, -1)
        }
    }
}

extension RunnerInterface {
    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let connections = leaked(
        gr_connections(
            struct_size: UInt32(MemoryLayout<gr_connections>.size), reserved: 0,
            open: { instance, name, connection in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                // If the struct is NULL or too small, the host opens no connection.
                let isNull = UInt(bitPattern: connection) == 0
                let size = isNull ? 0 : connection.pointee.struct_size
                channel.write(size, at: MessageLayout.subject)
                let length = channel.write(
                    text: name, after: MessageLayout.subject + 4, isNull: isNull)
                let (status, descriptor) = runner.callForDescriptor(.openConnection, length: length)
                guard status == Status.ok.rawValue else { return status }
                connection.pointee = channel.read(at: MessageLayout.subject)
                connection.pointee.struct_size = size
                connection.pointee.descriptor = descriptor
                return status
            },
            make_memory: { instance, byteCount, place in
                guard let (runner, host) = route(instance: instance) else { return gone }
                guard UInt(bitPattern: place) != 0 else { return Status.badArgument.rawValue }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                channel.write(byteCount, at: MessageLayout.subject)
                let (status, descriptor) = runner.callForDescriptor(
                    .makeMemory, length: MessageLayout.subject + 8)
                if status == Status.ok.rawValue { place.pointee = descriptor }
                return status
            }))
}
