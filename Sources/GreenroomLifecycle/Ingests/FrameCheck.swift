import GreenroomABI
import GreenroomConversion
package import GreenroomMedia
import GreenroomPluginInterface

/// A plugin's frame with a checked description.
package struct CheckedFrame {
    package var format: PixelFormat
    package var size: FrameSize
    var info: FrameInfo
    /// The first `format.planeCount` planes are valid.
    package var planes: InlineArray<3, CheckedPlane>

    /// The properties that decide the conversion.
    var form: FrameForm { FrameForm(format, size, info) }
}

/// A plane with enough bytes for its rows.
package struct CheckedPlane {
    package var data: UnsafeRawPointer
    package var strideBytes: Int
    /// Readable bytes: those of its rows and stride, or the whole compressed image.
    package var byteCount: Int
}

extension CheckedFrame {
    /// Checks a frame without reading a byte of its planes.
    ///
    /// - Parameters:
    /// - frame: The plugin's frame. Each member is read once, so that concurrent writes of the
    ///   plugin do not change checked values.
    ///   - newestRevision: The newest offer revision made to the instance.
    init(
        checking frame: UnsafePointer<gr_video_frame>?, newestRevision: UInt32
    ) throws(Refusal) {
        let call = HostFunction.videoSend
        let frame = try readStruct(frame, in: call)
        guard let format = PixelFormat(rawValue: frame.format) else {
            throw Refusal(.unknownFormat(frame.format), in: call)
        }
        let size = try checkedSize(width: frame.width, height: frame.height, in: call)
        guard frame.plane_count == UInt32(format.planeCount) else {
            throw Refusal(.planeCount(frame.plane_count, needed: format.planeCount), in: call)
        }
        let (first, second, third) = frame.planes
        let all: InlineArray<3, gr_plane> = [first, second, third]
        // Missing planes repeat the first one and are never read.
        let filler = try checkedPlane(first, 0, of: format, size: size)
        var planes = InlineArray<3, CheckedPlane>(repeating: filler)
        for index in 1..<max(format.planeCount, 1) {
            planes[index] = try checkedPlane(all[index], index, of: format, size: size)
        }
        self.format = format
        self.size = size
        self.planes = planes
        info = try FrameInfo(checking: frame.info, newestRevision: newestRevision, in: call)
    }
}

extension FrameInfo {
    /// Checks a frame's description.
    init(
        checking info: gr_frame_info, newestRevision: UInt32, in call: HostFunction
    ) throws(Refusal) {
        guard info.struct_size >= UInt32(MemoryLayout<gr_frame_info>.size) else {
            throw Refusal(
                .structTooSmall(
                    size: info.struct_size, needed: MemoryLayout<gr_frame_info>.size), in: call)
        }
        guard let rotation = Rotation(rawValue: info.rotation) else {
            throw Refusal(.rotation(info.rotation), in: call)
        }
        guard let range = ColorRange(rawValue: info.range) else {
            throw Refusal(.range(info.range), in: call)
        }
        guard let matrix = ColorMatrix(rawValue: info.matrix) else {
            throw Refusal(.matrix(info.matrix), in: call)
        }
        guard (1...max(newestRevision, 1)).contains(info.offer_revision) else {
            throw Refusal(.revision(info.offer_revision, newest: newestRevision), in: call)
        }
        guard info.pts_ns >= 0 || info.pts_ns == unstampedPTS else {
            throw Refusal(.timestamp(info.pts_ns), in: call)
        }
        self.init(
            rotation: rotation, color: ColorSpace(range: range, matrix: matrix),
            offerRevision: info.offer_revision,
            ptsNanoseconds: info.pts_ns == unstampedPTS ? nil : info.pts_ns)
    }
}

/// `GR_PTS_UNSTAMPED`, which Swift does not import.
let unstampedPTS = Int64.min

/// Reads a struct that begins with `struct_size`, unless the pointer is NULL or the struct too
/// small.
func readStruct<Struct: SizedStruct>(
    _ pointer: UnsafePointer<Struct>?, in call: HostFunction
) throws(Refusal) -> Struct {
    guard let pointer else { throw Refusal(.null, in: call) }
    let size = UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self)
    guard size >= UInt32(MemoryLayout<Struct>.size) else {
        throw Refusal(.structTooSmall(size: size, needed: MemoryLayout<Struct>.size), in: call)
    }
    return pointer.pointee
}

func checkedSize(
    width: UInt32, height: UInt32, in call: HostFunction
) throws(Refusal) -> FrameSize {
    let size = FrameSize(width: Int(width), height: Int(height))
    guard size.isLegal else { throw Refusal(.size(width: width, height: height), in: call) }
    return size
}

private func checkedPlane(
    _ plane: gr_plane, _ index: Int, of format: PixelFormat, size: FrameSize
) throws(Refusal) -> CheckedPlane {
    let call = HostFunction.videoSend
    guard let data = plane.data else { throw Refusal(.planeWithoutData(plane: index), in: call) }
    if format.isCompressed {
        let longest = FramePool.maximumCompressedByteCount(of: size)
        guard plane.size_bytes >= 2, plane.size_bytes <= UInt64(longest) else {
            throw Refusal(.compressedLength(plane.size_bytes, longest: longest), in: call)
        }
        return CheckedPlane(data: data, strideBytes: 0, byteCount: Int(plane.size_bytes))
    }
    let geometry = format.plane(index, of: size)
    guard (geometry.rowBytes...Int(Int32.max)).contains(Int(plane.stride_bytes)) else {
        throw Refusal(
            .stride(plane: index, stride: plane.stride_bytes, needed: geometry.rowBytes), in: call)
    }
    guard let needed = geometry.byteCount(stride: Int(plane.stride_bytes)),
        plane.size_bytes >= UInt64(needed)
    else {
        throw Refusal(
            .length(
                plane: index, length: plane.size_bytes,
                needed: geometry.byteCount(stride: Int(plane.stride_bytes)) ?? .max), in: call)
    }
    return CheckedPlane(data: data, strideBytes: Int(plane.stride_bytes), byteCount: needed)
}

/// The structs that a plugin passes to the host.
protocol SizedStruct {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var struct_size: UInt32 { get }
}

extension gr_video_frame: SizedStruct {}
extension gr_frame_info: SizedStruct {}
extension gr_audio_block: SizedStruct {}
extension gr_lease: SizedStruct {}
extension gr_open_track: SizedStruct {}
extension gr_caption: SizedStruct {}
extension gr_connection: SizedStruct {}
