import Glibc
import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomFiles

/// Builds WAV files byte by byte.
struct Chunks {
    var bytes: [UInt8]

    init(_ form: String = "RIFF", size: UInt32 = 0) {
        bytes = Self.named(form, size)
        bytes += "WAVE".utf8
    }

    /// A name of four letters and a size.
    static func named(_ name: String, _ size: UInt32) -> [UInt8] {
        var bytes = [UInt8](name.utf8)
        bytes += number(size)
        return bytes
    }

    static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// Adds a chunk, padded to even, with its own size or a lie.
    func adding(_ name: String, _ body: [UInt8], size: UInt32? = nil) -> Chunks {
        var copy = self
        copy.bytes += Self.named(name, size ?? UInt32(body.count))
        copy.bytes += body
        if body.count % 2 == 1 { copy.bytes.append(0) }
        return copy
    }

    func format(
        tag: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 8000, block: UInt16 = 2,
        bits: UInt16 = 16
    ) -> Chunks {
        var body = Self.number(tag)
        body += Self.number(channels)
        body += Self.number(rate)
        body += Self.number(rate &* UInt32(block))
        body += Self.number(block)
        body += Self.number(bits)
        return adding("fmt ", body)
    }

    static func samples(_ samples: [Int16]) -> [UInt8] { samples.flatMap { number($0) } }
}

extension WAVReader {
    /// Reads to the end in blocks of a number of frames.
    mutating func rest(block: Int = 1000) throws(MediaFileError) -> [Int16] {
        var all: [Int16] = []
        while true {
            var samples = [Int16](repeating: -1, count: block * channels)
            var span = samples.mutableSpan
            let count = try read(into: &span)
            if count == 0 { return all }
            all += samples[..<(count * channels)]
        }
    }
}

private func noise(_ count: Int, seed: UInt64 = 1) -> [Int16] {
    var state = seed
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int16(truncatingIfNeeded: state >> 40)
    }
}

@Suite(.ownThreads) struct WAVWriterTests {
    @Test(arguments: [1, 2], [8000, 22050, 48000, 192_000])
    func `after every write the file is whole, without closing`(channels: Int, rate: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.wav")
        var writer = try WAVWriter(path: path, sampleRate: rate, channels: channels)
        #expect(try WAVReader(path: path).frameCount == 0)
        let block = noise(480 * channels)
        for count in 1...5 {
            try writer.write(block.span)
            var reader = try WAVReader(path: path)
            #expect(reader.sampleRate == rate)
            #expect(reader.channels == channels)
            #expect(reader.frameCount == Int64(count * 480))
            #expect(reader.note == nil)
            let samples = try reader.rest(block: 77)
            #expect(samples == (0..<count).flatMap { _ in block })
            let bytes = try readFile(path)
            #expect(Array(bytes[4..<8]) == Chunks.number(UInt32(bytes.count - 8)))
        }
        #expect(writer.frameCount == 2400)
        try writer.close()
    }

