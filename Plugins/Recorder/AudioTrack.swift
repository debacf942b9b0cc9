import CFFmpeg
import PluginEncoding
import GreenroomPlugin

/// An audio track of a recording. Each file has a separate encoder, so that the file begins and ends at an
/// exact sample.
final class AudioTrack {
    static let format = AudioEncoder.format

    let stream: Int
    /// The end of what is encoded, in nanoseconds from the session's start; nil without any.
    private(set) var end: Int64?
    private(set) var encoder: AudioEncoder

    private let codec: AudioCodec
    private let kilobits: Int
    private let hasGlobalHeader: Bool
    /// The number of the file that the newest samples are in.
    private var segment = 0
    /// The first sample of the encoder, from 0 at the start of the session; nil before it.
    private var first: Int64?

    init(stream: Int, codec: AudioCodec, kilobits: Int, hasGlobalHeader: Bool) throws {
        self.stream = stream
        self.codec = codec
        self.kilobits = kilobits
        self.hasGlobalHeader = hasGlobalHeader
        encoder = try AudioEncoder(
            codec: codec, kilobits: kilobits, hasGlobalHeader: hasGlobalHeader)
    }

    /// Nanoseconds at a sample from the session's start.
    static func time(of sample: Int64) -> Int64 {
        let rate = Int64(format.sampleRate)
        let (seconds, rest) = sample.quotientAndRemainder(dividingBy: rate)
        return seconds * 1_000_000_000 + rest * 1_000_000_000 / rate
    }

    /// Encodes a block of audio.
    ///
    /// - Parameter index: Its first sample, from 0 at the start of the session.
    func take(_ samples: Span<Int16>, index: Int64, into recording: FileTracks) throws {
        guard index >= 0, index < 1 << 46 else { return }
        // Replace lost blocks with silence, so that later samples keep their time.
        if let first {
            let missing = index - (first + encoder.count)
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
    func finish(into recording: FileTracks) throws {
        guard let first else { return }
        try encoder.finish { try self.add($0, to: recording) }
        end = Self.time(of: first + encoder.encoded)
    }

    private func append(_ samples: Span<Int16>, into recording: FileTracks) throws {
        let channels = Self.format.channels
        let cell = Int64(Self.format.sampleRate) * FileTracks.cellNanoseconds / 1_000_000_000
        var offset = 0
        while offset + channels <= samples.count {
            guard let first else { return }
            let position = first + encoder.count
            // A file begins at the start of a cell.
            if position % cell == 0 {
                let segment = recording.segment(
                    at: Self.time(of: position), from: self.segment)
                if segment != self.segment {
                    self.segment = segment
                    try beginFile(at: position, into: recording)
                }
            }
            let inCell = Int(cell - position % cell) * channels
            let count = min(samples.count - offset, inCell)
            try encoder.append(samples.extracting(offset..<(offset + count))) {
                try self.add($0, to: recording)
            }
            offset += count
        }
    }

    /// Ends the encoder, and opens another one for the next file.
    private func beginFile(at position: Int64, into recording: FileTracks) throws {
        try finish(into: recording)
        encoder = try AudioEncoder(
            codec: codec, kilobits: kilobits, hasGlobalHeader: hasGlobalHeader)
        first = position
    }

    /// Adds a packet of the encoder, whose time is in samples. The first packets may precede the first
    /// sample, because a decoder needs and then drops them.
    private func add(_ made: UnsafeMutablePointer<AVPacket>, to recording: FileTracks) throws {
        guard let first else { return }
        let position = first + made.pointee.pts
        let next = position + max(made.pointee.duration, 0)
        let start = position < 0 ? -Self.time(of: -position) : Self.time(of: position)
        let packet = try Packet(
            moving: made, stream: stream, start: start,
            duration: (next < 0 ? -Self.time(of: -next) : Self.time(of: next)) - start)
        end = max(Self.time(of: max(next, 0)), end ?? 0)
        recording.add(packet, cell: FileTracks.cell(of: max(start, Self.time(of: first))))
    }
}
