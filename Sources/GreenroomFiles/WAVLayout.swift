/// What the chunks of a WAV file say, up to its samples.
struct WAVLayout {
    var encoding: WAVEncoding
    var sampleRate: Int
    var channels: Int
    /// The loudspeaker of each channel, a bit each; 0 where the file does not say.
    var speakers: UInt32
    /// From one frame to the next.
    var blockByteCount: Int
    /// Where the samples begin.
    var dataOffset: Int64
    /// Whole frames.
    var frameCount: Int64
    /// Something that the file's owner should know.
    var note: String?

    /// More channels than any common file has; keeps a frame within the read buffer.
    static let mostChannels = 64
    /// More chunks than any common file has before its samples.
    private static let mostChunks = 1000
    private static let conversion = "convert it: ffmpeg -i FILE -c:a pcm_s16le NEW.wav"

    /// Reads the chunks of a file, none of them whole but `fmt ` and `ds64`.
    init(_ file: borrowing Descriptor) throws(MediaFileError) {
        let length = try file.byteCount()
        let name = file.name
        let start = try file.bytes(12, at: 0)
        let form = start.prefix(4)
        guard !form.elementsEqual("RIFX".utf8) else {
            throw MediaFileError(
                .unsupported, file: name, offset: 0, rule: "RIFX: the samples are big-endian",
                cure: Self.conversion)
        }
        guard start.count == 12, start[8...].elementsEqual("WAVE".utf8),
            ["RIFF", "RF64", "BW64"].contains(where: { form.elementsEqual($0.utf8) })
        else {
            throw MediaFileError(
                .malformed, file: name, offset: 0, rule: "a WAV file begins with RIFF … WAVE",
                cure: Self.conversion)
        }

        var format: (values: Format, offset: Int64)?
        var largeDataByteCount: Int64?
        var offset: Int64 = 12
        for _ in 0..<Self.mostChunks {
            let head = try file.bytes(8, at: offset)
            guard head.count == 8 else { break }
            let size = head.uint32(4)
            let body = offset + 8
            switch String(decoding: head.prefix(4), as: UTF8.self) {
            case "ds64":
                let bytes = try file.bytes(24, at: body)
                guard size >= 24, bytes.count == 24 else {
                    throw MediaFileError(
                        .malformed, file: name, offset: offset,
                        rule: "the ds64 chunk is shorter than its 24 bytes of sizes",
                        cure: "make the file again")
                }
                let size = bytes.uint64(8)
                if size > 0 { largeDataByteCount = Int64(clamping: size) }
            case "fmt ":
                let bytes = try file.bytes(Int(min(size, 40)), at: body)
                format = (try Format(bytes, file: name, offset: body), body)
            case "data":
                guard let format else {
                    throw MediaFileError(
                        .malformed, file: name, offset: offset,
                        rule: "the data chunk comes before the fmt chunk that explains it",
                        cure: "make the file again")
                }
                encoding = try format.values.encoding(file: name, offset: format.offset)
                sampleRate = Int(format.values.sampleRate)
                channels = Int(format.values.channels)
                speakers = format.values.speakers
                blockByteCount = Int(format.values.blockByteCount)
                dataOffset = body
                let present = max(0, length - body)
                // 0 and the largest value are what programs leave behind that write to a pipe
                // and cannot go back: then the samples go on to the end.
                let isStreamed = size == 0 || size == .max
                let declared = size == .max ? largeDataByteCount : isStreamed ? nil : Int64(size)
                let count = min(declared ?? present, present)
                frameCount = count / Int64(blockByteCount)
                if let declared, declared > present {
                    note =
                        "\(name): the file was cut off: of \(declared) bytes of samples"
                        + " there are \(present)"
                }
                return
            default:
                break
            }
            // Chunks begin at even offsets.
            offset = body + Int64(size) + Int64(size & 1)
        }
        throw MediaFileError(
            .malformed, file: name, offset: min(offset, length),
            rule: offset > length
                ? "the file ends at byte \(length), before its data chunk"
                : "there is no data chunk",
            cure: "make the file again")
    }
}

/// The fields of a `fmt ` chunk.
private struct Format {
    var tag: UInt16
    var channels: UInt16
    var sampleRate: UInt32
    var blockByteCount: UInt16
    var bits: UInt16
    var speakers: UInt32 = 0

    private static let extensible: UInt16 = 0xFFFE
    private static let cure = "convert it: ffmpeg -i FILE -c:a pcm_s16le NEW.wav"

    init(_ bytes: [UInt8], file: String, offset: Int64) throws(MediaFileError) {
        guard bytes.count >= 16 else {
            throw MediaFileError(
                .malformed, file: file, offset: offset,
                rule: "the fmt chunk has \(bytes.count) of the 16 bytes that it needs",
                cure: "make the file again")
        }
        tag = bytes.uint16(0)
        channels = bytes.uint16(2)
        sampleRate = bytes.uint32(4)
        blockByteCount = bytes.uint16(12)
        bits = bytes.uint16(14)
        // The true tag is the start of a GUID.
        if tag == Self.extensible, bytes.count >= 26 {
            speakers = bytes.uint32(20)
            tag = bytes.uint16(24)
        }
    }

    /// Checks the fields and finds out how samples are written.
    ///
    /// - Parameter offset: Of the chunk's body, for errors.
    func encoding(file: String, offset: Int64) throws(MediaFileError) -> WAVEncoding {
        func refusal(
            _ code: MediaFileError.Code, at place: Int64, _ rule: String
        ) -> MediaFileError {
            MediaFileError(code, file: file, offset: offset + place, rule: rule, cure: Self.cure)
        }
        guard (1...WAVLayout.mostChannels).contains(Int(channels)) else {
            throw refusal(
                channels == 0 ? .malformed : .unsupported, at: 2,
                "\(channels) channels; 1 to \(WAVLayout.mostChannels) are read")
        }
        guard sampleRate > 0 else { throw refusal(.malformed, at: 4, "the sample rate is 0 Hz") }
        guard let names = Self.varieties[tag] else {
            throw refusal(
                .unsupported, at: 0,
                "format \(tag) is compressed or unknown; PCM, float, A-law and µ-law are read")
        }
        let bytes = Int(blockByteCount) / Int(channels)
        guard Int(blockByteCount) == bytes * Int(channels), bytes * 8 >= Int(bits), bytes > 0 else {
            throw refusal(
                .malformed, at: 12,
                "a block of \(blockByteCount) bytes does not hold \(channels) samples"
                    + " of \(bits) bits")
        }
        guard let encoding = names.first(where: { $0.byteCount == bytes }) else {
            throw refusal(.unsupported, at: 14, "samples of \(bytes * 8) bits are not read")
        }
        return encoding
    }

    /// What is read, by `WAVE_FORMAT_PCM`, `IEEE_FLOAT`, `ALAW` and `MULAW`.
    private static let varieties: [UInt16: [WAVEncoding]] = [
        1: (1...4).map { .pcm(bytes: $0) },
        3: [.float(bytes: 4), .float(bytes: 8)],
        6: [.aLaw],
        7: [.muLaw],
    ]
}

extension [UInt8] {
    /// Little-endian numbers; the caller has checked the count.
    fileprivate func uint16(_ offset: Int) -> UInt16 {
        UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }
    fileprivate func uint32(_ offset: Int) -> UInt32 {
        UInt32(uint16(offset)) | UInt32(uint16(offset + 2)) << 16
    }
    fileprivate func uint64(_ offset: Int) -> UInt64 {
        UInt64(uint32(offset)) | UInt64(uint32(offset + 4)) << 32
    }
}
