import GreenroomABI
import GreenroomMedia
import Glibc
import Synchronization

/// The fake host's pool and received frames.
struct FakeVideo {
    /// Limit of leased frames.
    var capacity = 4
    /// Bytes of padding after each row, set to 0xEE.
    var padding = 32
    var lastLease: UInt64 = 0
    var leased: [UInt64: FakeFrame] = [:]
    var committed: [SentFrame] = []
    var sent: [SentFrame] = []
    var abandoned = 0
    var refusals: [Status] = []
    /// Whether arriving frames are copied.
    var keepsPixels = true
}

/// A frame of the pool.
struct FakeFrame: @unchecked Sendable {
    // Safe to share: one plugin writes during its lease, the host reads afterwards.
    var format: PixelFormat
    var size: FrameSize
    var planes: [UnsafeMutableRawBufferPointer]
    var strides: [Int]

    static let paddingByte: UInt8 = 0xEE

    init(_ format: PixelFormat, _ size: FrameSize, padding: Int) {
        self.format = format
        self.size = size
        let geometries = (0..<format.planeCount).map { format.plane($0, of: size) }
        strides = geometries.map { $0.rowBytes + padding }
        planes = geometries.map { geometry in
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: (geometry.rowBytes + padding) * geometry.rows, alignment: 64)
            memory.initializeMemory(as: UInt8.self, repeating: Self.paddingByte)
            return memory
        }
    }

    func free() { for plane in planes { plane.deallocate() } }

    var cFrame: gr_mutable_frame {
        func plane(_ index: Int) -> gr_mutable_plane {
            guard index < planes.count else { return gr_mutable_plane() }
            return gr_mutable_plane(
                data: planes[index].baseAddress?.assumingMemoryBound(to: UInt8.self),
                size_bytes: UInt64(planes[index].count), stride_bytes: UInt32(strides[index]),
                reserved: 0)
        }
        var frame = gr_mutable_frame()
        frame.struct_size = UInt32(MemoryLayout<gr_mutable_frame>.size)
        frame.format = format.rawValue
        frame.width = UInt32(size.width)
        frame.height = UInt32(size.height)
        frame.plane_count = UInt32(planes.count)
        frame.planes = (plane(0), plane(1), plane(2))
        frame.info = gr_frame_info(
            struct_size: 32, rotation: 0, range: 1, matrix: 1, offer_revision: 1, reserved: 0,
            pts_ns: 0)
        return frame
    }
}

/// A received frame.
struct SentFrame: Equatable {
    var format: PixelFormat
    var size: FrameSize
    var info: FrameInfo
    /// The rows of each plane without padding; empty without copies.
    var planes: [[UInt8]] = []
    /// Whether every byte between the rows is unchanged.
    var isPaddingIntact = true
}

extension FakeHost {
    static let video = Leaked(
        gr_video_functions(
            struct_size: UInt32(MemoryLayout<gr_video_functions>.size), reserved: 0,
            send: { sender, frame in
                FakeHost[sender]?.send(frame.pointee) ?? Status.gone.rawValue
            },
            acquire: { sender, format, width, height, lease in
                guard let host = FakeHost[sender] else { return Status.gone.rawValue }
                return host.acquire(format, width, height, &lease.pointee)
            },
            commit: { sender, lease, info in
                FakeHost[sender]?.commit(lease, info.pointee) ?? Status.gone.rawValue
            },
            abandon: { sender, lease in
                FakeHost[sender]?.abandon(lease) ?? Status.gone.rawValue
            }))

    private func scripted() -> Status? {
        state.withLock { $0.video.refusals.isEmpty ? nil : $0.video.refusals.removeFirst() }
    }

    private func acquire(
        _ format: UInt32, _ width: UInt32, _ height: UInt32, _ lease: inout gr_lease
    ) -> gr_status {
        if let refusal = ingest() ?? scripted() { return refuse(refusal, "acquire") }
        guard lease.struct_size >= 144, lease.frame.struct_size >= 128 else {
            return refuse(.badArgument, "struct_size")
        }
        let size = FrameSize(width: Int(width), height: Int(height))
        guard let format = PixelFormat(rawValue: format), !format.isCompressed else {
            return refuse(.badFormat, "acquire")
        }
        guard size.isLegal else { return refuse(.badSize, "acquire") }
        let made = state.withLock { state -> (UInt64, FakeFrame)? in
            guard state.video.leased.count < state.video.capacity else { return nil }
            state.video.lastLease += 1
            let frame = FakeFrame(format, size, padding: state.video.padding)
            state.video.leased[state.video.lastLease] = frame
            return (state.video.lastLease, frame)
        }
        guard let made else { return refuse(.noBuffer, "acquire") }
        lease.id = made.0
        lease.frame = made.1.cFrame
        return Status.ok.rawValue
    }

