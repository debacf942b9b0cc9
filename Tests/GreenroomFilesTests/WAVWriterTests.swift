import GreenroomSystem
import Glibc
import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomFiles

private func noise(_ count: Int, seed: UInt64 = 1) -> [Int16] {
    var state = seed
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int16(truncatingIfNeeded: state >> 40)
    }
}

@Suite(.ownThreads) struct WAVWriterTests {
    @Test(arguments: [1, 2], [8000, 22050, 48000, 192_000])
    func `a WAV file is valid after every write, without closing`(channels: Int, rate: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.wav")
        var writer = try WAVWriter(path: path, sampleRate: rate, channels: channels)
        #expect(try AudioFile(path).frameCount == 0)
        let block = noise(480 * channels)
        for count in 1...5 {
            try writer.write(block.span)
            let file = try AudioFile(path)
            #expect(file.sampleRate == rate)
            #expect(file.channels == channels)
            #expect(file.frameCount == Int64(count * 480))
            #expect(file.isConsistent)
            #expect(file.samples == (0..<count).flatMap { _ in block })
            let bytes = try readFile(path)
            #expect(Array(bytes[4..<8]) == WAVChunks.number(UInt32(bytes.count - 8)))
        }
        #expect(writer.frameCount == 2400)
        try writer.close()
    }

    @Test(.enabled(if: Oracle.isPresent))
    func `ffmpeg reads the written samples`() throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.wav")
        let samples = noise(48_000)
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 2)
        try writer.write(samples.span)
        #expect(
            try Oracle.ffmpeg("-i", path, "-f", "s16le", "-") == WAVChunks.samples(samples))
        let entries = try Oracle.ffprobe(path, "stream=codec_name,sample_rate,channels,duration_ts")
        #expect(entries == "pcm_s16le 48000 2 24000")
    }

    @Test func `the header becomes RF64 exactly when the sizes exceed 32 bits`() throws {
        let folder = try TemporaryFolder()
        let path = folder("long.wav")
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 1)
        // The RIFF size counts 72 bytes before the samples, and is even.
        let most = (Int64(UInt32.max) - 72) / 2
        try writer.appendHole(frames: most)
        #expect(try head(path).starts(with: WAVChunks.named("RIFF", .max - 1)))
        try writer.write([1234].span)
        let header = try head(path)
        #expect(header.starts(with: WAVChunks.named("RF64", .max)))
        #expect(Array(header[12..<16]) == Array("ds64".utf8))
        #expect(Array(header[20..<28]) == WAVChunks.number(UInt64((most + 1) * 2 + 72)))
        #expect(Array(header[28..<36]) == WAVChunks.number(UInt64((most + 1) * 2)))
        #expect(Array(header[36..<44]) == WAVChunks.number(UInt64(most + 1)))
        let file = try AudioFile(path, from: most - 2)
        #expect(file.frameCount == most + 1)
        #expect(file.samples == [0, 0, 1234])
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
        #expect(tail == WAVChunks.samples(samples))
    }

    @Test func `half a frame, an invalid format and a pipe are refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.wav")
        var writer = try WAVWriter(path: path, sampleRate: 48_000, channels: 2)
        #expect(throws: FileError.self) { try writer.write([1, 2, 3].span) }
        #expect(try AudioFile(path).frameCount == 0)
        let shapes: [(Int, Int)] = [(0, 1), (-1, 1), (.max, 1), (48_000, 0), (48_000, 3)]
        for (rate, channels) in shapes {
            #expect(throws: FileError.self) {
                _ = try WAVWriter(path: path, sampleRate: rate, channels: channels)
            }
        }
        #expect(throws: FileError.self) {
            _ = try WAVWriter(path: "/dev/null", sampleRate: 48_000, channels: 2)
        }
    }

    /// The header; the file may be too long to read.
    private func head(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 80)
        try #require(read(descriptor, &bytes, bytes.count) == bytes.count)
        return bytes
    }
}
