import CFFmpeg
import PluginEncoding
import MediaDecisions
import GreenroomPlugin

/// Decodes a file's audio for positions that are asked for one after the other.
final class AudioReader {
    private let source: any MediaSource
    private var parameters: StreamParameters
    private var decoder: MediaDecoder
    private var damage: DamageLog
    let format: AudioFormat
    private let frame: MediaFrame
    private var resampler: OpaquePointer?
    /// The format of the frames that the resampler takes.
    private var input: Input?
    private var leg: Int?
    private var isAtEnd = false
    /// Decoded samples, channels interleaved, and the place of the first in the file.
    private var samples: [Int16] = []
    private var first = 0
    /// The end of the last request, in samples.
    private var expected: Int?
    /// The sample with which a drift of the timestamps is compensated.
    private var compensatedUntil: Int?

    private struct Input: Equatable {
        var rate: Int32
        var channels: Int32
        var layout: UInt64
        var format: Int32
    }

    /// - Parameter format: The format to send; nil: the file's own, if the host takes it.
    init(
        _ source: any MediaSource, _ parameters: StreamParameters, format: AudioFormat?,
        host: PluginHost
    ) throws {
        self.source = source
        self.parameters = parameters
        decoder = try MediaDecoder(parameters, threads: 1)
        damage = DamageLog(name: source.name, host: host)
        frame = try MediaFrame()
        let codec = parameters.pointer.pointee
        let rate = Int(codec.sample_rate)
        self.format =
            format
            ?? AudioFormat(
                sampleRate: AudioFormat.legalRates.contains(rate) ? rate : 48_000,
                channels: codec.ch_layout.nb_channels == 1 ? 1 : 2)
    }

    deinit { swr_free(&resampler) }

    /// Fills a block with what is heard from a time of the session's clock on. The rest stays silent.
    ///
    /// - Throws: ``NothingNew`` after the end, and without a connection.
    func fill(_ block: inout MutableSpan<Int16>, at time: Int64) throws {
        let count = block.count / format.channels
        var done = 0
        while done < count {
            let now = time + Int64(done) * 1_000_000_000 / Int64(format.sampleRate)
            let place = source.place(at: now)
            guard !place.stands else {
                expected = nil
                if place.isOver, done == 0 { throw NothingNew() }
                return
            }
            let speed = source.speed
            var start = index(of: place.position)
            if leg != place.leg.number {
                try begin(place)
            } else if speed == 1, let expected, abs(expected - start) <= 1 {
                start = expected
            }
            let last = index(of: min(place.leg.end, place.position + 1_000_000_000))
            let rest = max(Int(Double(last - start) / speed), 1)
            let part = min(count - done, rest)
            let end = start + Int((Double(part) * speed).rounded(.up))
            try decode(from: start, to: end + 1, place)
            let decoded = samples.isEmpty ? 0 : first + samples.count / format.channels - start
            if source.isLost, done == 0, decoded <= 0 { throw NothingNew() }
            if speed == 1 {
                copy(start, part, to: &block, at: done)
                expected = start + part
            } else {
                stretch(start, part, speed, to: &block, at: done)
                expected = nil
            }
            done += part
        }
    }

    /// The sample at a position.
    private func index(of position: Int64) -> Int {
        Int(av_rescale(position, Int64(format.sampleRate), 1_000_000_000))
    }

    private func begin(_ place: Playback.Place) throws {
        if let now = source.parameters(of: .audio), now !== parameters {
            decoder = try MediaDecoder(now, threads: 1)
            parameters = now
        } else {
            decoder.flush()
        }
        swr_free(&resampler)
        input = nil
        leg = place.leg.number
        isAtEnd = false
        samples.removeAll(keepingCapacity: true)
        (expected, compensatedUntil) = (nil, nil)
    }

    private func copy(_ start: Int, _ count: Int, to block: inout MutableSpan<Int16>, at done: Int)
    {
        let channels = format.channels
        for index in 0..<(count * channels) {
            let sample = (start - first) * channels + index
            if samples.indices.contains(sample) {
                block[done * channels + index] = samples[sample]
            }
        }
    }

    private func stretch(
        _ start: Int, _ count: Int, _ speed: Double, to block: inout MutableSpan<Int16>,
        at done: Int
    ) {
        let channels = format.channels
        for index in 0..<count {
            let position = Double(start - first) + Double(index) * speed
            let whole = Int(position.rounded(.down))
            let fraction = position - Double(whole)
            for channel in 0..<channels {
                let (one, two) = (
                    sample(whole, channel), sample(whole + 1, channel)
                )
                block[(done + index) * channels + channel] = Int16(
                    (one + (two - one) * fraction).rounded())
            }
        }
    }

