internal import GreenroomABI
internal import GreenroomMedia

// Frames and what they say of themselves, to and from the C structs.

extension gr_plane {
    init(_ bytes: Slice<UnsafeRawBufferPointer>, stride: Int) {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        self.init(
            data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            size_bytes: UInt64(bytes.count), stride_bytes: UInt32(clamping: stride), reserved: 0)
    }
}

extension gr_frame_info {
    init(_ info: FrameInfo, offerRevision: UInt32) {
        self.init(
            struct_size: UInt32(MemoryLayout<gr_frame_info>.size),
            rotation: info.rotation.rawValue, range: info.color.range.rawValue,
            matrix: info.color.matrix.rawValue, offer_revision: offerRevision, reserved: 0,
            pts_ns: info.ptsNanoseconds ?? .min)
    }
}

/// What the host says of the layout of a frame, checked.
struct FrameLayout {
    let format: PixelFormat
    let size: FrameSize

    /// Nil for a layout that cannot be.
    init?(format: UInt32, width: UInt32, height: UInt32, planeCount: UInt32) {
        guard let format = PixelFormat(rawValue: format), !format.isCompressed,
            Int(planeCount) == format.planeCount,
            case let size = FrameSize(width: Int(width), height: Int(height)), size.isLegal
        else { return nil }
        self.format = format
        self.size = size
    }

    /// Whether a plane is as long as format, size and stride need.
    ///
    /// - Parameter index: One of the format's planes.
    func fits(plane index: Int, byteCount: UInt64, strideBytes: UInt32) -> Bool {
        let geometry = format.plane(index, of: size)
        let stride = Int(strideBytes)
        guard stride >= geometry.rowBytes, let needed = geometry.byteCount(stride: stride) else {
            return false
        }
        return byteCount >= needed
    }
}

extension MutableFrame {
    /// Takes over a frame of the host; nil if it says something of itself that cannot be, or
    /// its planes are shorter than its format, size and strides need.
    init?(_ frame: gr_mutable_frame) {
        guard
            let layout = FrameLayout(
                format: frame.format, width: frame.width, height: frame.height,
                planeCount: frame.plane_count)
        else { return nil }
        var planes = InlineArray<3, MutablePlane>(repeating: .none)
        for index in 0..<layout.format.planeCount {
            let plane =
                switch index {
                case 0: frame.planes.0
                case 1: frame.planes.1
                default: frame.planes.2
                }
            guard let start = plane.data,
                layout.fits(
                    plane: index, byteCount: plane.size_bytes, strideBytes: plane.stride_bytes)
            else { return nil }
            planes[index] = MutablePlane(
                start: start, byteCount: Int(clamping: plane.size_bytes),
                stride: Int(plane.stride_bytes))
        }
        format = layout.format
        size = layout.size
        self.planes = planes
        info = FrameInfo(frame.info)
    }
}

extension FrameInfo {
    /// What the host says of a frame; what it leaves out or this version does not know reads as
    /// upright, BT.601 limited.
    init(_ info: gr_frame_info) {
        self.init(
            rotation: Rotation(rawValue: info.rotation) ?? .none,
            color: ColorSpace(
                range: ColorRange(rawValue: info.range) ?? .limited,
                matrix: ColorMatrix(rawValue: info.matrix) ?? .bt601),
            offerRevision: info.offer_revision,
            ptsNanoseconds: info.pts_ns == .min ? nil : info.pts_ns)
    }
}
