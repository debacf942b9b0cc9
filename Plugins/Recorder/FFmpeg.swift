import CFFmpeg

/// A failed call of FFmpeg's libraries.
struct FFmpegError: Error, CustomStringConvertible {
    /// What was tried, e.g. `"libvpx: opening the encoder"`.
    var call: String
    var code: Int32

    var description: String {
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(code, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "\(call): \(String(decoding: bytes, as: UTF8.self))"
    }
}

/// Throws if a call of FFmpeg's libraries has failed.
@discardableResult
func check(_ code: Int32, _ call: @autoclosure () -> String) throws(FFmpegError) -> Int32 {
    guard code < 0 else { return code }
    throw FFmpegError(call: call(), code: code)
}

/// Returns what an allocation of FFmpeg's libraries has made.
func allocated<Value>(_ made: UnsafeMutablePointer<Value>?) throws(FFmpegError)
    -> UnsafeMutablePointer<Value>
{
    guard let made else {
        throw FFmpegError(call: "allocating", code: Int32(CFFMPEG_NO_MEMORY))
    }
    return made
}

/// Options of an encoder or a muxer, by name.
struct FFmpegOptions: ~Copyable {
    var dictionary: OpaquePointer?

    init(_ options: [(String, String)]) {
        for (name, value) in options { av_dict_set(&dictionary, name, value, 0) }
    }

    deinit {
        var dictionary = dictionary
        av_dict_free(&dictionary)
    }
}

/// An encoded frame, or encoded samples.
final class Packet {
    let pointer: UnsafeMutablePointer<AVPacket>
    /// The stream of the file.
    let stream: Int
    /// When it begins, in nanoseconds from the session's start.
    var start: Int64
    /// How long it is shown or heard, in nanoseconds.
    var duration: Int64

    /// Takes over the content of a packet.
    init(
        moving packet: UnsafeMutablePointer<AVPacket>, stream: Int, start: Int64, duration: Int64
    ) throws(FFmpegError) {
        pointer = try allocated(av_packet_alloc())
        av_packet_move_ref(pointer, packet)
        self.stream = stream
        self.start = start
        self.duration = duration
    }

    var isKey: Bool { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }
}

/// An open encoder.
final class Encoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private let name: String

    /// Opens the first of some encoders that this FFmpeg has.
    ///
    /// - Parameters:
    ///   - names: Their names in FFmpeg.
    ///   - configure: Sets what the encoder needs, and returns its options.
    init(
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
    func encode(
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
