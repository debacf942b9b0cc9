import CPNG
import Foundation
import GreenroomABI
import GreenroomPlugin
import Synchronization
import TestSupport
import Testing

/// Runs the real shared library.
@Suite struct FrameFolderTests {
    private let size = FrameSize(width: 5, height: 3)

    private func session(
        _ folder: String, _ settings: [(String, Given)] = [], kind: UInt32 = 1
    ) throws -> FakeSession {
        let host = FakeHost()
        host.state.withLock { $0.output.isOutput = true }
        let session = try FakeSession(
            "FrameFolder", of: bundledEntry("FrameFolder"),
            settings: [("folder", .path(folder)), ("every", .integer(1))] + settings, host: host)
        try #require(session.initializeOutput() == .ok)
        let answer = try session.track(1, kind: kind, "a track")
        #expect(answer.status == .ok)
        if answer.want.is_wanted == 1 {
            #expect(answer.want.format == PixelFormat.rgba.rawValue)
            #expect(answer.want.pace == UInt32(GR_PACE_COMPLETE))
        }
        return session
    }

    /// Sends frames of one colour, numbered from 0.
    private func send(
        _ count: Int, to session: FakeSession, color: [UInt8] = [200, 100, 50, 7],
        content: (Int) -> UInt32 = { _ in 1 }
    ) throws -> [Status] {
        let frame = FakeFrame(.rgba, size, padding: 4)
        defer { frame.free() }
        for pixel in 0..<(frame.planes[0].count / 4) {
            for component in 0..<4 { frame.planes[0][pixel * 4 + component] = color[component] }
        }
        return try (0..<count).map {
            try session.video(
                LentFrame(id: UInt64($0 + 1), content: content($0), index: Int64($0)), frame)
        }
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func `every n-th new frame becomes an image that is named by its index`() throws {
        let folder = try TemporaryFolder()
        let session = try session(folder("all/frames"), [("every", .integer(3))])
        #expect(session.startSend() == .ok)
        // Frames 1 and 2 are repeated and black; of 0, 3, 4, 5, 6, 7 each third is written.
        let statuses = try send(8, to: session) { $0 == 1 ? 2 : $0 == 2 ? 3 : 1 }
        #expect(statuses.allSatisfy { $0 == .ok })
        session.stopSend()
        #expect(try files(folder("all/frames")) == ["frame-000000.png", "frame-000005.png"])
        #expect(
            session.host.state.withLock { $0.output.reports }
                == ["images 0.0", "images 1.0", "images 2.0"])
    }

    @Test func `the choice of frames changes while the output runs`() throws {
        let folder = try TemporaryFolder()
        let session = try session(folder("frames"), [("every", .integer(2))])
        #expect(session.startSend() == .ok)
        _ = try send(4, to: session)
        #expect(try session.set("every", .integer(4)) == .ok)
        _ = try send(5, to: session)
        session.stopSend()
        // Places 0 and 2, then 4 and 8 of the nine; the second frames are numbered from 0 again.
        #expect(session.host.state.withLock { $0.output.reports.last } == "images 4.0")
    }

    @Test func `a PNG has the frame's colours, opaque`() throws {
        let folder = try TemporaryFolder()
        let session = try session(folder("frames"))
        #expect(session.startSend() == .ok)
        #expect(try send(1, to: session) == [.ok])
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        let file = folder("frames/frame-000000.png")
        try #require(png_image_begin_read_from_file(&image, file) != 0)
        #expect(image.width == 5 && image.height == 3)
        #expect(image.format == png_uint_32(PNG_FORMAT_FLAG_COLOR))
        var pixels = [UInt8](repeating: 0, count: 5 * 3 * 3)
        try #require(png_image_finish_read(&image, nil, &pixels, 0, nil) != 0)
        #expect(pixels == (0..<15).flatMap { _ in [200, 100, 50] as [UInt8] })
    }