    private func commit(_ lease: UInt64, _ info: gr_frame_info) -> gr_status {
        guard let frame = state.withLock({ $0.video.leased.removeValue(forKey: lease) }) else {
            return refuse(.badLease, "commit")
        }
        defer { frame.free() }
        if let refusal = ingest() ?? scripted() { return refuse(refusal, "commit") }
        let keeps = state.withLock { $0.video.keepsPixels }
        let sent = SentFrame(frame, FrameInfo(info), keepsPixels: keeps)
        state.withLock { $0.video.committed.append(sent) }
        return Status.ok.rawValue
    }

    private func abandon(_ lease: UInt64) -> gr_status {
        guard let frame = state.withLock({ $0.video.leased.removeValue(forKey: lease) }) else {
            return refuse(.badLease, "abandon")
        }
        frame.free()
        state.withLock { $0.video.abandoned += 1 }
        return Status.ok.rawValue
    }

    private func send(_ frame: gr_video_frame) -> gr_status {
        if let refusal = ingest() ?? scripted() { return refuse(refusal, "send") }
        guard let format = PixelFormat(rawValue: frame.format) else {
            return refuse(.badFormat, "send")
        }
        let size = FrameSize(width: Int(frame.width), height: Int(frame.height))
        guard size.isLegal else { return refuse(.badSize, "send") }
        guard Int(frame.plane_count) == format.planeCount else {
            return refuse(.badPlanes, "send")
        }
        var planes: [[UInt8]] = []
        for (index, plane) in [frame.planes.0, frame.planes.1, frame.planes.2]
            .prefix(format.planeCount).enumerated()
        {
            let bytes = UnsafeRawBufferPointer(start: plane.data, count: Int(plane.size_bytes))
            let geometry = format.plane(index, of: size)
            let stride = Int(plane.stride_bytes)
            guard format.isCompressed || stride >= geometry.rowBytes else {
                return refuse(.badStride, "send")
            }
            guard let needed = geometry.byteCount(stride: stride), bytes.count >= needed else {
                return refuse(.badLength, "send")
            }
            planes.append(
                format.isCompressed
                    ? Array(bytes)
                    : (0..<geometry.rows).flatMap {
                        bytes[($0 * stride)...].prefix(geometry.rowBytes)
                    })
        }
        let sent = SentFrame(
            format: format, size: size, info: FrameInfo(frame.info), planes: planes)
        state.withLock { $0.video.sent.append(sent) }
        return Status.ok.rawValue
    }
}

extension SentFrame {
    fileprivate init(_ frame: FakeFrame, _ info: FrameInfo, keepsPixels: Bool) {
        format = frame.format
        size = frame.size
        self.info = info
        guard keepsPixels else { return }
        for (index, plane) in frame.planes.enumerated() {
            let geometry = frame.format.plane(index, of: frame.size)
            let stride = frame.strides[index]
            var rows: [UInt8] = []
            for row in 0..<geometry.rows {
                let bytes = plane[(row * stride)..<((row + 1) * stride)]
                rows += bytes.prefix(geometry.rowBytes)
                isPaddingIntact =
                    isPaddingIntact
                    && bytes.dropFirst(geometry.rowBytes).allSatisfy { $0 == FakeFrame.paddingByte }
            }
            planes.append(rows)
        }
    }
}

extension FrameInfo {
    fileprivate init(_ info: gr_frame_info) {
        self.init(
            rotation: Rotation(rawValue: info.rotation) ?? .none,
            color: ColorSpace(
                range: ColorRange(rawValue: info.range) ?? .limited,
                matrix: ColorMatrix(rawValue: info.matrix) ?? .bt601),
            offerRevision: info.offer_revision,
            ptsNanoseconds: info.pts_ns == .min ? nil : info.pts_ns)
    }
}
