import GreenroomSystem
package import GreenroomMedia

/// Audio as a stream: a WAV file of integer or floating-point samples, or plain 16-bit little-endian samples.
///
/// A stream that begins with `RIFF` is a WAV file; its own length does not count if the program that wrote
/// it could not know it.
package struct PCMStream {
    /// A sample in the stream.
    private enum Sample {
        case unsigned8, signed16, signed24, signed32, float32

        var byteCount: Int {
            switch self {
            case .unsigned8: 1
            case .signed16: 2
            case .signed24: 3
            case .signed32, .float32: 4
            }
        }
    }

    /// The sample rate, and one or two channels.
    package let format: AudioFormat

    private let sample: Sample
    /// The bytes that were read to see what the stream is, and are still to be played.
    private var begun: [UInt8]
    /// The bytes of samples that are left; nil for all until the stream ends.
    private var left: Int?

    /// Reads the header, if there is one.
    ///
    /// - Parameters:
    ///   - stream: At its first byte; afterwards at the first sample.
    ///   - plain: The format of a stream without a header.
    ///   - name: The name for errors.
    /// - Returns: nil if the stream ends before its first sample.
    /// - Throws: ``FileError`` with the rule, or an error of the stream.
    package init?(
        _ stream: inout some ByteSource, plain: AudioFormat, name: String
    ) throws {
        let start = try stream.bytes(4)
        guard start.count == 4 else { return nil }
        guard start.elementsEqual("RIFF".utf8) else {
            (format, sample, begun, left) = (plain, .signed16, start, nil)
            return
        }
        guard let header = try Self.readHeader(from: &stream, name: name) else { return nil }
        (format, sample, left) = header
        begun = []
    }

    private static func readHeader(
        from stream: inout some ByteSource, name: String
    ) throws -> (AudioFormat, Sample, left: Int?)? {
        let form = try stream.bytes(8)
        guard form.count == 8 else { return nil }
        guard form[4...].elementsEqual("WAVE".utf8) else {
            throw malformed("a RIFF stream of audio is of the form WAVE", name)
        }
        var found: (AudioFormat, Sample)?
        while true {
            let chunk = try stream.bytes(8)
            guard chunk.count == 8 else { return nil }
            let length = Int(little(chunk[4...]))
            if chunk.starts(with: "data".utf8) {
                guard let (format, sample) = found else {
                    throw malformed("the chunk \"fmt \" comes before \"data\"", name)
                }
                // A program that writes to a pipe can't fill in the length later.
                let isOpen = length == 0 || length >= 0x7FFF_0000
                return (format, sample, isOpen ? nil : length)
            }
            guard length <= 1 << 20 else {
                throw malformed("a chunk before \"data\" has \(length) bytes", name)
            }
            // Chunks have an even length.
            let padded = length + length % 2
            if chunk.starts(with: "fmt ".utf8) {
                let content = try stream.bytes(padded)
                guard content.count == padded else { return nil }
                found = try format(content, name)
            } else {
                guard try stream.skip(padded) else { return nil }
            }
        }
    }

    private static func format(
        _ chunk: [UInt8], _ name: String
    ) throws(FileError) -> (AudioFormat, Sample) {
        guard chunk.count >= 16 else { throw malformed("the chunk \"fmt \" is too short", name) }
        var tag = little(chunk[0..<2])
        let (channels, rate, bits) = (
            Int(little(chunk[2..<4])), Int(little(chunk[4..<8])), Int(little(chunk[14..<16]))
        )
        if tag == 0xFFFE, chunk.count >= 26 { tag = little(chunk[24..<26]) }
        let sample: Sample? =
            switch (tag, bits) {
            case (1, 8): .unsigned8
            case (1, 16): .signed16
            case (1, 24): .signed24
            case (1, 32): .signed32
            case (3, 32): .float32
            default: nil
            }
        guard let sample else {
            throw unsupported(
                "the samples have type \(tag) with \(bits) bits", "-c:a pcm_s16le", name)
        }
        let format = AudioFormat(sampleRate: rate, channels: channels)
        guard format.isLegal else {
            throw unsupported(
                "\(channels) channels at \(rate) Hz; only 1 or 2 channels at 8000 to 192000 Hz can be "
                    + "played", "-ac 2 -ar 48000", name)
        }
        return (format, sample)
    }

    private static func little(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func malformed(_ rule: String, _ name: String) -> FileError {
        FileError(.malformed, file: name, rule: rule, cure: "the stream is damaged here")
    }

    private static func unsupported(
        _ rule: String, _ options: String, _ name: String
    ) -> FileError {
        FileError(
            .unsupported, file: name, rule: rule,
            cure: "with ffmpeg, add \(options) before the output")
    }

    /// Reads samples, channels interleaved.
    ///
    /// - Parameter frames: Samples of each channel, at least 1.
    /// - Returns: Fewer only at the end of the stream.
    package mutating func read(
        _ frames: Int, from stream: inout some ByteSource
    ) throws -> [Int16] {
        let step = sample.byteCount * format.channels
        let wanted = min(frames * step, (left ?? .max) / step * step)
        var bytes = begun
        begun = []
        if wanted > bytes.count { bytes += try stream.bytes(wanted - bytes.count) }
        if let left { self.left = left - wanted }
        return (0..<(bytes.count / step * format.channels)).map {
            decode(bytes[($0 * sample.byteCount)...].prefix(sample.byteCount))
        }
    }

    private func decode(_ bytes: ArraySlice<UInt8>) -> Int16 {
        let bits = Self.little(bytes)
        return switch sample {
        case .unsigned8: Int16(Int(bits) - 128) << 8
        case .signed16: Int16(truncatingIfNeeded: bits)
        case .signed24: Int16(truncatingIfNeeded: bits >> 8)
        case .signed32: Int16(truncatingIfNeeded: bits >> 16)
        case .float32:
            // NaN becomes silence.
            Int16(min(max(Float(bitPattern: bits).rounded(toScale: 32_768), -32_768), 32_767))
        }
    }
}

extension Float {
    fileprivate func rounded(toScale scale: Float) -> Float {
        isNaN ? 0 : (self * scale).rounded()
    }
}
