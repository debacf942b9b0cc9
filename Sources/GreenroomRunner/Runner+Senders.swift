import CGreenroomKernels
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
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

    /// Sends a frame. If the host has accepted such a frame and lent the memory for the next, copies or
    /// converts the pixels before the call. Otherwise copies them after the host has checked the frame.
    func send(_ own: HostCall) -> gr_status {
        let (channel, sender) = (self.channel, own.handle)
        defer { evictSpareFrames() }
        guard var frame = own.copy(of: gr_video_frame.self) else { return channel.pass(own) }
        return withUnsafeMutablePointer(to: &frame) { place in
            var call = own
            call.valueAddress = UInt(bitPattern: place)
            let sent = AcceptedFrame(frame: place.pointee, info: place.pointee.info)
            if let grant = takeGrant(
                sender: sender, if: { $0.accepted.frame.map(place.pointee.hasForm(of:)) ?? false })
            {
                if grant.filling.format == 0 {
                    _ = copy(place.pointee, to: grant.planes)
                } else {
                    convert(place.pointee, to: grant.planes, with: grant.filling.weights)
                }
                call.numbers.0 = grant.lease.id
                return pass(call, sent, in: grant, on: channel)
            }
            let status = channel.pass(call, unused: returnedGrant(sender: sender)) { request, _ in
                guard request == .copyPlanes else { return nil }
                return copy(place.pointee, to: channel.read(SharedPlanes.self)) ? 0 : nil
            }
            keepGrant(in: channel, after: status, sent, sender: sender)
            return status
        }
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
    ) {
        guard let frames, let pixels = frame.planes.0.data else { return }
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
    }

    func acquire(_ call: HostCall) -> gr_status {
        let (channel, sender) = (self.channel, call.handle)
        if call.copy(of: gr_lease.self) != nil, let lease = call.value(of: gr_lease.self),
            let frames,
            let grant = takeGrant(sender: sender, if: { $0.lends(to: call) })
        {
            lease.pointee.id = grant.lease.id
            lease.pointee.frame = grant.lease.frame
            lease.pointee.frame.place(grant.planes, in: frames)
            leased.withLock { $0 = grant }
            return Status.ok.rawValue
        }
        // Return a lent frame that has another format or precedes a change.
        let status = channel.pass(call, unused: returnedGrant(sender: sender))
        guard status == Status.ok.rawValue, let frames, let lease = call.value(of: gr_lease.self)
        else { return status }
        let planes = channel.read(SharedPlanes.self, at: MessageLayout.leasedPlanes)
        noteUse(of: planes.first)
        probe?.didLend(planes, lease: lease.pointee.id)
        lease.pointee.frame.place(planes, in: frames)
        return status
    }

    /// Sends a leased frame. The answer may lend the next frame.
    func commit(_ own: HostCall) -> gr_status {
        let (channel, sender, id) = (self.channel, own.handle, own.numbers.0)
        probe?.willReturn(lease: id)
        defer { evictSpareFrames() }
        // The lease ends even if its info is invalid.
        let grant = takeLeased(id, sender: sender)
        guard var info = own.copy(of: gr_frame_info.self) else { return channel.pass(own) }
        return withUnsafeMutablePointer(to: &info) { place in
            var call = own
            call.valueAddress = UInt(bitPattern: place)
            let sent = AcceptedFrame(frame: nil, info: place.pointee)
            if let grant { return pass(call, sent, in: grant, on: channel) }
            let status = channel.pass(call)
            keepGrant(in: channel, after: status, sent, sender: sender)
            return status
        }
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
