import CFFmpeg
import Glibc
import PluginEncoding
import GreenroomPlugin

/// A file of media, written by one of FFmpeg's muxers in pieces that are playable one by one.
final class MediaFile: PieceWriter {
    /// A track of the file.
    struct Stream {
        /// The title that players show, such as `"camera"`.
        var name: String
        /// Whether players choose this track among the tracks of its medium.
        var isDefault: Bool
        /// Nil for captions.
        var encoder: Encoder?
        /// The frame rate of video.
        var rate: FrameRate?
    }

    let path: String
    /// The time at which the file begins, in nanoseconds from the session's start. It may change before the first packet.
    var start: Int64
    /// The edit list of MP4 hides what is before 0.
    let hidesEarlyMedia: Bool
    /// Bytes in whole pieces.
    private(set) var size: Int64 = 0

    private let sink: FileSink
    private let context: UnsafeMutablePointer<AVFormatContext>
    private var isOpen = true
    /// The offset of each stream's timestamps, in nanoseconds.
    private var delays: [Int64] = []
    /// Whether the muxer has written the beginning of the file. An MP4 file needs its first packets for that.
    private var hasBegun: Bool

    /// Creates a file, and writes what it begins with.
    init(
        path: String, container: Container, streams: [Stream], start: Int64, replaces: Bool
    ) throws {
        self.path = path
        self.start = start
        hasBegun = container != .mp4
        hidesEarlyMedia = container == .mp4
        sink = try FileSink(path: path, replaces: replaces)
        var made: UnsafeMutablePointer<AVFormatContext>?
        try check(
            avformat_alloc_output_context2(&made, nil, container.muxer, nil),
            "\(container.muxer): opening the muxer")
        context = try allocated(made)
        do {
            try connect()
            for stream in streams { try add(stream, in: container) }
            context.pointee.flags |= AVFMT_FLAG_BITEXACT | AVFMT_FLAG_CUSTOM_IO
            // Encoded audio begins before 0, with what its decoder drops. Nothing else is moved.
            context.pointee.avoid_negative_ts = 0
            var options = FFmpegOptions(container.options)
            try check(
                avformat_write_header(context, &options.dictionary),
                "\(path): beginning the file")
            avio_flush(context.pointee.pb)
            try whole(0)
            size = sink.size
        } catch {
            free()
            throw error
        }
    }

    deinit { free() }

    /// Has the muxer write to the file.
    private func connect() throws {
        let length = 1 << 16
        guard let buffer = av_malloc(length) else {
            throw FFmpegError(call: "allocating", code: Int32(CFFMPEG_NO_MEMORY))
        }
        // The sink lives at least as long as the muxer.
        context.pointee.pb = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(length), 1,
            Unmanaged.passUnretained(sink).toOpaque(), nil,
            { sink, bytes, count in
                guard let sink else { return -EINVAL }
                let written = Unmanaged<FileSink>.fromOpaque(sink).takeUnretainedValue().write(
                    UnsafeRawBufferPointer(start: bytes, count: Int(max(count, 0))))
                return written ? count : -EIO
            },
            { sink, offset, whence in
                guard let sink else { return -1 }
                let file = Unmanaged<FileSink>.fromOpaque(sink).takeUnretainedValue()
                guard whence & AVSEEK_SIZE == 0 else { return file.size }
                return file.seek(offset, from: whence & ~AVSEEK_FORCE)
            })
        guard context.pointee.pb != nil else {
            av_free(buffer)
            throw FFmpegError(call: "allocating", code: Int32(CFFMPEG_NO_MEMORY))
        }
    }

    private func add(_ stream: Stream, in container: Container) throws {
        let added = try allocated(avformat_new_stream(context, nil))
        if let encoder = stream.encoder {
            try check(
                avcodec_parameters_from_context(added.pointee.codecpar, encoder.context),
                "describing the track \(stream.name)")
        } else {
            added.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
            added.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_SUBRIP
        }
        if let rate = stream.rate {
            added.pointee.time_base = AVRational(num: 1, den: Container.ticks)
            added.pointee.avg_frame_rate = AVRational(
                num: Int32(clamping: rate.numerator), den: Int32(clamping: rate.denominator))
        } else {
            added.pointee.time_base =
                stream.encoder?.context.pointee.time_base ?? AVRational(num: 1, den: 1000)
        }
        if stream.isDefault { added.pointee.disposition = AV_DISPOSITION_DEFAULT }
        // Matroska counts the samples that a decoder of Opus drops as time before the track.
        let isOpus = added.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_OPUS
        delays.append(
            container != .mp4 && isOpus
                ? Int64(added.pointee.codecpar.pointee.initial_padding) * 1_000_000_000
                    / Int64(AudioTrack.format.sampleRate) : 0)
        let key = container == .mp4 ? "handler_name" : "title"
        av_dict_set(&added.pointee.metadata, key, stream.name, 0)
    }

    /// Frees the muxer.
    private func free() {
        guard isOpen else { return }
        isOpen = false
        if context.pointee.pb != nil {
            av_freep(&context.pointee.pb.pointee.buffer)
            avio_context_free(&context.pointee.pb)
        }
        avformat_free_context(context)
    }

    /// Adds a packet to the piece. Packets of a track come in their order.
    func write(_ packet: Packet) throws {
        guard isOpen, packet.stream < context.pointee.nb_streams,
            let stream = context.pointee.streams[packet.stream]
        else { return }
        let base = stream.pointee.time_base
        let content = packet.pointer
        content.pointee.stream_index = Int32(packet.stream)
        let time = packet.start - start + delays[packet.stream]
        content.pointee.pts = ticks(time, base)
        content.pointee.dts = content.pointee.pts
        content.pointee.duration = ticks(time + packet.duration, base) - content.pointee.pts
        try whole(av_write_frame(context, content))
    }

    private func ticks(_ nanoseconds: Int64, _ base: AVRational) -> Int64 {
        av_rescale_q(nanoseconds, AVRational(num: 1, den: 1_000_000_000), base)
    }

    /// Ends a piece: what was written so far is in the file, and playable.
    func finishPiece() throws {
        guard isOpen else { return }
        try whole(av_write_frame(context, nil))
        if !hasBegun {
            hasBegun = true
            try whole(av_write_frame(context, nil))
        }
        avio_flush(context.pointee.pb)
        try whole(0)
        size = sink.size
    }

    /// Completes the file with its index and its length.
    func close() throws {
        guard isOpen else { return }
        let code = av_write_trailer(context)
        avio_flush(context.pointee.pb)
        try whole(code)
        size = sink.size
        free()
    }

    /// Throws if something could not be written. Then the file is closed, and ends with its last
    /// whole piece.
    private func whole(_ code: Int32) throws {
        guard sink.failure != nil || code < 0 else { return }
        let failure = sink.failure
        free()
        if size > 0 { sink.cut(to: size) } else { sink.remove() }
        if let failure {
            throw RecordingError(path: path, underlyingError: failure, isEmpty: size == 0)
        }
        throw FFmpegError(call: "\(path): writing", code: code)
    }
}
