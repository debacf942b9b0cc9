internal import CFFmpeg
package import GreenroomPlugin

/// Decodes H.264 of a camera, whose pictures come one by one and without B-frames. One thread at a time.
package final class H264Decoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let frame: UnsafeMutablePointer<AVFrame>

    package init() throws(FFmpegError) {
        var context = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264))
        var packet = av_packet_alloc()
        var frame = av_frame_alloc()
        do throws(FFmpegError) {
            self.context = try allocated(context)
            self.packet = try allocated(packet)
            self.frame = try allocated(frame)
        } catch {
            avcodec_free_context(&context)
            av_packet_free(&packet)
            av_frame_free(&frame)
            throw error
        }
        // FFmpeg would log to standard error; the decoder throws its errors.
        av_log_set_level(AV_LOG_QUIET)
        self.context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
        self.context.pointee.thread_count = 1
        // A picture of 8192x8192 at most: a stream may claim any size.
        self.context.pointee.max_pixels = Int64(
            FrameSize.maximumDimension * FrameSize.maximumDimension)
        try check(avcodec_open2(self.context, nil, nil), "opening the decoder")
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        var packet: UnsafeMutablePointer<AVPacket>? = packet
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        avcodec_free_context(&context)
        av_packet_free(&packet)
        av_frame_free(&frame)
    }

    /// Decodes the bytes of a picture.
    ///
    /// - Parameters:
    ///   - time: The time to show the picture, in nanoseconds.
    ///   - color: The colour space of a stream that does not say its own.
    ///   - take: Gets each picture that is ready, in I420. Before the first key frame there is none.
    /// - Throws: ``FFmpegError`` for damaged bytes, after which the next picture may be whole, or an error of `take`.
    package func decode(
        _ bytes: Span<UInt8>, at time: Int64, color: ColorSpace,
        _ take: (FrameSize, borrowing FramePlanes, FrameInfo) throws -> Void
    ) throws {
        // With the padding that the decoder may read.
        try check(av_new_packet(packet, Int32(clamping: bytes.count)), "allocating")
        bytes.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress {
                packet.pointee.data.update(from: start, count: Int(packet.pointee.size))
            }
        }
        packet.pointee.pts = time
        let code = avcodec_send_packet(context, packet)
        av_packet_unref(packet)
        try check(code, "decoding")
        while true {
            let code = avcodec_receive_frame(context, frame)
            guard code != CFFMPEG_AGAIN, code != CFFMPEG_END else { return }
            try check(code, "decoding")
            defer { av_frame_unref(frame) }
            try pass(color, take)
        }
    }

    private func pass(
        _ color: ColorSpace, _ take: (FrameSize, borrowing FramePlanes, FrameInfo) throws -> Void
    ) throws {
        let picture = frame.pointee
        let isFull = picture.format == AV_PIX_FMT_YUVJ420P.rawValue
        guard isFull || picture.format == AV_PIX_FMT_YUV420P.rawValue,
            let y = picture.data.0, let u = picture.data.1, let v = picture.data.2
        else {
            throw PluginError("only H.264 of 8 bits in 4:2:0 can be read", status: .unavailable)
        }
        let size = FrameSize(width: Int(picture.width), height: Int(picture.height))
        let (width, height) = ((size.width + 1) / 2, (size.height + 1) / 2)
        var color = color
        if isFull || picture.color_range == AVCOL_RANGE_JPEG {
            color.range = .full
        } else if picture.color_range == AVCOL_RANGE_MPEG {
            color.range = .limited
        }
        if picture.colorspace == AVCOL_SPC_BT709 {
            color.matrix = .bt709
        } else if picture.colorspace != AVCOL_SPC_UNSPECIFIED {
            color.matrix = .bt601
        }
        // The decoder's memory, valid until the frame is unreferenced, which is after the call.
        func plane(_ start: UnsafeMutablePointer<UInt8>, _ stride: Int32, _ width: Int, _ rows: Int)
            -> UnsafeRawBufferPointer
        {
            UnsafeRawBufferPointer(start: start, count: Int(stride) * (rows - 1) + width)
        }
        let planes = (
            plane(y, picture.linesize.0, size.width, size.height),
            plane(u, picture.linesize.1, width, height), plane(v, picture.linesize.2, width, height)
        )
        try take(
            size,
            FramePlanes(
                y: .init(
                    RawSpan(_unsafeBytes: planes.0), strideBytes: Int(picture.linesize.0)),
                u: .init(
                    RawSpan(_unsafeBytes: planes.1), strideBytes: Int(picture.linesize.1)),
                v: .init(
                    RawSpan(_unsafeBytes: planes.2), strideBytes: Int(picture.linesize.2))),
            FrameInfo(
                color: color,
                ptsNanoseconds: picture.pts == CFFMPEG_NO_TIME ? 0 : picture.pts))
    }
}
