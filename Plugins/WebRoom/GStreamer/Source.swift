import CGStreamer
import GreenroomPlugin

/// Where media enter a pipeline: an `appsrc`. None of its functions waits.
struct Source: Sendable {
    private let element: Element

    init(_ name: String, of pipeline: Pipeline) throws(PluginError) {
        element = try pipeline.child(name)
    }

    /// The buffers that the pipeline has not taken yet.
    var waiting: Int { Int(clamping: greenroom_gst_waiting(element.pointer)) }

    /// Pushes an encoded buffer.
    func push(_ buffer: EncodedBuffer) {
        greenroom_gst_push(element.pointer, buffer.pointer)
    }

    /// Pushes a copy of an I420 frame.
    func push(_ frame: borrowing OutputFrame, at pts: UInt64, for duration: UInt64) {
        let size = frame.size
        let strides = (0..<3).map { frame.strideBytes(ofPlane: $0) }
        frame.plane(0).withUnsafeBytes { y in
            frame.plane(1).withUnsafeBytes { u in
                frame.plane(2).withUnsafeBytes { v in
                    // Empty: no longer lent.
                    guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress
                    else { return }
                    greenroom_gst_push_i420(
                        element.pointer, UInt32(clamping: size.width),
                        UInt32(clamping: size.height), [y, u, v], strides, pts, duration)
                }
            }
        }
    }

    /// Pushes a copy of samples.
    func push(_ samples: Span<Int16>, at pts: UInt64, for duration: UInt64) {
        samples.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            greenroom_gst_push_bytes(element.pointer, start, bytes.count, pts, duration)
        }
    }

    /// Calls back when what follows needs a key frame.
    func onKeyRequest(_ requested: @escaping @Sendable () -> Void) {
        let handler = Handler<Void> { requested() }
        greenroom_gst_on_key_request(element.pointer, greenroom_gst_context(handler)) { value in
            greenroom_gst_context.object(value, Handler<Void>.self).call(())
        }
    }
}

/// A buffer of an encoder, during a callback.
struct EncodedBuffer {
    let pointer: OpaquePointer

    /// Whether it can be decoded without those before it.
    var isKey: Bool { !greenroom_gst_buffer_is_delta(pointer) }
}
