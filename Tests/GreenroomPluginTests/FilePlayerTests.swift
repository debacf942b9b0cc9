import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real shared libraries of Y4MFile and WaveFile on small files.
@Suite struct FilePlayerTests {
    // MARK: - Y4MFile

    /// Three frames of 5x3 at 25 a second; each sample tells its frame and its place.
    private static func film(header: String = "YUV4MPEG2 W5 H3 F25:1 Ip A1:1 C420") -> [UInt8] {
        Array("\(header)\n".utf8)
            + (0..<3).flatMap { Array("FRAME\n".utf8) + pixels(ofFrame: $0).flatMap { $0 } }
    }

    private static func pixels(ofFrame frame: Int) -> [[UInt8]] {
        [15, 6, 6].enumerated().map { plane, count in
            (0..<count).map { UInt8(frame * 80 + plane * 20 + $0) }
        }
    }

    private func play(
        _ file: [UInt8], loop: Bool, seconds: Double
    ) throws -> (frames: [SentFrame], answer: (kind: UInt32, size: FrameSize, fps: UInt32)) {
        let media = try TemporaryMedia()
        let path = try media.addFile("film.y4m", file)
        let session = try FakeSession(
            "Y4MFile", of: bundledEntry("Y4MFile"),
            settings: [("path", .path(path)), ("loop", .boolean(loop))])
        try #require(session.initializeVideo() == .ok)
        let given = session.answer
        try #require(session.run(nanoseconds: Int64(seconds * 1e9)) == .ok)
        let size = FrameSize(
            width: Int(given.capability.width), height: Int(given.capability.height))
        return (
            session.host.state.withLock { $0.video.committed },
            (given.kind, size, given.capability.fps_numerator)
        )
    }

