import CGreenroomKernels
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import Synchronization

extension Runner {
    /// Whether the runner can answer `now` itself: the session uses the machine's clock, and the
    /// instance is alive.
    func isOnRealClock(_ instance: UInt64) -> Bool {
        state.withLock { !$0.hasVirtualClock && $0.instance.own == instance && $0.functions != nil }
    }

    /// Waits on the machine's clock while the sender accepts frames. A plugin's control thread
    /// waits in the host instead, which counts its waits inside start-send.
    ///
    /// The thread's next call reads the answer to a posted frame, so that the thread wakes only
    /// once. Until then no other thread has the frame that the answer may lend.
    ///
    /// - Returns: Whether the deadline was reached.
    func waitsHere(until deadline: Int64) -> Bool {
        guard probe == nil, ThreadChannels.isOwn(of: self) else { return false }
        return channels.waitWhileSending(until: deadline)
    }

    /// Sends a frame. If the host has lent a suitable frame in advance, copies or converts the
    /// pixels to it before the call. Otherwise copies them after the host has checked the frame.
    func send(_ frame: UnsafePointer<gr_video_frame>, sender: UInt64) -> gr_status {
        let channel = channel
        channel.write(sender, at: MessageLayout.name)
        let sent = channel.writeSized(frame, at: MessageLayout.subject)
        defer { evictSpareFrames() }
        if let sent, sent.hasWholePlanes,
            let grant = takeGrant(sender: sender, if: { $0.suits(sent) }),
            grant.filling.format == 0
                ? copy(sent, to: grant.planes)
                : convert(sent, to: grant.planes, with: grant.filling.weights)
        {
            channel.write(grant.lease.id, at: MessageLayout.number)
            channel.write(UInt64(0), at: MessageLayout.unused)
            return pass(.videoSend, sent.info, in: grant, on: channel)
        }
        channel.write(UInt64(0), at: MessageLayout.number)
        channel.write(returnedGrant(sender: sender), at: MessageLayout.unused)
        let status = channel.status(of: .videoSend, length: MessageLayout.samples) { call, _ in
            guard call == .copyPlanes, let sent else { return nil }
            return self.copy(sent, to: channel.read(SharedPlanes.self)) ? 0 : nil
        }
        keepGrant(in: channel, after: status, sender: sender)
        return status
    }

    /// Copies a checked frame.
    private func copy(_ frame: gr_video_frame, to planes: SharedPlanes) -> Bool {
        guard let frames, let format = PixelFormat(rawValue: frame.format) else { return false }
        let size = FrameSize(width: Int(frame.width), height: Int(frame.height))
        probe?.willCopy(to: planes)
        defer { probe?.didCopy(to: planes) }
        let all: InlineArray<3, gr_plane> = [
            frame.planes.0, frame.planes.1, frame.planes.2,
        ]
        for index in 0..<format.planeCount {
            let (plane, target) = (all[index], planes[index])
            guard let from = plane.data else { return false }
            noteUse(of: target)
            let to = frames.base + Int(target.offset)
            guard !format.isCompressed else {
                to.copyMemory(from: from, byteCount: Int(target.byteCount))
                continue
            }
            format.plane(index, of: size).copyRows(
                from: from, Int(plane.stride_bytes), to: to, Int(target.strideBytes))
        }
        return true
    }

    /// Converts a checked frame of 32-bit RGB to I420.
    private func convert(
        _ frame: gr_video_frame, to planes: SharedPlanes, with weights: greenroom_from_rgb
    ) -> Bool {
        guard let frames, let pixels = frame.planes.0.data else { return false }
        func place(_ index: Int) -> UnsafeMutablePointer<UInt8> {
            noteUse(of: planes[index])
            return (frames.base + Int(planes[index].offset)).assumingMemoryBound(to: UInt8.self)
        }
        let result = greenroom_i420(
            y: place(0), u: place(1), v: place(2), y_stride: Int(planes[0].strideBytes),
            u_stride: Int(planes[1].strideBytes), v_stride: Int(planes[2].strideBytes))
        withUnsafePointer(to: weights) { weights in
            greenroom_make_i420(
                pixels, Int(frame.planes.0.stride_bytes), Int32(frame.width), Int32(frame.height),
                result, weights)
        }
        return true
    }

    func acquire(
        _ format: gr_pixel_format, _ width: UInt32, _ height: UInt32,
        _ lease: UnsafeMutablePointer<gr_lease>, sender: UInt64
    ) -> gr_status {
        let channel = channel
        channel.write(sender, at: MessageLayout.name)
        channel.write(format, at: MessageLayout.subject)
        channel.write(width, at: MessageLayout.subject + 4)
        channel.write(height, at: MessageLayout.subject + 8)
        let isNull = UInt(bitPattern: lease) == 0
        channel.write(isNull, at: MessageLayout.isNull)
        let structSize = isNull ? 0 : lease.pointee.struct_size
        channel.write(structSize, at: MessageLayout.subject + 12)
        if structSize >= UInt32(MemoryLayout<gr_lease>.size), let frames,
            let grant = takeGrant(sender: sender, if: { $0.suits(format, width, height) })
        {
            lease.pointee.take(grant.lease, at: grant.planes, in: frames)
            leased.withLock { $0 = grant }
            return Status.ok.rawValue
        }
        // Return a lent frame that has another format or precedes a change.
        channel.write(returnedGrant(sender: sender), at: MessageLayout.unused)
        let status = channel.status(of: .videoAcquire, length: MessageLayout.samples)
        guard status == Status.ok.rawValue, let frames else { return status }
        let lent = channel.read(gr_lease.self, at: MessageLayout.subject)
        let planes = channel.read(
            SharedPlanes.self, at: MessageLayout.subject + MemoryLayout<gr_lease>.stride)
        noteUse(of: planes.first)
        probe?.didLend(planes, lease: lent.id)
        lease.pointee.take(lent, at: planes, in: frames)
        return status
    }