    private func sample(_ index: Int, _ channel: Int) -> Double {
        let place = index * format.channels + channel
        return samples.indices.contains(place) ? Double(samples[place]) : 0
    }

    // MARK: Decoding

    /// Samples that are kept before the current request.
    private static let kept = 4096
    /// Seconds: a longer gap of the timestamps is silent, and a longer overlap is cut.
    private static let longestDrift = 0.1
    /// Seconds: a longer drift is compensated, a shorter one is rounding.
    private static let longestRounding = 0.03
    /// The part of the rate by which audio is slowed down or sped up.
    private static let compensation = 0.02

    private func decode(from start: Int, to end: Int, _ place: Playback.Place) throws {
        let channels = format.channels
        if start - first > 16 * Self.kept, !samples.isEmpty {
            let count = min(start - first - Self.kept, samples.count / channels)
            samples.removeFirst(count * channels)
            first += count
        }
        MediaTrack.audio.beginDecoding(at: place.position)
        defer { MediaTrack.audio.endDecoding() }
        while !isAtEnd, samples.isEmpty || first + samples.count / channels < end {
            let outcome = try decoder.decode(into: frame) {
                try source.packet(of: .audio, at: place)
            } skips: { _ in
                false
            } damaged: { code in
                damage.note(code, at: place.position)
            }
            guard outcome == .frame else {
                isAtEnd = outcome == .end
                return
            }
            try append(place)
        }
    }

    /// Appends the samples of the decoded frame.
    private func append(_ place: Playback.Place) throws {
        let channels = format.channels
        let time = frame.pointer.pointee.best_effort_timestamp
        let end = first + samples.count / channels
        if time != CFFMPEG_NO_TIME {
            let start = index(of: nanoseconds(time, parameters.timeBase) - source.origin)
            if samples.isEmpty {
                first = start
            } else {
                follow(start - end)
            }
        } else if samples.isEmpty {
            first = index(of: place.leg.start)
        }
        try resample()
    }

    /// Follows timestamps that are later or earlier than the samples.
    private func follow(_ gap: Int) {
        let (channels, rate) = (format.channels, Double(format.sampleRate))
        let drift = Double(gap).magnitude
        if drift > Self.longestDrift * rate {
            compensatedUntil = nil
            if gap > 0 {
                let silence = min(gap, 10 * format.sampleRate)
                samples.append(contentsOf: repeatElement(0, count: silence * channels))
            } else {
                samples.removeLast(min(-gap * channels, samples.count))
            }
        } else if drift > Self.longestRounding * rate {
            let end = first + samples.count / channels
            guard compensatedUntil.map({ end >= $0 }) ?? true else { return }
            let distance = Int(drift / Self.compensation)
            guard swr_set_compensation(resampler, Int32(gap), Int32(distance)) >= 0 else { return }
            compensatedUntil = end + distance
        }
    }

    private func resample() throws {
        let decoded = frame.pointer
        let now = Input(
            rate: decoded.pointee.sample_rate, channels: decoded.pointee.ch_layout.nb_channels,
            layout: decoded.pointee.ch_layout.u.mask, format: decoded.pointee.format)
        if now != input {
            swr_free(&resampler)
            var layout = AVChannelLayout()
            av_channel_layout_default(&layout, Int32(format.channels))
            try check(
                swr_alloc_set_opts2(
                    &resampler, &layout, AV_SAMPLE_FMT_S16, Int32(format.sampleRate),
                    &decoded.pointee.ch_layout, AVSampleFormat(rawValue: now.format), now.rate, 0,
                    nil), "audio: resampling")
            try check(swr_init(resampler), "audio: resampling")
            input = now
        }
        let channels = format.channels
        let room = Int(swr_get_out_samples(resampler, decoded.pointee.nb_samples))
        guard room > 0, room < 10_000_000 else { return }
        let before = samples.count
        samples.append(contentsOf: repeatElement(0, count: room * channels))
        let made = samples.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let base = buffer.baseAddress else { return 0 }
            return UnsafeMutableRawPointer(base + before).withMemoryRebound(
                to: UInt8.self, capacity: room * channels * 2
            ) { bytes in
                var output: UnsafeMutablePointer<UInt8>? = bytes
                let input = UnsafeMutableRawPointer(decoded.pointee.extended_data)?
                    .assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
                return swr_convert(
                    resampler, &output, Int32(room), input, decoded.pointee.nb_samples)
            }
        }
        samples.removeLast((room - max(Int(made), 0)) * channels)
    }
}
