import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real shared libraries of the filters on frames with padding.
@Suite struct PreProcessorTests {
    /// A frame of noise, as a host would lend it.
    private final class Lent {
        let frame: FakeFrame
        private let size: FrameSize

        init(_ size: FrameSize) {
            self.size = size
            frame = FakeFrame(.i420, size, padding: 5)
            for plane in 0..<3 {
                let geometry = PixelFormat.i420.plane(plane, of: size)
                for row in 0..<geometry.rows {
                    for column in 0..<geometry.rowBytes {
                        frame.planes[plane][row * frame.strides[plane] + column] = UInt8(
                            (row * 41 + column * 7 + plane * 3) % 256)
                    }
                }
            }
        }

        deinit { frame.free() }

        /// Every byte of every plane, padding included.
        var bytes: [[UInt8]] { frame.planes.map { Array($0) } }

        func sample(_ plane: Int, _ column: Int, _ row: Int) -> UInt8 {
            frame.planes[plane][row * frame.strides[plane] + column]
        }
    }

    private let size = FrameSize(width: 33, height: 17)

    private func session(
        _ name: String, _ settings: [(String, Given)]
    ) throws -> FakeSession {
        let session = try FakeSession(name, of: bundledEntry(name), settings: settings)
        let capability = VideoCapability(size: size, rate: FrameRate(30))
        try #require(session.initializePreProcessor(capability) == .ok)
        try #require(session.startSend() == .ok)
        return session
    }

    private func process(_ lent: Lent, by session: FakeSession) throws {
        var frame = lent.frame.cFrame
        try #require(try session.process(&frame) == .ok)
    }

    @Test func `Adjust without settings changes no bit`() throws {
        let lent = Lent(size)
        let before = lent.bytes
        try process(lent, by: session("Adjust", []))
        #expect(lent.bytes == before)
    }

    @Test func `Adjust mirrors each plane within its rows`() throws {
        let (lent, reference) = (Lent(size), Lent(size))
        try process(lent, by: session("Adjust", [("mirror", .boolean(true))]))
        for plane in 0..<3 {
            let geometry = PixelFormat.i420.plane(plane, of: size)
            for row in 0..<geometry.rows {
                for column in 0..<geometry.rowBytes {
                    #expect(
                        lent.sample(plane, column, row)
                            == reference.sample(plane, geometry.rowBytes - 1 - column, row))
                }
                let end = row * lent.frame.strides[plane] + geometry.rowBytes
                #expect(lent.frame.planes[plane][end] == FakeFrame.paddingByte)
            }
        }
    }

    @Test func `Adjust follows a live setting with the next frame`() throws {
        let session = try session("Adjust", [])
        let lent = Lent(size)
        let luma = lent.bytes[0]
        #expect(try session.set("saturation", .number(0)) == .ok)
        try process(lent, by: session)
        #expect(lent.bytes[0] == luma)
        #expect(lent.sample(1, 3, 3) == 128 && lent.sample(2, 16, 8) == 128)

        #expect(try session.set("brightness", .number(1)) == .ok)
        try process(lent, by: session)
        #expect(lent.sample(0, 3, 0) == 235)
    }

    @Test func `Watermark puts its picture into the corner only`() throws {
        let media = try TemporaryMedia()
        let path = try media.addPNG(
            "logo.png", FrameSize(width: 5, height: 4), [255, 255, 255, 255])
        let session = try session(
            "Watermark",
            [
                ("path", .path(path)), ("scale", .number(0)), ("margin", .integer(2)),
                ("position", .choice("bottom-right")),
            ])
        let (lent, reference) = (Lent(size), Lent(size))
        try process(lent, by: session)
        // 33 − 2 − 5 = 26 and 17 − 2 − 4 = 11.
        for row in 0..<17 {
            for column in 0..<33 {
                let isCovered = (26..<31).contains(column) && (11..<15).contains(row)
                #expect(
                    lent.sample(0, column, row)
                        == (isCovered ? 235 : reference.sample(0, column, row)))
            }
        }
        // Chroma column 13 and row 6 are fully covered; column 16 and row 4 not at all.
        #expect(lent.sample(1, 13, 6) == 128)
        #expect(lent.sample(1, 16, 6) == reference.sample(1, 16, 6))
        #expect(lent.sample(1, 13, 4) == reference.sample(1, 13, 4))

        #expect(try session.set("opacity", .number(0)) == .ok)
        let untouched = Lent(size)
        try process(untouched, by: session)
        #expect(untouched.bytes == reference.bytes)
    }

    @Test func `Adjust edits frames of a new size without a restart`() throws {
        let session = try session("Adjust", [("saturation", .number(0))])
        try process(Lent(size), by: session)
        let other = FrameSize(width: 16, height: 48)
        #expect(
            try session.changeFrames(VideoCapability(size: other, rate: FrameRate(15))) == .ok)
        let lent = Lent(other)
        try process(lent, by: session)
        #expect(lent.sample(1, 7, 23) == 128 && lent.sample(2, 0, 0) == 128)
    }

    @Test
    func `Watermark follows a new aspect ratio, and keeps its size for the same ratio`() throws {
        let media = try TemporaryMedia()
        let path = try media.addPNG(
            "logo.png", FrameSize(width: 5, height: 4), [255, 255, 255, 255])
        let session = try session(
            "Watermark",
            [
                ("path", .path(path)), ("scale", .number(0)), ("margin", .integer(2)),
                ("position", .choice("bottom-right")),
            ])
        try process(Lent(size), by: session)
        let double = FrameSize(width: 66, height: 34)
        #expect(
            try session.changeFrames(VideoCapability(size: double, rate: FrameRate(15)))
                == .unsupported)
        let turned = FrameSize(width: 17, height: 33)
        #expect(
            try session.changeFrames(VideoCapability(size: turned, rate: FrameRate(15))) == .ok)
        let (lent, reference) = (Lent(turned), Lent(turned))
        try process(lent, by: session)
        // 17 − 2 − 5 = 10 and 33 − 2 − 4 = 27.
        for row in 0..<33 {
            for column in 0..<17 {
                let isCovered = (10..<15).contains(column) && (27..<31).contains(row)
                #expect(
                    lent.sample(0, column, row)
                        == (isCovered ? 235 : reference.sample(0, column, row)))
            }
        }
    }

    @Test func `Watermark reports an unreadable picture`() throws {
        let session = try FakeSession(
            "Watermark", of: bundledEntry("Watermark"),
            settings: [("path", .path("/no/logo.png"))])
        let capability = VideoCapability(size: size, rate: FrameRate(30))
        #expect(session.initializePreProcessor(capability) == .badSetting)
        let errors = session.host.state.withLock { $0.errors }
        #expect(errors == ["/no/logo.png: no such file; check the path"])
    }
}
