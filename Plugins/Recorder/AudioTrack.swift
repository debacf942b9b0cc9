import CFFmpeg
import GreenroomPlugin

/// An audio track of a recording. Each file has an encoder of its own, so that it begins and ends
/// with the sample that it should.
final class AudioTrack {
    static let format = AudioFormat.session

    let stream: Int
    /// The end of what is encoded, in nanoseconds from the session's start; nil without any.
    private(set) var end: Int64?
    private(set) var encoder: Encoder

    private let codec: AudioCodec
    private let kilobits: Int
    private let hasGlobalHeader: Bool
    private let frame: UnsafeMutablePointer<AVFrame>
    /// The number of the file that the newest samples are in.
    private var segment = 0
    /// The first sample of the encoder, from 0 at the start of the session; nil before it.
    private var first: Int64?
    /// Samples that the encoder has got, and those that wait until a packet is full; channels
    /// interleaved.
    private var encoded: Int64 = 0
    private var waiting: [Int16] = []

    init(stream: Int, codec: AudioCodec, kilobits: Int, hasGlobalHeader: Bool) throws {
        self.stream = stream
        self.codec = codec
        self.kilobits = kilobits
        self.hasGlobalHeader = hasGlobalHeader
        waiting.reserveCapacity(codec.packetFrames * Self.format.channels)
        encoder = try Self.open(codec, kilobits, hasGlobalHeader)
        frame = try allocated(av_frame_alloc())
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
    }

    private static func open(
        _ codec: AudioCodec, _ kilobits: Int, _ hasGlobalHeader: Bool
    ) throws -> Encoder {
        try Encoder(codec.encoders) { name, context, _ in
            context.sample_fmt = name == "aac" ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_S16
            context.sample_rate = Int32(format.sampleRate)
            av_channel_layout_default(&context.ch_layout, Int32(format.channels))
            context.time_base = AVRational(num: 1, den: Int32(format.sampleRate))
            context.bit_rate = Int64(kilobits) * 1000
            if hasGlobalHeader { context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
            return []
        }
    }

    /// Nanoseconds at a sample from the session's start.
    static func time(of sample: Int64) -> Int64 {
        let rate = Int64(format.sampleRate)
        let (seconds, rest) = sample.quotientAndRemainder(dividingBy: rate)
        return seconds * 1_000_000_000 + rest * 1_000_000_000 / rate
    }

    /// Takes a block of audio.
    ///
    /// - Parameter index: Its first sample, from 0 at the start of the session.
    func take(_ samples: Span<Int16>, index: Int64, into recording: Recording) throws {
        guard index >= 0, index < 1 << 46 else { return }
        // Blocks that were lost are silence, so that the rest stays where it belongs.
        if let first {
            let missing = index - (first + encoded + Int64(waiting.count / Self.format.channels))
            guard missing >= 0 else { return }
            let silence = [Int16](repeating: 0, count: Self.format.sampleRate / 50)
            var left = Int(clamping: missing) * Self.format.channels
            while left > 0 {
                let count = min(left, silence.count)
                try append(silence.span.extracting(..<count), into: recording)
                left -= count
            }
        }
        if first == nil { first = index }
        try append(samples, into: recording)
    }

    /// Encodes what is left.
    func finish(into recording: Recording) throws {
        guard let first else { return }
        if !waiting.isEmpty { try encodeWaiting(into: recording) }
        try encoder.encode(nil) { try self.add($0, to: recording) }
        end = Self.time(of: first + encoded)
    }

    private func append(_ samples: Span<Int16>, into recording: Recording) throws {
        let channels = Self.format.channels
        let cell = Int64(Self.format.sampleRate) * Recording.cellNanoseconds / 1_000_000_000
        var offset = 0
        while offset + channels <= samples.count {
            guard let first else { return }
            let position = first + encoded + Int64(waiting.count / channels)
            // A file begins at the begin of a cell.
            if position % cell == 0 {
                let segment = recording.segment(
                    at: Self.time(of: position), from: self.segment)
                if segment != self.segment {
                    self.segment = segment
                    try beginFile(at: position, into: recording)
                }
            }
            let room = codec.packetFrames * channels - waiting.count
            let inCell = Int(cell - position % cell) * channels
            let count = min(samples.count - offset, room, inCell)
            let part = samples.extracting(offset..<(offset + count))
            for index in part.indices { waiting.append(part[index]) }
            offset += count
            if waiting.count == codec.packetFrames * channels {
                try encodeWaiting(into: recording)
            }
        }
    }

    /// Ends the encoder, and opens another one for the next file.
    private func beginFile(at position: Int64, into recording: Recording) throws {
        try finish(into: recording)
        encoder = try Self.open(codec, kilobits, hasGlobalHeader)
        first = position
        encoded = 0
    }

    private func encodeWaiting(into recording: Recording) throws {
        let channels = Self.format.channels
        let count = waiting.count / channels
        frame.pointee.format = encoder.context.pointee.sample_fmt.rawValue
        frame.pointee.nb_samples = Int32(count)
        frame.pointee.sample_rate = Int32(Self.format.sampleRate)
        av_channel_layout_default(&frame.pointee.ch_layout, Int32(channels))
        frame.pointee.pts = encoded
        defer { av_frame_unref(frame) }
        try check(av_frame_get_buffer(frame, 0), "allocating samples")
        switch encoder.context.pointee.sample_fmt {
        case AV_SAMPLE_FMT_FLTP:
            for (channel, plane) in [frame.pointee.data.0, frame.pointee.data.1].enumerated()
            where channel < channels {
                guard let plane = UnsafeMutableRawPointer(plane) else { continue }
                for index in 0..<count {
                    let sample = Float(waiting[index * channels + channel]) / 32_768
                    plane.storeBytes(
                        of: sample, toByteOffset: index * MemoryLayout<Float>.stride,
                        as: Float.self)
                }
            }
        default:
            guard let plane = frame.pointee.data.0 else { return }
            waiting.withUnsafeBytes {
                UnsafeMutableRawPointer(plane).copyMemory(
                    from: $0.baseAddress ?? UnsafeRawPointer(plane), byteCount: $0.count)
            }
        }
        encoded += Int64(count)
        waiting.removeAll(keepingCapacity: true)
        try encoder.encode(frame) { try self.add($0, to: recording) }
    }

    /// Takes a packet of the encoder, whose time is in samples. The first ones may be before the
    /// first sample: a decoder needs and drops them.
    private func add(_ made: UnsafeMutablePointer<AVPacket>, to recording: Recording) throws {
        guard let first else { return }
        let position = first + made.pointee.pts
        let next = position + max(made.pointee.duration, 0)
        let start = position < 0 ? -Self.time(of: -position) : Self.time(of: position)
        let packet = try Packet(
            moving: made, stream: stream, start: start,
            duration: (next < 0 ? -Self.time(of: -next) : Self.time(of: next)) - start)
        end = max(Self.time(of: max(next, 0)), end ?? 0)
        recording.add(packet, cell: Recording.cell(of: max(start, Self.time(of: first))))
    }
}
