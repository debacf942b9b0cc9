import CFFmpeg
import GreenroomPlugin

/// A video track of a recording: encodes what changes, and lets a still image be.
///
/// A still image is encoded once more at the begin of each cell of the recording, so that a file that
/// ends there shows it, and at its last period.
final class VideoTrack {
    /// How long video may be without a key frame, while it moves.
    private static let longestWithoutKey: Int64 = 4_000_000_000

    let stream: Int
    let size: FrameSize
    let rate: FrameRate
    let encoder: Encoder
    /// The end of the periods so far, in nanoseconds from the session's start; nil without any.
    private(set) var end: Int64?

    private let frame: UnsafeMutablePointer<AVFrame>
    /// The number of the file that the newest frame is in.
    private var segment = 0
    private var newestCell: Int64?
    private var newestKey: Int64?
    private var newestPacket: Packet?
    /// The newest frame that was encoded, and the end of the periods that show it.
    private var encodedIndex: Int64 = -1
    private var endIndex: Int64 = 0
    private var isBlack = false
    /// Whether the newest image was skipped, so that a repetition of it is new to the file.
    private var isStale = false
    /// The image after the newest that was encoded, which looks like it.
    private var still: OutputFrame?

    init(
        stream: Int, capability: VideoCapability, codec: VideoCodec, kilobits: Int,
        hasGlobalHeader: Bool
    ) throws {
        self.stream = stream
        size = codec.size(for: capability.size)
        rate = capability.rate
        let (size, rate) = (size, rate)
        // A matrix is declared for each size; see `VideoTrackWant.matrix`.
        let isHD = ColorMatrix.usual(for: size) == .bt709
        let bitRate =
            kilobits > 0
            ? kilobits * 1000
            : max(Int(Double(size.area) * rate.framesPerSecond * 0.08), 100_000)
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
            context.bit_rate = Int64(bitRate)
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

    /// Whether a frame can be encoded. After a restart of its source one of another size may come.
    func matches(_ frame: borrowing OutputFrame) -> Bool {
        frame.format == .i420 && frame.size == size
    }

    /// Takes a frame for one or several periods. One that does not match leaves the image before it.
    func take(_ frame: borrowing OutputFrame, into recording: Recording) throws {
        let count = Int64(frame.periods)
        guard frame.index >= endIndex || endIndex == 0, count > 0, frame.index < 1 << 48 else {
            return
        }
        let last = frame.index + count - 1
        guard matches(frame) else {
            isStale = true
            extend(to: last + 1)
            return
        }
        let isNew: Bool
        switch frame.content {
        case .new, .slate: isNew = true
        case .black: isNew = !isBlack || isStale
        case .repeated: isNew = encodedIndex < 0 || isStale
        }
        isBlack = frame.content == .black
        isStale = false
        for index in frame.index...last {
            let start = rate.dueNanoseconds(ofFrame: index)
            let cell = Recording.cell(of: start)
            extend(to: index)
            guard cell != newestCell || index == frame.index && isNew else { continue }
            let isChanged = index == frame.index && isNew
            try encode(
                frame, index: index, start: start, mayBeKey: isChanged, into: recording)
            newestCell = cell
        }
        extend(to: last + 1)
        // The host lends a limited number: give back one before asking for another. Without it the
        // image is not encoded once more at its end, and lasts all the same.
        still = nil
        if endIndex > encodedIndex + 1 { still = try? frame.keep() }
    }

    /// Ends the track: its last period is encoded, so that the file says how long the image stays.
    func finish(into recording: Recording) throws {
        if let still = still.take(), endIndex > encodedIndex + 1 {
            let start = rate.dueNanoseconds(ofFrame: endIndex - 1)
            extend(to: endIndex - 1)
            try encode(still, index: endIndex - 1, start: start, mayBeKey: false, into: recording)
            extend(to: endIndex)
        }
        try encoder.encode(nil) { try self.add($0, to: recording) }
    }

    /// Gives back what the track keeps.
    func releaseFrames() { still = nil }

    /// The newest image stays until the begin of a period.
    private func extend(to index: Int64) {
        endIndex = max(endIndex, index)
        let time = rate.dueNanoseconds(ofFrame: index)
        end = time
        if let packet = newestPacket { packet.duration = max(time - packet.start, 0) }
    }

    private func encode(
        _ image: borrowing OutputFrame, index: Int64, start: Int64, mayBeKey: Bool,
        into recording: Recording
    ) throws {
        let segment = recording.segment(at: start, from: self.segment)
        let isKey =
            segment != self.segment || newestKey == nil
            || mayBeKey && start - (newestKey ?? 0) >= Self.longestWithoutKey
        self.segment = segment
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
        // Without a buffer of its own the encoder would copy the frame first.
        frame.pointee.buf.0 = av_buffer_create(
            frame.pointee.data.0, planes[0].count, { _, _ in }, nil, AV_BUFFER_FLAG_READONLY)
        defer { av_frame_unref(frame) }
        guard frame.pointee.buf.0 != nil else {
            throw FFmpegError(call: "allocating", code: Int32(CFFMPEG_NO_MEMORY))
        }
        encodedIndex = index
        try encoder.encode(frame) { try self.add($0, to: recording) }
        guard av_buffer_get_ref_count(frame.pointee.buf.0) == 1 else {
            throw PluginError("the encoder keeps a frame beyond its call")
        }
    }

    private static func pointer(_ plane: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
        // An encoder only reads what is marked read-only.
        UnsafeMutableRawPointer(mutating: plane.baseAddress)?.assumingMemoryBound(to: UInt8.self)
    }

    /// Takes a packet of the encoder, whose time is the number of its period.
    private func add(_ encoded: UnsafeMutablePointer<AVPacket>, to recording: Recording) throws {
        let index = max(encoded.pointee.pts, 0)
        let start = rate.dueNanoseconds(ofFrame: index)
        let packet = try Packet(
            moving: encoded, stream: stream, start: start,
            duration: rate.dueNanoseconds(ofFrame: index + 1) - start)
        if packet.isKey { newestKey = start }
        newestPacket = packet
        recording.add(packet, cell: Recording.cell(of: start))
    }
}
