import CLinux
import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

extension Runner {
    /// Whether the instance is an output.
    var takesMedia: Bool { state.withLock { $0.descriptor?.kind.takesMedia ?? false } }

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

extension RunnerInterface {
    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let output = leaked(
        gr_output_host(
            struct_size: UInt32(MemoryLayout<gr_output_host>.size), reserved: 0,
            keep: { passFrame(.keepFrame, $0, $1) },
            release: { passFrame(.releaseFrame, $0, $1) },
            report: { instance, name, value in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                channel.write(value.bitPattern, at: MessageLayout.subject)
                let length = channel.write(text: name, after: MessageLayout.subject + 8)
                return channel.status(of: .reportValue, length: length)
            },
            set_ceiling: { instance, track, ceiling, why in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let message = OutputMessage(
                    number: track, capability: ceiling?.pointee ?? gr_capability(),
                    hasCapability: ceiling != nil, hasText: why != nil)
                return runner.channel.pass(message, why, .setCeiling, to: host)
            },
            wants_changed: { instance in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                return channel.status(of: .wantsChanged, length: MessageLayout.subject)
            },
            state: { instance, state, text in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let message = OutputMessage(number: state, hasText: text != nil)
                return runner.channel.pass(message, text, .outputState, to: host)
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let files = leaked(
        gr_files_host(
            struct_size: UInt32(MemoryLayout<gr_files_host>.size), reserved: 0,
            finished: { instance, path in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                let length = channel.write(
                    text: path, after: MessageLayout.subject, limit: Int(PATH_MAX))
                return channel.status(of: .fileFinished, length: length)
            }))

    private static func passFrame(
        _ call: RemoteCall, _ instance: UInt64, _ frame: UInt64
    ) -> gr_status {
        guard let (runner, host) = route(instance: instance) else { return gone }
        let channel = runner.channel
        channel.write(host, at: MessageLayout.name)
        channel.write(frame, at: MessageLayout.subject)
        return channel.status(of: call, length: MessageLayout.subject + 8)
    }
}

extension Channel {
    /// Writes a text of the plugin to the message, at the next multiple of 8 after a presence flag.
    /// The header forbids NULL, but a plugin may pass it.
    ///
    /// - Returns: The length of the message.
    func write(
        text: UnsafePointer<CChar>, after flag: Int, isNull: Bool = false,
        limit: Int = RunnerInterface.textLimit
    ) -> Int {
        let isText = !isNull && UInt(bitPattern: text) != 0
        write(isText, at: flag)
        let length = isText ? strnlen(text, limit) : 0
        let place = flag / 8 * 8 + 8
        return place + write(UnsafeRawBufferPointer(start: text, count: length), at: place)
    }

    /// Passes a message of an output, with a text.
    fileprivate func pass(
        _ message: OutputMessage, _ text: UnsafePointer<CChar>?, _ call: RemoteCall, to host: UInt64
    ) -> gr_status {
        write(host, at: MessageLayout.name)
        write(message, at: MessageLayout.subject)
        let length = text.map { strnlen($0, RunnerInterface.textLimit) } ?? 0
        let place = MessageLayout.subject + MemoryLayout<OutputMessage>.stride
        let written = write(UnsafeRawBufferPointer(start: text, count: length), at: place)
        return status(of: call, length: place + written)
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
