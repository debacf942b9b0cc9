import CGStreamer
import GreenroomPlugin

/// The place where media leave a pipeline: an `appsink`. Its callbacks run on the pipeline's threads.
struct Sink: Sendable {
    private let element: Element

    init(_ name: String, of pipeline: Pipeline) throws(PluginError) {
        element = try pipeline.child(name)
    }

    /// Calls back with the bytes of each packet of RTP.
    func onPacket(_ take: @escaping @Sendable (StreamPacket.Bytes) -> Void) {
        let context = greenroom_gst_context(
            Handler<(UnsafeBufferPointer<UInt8>, UInt64)> { bytes, pts in
                guard pts != .max else { return }
                take(StreamPacket.Bytes(bytes: bytes, pts: pts))
            })
        greenroom_gst_on_bytes(element.pointer, context) { value, bytes, count, time in
            let bytes = UnsafeBufferPointer(
                start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
            greenroom_gst_context.object(
                value, Handler<(UnsafeBufferPointer<UInt8>, UInt64)>.self
            ).call((bytes, time))
        }
    }

    /// Calls back with each decoded frame.
    func onFrame(_ take: @escaping @Sendable (DecodedFrame) -> Void) {
        let context = greenroom_gst_context(Handler(take))
        greenroom_gst_on_frame(element.pointer, context) { value, frame, time in
            greenroom_gst_context.object(value, Handler<DecodedFrame>.self)
                .call(DecodedFrame(pointer: frame, pts: time == .max ? nil : time))
        }
    }

    /// Calls back with 16-bit samples, channels interleaved.
    func onSamples(_ take: @escaping @Sendable (DecodedSamples) -> Void) {
        let context = greenroom_gst_context(Handler(take))
        greenroom_gst_on_bytes(element.pointer, context) { value, bytes, count, time in
            let samples = UnsafeBufferPointer(
                start: bytes.assumingMemoryBound(to: Int16.self), count: count / 2)
            greenroom_gst_context.object(value, Handler<DecodedSamples>.self)
                .call(DecodedSamples(samples: samples, pts: time == .max ? nil : time))
        }
    }

    /// Hands media on so long after their time, from the next buffer on.
    func setOffset(_ nanoseconds: Int64) {
        greenroom_gst_set_offset(element.pointer, nanoseconds)
    }

    /// Requests a key frame from the elements before the sink.
    func requestKey() { greenroom_gst_request_key(element.pointer) }
}

/// Decoded samples, during a callback.
struct DecodedSamples {
    let samples: UnsafeBufferPointer<Int16>
    /// The time at which their packet arrived, without the network's jitter, on the clock of the pipeline's
    /// timestamps.
    let pts: UInt64?
}

/// A decoded frame, during a callback.
struct DecodedFrame {
    let pointer: UnsafePointer<greenroom_gst_frame>
    /// The time at which it arrived, without the network's jitter, on the clock of the pipeline's timestamps.
    let pts: UInt64?

    var size: FrameSize {
        FrameSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height))
    }

    /// Sends a copy.
    ///
    /// - Parameter time: The time of the session at which it is to be seen; nil: now.
    func send(to sender: VideoSender, at time: Int64?) throws(SendRefusal) {
        let frame = pointer.pointee
        let y = bytes(of: 0, frame.planes.0, frame.strides.0)
        let u = bytes(of: 1, frame.planes.1, frame.strides.1)
        let v = bytes(of: 2, frame.planes.2, frame.strides.2)
        try sender.send(
            format: .i420, size: size,
            planes: FramePlanes(
                y: .init(RawSpan(_unsafeBytes: y), strideBytes: frame.strides.0),
                u: .init(RawSpan(_unsafeBytes: u), strideBytes: frame.strides.1),
                v: .init(RawSpan(_unsafeBytes: v), strideBytes: frame.strides.2)),
            info: FrameInfo(color: .bt601Limited, ptsNanoseconds: time))
    }

    /// The bytes of a plane; its last row has no padding.
    private func bytes(
        of plane: Int, _ start: UnsafePointer<UInt8>, _ stride: Int
    ) -> UnsafeRawBufferPointer {
        let geometry = PixelFormat.i420.plane(plane, of: size)
        return UnsafeRawBufferPointer(
            start: start, count: max(0, geometry.rows - 1) * stride + geometry.rowBytes)
    }
}
