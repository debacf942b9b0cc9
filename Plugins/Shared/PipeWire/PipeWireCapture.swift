internal import CPipeWire
internal import Glibc
package import GreenroomPlugin

/// The video of a camera of PipeWire.
///
/// Sendable without the compiler's proof: the stream is bound to no thread, and its frame has a lock.
package final class PipeWireCapture: @unchecked Sendable {
    /// The newest frame.
    package struct Frame: Sendable {
        package var format: PixelFormat
        package var size: FrameSize
        /// Bytes from a row of the first plane to the next; 0 for rows without padding.
        package var strideBytes: Int
        /// The bytes of all planes, one after the other.
        package var byteCount: Int
        package var color: ColorSpace
    }

    private let stream: OpaquePointer

    /// Begins to receive the frames of a camera.
    ///
    /// - Parameters:
    ///   - descriptor: Connected to PipeWire; belongs to the stream from now on.
    ///   - camera: The name of the camera's node; empty for any camera.
    ///   - wanted: The size and rate; the camera chooses the nearest.
    package init(
        descriptor: Int32, camera: String, wanted: VideoCapability
    ) throws(PluginError) {
        var reason = greenroom_pipewire_reason()
        guard
            let stream = greenroom_pipewire_capture(
                descriptor, "Greenroom", camera, UInt32(clamping: wanted.size.width),
                UInt32(clamping: wanted.size.height), wanted.rate.numerator,
                wanted.rate.denominator, &reason)
        else { throw PluginError("PipeWire: \(reason.string)", status: .unavailable) }
        self.stream = stream
    }

    deinit { greenroom_pipewire_close(stream) }

    /// The reason why the stream has ended; nil while it has not.
    package var loss: String? {
        guard Int(greenroom_pipewire_phase(stream)) == GREENROOM_PIPEWIRE_LOST else { return nil }
        return greenroom_pipewire_loss(stream).string
    }

    /// Copies the newest frame, if it is new.
    ///
    /// - Parameter bytes: It grows to the size of a frame.
    /// - Returns: nil if no frame is new.
    package func read(into bytes: inout [UInt8]) -> Frame? {
        var frame = greenroom_pipewire_captured()
        // Once to learn the size, and once with room.
        for _ in 0..<2 {
            guard greenroom_pipewire_read_capture(stream, &bytes, bytes.count, &frame) != 0 else {
                return nil
            }
            if frame.count <= bytes.count { break }
            bytes = [UInt8](repeating: 0, count: frame.count)
        }
        guard frame.count <= bytes.count, let format = Self.format(frame.format) else { return nil }
        return Frame(
            format: format, size: FrameSize(width: Int(frame.width), height: Int(frame.height)),
            strideBytes: Int(frame.stride), byteCount: frame.count,
            color: ColorSpace(
                range: frame.is_full_range != 0 || format == .mjpeg ? .full : .limited,
                matrix: frame.is_bt709 != 0 ? .bt709 : .bt601))
    }

    private static func format(_ number: UInt32) -> PixelFormat? {
        switch Int(number) {
        case Int(GREENROOM_PIPEWIRE_I420): .i420
        case Int(GREENROOM_PIPEWIRE_NV12): .nv12
        case Int(GREENROOM_PIPEWIRE_YUY2): .yuy2
        case Int(GREENROOM_PIPEWIRE_UYVY): .uyvy
        case Int(GREENROOM_PIPEWIRE_BGRX): .bgrx
        case Int(GREENROOM_PIPEWIRE_RGBX): .rgbx
        case Int(GREENROOM_PIPEWIRE_MJPEG): .mjpeg
        default: nil
        }
    }
}
