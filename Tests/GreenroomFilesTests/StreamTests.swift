import GreenroomMedia
import GreenroomSystem
import TestSupport
import Testing

@testable import GreenroomFiles

/// Bytes in memory, given in pieces of random lengths.
private struct TestBytes: ByteSource {
    var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        let part = rest.prefix(memory.count)
        memory.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
    }
}

/// Tests of media that comes through pipes.
@Suite struct StreamTests {
    private static let size = FrameSize(width: 3, height: 5)

    private static func film(_ count: Int, line: String = "FRAME\n") -> [UInt8] {
        Array("YUV4MPEG2 W3 H5 F25:1 C420jpeg\n".utf8)
            + (0..<count).flatMap { line.utf8 + TestFrame(size: size, seed: $0).packed }
    }

    /// All frames of a stream.
    private func frames(of bytes: [UInt8]) throws -> [[UInt8]] {
        var stream = TestBytes(bytes)
        guard let (format, _) = try Y4MFormat.read(from: &stream, name: "pipe") else { return [] }
        #expect(format.size == Self.size)
        #expect(format.rate == FrameRate(25))
        var frames: [[UInt8]] = []
        var frame: [UInt8] = []
        while try format.readFrame(from: &stream, into: &frame, name: "pipe") {
            frames.append(frame)
        }
        return frames
    }

    @Test(arguments: ["FRAME\n", "FRAME Ip Xa=b\n"])
    func `every whole frame of a Y4M stream is read, and a partial one is dropped`(line: String)
        throws
    {
        let film = Self.film(3, line: line)
        let expected = (0..<3).map { TestFrame(size: Self.size, seed: $0).packed }
        let length = expected[0].count + line.utf8.count
        for cut in 0...film.count {
            let whole = max(0, (film.count - cut - (film.count - 3 * length)) / length)
            #expect(try frames(of: film.dropLast(cut)) == Array(expected.prefix(whole)))
        }
    }

    @Test func `chroma that is sited on the left is resampled to the centre`() throws {
        var stream = TestBytes(
            Array("YUV4MPEG2 W4 H2 F25:1 C420mpeg2\nFRAME\n".utf8)
                + [UInt8](repeating: 9, count: 8) + [0, 100] + [100, 20])
        let (format, _) = try #require(try Y4MFormat.read(from: &stream, name: "pipe"))
        var frame: [UInt8] = []
        #expect(try format.readFrame(from: &stream, into: &frame, name: "pipe"))
        #expect(frame[8...] == [25, 100, 80, 20])
    }

    @Test(arguments: [
        ("RIFF of something", "a Y4M file begins with YUV4MPEG2"),
        ("YUV4MPEG2 W2 H2 F25:1 C444\n", "only 8-bit 4:2:0"),
        ("YUV4MPEG2 W99999 H2 F25:1\n", "is not a side of 1 to 8192 pixels"),
        ("YUV4MPEG2 W3 H5 F25:1\nFRAMES\n", "expected a FRAME line"),
        ("YUV4MPEG2" + String(repeating: " X", count: 600), "does not end within 1024 bytes"),
    ])
    func `a stream that is not a Y4M is an error`(text: String, rule: String) {
        let error = #expect(throws: FileError.self) { _ = try frames(of: Array(text.utf8)) }
        #expect("\(error as Any)".contains(rule))
    }

    // MARK: Audio

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func wav(
        tag: Int = 1, channels: Int = 1, bits: Int = 16, length: Int, _ samples: [UInt8]
    ) -> [UInt8] {
        let step = channels * bits / 8
        let format: [[UInt8]] = [
            little(tag, 2), little(channels, 2), little(8000, 4), little(8000 * step, 4),
            little(step, 2), little(bits, 2),
        ]
        let chunks: [[UInt8]] = [
            Array("LIST".utf8), little(3, 4), [1, 2, 3, 0], Array("fmt ".utf8), little(16, 4),
            format.flatMap(\.self), Array("data".utf8), little(length, 4), samples,
        ]
        return Array("RIFF".utf8) + little(length, 4) + Array("WAVE".utf8)
            + chunks.flatMap(\.self)
    }