    /// Sends a leased frame. The answer may lend the next frame.
    func commit(
        _ id: UInt64, _ info: UnsafePointer<gr_frame_info>, sender: UInt64
    ) -> gr_status {
        let channel = channel
        probe?.willReturn(lease: id)
        channel.write(sender, at: MessageLayout.name)
        channel.write(id, at: MessageLayout.subject)
        let sent = channel.writeSized(info, at: MessageLayout.subject + 8)
        defer { evictSpareFrames() }
        // The lease ends even if its info is invalid.
        let grant = takeLeased(id, sender: sender)
        if let sent, let grant {
            return pass(.videoCommit, sent, in: grant, on: channel)
        }
        let status = channel.status(of: .videoCommit, length: MessageLayout.samples)
        keepGrant(in: channel, after: status, sender: sender)
        return status
    }

    /// Limit of frames that stay resident in this process. The host lends the first free frame, so
    /// more are in use only while the host is late.
    private static let residentFrames = 6

    /// Records that a frame becomes resident.
    func noteUse(of plane: SharedPlane) {
        guard plane.offset >= UInt64(Self.residentFrames * FrameArena.slotByteCount) else { return }
        hasSpareFrames.store(true, ordering: .relaxed)
    }

    /// Evicts frames beyond ``residentFrames``. If a thread is writing an evicted frame, its next
    /// access faults the pages in again.
    func evictSpareFrames() {
        guard hasSpareFrames.exchange(false, ordering: .relaxed) else { return }
        frames?.evictPages(from: Self.residentFrames * FrameArena.slotByteCount)
    }

    /// Sends a block, with its samples in the message.
    func send(
        _ block: UnsafePointer<gr_audio_block>, timeout: Int64, sender: UInt64
    ) -> gr_status {
        let channel = channel
        channel.write(sender, at: MessageLayout.name)
        channel.write(timeout, at: MessageLayout.number)
        var length = MessageLayout.samples
        if let sent = channel.writeSized(block, at: MessageLayout.subject), let from = sent.samples
        {
            // Copy as many bytes as the block declares. The host refuses more than its limit.
            let bytes = UInt64(sent.frame_count) * UInt64(sent.channels) * 2
            if bytes <= sent.size_bytes, bytes <= UInt64(channel.message.count - length) {
                length += channel.write(
                    UnsafeRawBufferPointer(start: from, count: Int(bytes)), at: length)
            }
        }
        return channel.status(of: .audioSend, length: length)
    }
}

extension Channel {
    /// Calls the host and returns the status in the answer.
    func status(
        of call: RemoteCall, length: Int, serve: (RemoteCall, Int) -> Int? = { _, _ in nil }
    ) -> gr_status {
        guard self.call(call, length: length, serve: serve) != nil else {
            return RunnerInterface.gone
        }
        return read()
    }

    /// Writes a struct that begins with its size to the message. Writes nothing for NULL, and only
    /// the size of a short struct.
    ///
    /// - Returns: The struct; nil if it was not written completely.
    @discardableResult
    func writeSized<Struct: BitwiseCopyable>(
        _ pointer: UnsafePointer<Struct>, at offset: Int
    ) -> Struct? {
        let isNull = UInt(bitPattern: pointer) == 0
        write(isNull, at: MessageLayout.isNull)
        guard !isNull else { return nil }
        let size = UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self)
        write(size, at: offset)
        guard size >= UInt32(MemoryLayout<Struct>.size) else { return nil }
        let value = pointer.pointee
        write(value, at: offset)
        return value
    }
}

extension gr_video_frame {
    /// Whether the planes meet the host's rules for uncompressed frames, so that the runner may
    /// copy them before the host's check. The host reports the faults of other frames.
    fileprivate var hasWholePlanes: Bool {
        guard let format = PixelFormat(rawValue: format), !format.isCompressed,
            plane_count == UInt32(format.planeCount)
        else { return false }
        let size = FrameSize(width: Int(width), height: Int(height))
        guard size.isLegal else { return false }
        let all: InlineArray<3, gr_plane> = [planes.0, planes.1, planes.2]
        for index in 0..<format.planeCount {
            let (plane, geometry) = (all[index], format.plane(index, of: size))
            let stride = Int(plane.stride_bytes)
            guard plane.data != nil, (geometry.rowBytes...Int(Int32.max)).contains(stride),
                let needed = geometry.byteCount(stride: stride), plane.size_bytes >= UInt64(needed)
            else { return false }
        }
        return true
    }
}

extension gr_mutable_frame {
    /// Points the planes into the frames' memory.
    mutating func place(_ places: SharedPlanes, in frames: SharedMemory) {
        func pointer(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
            index < plane_count
                ? (frames.base + Int(places[index].offset)).assumingMemoryBound(to: UInt8.self)
                : nil
        }
        planes.0.data = pointer(0)
        planes.1.data = pointer(1)
        planes.2.data = pointer(2)
    }
}

extension PlaneGeometry {
    /// Copies an image of this geometry. Copies rows without padding at once.
    fileprivate func copyRows(
        from: UnsafeRawPointer, _ fromStride: Int, to: UnsafeMutableRawPointer, _ toStride: Int
    ) {
        let isWhole = fromStride == rowBytes && toStride == rowBytes
        for row in 0..<(isWhole ? 1 : rows) {
            (to + row * toStride).copyMemory(
                from: from + row * fromStride, byteCount: isWhole ? rows * rowBytes : rowBytes)
        }
    }
}
