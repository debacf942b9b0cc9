import Glibc
import GreenroomABI
import GreenroomPlugin
import Synchronization
import TestSupport
import Testing

/// Runs the real library of WaveFile with files of all formats.
@Suite struct WaveFileTests {
    /// The played samples of a file, and log and refusal.
    private struct Played {
        var samples: [Int16] = []
        var sampleRate: Int?
        var channels: Int?
        var log: [String] = []
        /// The refusal of the file; nil if it plays.
        var refusal: String?
    }

    /// Plays a file once, followed by silence.
    private func play(_ path: String, seconds: Double = 0.1) throws -> Played {
        let session = try FakeSession(
            "WaveFile", of: bundledEntry("WaveFile"),
            settings: [("path", .path(path)), ("loop", .boolean(false))])
        let status = session.initializeAudio()
        guard status == .ok else {
            #expect(status == .badSetting)
            let errors = session.host.state.withLock { $0.errors }
            #expect(errors.count == 1)
            return Played(refusal: errors.first)
        }
        #expect(session.run(nanoseconds: Int64(seconds * 1e9)) == .ok)
        return session.host.state.withLock { state in
            Played(
                samples: state.blocks.flatMap(\.samples),
                sampleRate: state.blocks.first?.sampleRate,
                channels: state.blocks.first?.channels, log: state.log)
        }
    }

