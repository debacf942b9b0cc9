internal import GreenroomABI
internal import GreenroomMedia

// Converts frames and their metadata to and from the C structs.

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

/// A plane of the host's, to read or to write.
protocol HostPlane {
    associatedtype Start
    var memory: (start: Start?, byteCount: UInt64, strideBytes: UInt32) { get }
}

extension gr_plane: HostPlane {
    var memory: (start: UnsafePointer<UInt8>?, byteCount: UInt64, strideBytes: UInt32) {
        (data, size_bytes, stride_bytes)
    }
}

extension gr_mutable_plane: HostPlane {
    var memory: (start: UnsafeMutablePointer<UInt8>?, byteCount: UInt64, strideBytes: UInt32) {
        (data, size_bytes, stride_bytes)
    }
}

/// The layout of a frame, as the host declares it, checked.
struct DeclaredLayout {
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

    /// Takes over the format's planes; nil if one is missing, or shorter than its format, size and
    /// stride need.
    ///
    /// - Parameters:
    ///   - given: The host's.
    ///   - none: Stands for those that the format does not have.
    ///   - make: Makes a plane of its first byte, its length, its stride and its geometry.
    func planes<Given: HostPlane, Plane>(
        _ given: (Given, Given, Given), orNone none: Plane,
        _ make: (Given.Start, Int, Int, PlaneGeometry) -> Plane
    ) -> InlineArray<3, Plane>? {
        var planes = InlineArray<3, Plane>(repeating: none)
        for index in 0..<format.planeCount {
            let plane =
                switch index {
                case 0: given.0.memory
                case 1: given.1.memory
                default: given.2.memory
                }
            let stride = Int(plane.strideBytes)
            let geometry = format.plane(index, of: size)
            guard let start = plane.start, stride >= geometry.rowBytes,
                let needed = geometry.byteCount(stride: stride), plane.byteCount >= needed
            else { return nil }
            planes[index] = make(start, Int(clamping: plane.byteCount), stride, geometry)
        }
        return planes
    }
}

extension MutableFrame {
    /// Takes over a frame of the host; nil if it says something of itself that cannot be, or
    /// its planes are shorter than its format, size and strides need.
    init?(_ frame: gr_mutable_frame) {
        guard
            let layout = DeclaredLayout(
                format: frame.format, width: frame.width, height: frame.height,
                planeCount: frame.plane_count),
            let planes = layout.planes(
                frame.planes, orNone: MutablePlane.none,
                { MutablePlane(start: $0, byteCount: $1, stride: $2, geometry: $3) })
        else { return nil }
        format = layout.format
        size = layout.size
        self.planes = planes
        info = FrameInfo(frame.info)
    }
}

extension FrameInfo {
    /// The description of a frame. Absent or unknown values read as upright, BT.601 limited.
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