    @Test func `JPEG follows its quality, and the limit ends the images`() throws {
        let folder = try TemporaryFolder()
        var lengths: [Int] = []
        for quality in [5, 95] {
            let name = "quality-\(quality)"
            let session = try session(
                folder(name),
                [
                    ("format", .choice("jpeg")), ("quality", .integer(Int64(quality))),
                    ("limit", .integer(2)),
                ])
            #expect(session.startSend() == .ok)
            #expect(try send(4, to: session).allSatisfy { $0 == .ok })
            #expect(try files(folder(name)) == ["frame-000000.jpg", "frame-000001.jpg"])
            let bytes = try readFile(folder("\(name)/frame-000001.jpg"))
            #expect(bytes.starts(with: [0xFF, 0xD8, 0xFF]) && bytes.suffix(2) == [0xFF, 0xD9])
            // The divisor of the first coefficient in the table of quantisation.
            let table = try #require(bytes.firstRange(of: [0xFF, 0xDB] as [UInt8]))
            lengths.append(Int(bytes[table.upperBound + 3]))
        }
        #expect(lengths[0] > lengths[1], "\(lengths)")
    }

    @Test func `FrameFolder writes the camera or the share, and fails without that track`() throws {
        let folder = try TemporaryFolder()
        let share = try session(folder("a"), [("track", .choice("share"))], kind: 3)
        #expect(share.startSend() == .ok)
        let none = try session(folder("b"), [("track", .choice("share"))], kind: 1)
        #expect(none.startSend() == .unavailable)
        #expect(
            none.host.state.withLock { $0.errors }
                == [
                    "the session has no share for this output; add one to the session file (and to 'tracks' "
                        + "if the output has that key), or set the other one as 'track'"
                ])
        try folder.write("file", "")
        let nowhere = try session(folder("file/c/d"))
        #expect(nowhere.startSend() == .unavailable)
        #expect(
            nowhere.host.state.withLock { $0.errors }
                == [
                    "\(folder("file/c/d")): cannot make the folder: Not a directory; name one below "
                        + "a writable folder"
                ])
    }

    @Test
    func `participants' cameras and shares are distinguished by name, and counted separately`()
        throws
    {
        let folder = try TemporaryFolder()
        let host = FakeHost()
        host.state.withLock { $0.output.isOutput = true }
        let session = try FakeSession(
            "FrameFolder", of: bundledEntry("FrameFolder"),
            settings: [
                ("folder", .path(folder("frames"))), ("every", .integer(2)),
                ("track", .choice("participants")),
            ], host: host)
        try #require(session.initializeOutput() == .ok)
        // Nobody is there yet.
        let own = try session.track(1, kind: 1, "camera")
        #expect(own.status == .ok && own.want.is_wanted == 0)
        #expect(session.startSend() == .ok)
        for (id, kind, name) in [
            (2, 1, "ana-camera"), (3, 3, "ben-share"), (4, 2, "ana-microphone"),
        ] as [(UInt32, UInt32, String)] {
            let answer = try session.track(id, kind: kind, name, participant: id)
            #expect(answer.status == .ok && answer.want.is_wanted == (kind == 2 ? 0 : 1), "\(name)")
        }
        let frame = FakeFrame(.rgba, size, padding: 4)
        defer { frame.free() }
        for (number, (track, index)) in [(2, 7), (3, 0), (2, 8), (3, 1), (2, 9)].enumerated() {
            let lent = LentFrame(
                track: UInt32(track), id: UInt64(number + 1), index: Int64(index))
            #expect(try session.video(lent, frame) == .ok)
        }
        session.stopSend()
        #expect(
            try files(folder("frames"))
                == ["ana-camera-000007.png", "ana-camera-000009.png", "ben-share-000000.png"])
    }

    @Test func `a picture that can't be written ends the output with its reason`() throws {
        let folder = try TemporaryFolder()
        let session = try session(folder("frames"))
        #expect(session.startSend() == .ok)
        #expect(try send(1, to: session) == [.ok])
        try FileManager.default.removeItem(atPath: folder("frames"))
        #expect(try send(3, to: session) == [.failed, .ok, .ok])
        let text =
            "\(folder("frames"))/frame-000000.png: no such folder; make the folder"
        let givenUp = session.host.state.withLock { $0.givenUp }
        #expect(givenUp.map(\.text) == [text] && givenUp.map(\.status) == [.unavailable])
    }
}
