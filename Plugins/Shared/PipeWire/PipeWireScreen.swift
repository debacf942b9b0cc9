internal import CPipeWire
internal import Glibc
package import GreenroomPlugin

/// The video of a node of PipeWire: a screen that the desktop shares.
///
/// Sendable without the compiler's proof: the stream is bound to no thread, and its image has a lock.
package final class PipeWireScreen: @unchecked Sendable {
    /// The newest image.
    package struct Image: Sendable {
        package var size: FrameSize
        /// `bgrx` or `rgbx`.
        package var format: PixelFormat
        /// Whether it was not read before.
        package var isNew: Bool
    }

    private let stream: OpaquePointer

    /// Begins to receive a node's video.
    ///
    /// - Parameters:
    ///   - descriptor: Connected to PipeWire; belongs to the stream from now on.
    ///   - node: The node's id.
    package init(descriptor: Int32, node: UInt32) throws(PluginError) {
        var reason = greenroom_pipewire_reason()
        guard let stream = greenroom_pipewire_screen(descriptor, "Greenroom", node, &reason) else {
            throw PluginError("PipeWire: \(reason.string)", status: .unavailable)
        }
        self.stream = stream
    }

    deinit { greenroom_pipewire_close(stream) }

    /// The reason why the stream has ended; nil while it has not.
    package var loss: String? {
        guard Int(greenroom_pipewire_phase(stream)) == GREENROOM_PIPEWIRE_LOST else { return nil }
        return greenroom_pipewire_loss(stream).string
    }

    /// Copies the newest image without padding, if it is new and fits.
    package func read(into pixels: UnsafeMutableRawBufferPointer) -> Image {
        var (width, height): (UInt32, UInt32) = (0, 0)
        var hasBlueFirst: Int32 = 0
        let isNew = greenroom_pipewire_read_image(
            stream, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), pixels.count, &width,
            &height, &hasBlueFirst)
        return Image(
            size: FrameSize(width: Int(width), height: Int(height)),
            format: hasBlueFirst != 0 ? .bgrx : .rgbx, isNew: isNew != 0)
    }
}
