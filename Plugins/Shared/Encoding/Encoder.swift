package import CFFmpeg

/// An open encoder.
package final class Encoder {
    package let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let name: String

    /// Opens the first of some encoders that this FFmpeg has.
    ///
    /// - Parameters:
    ///   - names: Their names in FFmpeg.
    ///   - configure: Sets what the encoder needs, and returns its options.
    package init(
        _ names: [String],
        configure: (
            _ name: String, inout AVCodecContext, UnsafePointer<AVCodec>
        ) -> [(String, String)]
    ) throws {
        guard let (name, codec) = Self.find(names) else {
            throw FFmpegError(
                call: "\(names.joined(separator: " or ")): FFmpeg's libraries lack this encoder; "
                    + "install Debian's, or choose another codec", code: Int32(CFFMPEG_END))
        }
        self.name = name
        let context = try allocated(avcodec_alloc_context3(codec))
        self.context = context
        do {
            packet = try allocated(av_packet_alloc())
        } catch {
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
            throw error
        }
        context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        var options = FFmpegOptions(configure(name, &context.pointee, codec))
        try check(
            avcodec_open2(context, codec, &options.dictionary), "\(name): opening the encoder")
        if let unknown = av_dict_get(options.dictionary, "", nil, AV_DICT_IGNORE_SUFFIX) {
            let option = String(cString: unknown.pointee.key)
            throw FFmpegError(call: "\(name) has no option \(option)", code: Int32(CFFMPEG_END))
        }
    }

    private static func find(_ names: [String]) -> (String, UnsafePointer<AVCodec>)? {
        for name in names {
            if let codec = avcodec_find_encoder_by_name(name) { return (name, codec) }
        }
        return nil
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&packet)
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Encodes a frame, or what is left at the end.
    ///
    /// - Parameters:
    ///   - frame: nil at the end.
    ///   - take: Takes over the content of each packet that is ready.
    package func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?,
        _ take: (UnsafeMutablePointer<AVPacket>) throws -> Void
    ) throws {
        try check(avcodec_send_frame(context, frame), "\(name): encoding")
        while true {
            let code = avcodec_receive_packet(context, packet)
            guard code != CFFMPEG_AGAIN, code != CFFMPEG_END else { return }
            try check(code, "\(name): encoding")
            try take(packet)
        }
    }
}