    @Test(.enabled(if: Oracle.isPresent))
    func `ffmpeg reads what is written`() throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.wav")
        let samples = noise(48_000)
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 2)
        try writer.write(samples.span)
        #expect(
            try Oracle.ffmpeg("-i", path, "-f", "s16le", "-") == Chunks.samples(samples))
        let entries = try Oracle.ffprobe(path, "stream=codec_name,sample_rate,channels,duration_ts")
        #expect(entries == "pcm_s16le 48000 2 24000")
    }

    @Test func `the sizes turn into those of RF64 exactly where 32 bits end`() throws {
        let folder = try TemporaryFolder()
        let path = folder("long.wav")
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 1)
        // The RIFF size counts 72 bytes before the samples, and is even.
        let most = (Int64(UInt32.max) - 72) / 2
        try writer.appendHole(frames: most)
        #expect(try head(path).starts(with: Chunks.named("RIFF", .max - 1)))
        try writer.write([1234].span)
        let header = try head(path)
        #expect(header.starts(with: Chunks.named("RF64", .max)))
        #expect(Array(header[12..<16]) == Array("ds64".utf8))
        #expect(Array(header[20..<28]) == Chunks.number(UInt64((most + 1) * 2 + 72)))
        #expect(Array(header[28..<36]) == Chunks.number(UInt64((most + 1) * 2)))
        #expect(Array(header[36..<44]) == Chunks.number(UInt64(most + 1)))
        var reader = try WAVReader(path: path)
        #expect(reader.frameCount == most + 1)
        reader.seek(toFrame: most - 2)
        #expect(try reader.rest() == [0, 0, 1234])
    }

    @Test(.enabled(if: Oracle.isPresent))
    func `ffmpeg reads a file beyond 4 GiB`() throws {
        let folder = try TemporaryFolder()
        let path = folder("long.wav")
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 2)
        let seconds: Int64 = 30_000
        try writer.appendHole(frames: 48_000 * seconds)
        let samples = noise(960)
        try writer.write(samples.span)
        #expect(byteCount(path) > 5 << 30)
        #expect(
            try Oracle.ffprobe(path, "stream=duration_ts") == "\(48_000 * seconds + 480)")
        let tail = try Oracle.ffmpeg("-ss", "\(seconds)", "-i", path, "-f", "s16le", "-")
        #expect(tail == Chunks.samples(samples))
    }

    @Test func `half a frame, an odd shape and a pipe are refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.wav")
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 2)
        #expect(throws: MediaFileError.self) { try writer.write([1, 2, 3].span) }
        #expect(try WAVReader(path: path).frameCount == 0)
        let shapes: [(Int, Int)] = [(0, 1), (-1, 1), (.max, 1), (48_000, 0), (48_000, 3)]
        for (rate, channels) in shapes {
            #expect(throws: MediaFileError.self) {
                _ = try WAVWriter(path: path, sampleRate: rate, channels: channels)
            }
        }
        #expect(throws: MediaFileError.self) {
            _ = try WAVWriter(path: "/dev/null", sampleRate: 48_000, channels: 2)
        }
    }

    /// The header; the file may be too long to be read whole.
    private func head(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 80)
        try #require(read(descriptor, &bytes, bytes.count) == bytes.count)
        return bytes
    }
}

@Suite(.ownThreads) struct WAVReaderTests {
    struct Variety: Sendable {
        var codec: String
        /// How far a sample may be from ffmpeg's, which cuts long numbers where we round.
        var tolerance: Int
    }

    static let varieties = [
        Variety(codec: "pcm_u8", tolerance: 0), Variety(codec: "pcm_s16le", tolerance: 0),
        Variety(codec: "pcm_s24le", tolerance: 1), Variety(codec: "pcm_s32le", tolerance: 1),
        Variety(codec: "pcm_f32le", tolerance: 1), Variety(codec: "pcm_f64le", tolerance: 1),
        Variety(codec: "pcm_alaw", tolerance: 0), Variety(codec: "pcm_mulaw", tolerance: 0),
    ]

    /// Every 16-bit value, as floating point so that the low bits of long numbers matter.
    static let everyValue = (0..<65_536).flatMap { (index: Int) -> [UInt8] in
        let step = index * 40_503 % 65_536 - 32_768
        return Chunks.number((Float(step) / 32_768.3).bitPattern)
    }

    @Test(.enabled(if: Oracle.isPresent), arguments: varieties, [1, 2])
    func `every encoding reads as ffmpeg reads it`(variety: Variety, channels: Int) throws {
        let folder = try TemporaryFolder()
        let raw = try folder.write("raw", Self.everyValue)
        let path = folder("sound.wav")
        _ = try Oracle.ffmpeg(
            "-f", "f32le", "-ar", "44100", "-ac", "\(channels)", "-i", raw,
            "-c:a", variety.codec, path)
        let expected = try Oracle.ffmpeg("-i", path, "-f", "s16le", "-")
        var reader = try WAVReader(path: path)
        #expect(reader.sampleRate == 44_100)
        #expect(reader.channels == channels)
        #expect(reader.note == nil)
        let samples = try reader.rest()
        try #require(samples.count == expected.count / 2)
        var worst = 0
        for (index, sample) in samples.enumerated() {
            let low = UInt16(expected[index * 2])
            let high = UInt16(expected[index * 2 + 1])
            let other = Int16(bitPattern: high << 8 | low)
            worst = max(worst, abs(Int(sample) - Int(other)))
        }
        #expect(worst <= variety.tolerance)
    }

    @Test(.enabled(if: Oracle.isPresent))
    func `RF64 and streamed files of ffmpeg are read to their end`() throws {
        let folder = try TemporaryFolder()
        let samples = noise(20_000)
        let raw = try folder.write("raw", Chunks.samples(samples))
        let input = ["-f", "s16le", "-ar", "48000", "-ac", "2", "-i", raw]
        let large = folder("large.wav")
        _ = try Oracle.ffmpeg(input + ["-rf64", "always", large])
        #expect(try readFile(large).starts(with: "RF64".utf8))
        var reader = try WAVReader(path: large)
        #expect(try reader.rest() == samples)
        let streamed = try Oracle.ffmpeg(input + ["-f", "wav", "-"])
        var second = try WAVReader(path: try folder.write("streamed.wav", streamed))
        #expect(try second.rest() == samples)
        #expect(second.note == nil)
    }

    @Test(arguments: [0, UInt32.max])
    func `a size that was never filled in means to the end`(size: UInt32) throws {
        let folder = try TemporaryFolder()
        let file = Chunks().format().adding("data", Chunks.samples([1, 2, 3]), size: size)
        var reader = try WAVReader(path: try folder.write("a.wav", file.bytes))
        #expect(try reader.rest() == [1, 2, 3])
    }

    @Test func `other chunks are skipped, odd ones with their padding`() throws {
        let folder = try TemporaryFolder()
        let file = Chunks()
            .adding("LIST", Array("abc".utf8)).format().adding("bext", [1]).adding("junk", [])
            .adding("data", Chunks.samples([5, 6])).adding("LIST", Array("trailer".utf8))
        var reader = try WAVReader(path: try folder.write("a.wav", file.bytes))
        #expect(reader.frameCount == 2)
        #expect(try reader.rest() == [5, 6])
        reader.seek(toFrame: 1)
        #expect(try reader.rest() == [6])
        reader.seek(toFrame: -5)
        #expect(try reader.rest(block: 1) == [5, 6])
        reader.seek(toFrame: .max)
        #expect(try reader.rest() == [])
    }

    @Test func `a file that was cut off gives what is there, whole frames, and a note`() throws {
        let folder = try TemporaryFolder()
        let file = Chunks().format(channels: 2, block: 4)
            .adding("data", Chunks.samples([1, 2, 3, 4, 5]), size: 4000)
        var reader = try WAVReader(path: try folder.write("a.wav", file.bytes))
        #expect(try reader.rest() == [1, 2, 3, 4])
        #expect(reader.note?.contains("of 4000 bytes of samples there are 10") == true)
    }

    @Test func `more than two channels become stereo and none of the speech is lost`() throws {
        let folder = try TemporaryFolder()
        func stereo(_ frame: [Int16]) throws -> [Int16] {
            let count = UInt16(frame.count)
            let file = Chunks().format(channels: count, block: count * 2)
                .adding("data", Chunks.samples(frame))
            var reader = try WAVReader(path: try folder.write("a.wav", file.bytes))
            #expect(reader.channels == 2)
            #expect(reader.fileChannels == frame.count)
            return try reader.rest()
        }
        // 5.1: front left, front right, centre, effects, back left, back right.
        let lowered = 10_000 / (1 + 2 * 0.5.squareRoot())
        let front = Int16(lowered.rounded())
        let centre = Int16((lowered * 0.5.squareRoot()).rounded())
        #expect(try stereo([10_000, 0, 0, 0, 0, 0]) == [front, 0])
        #expect(try stereo([0, 10_000, 0, 0, 0, 0]) == [0, front])
        #expect(try stereo([0, 0, 10_000, 0, 0, 0]) == [centre, centre])
        #expect(try stereo([0, 0, 0, 10_000, 0, 0]) == [0, 0])
        #expect(try stereo([0, 0, 0, 0, 10_000, 0]) == [centre, 0])
        #expect(try stereo([0, 0, 0, 0, 0, 10_000]) == [0, centre])
        // Full scale on every channel is full scale, and does not clip into noise.
        for count in 3...64 {
            let loudest = try stereo([Int16](repeating: .max, count: count)).max() ?? 0
            #expect(loudest > 32_700)
        }
    }

    struct Bad: Sendable {
        var bytes: [UInt8]
        var offset: Int64
        var code: MediaFileError.Code
        var rule: String
    }

    static let bad: [Bad] = {
        var all: [Bad] = []
        func add(_ bytes: [UInt8], _ offset: Int64, _ code: MediaFileError.Code, _ rule: String) {
            all.append(Bad(bytes: bytes, offset: offset, code: code, rule: rule))
        }
        func add(_ file: Chunks, _ offset: Int64, _ code: MediaFileError.Code, _ rule: String) {
            add(file.bytes, offset, code, rule)
        }
        add([], 0, .malformed, "begins with RIFF")
        add([UInt8]("RIFF".utf8), 0, .malformed, "begins with RIFF")
        add([UInt8]("RIFF....AVI ".utf8), 0, .malformed, "begins with RIFF")
        add(Chunks("RIFX"), 0, .unsupported, "big-endian")
        add(Chunks(), 12, .malformed, "no data chunk")
        add(Chunks().format(), 36, .malformed, "no data chunk")
        let lying = Chunks().format().adding("LIST", [], size: 0xFFFF_FFF0)
        add(lying, 44, .malformed, "ends at byte 44")
        add(Chunks().adding("data", [0, 0]), 12, .malformed, "before the fmt chunk")
        add(Chunks().adding("fmt ", [1, 0]), 20, .malformed, "2 of the 16 bytes")
        add(Chunks().adding("fmt ", [1, 0, 1], size: 16), 20, .malformed, "4 of the 16 bytes")
        add(Chunks("RF64").adding("ds64", [1, 2, 3]), 12, .malformed, "ds64")

        func add(_ format: Chunks, at offset: Int64, _ code: MediaFileError.Code, _ rule: String) {
            add(format.adding("data", []), offset, code, rule)
        }
        add(Chunks().format(channels: 0), at: 22, .malformed, "0 channels")
        add(Chunks().format(channels: 65_535), at: 22, .unsupported, "65535 channels")
        add(Chunks().format(rate: 0), at: 24, .malformed, "0 Hz")
        add(Chunks().format(block: 0), at: 32, .malformed, "a block of 0 bytes")
        add(Chunks().format(channels: 2, block: 3), at: 32, .malformed, "a block of 3 bytes")
        add(Chunks().format(bits: 24), at: 32, .malformed, "24 bits")
        add(Chunks().format(block: 8, bits: 64), at: 34, .unsupported, "64 bits")
        add(Chunks().format(tag: 2), at: 20, .unsupported, "format 2")

        var many = Chunks()
        for _ in 0...1000 { many = many.adding("junk", []) }
        add(many, 8012, .malformed, "no data chunk")
        return all
    }()

    @Test(arguments: bad)
    func `what is wrong is named with its place`(bad: Bad) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("bad.wav", bad.bytes)
        let error = #expect(throws: MediaFileError.self) { _ = try WAVReader(path: path) }
        #expect(error?.offset == bad.offset)
        #expect(error?.code == bad.code)
        #expect(error?.rule.contains(bad.rule) == true)
        #expect(error?.cure.isEmpty == false)
    }

    @Test func `headers of noise are refused or read, and never trap`() throws {
        let folder = try TemporaryFolder()
        let large = Chunks("RF64").adding("ds64", [UInt8](repeating: 9, count: 28))
        let whole = large.format(channels: 2, block: 4)
            .adding("data", Chunks.samples(noise(200))).bytes
        for seed in 0..<500 {
            var bytes = whole
            for flip in noise(6, seed: UInt64(seed)) {
                bytes[Int(flip.magnitude) % 90] = UInt8(truncatingIfNeeded: flip >> 3)
            }
            let path = try folder.write("noise.wav", bytes)
            do {
                #expect(try sampleCount(path) <= bytes.count * 2)
            } catch let error as MediaFileError {
                #expect(!error.rule.isEmpty)
            }
        }
    }

    private func sampleCount(_ path: String) throws -> Int {
        var reader = try WAVReader(path: path)
        return try reader.rest().count
    }
}