    @Test func `a film repeats at its own size and rate`() throws {
        let (frames, answer) = try play(Self.film(), loop: true, seconds: 0.27)
        #expect(answer == (3, FrameSize(width: 5, height: 3), 25))
        #expect(frames.count == 7)
        #expect(frames.map(\.planes) == [0, 1, 2, 0, 1, 2, 0].map(Self.pixels(ofFrame:)))
        let times = frames.compactMap(\.info.ptsNanoseconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 40_000_000 })
        #expect(frames.allSatisfy { $0.isPaddingIntact && $0.info.color == .bt601Limited })
    }

    @Test func `without looping nothing is sent after the last frame`() throws {
        let (frames, _) = try play(Self.film(), loop: false, seconds: 0.19)
        #expect(frames.map(\.planes) == [0, 1, 2].map(Self.pixels(ofFrame:)))
    }

    @Test func `frames of a film have the film's colour range`() throws {
        let header = "YUV4MPEG2 W5 H3 F25:1 XCOLORRANGE=FULL"
        let (frames, _) = try play(Self.film(header: header), loop: true, seconds: 0.01)
        #expect(frames.first?.info.color == .bt601Full)
    }

    @Test func `a film's colour matrix comes from its header, or from its size`() throws {
        let header = "YUV4MPEG2 W5 H3 F25:1 XCOLORSPACE=BT709"
        let (frames, _) = try play(Self.film(header: header), loop: true, seconds: 0.01)
        #expect(frames.first?.info.color == .bt709Limited)
    }

    @Test func `chroma that is sited on the left is resampled to the centre`() throws {
        let luma = [UInt8](repeating: 50, count: 15)
        let chroma: [UInt8] = [0, 100, 200, 40, 20, 0]
        let film = Array("YUV4MPEG2 W5 H3 F25:1 C420mpeg2\nFRAME\n".utf8) + luma + chroma + chroma
        let (frames, _) = try play(film, loop: true, seconds: 0.01)
        // A quarter of the way to the next sample; the last one of a row has none.
        let moved: [UInt8] = [25, 125, 200, 35, 15, 0]
        #expect(frames.first?.planes == [luma, moved, moved])
    }

    @Test func `properties of a film that are ignored are logged`() throws {
        let media = try TemporaryMedia()
        let header = "YUV4MPEG2 W5 H3 F25:1 It A16:11 C420"
        let path = try media.addFile("film.y4m", Self.film(header: header))
        let session = try FakeSession(
            "Y4MFile", of: bundledEntry("Y4MFile"), settings: [("path", .path(path))])
        try #require(session.initializeVideo() == .ok)
        let log = session.host.state.withLock { $0.log }
        #expect(log.count == 2)
        #expect(log.contains { $0.contains("\(path): the frames are interlaced") })
        #expect(log.contains { $0.contains("\(path): the pixels are 16:11") })
    }

    @Test(arguments: ["Y4MFile", "WaveFile"])
    func `a file that cannot be played is refused with a reason`(_ name: String) throws {
        let media = try TemporaryMedia()
        let empty = try media.addFile("empty", Array("YUV4MPEG2 W5 H3 F25:1\n".utf8))
        let other = try media.addFile("other", Array("GIF89a".utf8))
        for path in [empty, other, media.path, "/no/such/file"] {
            let session = try FakeSession(
                name, of: bundledEntry(name), settings: [("path", .path(path))])
            let status =
                name == "Y4MFile" ? session.initializeVideo() : session.initializeAudio()
            #expect(status == .badSetting)
            let errors = session.host.state.withLock { $0.errors }
            #expect(errors.count == 1 && errors[0].hasPrefix(path), "\(errors)")
        }
    }

    // MARK: - WaveFile

    /// A WAV file of 16-bit samples.
    private static func wave(_ samples: [Int16], rate: UInt32, channels: UInt16) -> [UInt8] {
        func little(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian, Array.init)
        }
        let data = samples.flatMap(little)
        let format =
            little(UInt16(1)) + little(channels) + little(rate)
            + little(rate * UInt32(channels) * 2) + little(channels * 2) + little(UInt16(16))
        let body =
            Array("WAVEfmt ".utf8) + little(UInt32(16)) + format + Array("data".utf8)
            + little(UInt32(data.count)) + data
        return Array("RIFF".utf8) + little(UInt32(body.count)) + body
    }

    private func listen(
        _ samples: [Int16], rate: UInt32, channels: UInt16, loop: Bool, seconds: Double,
        name: String = "WaveFile"
    ) throws -> [FakeHost.SentBlock] {
        let media = try TemporaryMedia()
        let path = try media.addFile(
            "sound.wav", Self.wave(samples, rate: rate, channels: channels))
        let session = try FakeSession(
            name, of: bundledEntry("WaveFile"),
            settings: [("path", .path(path)), ("loop", .boolean(loop))])
        try #require(session.initializeAudio() == .ok)
        try #require(session.run(nanoseconds: Int64(seconds * 1e9)) == .ok)
        return session.host.state.withLock { $0.blocks }
    }

    @Test(
        arguments: [
            (22_050, 1, "WaveFile"), (11_025, 2, "WaveFile"), (48_000, 2, "WaveFileShareAudio"),
        ] as [(UInt32, UInt16, String)])
    func `looping audio loses no sample`(
        rate: UInt32, channels: UInt16, name: String
    ) throws {
        // Not a whole number of blocks of 10 ms at any rate.
        let file = (0..<1_013 * Int(channels)).map { Int16($0 + 1) }
        let blocks = try listen(
            file, rate: rate, channels: channels, loop: true, seconds: 1, name: name)
        let heard = blocks.flatMap(\.samples)
        #expect(heard.count == Int(rate) * Int(channels))
        #expect(heard.indices.allSatisfy { heard[$0] == file[$0 % file.count] })
        #expect(
            blocks.allSatisfy { $0.sampleRate == Int(rate) && $0.channels == Int(channels) })
    }

    @Test func `without looping nothing is sent after the last sample`() throws {
        let file = (0..<1_013).map { Int16($0 + 1) }
        let heard = try listen(file, rate: 16_000, channels: 1, loop: false, seconds: 0.2)
            .flatMap(\.samples)
        #expect(heard.prefix(1_013) == file[...])
        #expect(heard.count == 1_120 && heard.dropFirst(1_013).allSatisfy { $0 == 0 })
    }

    @Test func `a rate outside a session's limits is refused with the fix`() throws {
        let media = try TemporaryMedia()
        let path = try media.addFile("low.wav", Self.wave([1, 2], rate: 4_000, channels: 1))
        let session = try FakeSession(
            "WaveFile", of: bundledEntry("WaveFile"), settings: [("path", .path(path))])
        #expect(session.initializeAudio() == .badSetting)
        let errors = session.host.state.withLock { $0.errors }
        #expect(errors.first?.contains("ffmpeg -i FILE -ar 48000") == true)
    }
}
