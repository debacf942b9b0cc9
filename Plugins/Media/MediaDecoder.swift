import CFFmpeg
import CJPEG
import PluginEncoding
import GreenroomPlugin

/// An open decoder.
final class MediaDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let name: String
    /// Whether no picture depends on another, so that a damaged one is left out.
    private let isIndependent: Bool
    /// Whether the packets are JPEG images. FFmpeg shows most damage of these as grey, without an error.
    private let isJPEG: Bool
    /// Whether it has got all packets of the leg.
    private var isDraining = false

    init(_ parameters: StreamParameters, threads: Int32) throws {
        let codec = avcodec_find_decoder(parameters.pointer.pointee.codec_id)
        let name = String(cString: avcodec_get_name(parameters.pointer.pointee.codec_id))
        self.name = name
        isIndependent =
            parameters.pointer.pointee.codec_type == AVMEDIA_TYPE_VIDEO
            && avcodec_descriptor_get(parameters.pointer.pointee.codec_id).map {
                $0.pointee.props & AV_CODEC_PROP_INTRA_ONLY != 0
            } ?? false
        isJPEG = parameters.pointer.pointee.codec_id == AV_CODEC_ID_MJPEG
        guard let codec else {
            throw PluginError(
                "FFmpeg's libraries have no decoder for \(name); convert the file: "
                    + "ffmpeg -i FILE NEW.mp4", status: .badSetting)
        }
        let context = try allocated(avcodec_alloc_context3(codec))
        self.context = context
        try check(
            avcodec_parameters_to_context(context, parameters.pointer), "\(name): parameters")
        context.pointee.pkt_timebase = parameters.timeBase
        context.pointee.thread_count = threads
        // A picture of 8192x8192 at most: a file may claim any size.
        context.pointee.max_pixels = Int64(FrameSize.maximumDimension * FrameSize.maximumDimension)
        if isIndependent { context.pointee.err_recognition |= AV_EF_EXPLODE | AV_EF_CRCCHECK }
        try check(avcodec_open2(context, codec, nil), "\(name): opening the decoder")
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Fetches the frames that it keeps back, as at the end.
    func drain() {
        guard !isDraining else { return }
        isDraining = true
        avcodec_send_packet(context, nil)
    }

    /// Forgets the frames before a jump.
    func flush() {
        avcodec_flush_buffers(context)
        isDraining = false
    }

    /// The result of decoding.
    enum Outcome {
        case frame
        /// The packets of a stream that have come so far are decoded.
        case waiting
        case end
    }

    /// Whether the decoder has concealed a part of a frame.
    private func isDamaged(_ frame: MediaFrame) -> Bool {
        frame.pointer.pointee.decode_error_flags != 0
            || frame.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
    }

    private func hasDamagedImage(_ packet: MediaPacket) -> Bool {
        guard let data = packet.pointer.pointee.data else { return false }
        return greenroom_jpeg_is_damaged(data, Int(max(packet.pointer.pointee.size, 0))) != 0
    }

    /// Limit of errors in a row while the last frames are fetched.
    private static let errorLimit = 100

    /// Decodes the next frame.
    ///
    /// - Parameters:
    ///   - frame: Gets the frame.
    ///   - next: Returns the next packet.
    ///   - skips: Whether a frame of this packet that no other frame needs is left out.
    ///   - damaged: Called for what can't be decoded.
    func decode(
        into frame: MediaFrame, next: () throws -> NextPacket, skips: (MediaPacket) -> Bool,
        damaged: (Int32) -> Void
    ) throws -> Outcome {
        var errors = 0
        while true {
            let code = avcodec_receive_frame(context, frame.pointer)
            if code >= 0 {
                guard isIndependent, isDamaged(frame) else { return .frame }
                av_frame_unref(frame.pointer)
                damaged(Int32(CFFMPEG_INVALID))
                continue
            }
            if code == CFFMPEG_END { return .end }
            if code != CFFMPEG_AGAIN {
                damaged(code)
                errors += 1
            }
            if isDraining {
                guard code != CFFMPEG_AGAIN, errors < Self.errorLimit else { return .end }
                continue
            }
            switch try next() {
            case .packet(let packet):
                guard !isJPEG || !hasDamagedImage(packet) else {
                    damaged(Int32(CFFMPEG_INVALID))
                    continue
                }
                context.pointee.skip_frame = skips(packet) ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
                let sent = avcodec_send_packet(context, packet.pointer)
                if sent < 0, sent != CFFMPEG_AGAIN { damaged(sent) }
            case .waiting: return .waiting
            case .end:
                drain()
            }
        }
    }
}

/// The next packet of a track.
enum NextPacket {
    case packet(MediaPacket)
    /// It has not come yet.
    case waiting
    /// The leg has no more.
    case end
}
