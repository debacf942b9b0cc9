import CGStreamer
import GreenroomPlugin

/// The place where media enter a pipeline: an `appsrc`. None of its functions waits.
struct Source: Sendable {
    private let element: Element

    init(_ name: String, of pipeline: Pipeline) throws(PluginError) {
        element = try pipeline.child(name)
    }

    /// The buffers that the pipeline has not taken yet.
    var waiting: Int { Int(clamping: greenroom_gst_waiting(element.pointer)) }

    /// Pushes a frame; others may get it, too.
    func push(_ frame: borrowing RawFrame) { greenroom_gst_push(element.pointer, frame.pointer) }

    /// Pushes a copy of samples.
    func push(_ samples: Span<Int16>, at pts: UInt64, for duration: UInt64) {
        samples.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            greenroom_gst_push_bytes(element.pointer, start, bytes.count, pts, duration)
        }
    }
}

/// A frame for encoders: a copy, freed with the last who has it.
struct RawFrame: ~Copyable {
    let pointer: OpaquePointer

    /// Copies a frame; nil if the host has taken the frame back, or without memory.
    ///
    /// - Parameter size: That of the frame, or of its half rendition.
    init?(
        _ frame: borrowing OutputFrame, size: FrameSize, at pts: UInt64, for duration: UInt64
    ) {
        let isHalf = size != frame.size
        var whole = greenroom_gst_frame()
        whole.width = UInt32(clamping: frame.size.width)
        whole.height = UInt32(clamping: frame.size.height)
        whole.strides = (
            frame.strideBytes(ofPlane: 0), frame.strideBytes(ofPlane: 1),
            frame.strideBytes(ofPlane: 2)
        )
        var copy: OpaquePointer?
        frame.plane(0).withUnsafeBytes { y in
            frame.plane(1).withUnsafeBytes { u in
                frame.plane(2).withUnsafeBytes { v in
                    guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress
                    else { return }
                    whole.planes = (
                        y.assumingMemoryBound(to: UInt8.self),
                        u.assumingMemoryBound(to: UInt8.self),
                        v.assumingMemoryBound(to: UInt8.self)
                    )
                    copy = greenroom_gst_i420(
                        &whole, UInt32(clamping: size.width), UInt32(clamping: size.height),
                        isHalf, pts, duration)
                }
            }
        }
        guard let copy else { return nil }
        pointer = copy
    }

    deinit { greenroom_gst_buffer_unref(pointer) }
}