    private static func noise(_ count: Int, seed: UInt64 = 1) -> [Int16] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int16(truncatingIfNeeded: state >> 40)
        }
    }

    private static func samples(_ bytes: [UInt8]) -> [Int16] {
        (0..<bytes.count / 2).map {
            Int16(bitPattern: UInt16(bytes[$0 * 2 + 1]) << 8 | UInt16(bytes[$0 * 2]))
        }
    }

    // MARK: Varieties

    struct Variety: Sendable {
        var codec: String
        /// Tolerance to ffmpeg's samples: it truncates long numbers, we round.
        var tolerance: Int
        var ending = "wav"
        var options: [String] = []
    }

    static let varieties = [
        Variety(codec: "pcm_u8", tolerance: 0), Variety(codec: "pcm_s16le", tolerance: 0),
        Variety(codec: "pcm_s24le", tolerance: 1), Variety(codec: "pcm_s32le", tolerance: 1),
        Variety(codec: "pcm_f32le", tolerance: 1), Variety(codec: "pcm_f64le", tolerance: 1),
        Variety(codec: "pcm_alaw", tolerance: 0), Variety(codec: "pcm_mulaw", tolerance: 0),
        Variety(codec: "flac", tolerance: 0, ending: "flac", options: ["-sample_fmt", "s16"]),
        Variety(codec: "flac", tolerance: 1, ending: "flac", options: ["-sample_fmt", "s32"]),
        Variety(codec: "pcm_s16be", tolerance: 0, ending: "aiff"),
        Variety(codec: "pcm_s24be", tolerance: 1, ending: "aiff"),
    ]

    /// Every 16-bit value, as floating point so that the low bits of long numbers matter.
    static let everyValue = (0..<65_536).flatMap { (index: Int) -> [UInt8] in
        let step = index * 40_503 % 65_536 - 32_768
        return WAVChunks.number((Float(step) / 32_768.3).bitPattern)
    }

    @Test(.enabled(if: Oracle.isPresent), arguments: varieties, [1, 2])
    func `every encoding plays as ffmpeg reads it`(variety: Variety, channels: Int) throws {
        let folder = try TemporaryFolder()
        let raw = try folder.write("raw", Self.everyValue)
        let path = folder("sound.\(variety.ending)")
        _ = try Oracle.ffmpeg(
            ["-f", "f32le", "-ar", "44100", "-ac", "\(channels)", "-i", raw]
                + ["-c:a", variety.codec] + variety.options + [path])
        let expected = Self.samples(try Oracle.ffmpeg("-i", path, "-f", "s16le", "-"))
        let played = try play(path, seconds: 1.6)
        #expect(played.sampleRate == 44_100)
        #expect(played.channels == channels)
        #expect(played.log.isEmpty)
        try #require(expected.count == 65_536 && played.samples.count > expected.count)
        let worst = zip(expected, played.samples).map { abs(Int($0) - Int($1)) }.max() ?? .max
        #expect(worst <= variety.tolerance)
        #expect(played.samples.dropFirst(expected.count).allSatisfy { $0 == 0 })
    }

    @Test(.enabled(if: Oracle.isPresent), arguments: ["libvorbis", "libopus"])
    func `lossy audio in Ogg plays nearly unchanged`(codec: String) throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.ogg")
        _ = try Oracle.ffmpeg(
            "-f", "lavfi", "-i", "sine=440:r=48000:d=1", "-c:a", codec, "-b:a", "128k", path)
        let expected = Self.samples(
            try Oracle.ffmpeg(
                "-f", "lavfi", "-i", "sine=440:r=48000:d=1", "-f", "s16le", "-"))
        let played = try play(path, seconds: 1.2)
        #expect(played.sampleRate == 48_000 && played.channels == 1)
        // A codec changes mostly the edges.
        let middle = 4_800..<43_200
        let error = middle.reduce(0.0) {
            $0 + abs(Double(expected[$1]) - Double(played.samples[$1]))
        }
        let loudness = middle.reduce(0.0) { $0 + abs(Double(expected[$1])) }
        #expect(error < loudness / 20, "\(error / loudness)")
        #expect(played.samples.dropFirst(48_000).allSatisfy { $0 == 0 })
    }

    @Test(.enabled(if: Oracle.isPresent), arguments: ["flac", "ogg", "aiff", "wav"])
    func `looping audio of any format loses no sample`(ending: String) throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.\(ending)")
        _ = try Oracle.ffmpeg("-f", "lavfi", "-i", "sine=440:r=48000:d=0.123", path)
        let once = try play(path, seconds: 0.123).samples
        let session = try FakeSession(
            "WaveFile", of: bundledEntry("WaveFile"), settings: [("path", .path(path))])
        try #require(session.initializeAudio() == .ok)
        try #require(session.run(nanoseconds: 1_000_000_000) == .ok)
        let heard = session.host.state.withLock { $0.blocks.flatMap(\.samples) }
        let length = 48_000 * 123 / 1000
        try #require(heard.count == 48_000 && once.count >= length)
        #expect(heard.indices.allSatisfy { heard[$0] == once[$0 % length] })
    }

    @Test(.enabled(if: Oracle.isPresent))
    func `RF64 and streamed files of ffmpeg play to their end`() throws {
        let folder = try TemporaryFolder()
        let samples = Self.noise(20_000)
        let raw = try folder.write("raw", WAVChunks.samples(samples))
        let input = ["-f", "s16le", "-ar", "48000", "-ac", "2", "-i", raw]
        let large = folder("large.wav")
        _ = try Oracle.ffmpeg(input + ["-rf64", "always", large])
        #expect(try readFile(large).starts(with: "RF64".utf8))
        #expect(try play(large, seconds: 0.3).samples.prefix(20_000) == samples[...])
        let streamed = try Oracle.ffmpeg(input + ["-f", "wav", "-"])
        let second = try play(try folder.write("streamed.wav", streamed), seconds: 0.3)
        #expect(second.samples.prefix(20_000) == samples[...])
        #expect(second.log.isEmpty)
    }

    // MARK: WAV

    /// Plays a WAV file of 8 kHz, without the silence after it.
    private func play(_ file: WAVChunks, count: Int) throws -> Played {
        let folder = try TemporaryFolder()
        var played = try play(try folder.write("a.wav", file.bytes))
        #expect(played.samples.dropFirst(count).allSatisfy { $0 == 0 })
        played.samples.removeSubrange(min(count, played.samples.count)...)
        return played
    }

    @Test(arguments: [0, UInt32.max])
    func `samples without a size play to the end of the file`(size: UInt32) throws {
        let file = WAVChunks().format().adding("data", WAVChunks.samples([1, 2, 3]), size: size)
        let played = try play(file, count: 3)
        #expect(played.samples == [1, 2, 3])
        #expect(played.log.isEmpty)
    }

    @Test func `other chunks are skipped, odd ones with their padding`() throws {
        let file = WAVChunks()
            .adding("LIST", Array("abc".utf8)).format().adding("bext", [1]).adding("junk", [])
            .adding("data", WAVChunks.samples([5, 6])).adding("LIST", Array("trailer".utf8))
        #expect(try play(file, count: 2).samples == [5, 6])
    }

    @Test func `sizes inside a chunk that is not played are not followed`() throws {
        // Added to what was read before it, this size is less than nothing.
        let backwards = Array("INFOabcd".utf8) + WAVChunks.number(UInt32.max - 11)
        let file = WAVChunks().format()
            .adding("LIST", backwards + [UInt8](repeating: 0x78, count: 40))
            .adding("data", WAVChunks.samples([5, 6]))
        #expect(try play(file, count: 2).samples == [5, 6])
    }

    private static let backwards =
        Array("LIST".utf8) + WAVChunks.number(UInt32(52)) + Array("INFOabcd".utf8)
        + WAVChunks.number(UInt32.max - 11) + [UInt8](repeating: 0x78, count: 40)

    @Test func `a chunk that is too short for its fields does no harm`() throws {
        let samples = WAVChunks.samples([5, 6])
        // A second format is read as chunks, and a short list of loops into what follows it.
        let formats = WAVChunks().format().adding("fmt ", Self.backwards).adding("data", samples)
        #expect(try play(formats, count: 2).samples == [5, 6])
        let zeros = [UInt8](repeating: 0, count: 28)
        let loops = WAVChunks().format().adding("smpl", [])
            .adding("data", zeros + Self.backwards)
        #expect(try play(loops, count: 44).samples.count == 44)
        let extensible = WAVChunks().format(tag: 0xFFFE).adding("data", zeros + Self.backwards)
        _ = try play(extensible, count: 44)
    }

    @Test(arguments: [0, 100, 300_000])
    func `a tag before the audio is skipped`(size: Int) throws {
        let lengths = stride(from: 21, through: 0, by: -7).map { UInt8(size >> $0 & 0x7f) }
        let tag = Array("ID3".utf8) + [4, 0, 0] + lengths + [UInt8](repeating: 1, count: size)
        let samples = Self.noise(400)
        let file = WAVChunks().format().adding("data", WAVChunks.samples(samples)).bytes
        let folder = try TemporaryFolder()
        let played = try play(try folder.write("tagged.wav", tag + file))
        #expect(played.samples.prefix(400) == samples[...] && played.log.isEmpty)
    }

    @Test func `samples of more than 4 GiB play`() throws {
        let folder = try TemporaryFolder()
        let byteCount: Int64 = 5 << 30
        let sizes = [byteCount + 100, byteCount, 0].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let head = WAVChunks("RF64").adding("ds64", sizes + [0, 0, 0, 0]).format()
            .adding("data", [], size: .max)
        let path = try folder.write("large.wav", head.bytes + WAVChunks.samples([5, 6]))
        // A file with a hole takes no space.
        #expect(truncate(path, Int(byteCount) + head.bytes.count) == 0)
        let played = try play(path)
        #expect(played.samples.prefix(3) == [5, 6, 0] && played.log.isEmpty, "\(played.log)")
    }

    /// Only some file systems make files as large as numbers can say, and /dev/shm is always one of them.
    @Test(arguments: ["RIFF", "RF64"])
    func `a sparse file of the largest possible size plays`(kind: String) throws {
        let path = "/dev/shm/greenroom-\(getpid())-\(kind).wav"
        defer { unlink(path) }
        let head = WAVChunks(kind).format().adding("data", [], size: .max)
        let bytes = head.bytes + WAVChunks.samples([5, 6])
        let file = try #require(fopen(path, "wx"))
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count && fclose(file) == 0)
        #expect(truncate(path, .max) == 0)
        #expect(try play(path).samples.prefix(3) == [5, 6, 0])
    }

    @Test(arguments: [5 << 30, 9 << 30, 100_000])
    func `samples beyond a size that is too small are reported`(byteCount: Int) throws {
        let folder = try TemporaryFolder()
        // From 4 GiB on the size begins again at 0.
        let size = byteCount < 1 << 32 ? 2000 : UInt32(truncatingIfNeeded: byteCount)
        let samples = WAVChunks.samples(Self.noise(1000))
        let head = WAVChunks().format().adding("data", samples, size: size)
        let path = try folder.write("large.wav", head.bytes)
        #expect(truncate(path, byteCount) == 0)
        let log = try play(path).log
        #expect(log.count == 1, "\(log)")
        #expect(log.first?.contains("the size of the samples is wrong") == true, "\(log)")
    }

    @Test func `padding and tags after the samples are not reported`() throws {
        let samples = WAVChunks.samples(Self.noise(4000))
        let whole = WAVChunks().format().adding("data", samples)
        let tag = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
        for rest in [tag, [UInt8](repeating: 0, count: 512)] {
            let folder = try TemporaryFolder()
            let path = try folder.write("sound.wav", whole.bytes + rest)
            #expect(try play(path).log.isEmpty)
        }
    }

    @Test func `a truncated file plays its whole frames, with a note`() throws {
        let file = WAVChunks().format(channels: 2, block: 4)
            .adding("data", WAVChunks.samples([1, 2, 3, 4, 5]), size: 4000)
        let played = try play(file, count: 4)
        #expect(played.samples == [1, 2, 3, 4])
        #expect(played.log.count == 1)
        #expect(played.log.first?.contains("of 4000 bytes of samples there are 10") == true)
    }

    @Test func `parts of a file that do not play are reported`() throws {
        let samples = WAVChunks.samples(Self.noise(400))
        func notes(_ file: WAVChunks) throws -> [String] { try play(file, count: 400).log }
        // Manufacturer to MIDI fraction, SMPTE, one loop without more: its number, its type, its
        // first and last sample, a fraction, and how often.
        let loop: [UInt32] = [0, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, 100, 199, 0, 0]
        let sampler = WAVChunks().format().adding("smpl", loop.flatMap { WAVChunks.number($0) })
        let looped = try notes(sampler.adding("data", samples))
        #expect(
            looped.count == 1 && looped[0].contains("loop points are ignored"), "\(looped)")
        // Two markers: number, position, chunk, two offsets and the sample.
        let cues: [UInt32] = [2, 0, 10, 0x6174_6164, 0, 0, 10, 1, 20, 0x6174_6164, 0, 0, 20]
        let marked = try notes(
            WAVChunks().format().adding("cue ", cues.flatMap { WAVChunks.number($0) })
                .adding("data", samples))
        #expect(marked.count == 1 && marked[0].contains("2 markers are ignored"), "\(marked)")
        let surround = try notes(WAVChunks().format(channels: 4, block: 8).adding("data", samples))
        #expect(surround.count == 1 && surround[0].contains("4 channels are mixed"), "\(surround)")
    }

    @Test(arguments: [(1.0, false), (1.001, true), (-1.5, true)])
    func `samples beyond full scale are reported once, with the time of the first`(
        peak: Double, isTold: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let samples = (0..<12_000).map { Float($0 == 2_400 || $0 == 4_000 ? peak : 0.5) }
        let file = WAVChunks().format(tag: 3, block: 4, bits: 32)
            .adding("data", samples.flatMap { WAVChunks.number($0.bitPattern) })
        let session = try FakeSession(
            "WaveFile", of: bundledEntry("WaveFile"),
            settings: [("path", .path(try folder.write("a.wav", file.bytes)))])
        try #require(session.initializeAudio() == .ok)
        // Twice through the file.
        try #require(session.run(nanoseconds: 3_000_000_000) == .ok)
        let log = session.host.state.withLock { $0.log }
        #expect(log.count == (isTold ? 1 : 0), "\(log)")
        if isTold {
            #expect(log.first?.contains("are clipped, the first after 0.3 s") == true, "\(log)")
        }
        let heard = session.host.state.withLock { $0.blocks.flatMap(\.samples) }
        #expect(heard[2_400] == (peak < 0 ? .min : .max) && heard[2_401] == 16_384)
    }

    @Test func `more than two channels become stereo without losing speech`() throws {
        func stereo(_ frame: [Int16]) throws -> [Int16] {
            let count = UInt16(frame.count)
            let file = WAVChunks().format(channels: count, block: count * 2)
                .adding("data", WAVChunks.samples(frame))
            let played = try play(file, count: 2)
            #expect(played.channels == 2)
            return played.samples
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
        // Full scale on every channel is full scale without clipping.
        for count in 3...64 {
            let loudest = try stereo([Int16](repeating: .max, count: count)).max() ?? 0
            #expect(loudest > 32_700)
        }
    }

    @Test(
        .enabled(if: Oracle.isPresent),
        arguments: ["wav", "flac", "ogg"], [(2, true), (3, false)] as [(Int, Bool)])
    func `stereo contains the centre and not the effects, in any order of channels`(
        ending: String, channel: (index: Int, isHeard: Bool)
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder("sound.\(ending)")
        let pan = (0..<6).map { "c\($0)=\($0 == channel.index ? 1 : 0)*c0" }
        _ = try Oracle.ffmpeg(
            "-f", "lavfi", "-i", "sine=440:r=48000:d=0.2", "-af",
            "pan=5.1|" + pan.joined(separator: "|"), path)
        let samples = try play(path, seconds: 0.2).samples
        func peak(_ side: Int) -> Int {
            stride(from: side, to: samples.count, by: 2).map { abs(Int(samples[$0])) }.max() ?? 0
        }
        let (left, right) = (peak(0), peak(1))
        #expect(channel.isHeard ? min(left, right) > 500 : max(left, right) < 100)
        #expect(abs(left - right) < 50)
    }

    // MARK: Bad files

    struct Bad: Sendable {
        var bytes: [UInt8]
        var reason: String
    }

    static let bad: [Bad] = {
        var all: [Bad] = []
        func add(_ bytes: [UInt8], _ reason: String) {
            all.append(Bad(bytes: bytes, reason: reason))
        }
        func add(_ file: WAVChunks, _ reason: String) { add(file.bytes, reason) }
        add([], "not recognised")
        add([UInt8]("RIFF".utf8), "not recognised")
        add([UInt8]("RIFF....AVI ".utf8), "not recognised")
        add(WAVChunks("RIFX"), "No 'data' chunk")
        add(WAVChunks(), "No 'data' chunk")
        add(WAVChunks().format(), "No 'data' chunk")
        add(WAVChunks().format().adding("LIST", [], size: 0xFFFF_FFF0), "No 'data' chunk")
        add(WAVChunks().adding("data", [0, 0]), "No 'data' chunk")
        add(WAVChunks().adding("fmt ", [1, 0]), "Short 'fmt ' chunk")
        add(WAVChunks().adding("fmt ", [1, 0, 1], size: 16), "No 'data' chunk")
        add(WAVChunks("RF64").adding("ds64", [1, 2, 3]), "No 'data' chunk")
        add(WAVChunks().format().adding("data", []), "no audio in the file")
        for counts in [(4, 6), (400, 6)] {
            let data = [counts.0, counts.1].map { WAVChunks.samples(Self.noise($0)) }
            add(
                WAVChunks().format().adding("data", data[0]).adding("data", data[1]),
                "several chunks of samples")
        }
        func add(format: WAVChunks, _ reason: String) {
            add(format.adding("data", [UInt8](repeating: 0, count: 48)), reason)
        }
        add(format: WAVChunks().format(channels: 0), "Channel count is zero")
        add(format: WAVChunks().format(channels: 65_535), "Too many channels")
        add(format: WAVChunks().format(rate: 0), "incomplete")
        add(format: WAVChunks().format(block: 8, bits: 64), "unimplemented format")
        add(format: WAVChunks().format(tag: 2), "ADPCM")
        var many = WAVChunks()
        for _ in 0...1000 { many = many.adding("junk", []) }
        add(many, "No 'data' chunk")
        return all
    }()

    @Test(arguments: bad)
    func `an invalid file is refused with its path and the reason`(bad: Bad) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("bad.wav", bad.bytes)
        let refusal = try #require(try play(path).refusal)
        #expect(refusal.hasPrefix("\(path): ") && refusal.contains(bad.reason), "\(refusal)")
    }

    @Test(.enabled(if: Oracle.isPresent), arguments: ["wav", "flac", "ogg", "aiff"])
    func `files with random changes are refused or played`(ending: String) throws {
        let folder = try TemporaryFolder()
        let whole: [UInt8]
        if ending == "wav" {
            let large = WAVChunks("RF64").adding("ds64", [UInt8](repeating: 9, count: 28))
            whole =
                large.format(channels: 2, block: 4)
                .adding("data", WAVChunks.samples(Self.noise(200))).bytes
        } else {
            let path = folder("whole.\(ending)")
            _ = try Oracle.ffmpeg("-f", "lavfi", "-i", "sine=440:r=8000:d=0.1", path)
            whole = try readFile(path)
        }
        for seed in 0..<(ending == "wav" ? 500 : 100) {
            var bytes = whole
            for flip in Self.noise(6, seed: UInt64(seed)) {
                bytes[Int(flip.magnitude) % min(bytes.count, 90)] =
                    UInt8(truncatingIfNeeded: flip >> 3)
            }
            let path = try folder.write("noise", bytes)
            let session = try FakeSession(
                "WaveFile", of: bundledEntry("WaveFile"), settings: [("path", .path(path))])
            guard session.initializeAudio() == .ok else {
                let errors = session.host.state.withLock { $0.errors }
                #expect(errors.count == 1 && errors[0].hasPrefix(path), "\(errors)")
                continue
            }
            _ = session.run(nanoseconds: 50_000_000)
        }
    }
}
