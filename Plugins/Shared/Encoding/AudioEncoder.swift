package import CFFmpeg
package import GreenroomMedia

/// Encodes samples of 48 kHz in packets of the length that the codec has.
package final class AudioEncoder {
    /// The format of the samples.
    package static let format = AudioFormat.session

    package let encoder: Encoder
    /// Samples of each channel that the encoder has got.
    package private(set) var encoded: Int64 = 0
    /// Samples that wait until a packet is full; channels interleaved.
    private var waiting: [Int16] = []
    private let packetSamples: Int
    private let frame: UnsafeMutablePointer<AVFrame>

    /// - Parameter hasGlobalHeader: Whether the muxer wants the parameters of the codec beside the stream.
    package init(codec: AudioCodec, kilobits: Int, hasGlobalHeader: Bool) throws {
        packetSamples = codec.packetFrames * Self.format.channels
        waiting.reserveCapacity(packetSamples)
        encoder = try Encoder(codec.encoders) { name, context, _ in
            context.sample_fmt = name == "aac" ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_S16
            context.sample_rate = Int32(Self.format.sampleRate)
            av_channel_layout_default(&context.ch_layout, Int32(Self.format.channels))
            context.time_base = AVRational(num: 1, den: Int32(Self.format.sampleRate))
            context.bit_rate = Int64(kilobits) * 1000
            if hasGlobalHeader { context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
            return []
        }
        frame = try allocated(av_frame_alloc())
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
    }

    /// The samples of each channel that were appended.
    package var count: Int64 { encoded + Int64(waiting.count / Self.format.channels) }

    /// Takes samples, channels interleaved, and encodes each packet that is full.
    ///
    /// - Parameter take: Takes over the content of each packet that is ready; its time is in samples. The
    ///   first ones may be before the first sample: a decoder needs and drops them.
    package func append(
        _ samples: Span<Int16>, _ take: (UnsafeMutablePointer<AVPacket>) throws -> Void
    ) throws {
        var offset = 0
        while offset < samples.count {
            let count = min(samples.count - offset, packetSamples - waiting.count)
            let part = samples.extracting(offset..<(offset + count))
            for index in part.indices { waiting.append(part[index]) }
            offset += count
            if waiting.count == packetSamples { try encodeWaiting(take) }
        }
    }

    /// Encodes the rest.
    package func finish(_ take: (UnsafeMutablePointer<AVPacket>) throws -> Void) throws {
        if !waiting.isEmpty { try encodeWaiting(take) }
        try encoder.encode(nil, take)
    }

    private func encodeWaiting(_ take: (UnsafeMutablePointer<AVPacket>) throws -> Void) throws {
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
        try encoder.encode(frame, take)
    }
}
