package import CFFmpeg
package import GreenroomMedia
package import GreenroomPlugin

/// Encodes frames of one size in I420, without a copy of them.
package final class VideoEncoder {
    /// Describes how the encoder spends bits.
    package enum Rate {
        /// The mean of a file; key frames come only where they are forced.
        case mean(kilobits: Int)
        /// A limit within each second, for a network; ``setKilobits(_:)`` changes the limit.
        case limit(kilobits: Int)
    }

    package let size: FrameSize
    package let rate: FrameRate
    package let encoder: Encoder
    private let frame: UnsafeMutablePointer<AVFrame>

    /// - Parameters:
    ///   - capability: The size has to be one of the codec: ``VideoCodec/size(for:)``.
    ///   - hasGlobalHeader: Whether the muxer wants the parameters of the codec beside the stream.
    package init(
        _ capability: VideoCapability, codec: VideoCodec, bits: Rate, hasGlobalHeader: Bool
    ) throws {
        size = codec.size(for: capability.size)
        rate = capability.rate
        let (size, rate) = (size, rate)
        // A matrix is declared for each size; see `VideoTrackWant.matrix`.
        let isHD = ColorMatrix.usual(for: size) == .bt709
        encoder = try Encoder(codec.encoders) { name, context, _ in
            context.width = Int32(size.width)
            context.height = Int32(size.height)
            context.pix_fmt = AV_PIX_FMT_YUV420P
            context.time_base = AVRational(
                num: Int32(clamping: rate.denominator), den: Int32(clamping: rate.numerator))
            context.framerate = AVRational(
                num: Int32(clamping: rate.numerator), den: Int32(clamping: rate.denominator))
            context.sample_aspect_ratio = AVRational(num: 1, den: 1)
            context.color_range = AVCOL_RANGE_MPEG
            context.colorspace = isHD ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
            context.color_primaries = isHD ? AVCOL_PRI_BT709 : AVCOL_PRI_SMPTE170M
            context.color_trc = isHD ? AVCOL_TRC_BT709 : AVCOL_TRC_SMPTE170M
            switch bits {
            case .mean(let kilobits): context.bit_rate = Int64(kilobits) * 1000
            case .limit(let kilobits): Self.limit(&context, kilobits)
            }
            // Key frames are forced.
            context.gop_size = 1 << 20
            context.max_b_frames = 0
            if hasGlobalHeader { context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
            let threads = Self.threads(for: size)
            context.thread_count = Int32(threads)
            return VideoCodec.options(of: name, threads: threads)
        }
        frame = try allocated(av_frame_alloc())
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
    }

    /// One thread encodes 1080p in 10 ms; several wait for one another in loops that use up a busy
    /// machine. Larger frames need them.
    private static func threads(for size: FrameSize) -> Int {
        let wanted = size.area < 3_000_000 ? 1 : 4
        return min(wanted, max(Int(av_cpu_count()), 1))
    }

    /// Sets a new limit of the bit rate, from the next frame on.
    package func setKilobits(_ kilobits: Int) { Self.limit(&encoder.context.pointee, kilobits) }

    private static func limit(_ context: inout AVCodecContext, _ kilobits: Int) {
        context.bit_rate = Int64(kilobits) * 1000
        context.rc_max_rate = context.bit_rate
        context.rc_buffer_size = Int32(clamping: kilobits * 1000)
    }

    /// Whether a frame can be encoded. After a restart of its source one of another size may come.
    package func matches(_ frame: borrowing OutputFrame) -> Bool {
        frame.format == .i420 && frame.size == size
    }

    /// Encodes a frame that matches.
    ///
    /// - Parameters:
    ///   - index: Its time, in periods of the rate; later than the frame before.
    ///   - isKey: Whether it becomes a key frame.
    ///   - take: Takes over the content of each packet that is ready; its time is an index.
    package func encode(
        _ image: borrowing OutputFrame, index: Int64, isKey: Bool,
        _ take: (UnsafeMutablePointer<AVPacket>) throws -> Void
    ) throws {
        // The planes stay where they are for as long as the frame is borrowed, and the encoder
        // reads them before it returns.
        let planes = [0, 1, 2].map { plane in
            image.plane(plane).withUnsafeBytes { UnsafeRawBufferPointer($0) }
        }
        frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        frame.pointee.width = Int32(size.width)
        frame.pointee.height = Int32(size.height)
        frame.pointee.data.0 = Self.pointer(planes[0])
        frame.pointee.data.1 = Self.pointer(planes[1])
        frame.pointee.data.2 = Self.pointer(planes[2])
        frame.pointee.linesize.0 = Int32(clamping: image.strideBytes(ofPlane: 0))
        frame.pointee.linesize.1 = Int32(clamping: image.strideBytes(ofPlane: 1))
        frame.pointee.linesize.2 = Int32(clamping: image.strideBytes(ofPlane: 2))
        frame.pointee.color_range = encoder.context.pointee.color_range
        frame.pointee.colorspace = encoder.context.pointee.colorspace
        frame.pointee.color_primaries = encoder.context.pointee.color_primaries
        frame.pointee.color_trc = encoder.context.pointee.color_trc
        frame.pointee.pts = index
        frame.pointee.pict_type = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        // Without its own buffer, the encoder would copy the frame first.
        frame.pointee.buf.0 = av_buffer_create(
            frame.pointee.data.0, planes[0].count, { _, _ in }, nil, AV_BUFFER_FLAG_READONLY)
        defer { av_frame_unref(frame) }
        guard frame.pointee.buf.0 != nil else {
            throw FFmpegError(call: "allocating", code: Int32(CFFMPEG_NO_MEMORY))
        }
        try encoder.encode(frame, take)
        guard av_buffer_get_ref_count(frame.pointee.buf.0) == 1 else {
            throw PluginError("the encoder keeps a frame beyond its call")
        }
    }

    /// Encodes the rest.
    package func finish(_ take: (UnsafeMutablePointer<AVPacket>) throws -> Void) throws {
        try encoder.encode(nil, take)
    }

    private static func pointer(_ plane: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
        // An encoder only reads what is marked read-only.
        UnsafeMutableRawPointer(mutating: plane.baseAddress)?.assumingMemoryBound(to: UInt8.self)
    }
}