    private func samples(
        of bytes: [UInt8], blocks: Int = 2
    ) throws -> (format: AudioFormat, [Int16])? {
        var stream = TestBytes(bytes)
        let plain = AudioFormat(sampleRate: 16_000, channels: 2)
        guard var audio = try PCMStream(&stream, plain: plain, name: "pipe") else { return nil }
        var all: [Int16] = []
        while case let block = try audio.read(blocks, from: &stream), !block.isEmpty {
            all += block
        }
        return (audio.format, all)
    }

    @Test(arguments: [
        (1, 8, [0, 128, 255] as [UInt8], [-32_768, 0, 32_512] as [Int16]),
        (1, 16, [1, 0, 0, 128, 255, 127], [1, -32_768, 32_767]),
        (1, 24, [9, 1, 0, 0, 0, 128], [1, -32_768]),
        (1, 32, [9, 9, 1, 0, 0, 0, 0, 128], [1, -32_768]),
        (3, 32, [0, 0, 0, 63, 0, 0, 0, 192, 0, 0, 192, 127], [16_384, -32_768, 0]),
    ])
    func `samples of a WAV stream become 16 bits`(
        tag: Int, bits: Int, bytes: [UInt8], expected: [Int16]
    ) throws {
        // ffmpeg and SoX don't know the length when they begin.
        for length in [0xFFFF_FFFF, 0x7FFF_F000, 0, bytes.count] {
            let found = try samples(of: Self.wav(tag: tag, bits: bits, length: length, bytes))
            #expect(found?.format == AudioFormat(sampleRate: 8000, channels: 1))
            #expect(found?.1 == expected)
        }
    }

    @Test func `data after the samples of a WAV stream is not played`() throws {
        let stream = Self.wav(length: 4, [1, 0, 2, 0] + Array("LIST....".utf8))
        #expect(try samples(of: stream)?.1 == [1, 2])
    }

    @Test func `a stream without a header is plain samples`() throws {
        let found = try samples(of: [1, 0, 2, 0, 3, 0, 4, 0, 5])
        #expect(found?.format == AudioFormat(sampleRate: 16_000, channels: 2))
        #expect(found?.1 == [1, 2, 3, 4])
        #expect(try samples(of: [1, 0, 2]) == nil)
    }

    @Test(arguments: [
        (wav(tag: 85, bits: 16, length: 0, []), "type 85 with 16 bits"),
        (wav(channels: 6, length: 0, []), "6 channels at 8000 Hz"),
        (Array("RIFF....AVI ".utf8), "of the form WAVE"),
        (Array("RIFF....WAVEdata....".utf8), "comes before \"data\""),
        (Array("RIFF....WAVELIST\u{7F}\u{7F}\u{7F}\u{7F}".utf8), "a chunk before \"data\" has"),
        (Array("RIFF....WAVEfmt \u{2}\0\0\0..".utf8), "is too short"),
    ])
    func `a stream that is not a WAV is an error`(stream: [UInt8], rule: String) {
        let error = #expect(throws: FileError.self) { _ = try samples(of: stream) }
        #expect("\(error as Any)".contains(rule))
    }

    // MARK: Time

    @Test func `a stream's frames are due at its rate, and a late frame delays later frames`() {
        var schedule = StreamSchedule(rate: FrameRate(10))
        let interval: Int64 = 100_000_000
        // On time, early, late by less than an interval, late by more, early.
        let arrivals: [Int64] = [5, 6, 5 + interval * 29 / 10, 5 + 45 * interval / 10, 7]
        let due = arrivals.map { schedule.due(arriving: $0) }
        #expect(due == [5, 5 + interval, 5 + 2 * interval, arrivals[3], arrivals[3] + interval])
    }

    @Test func `restart delays double up to 30 s, and start again after a run of a minute`() {
        var delay = RestartDelay()
        let pauses = (0..<8).map { _ in delay.next(afterRun: 59_999_999_999) / 500_000_000 }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(delay.next(afterRun: 60_000_000_000) == 500_000_000)
    }
}
