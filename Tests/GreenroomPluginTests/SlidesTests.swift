import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real shared library and checks its frames.
@Suite struct SlidesTests {
    private let limit = VideoCapability(width: 40, height: 30, fps: 30)

    private func frames(
        _ settings: [(String, Given)], seconds: Double
    ) throws -> (frames: [SentFrame], log: [String], start: Int64) {
        let session = try FakeSession("Slides", of: bundledEntry("Slides"), settings: settings)
        try #require(session.initializeVideo([limit]) == .ok)
        let start = session.host.state.withLock { $0.now }
        try #require(session.run(nanoseconds: Int64(seconds * 1e9)) == .ok)
        return session.host.state.withLock { ($0.video.committed, $0.log, start) }
    }

    private func pixel(_ frame: SentFrame, _ x: Int, _ y: Int) -> [UInt8] {
        Array(frame.planes[0][(y * frame.size.width + x) * 4..<(y * frame.size.width + x) * 4 + 3])
    }

    @Test func `slides are shown in the order of their names, on time, and repeat`() throws {
        let media = try TemporaryMedia()
        let size = FrameSize(width: 8, height: 6)
        try media.addPNG("b.png", size, [0, 200, 0, 255])
        try media.addPNG("a.PNG", size, [200, 0, 0, 255])
        try media.addPNG(".hidden.png", size, [9, 9, 9, 255])
        try media.addFile("notes.txt", [65])
        let (frames, _, start) = try frames(
            [("path", .path(media.path)), ("seconds", .number(1.2))], seconds: 4.79)
        // A slide of 1.2 s is three frames of 0.4 s.
        #expect(frames.count == 12)
        let times = frames.map { (($0.info.ptsNanoseconds ?? 0) - start) / 1_000_000 }
        #expect(times.prefix(4) == [0, 400, 800, 1_200])
        let red: [UInt8] = [200, 0, 0]
        let green: [UInt8] = [0, 200, 0]
        #expect(
            frames.map { pixel($0, 20, 15) }
                == [red, red, red, green, green, green, red, red, red, green, green, green])
        #expect(frames.allSatisfy { $0.format == .rgba && $0.size == limit.size })
        #expect(frames.allSatisfy { $0.isPaddingIntact })
    }

    @Test func `a picture with another aspect ratio has black bars`() throws {
        let media = try TemporaryMedia()
        try media.addPNG("a.png", FrameSize(width: 10, height: 30), [10, 20, 200, 255])
        try media.addPNG("b.png", FrameSize(width: 40, height: 30), [10, 20, 200, 255])
        let (frames, _, _) = try frames([("path", .path(media.path))], seconds: 0.1)
        let frame = try #require(frames.first)
        #expect(pixel(frame, 20, 0) == [10, 20, 200])
        #expect(pixel(frame, 15, 29) == [10, 20, 200])
        #expect(pixel(frame, 14, 15) == [0, 0, 0])
        #expect(pixel(frame, 25, 15) == [0, 0, 0])
    }

    @Test func `pictures of one shape are shown without bars`() throws {
        let media = try TemporaryMedia()
        try media.addPNG("a.png", FrameSize(width: 20, height: 30), [10, 20, 200, 255])
        try media.addPNG("b.png", FrameSize(width: 200, height: 301), [10, 20, 200, 255])
        let (frames, _, _) = try frames([("path", .path(media.path))], seconds: 0.1)
        let frame = try #require(frames.first)
        #expect(frame.size == FrameSize(width: 20, height: 30))
        #expect(pixel(frame, 0, 0) == [10, 20, 200])
        #expect(pixel(frame, 19, 29) == [10, 20, 200])
    }

    @Test func `a damaged picture is skipped and reported once`() throws {
        let media = try TemporaryMedia()
        try media.addPNG("a.png", FrameSize(width: 4, height: 3), [200, 0, 0, 255])
        try media.addFile("b.jpg", [1, 2, 3])
        let (frames, log, _) = try frames(
            [("path", .path(media.path)), ("seconds", .number(0.5))], seconds: 3)
        #expect(frames.count >= 6)
        #expect(frames.allSatisfy { pixel($0, 20, 15) == [200, 0, 0] })
        #expect(log.count { $0.contains("b.jpg: the file is neither PNG nor JPEG") } == 1)
    }

    @Test func `without a picture the share fails with a reason`() throws {
        let media = try TemporaryMedia()
        for (path, reason) in [
            (media.path, "the folder has no .png, .jpg or .jpeg"),
            ("/no/slides", "no such file"),
            ("/dev/null", "not a regular file"),
        ] {
            let session = try FakeSession(
                "Slides", of: bundledEntry("Slides"), settings: [("path", .path(path))])
            #expect(session.initializeVideo([limit]) == .badSetting)
            let errors = session.host.state.withLock { $0.errors }
            #expect(errors.count == 1 && errors[0].contains(reason), "\(errors)")
        }
    }
}
