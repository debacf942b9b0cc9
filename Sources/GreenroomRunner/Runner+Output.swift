import CLinux
import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

extension Runner {
    /// Passes media to the plugin: a frame in the host's memory or a block in the message. [media]
    ///
    /// - Returns: The length of the answer in the message.
    func pass(_ call: RemoteCall, _ channel: Channel) -> Int {
        guard let functions = state.withLock({ $0.functions }) else {
            return channel.answer(Status.gone)
        }
        if call == .takeBlock {
            var block = channel.read(gr_output_block.self, at: MessageLayout.subject)
            let sent = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(channel.message).dropFirst(MessageLayout.samples)
                    .prefix(Int(clamping: block.block.size_bytes)))
            // Copy the samples: the plugin may call the host within the callback, which overwrites
            // the message.
            let status = withUnsafeTemporaryAllocation(
                byteCount: sent.count, alignment: MemoryLayout<UInt64>.alignment
            ) { samples in
                samples.copyMemory(from: sent)
                block.block.samples = UnsafeRawPointer(samples.baseAddress)?
                    .assumingMemoryBound(to: Int16.self)
                return functions.take(&block)
            }
            return channel.answer(status)
        }
        // An empty answer reports that the plugin was not called.
        guard let memory = memory(channel.read(at: MessageLayout.memory)) else { return 0 }
        var frame = channel.read(gr_output_frame.self, at: MessageLayout.subject)
        let planes = channel.read(
            SharedPlanes.self, at: MessageLayout.subject + MemoryLayout<gr_output_frame>.stride)
        frame.frame.place(planes, in: memory)
        return channel.answer(functions.take(&frame))
    }

    /// Memory that the host has lent; nil if it cannot be mapped, the host is gone, or the host has
    /// taken it back. Waits for the memory to arrive: the host sends it through the socket before
    /// the message that names it. [media]
    func memory(_ number: UInt32) -> SharedMemory? {
        let deadline = greenroom_monotonic_now() + 1_000_000_000
        while !channels.isLost {
            let (hasArrived, mapped) = state.withLock { state -> (Bool, SharedMemory?) in
                guard let arrived = state.memories[number] else { return (false, nil) }
                // The host sends the memory again with the next frame.
                if arrived == nil { state.memories.removeValue(forKey: number) }
                return (true, arrived)
            }
            if hasArrived { return mapped }
            guard memoryArrived.take(until: deadline) else { return nil }
        }
        return nil
    }

    /// Maps memory, unless it is already mapped.
    func addMemory(_ number: UInt32, _ descriptors: [Int32]) {
        let isMapped = state.withLock { state in
            state.memories[number].map { $0 != nil } ?? false
        }
        guard !isMapped else { return ControlSocket.discard(descriptors) }
        ControlSocket.discard(Array(descriptors.dropFirst()))
        let mapped = descriptors.first.flatMap { try? SharedMemory(adopting: $0) }
        state.withLock { _ = $0.memories.updateValue(mapped, forKey: number) }
        memoryArrived.give()
    }

    /// Unmaps memory without frames.
    func removeMemory(_ number: UInt32) {
        // Unmap the memory outside the lock.
        _ = state.withLock { $0.memories.removeValue(forKey: number) }
    }
}

extension gr_video_frame {
    /// Points the planes into memory.
    fileprivate mutating func place(_ places: SharedPlanes, in frames: SharedMemory) {
        func pointer(_ index: Int) -> UnsafePointer<UInt8>? {
            index < plane_count
                ? UnsafePointer(
                    (frames.base + Int(places[index].offset)).assumingMemoryBound(to: UInt8.self))
                : nil
        }
        planes.0.data = pointer(0)
        planes.1.data = pointer(1)
        planes.2.data = pointer(2)
    }
}
