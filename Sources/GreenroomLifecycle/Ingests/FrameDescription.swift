package import GreenroomABI
import GreenroomConversion
import GreenroomMedia

// Frames of the host, described to plugins.

extension gr_mutable_frame {
    /// Describes a frame to a plugin that may write it.
    init(describing frame: borrowing VideoFrame, revision: UInt32) {
        self.init()
        struct_size = UInt32(MemoryLayout<gr_mutable_frame>.size)
        format = frame.format.rawValue
        width = UInt32(frame.size.width)
        height = UInt32(frame.size.height)
        plane_count = UInt32(frame.planeCount)
        planes.0 = gr_mutable_plane(describing: frame, 0)
        if frame.planeCount > 1 { planes.1 = gr_mutable_plane(describing: frame, 1) }
        if frame.planeCount > 2 { planes.2 = gr_mutable_plane(describing: frame, 2) }
        info = gr_frame_info(frame.info)
        info.offer_revision = revision
    }
}

extension gr_mutable_plane {
    fileprivate init(describing frame: borrowing VideoFrame, _ index: Int) {
        self.init(
            data: frame.unsafePlanePointer(index).assumingMemoryBound(to: UInt8.self),
            size_bytes: UInt64(frame.byteCount(index)),
            stride_bytes: UInt32(frame.strideBytes(index)), reserved: 0)
    }
}

extension gr_video_frame {
    /// A frame that may be written, to be read.
    package init(_ frame: gr_mutable_frame) {
        self.init(
            struct_size: UInt32(MemoryLayout<gr_video_frame>.size), format: frame.format,
            width: frame.width, height: frame.height, plane_count: frame.plane_count, reserved: 0,
            planes: (
                gr_plane(frame.planes.0), gr_plane(frame.planes.1), gr_plane(frame.planes.2)
            ), info: frame.info)
    }
}

extension gr_plane {
    fileprivate init(_ plane: gr_mutable_plane) {
        self.init(
            data: UnsafePointer(plane.data), size_bytes: plane.size_bytes,
            stride_bytes: plane.stride_bytes, reserved: 0)
    }
}

extension gr_frame_info {
    init(_ info: FrameInfo) {
        self.init(
            struct_size: UInt32(MemoryLayout<gr_frame_info>.size),
            rotation: info.rotation.rawValue, range: info.color.range.rawValue,
            matrix: info.color.matrix.rawValue, offer_revision: info.offerRevision, reserved: 0,
            pts_ns: info.ptsNanoseconds ?? unstampedPTS)
    }
}
