import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real shared library. Independent code reads the documented layout.
@Suite struct ColorBarsTests {
    private let second: Int64 = 1_000_000_000
    private let hd = FrameSize(width: 640, height: 360)

    /// The frames of some time at 10 a second.
    private func frames(
        _ size: FrameSize, seconds: Double = 0.3, _ settings: [(String, Given)] = [],
        of name: String = "ColorBars"
    ) throws -> [SentFrame] {
        let session = try FakeSession(name, of: bundledEntry("ColorBars"), settings: settings)
        let row = VideoCapability(size: size, rate: FrameRate(10))
        try #require(session.initializeVideo([row]) == .ok)
        try #require(session.run(nanoseconds: Int64(seconds * 1e9)) == .ok)
        session.uninitialize()
        let state = session.host.state.withLock { ($0.video.committed, $0.givenUp.map(\.text)) }
        #expect(state.1.isEmpty)
        return state.0
    }

    @Test func `a share has the same pictures as a camera`() throws {
        for settings in [[], [("pattern", Given.choice("grey")), ("format", .choice("bgra"))]] {
            let camera = try frames(hd, settings)
            let share = try frames(hd, settings, of: "ColorBarsShare")
            #expect(camera.count == share.count && camera.count > 1)
            // Not compared by the macro, which would print everything.
            let isSame = camera == share
            #expect(isSame)
        }
    }

    @Test(arguments: [
        "i420", "nv12", "nv21", "yuy2", "uyvy", "bgra", "rgba", "bgrx", "rgbx", "rgb24", "i010",
        "p010",
    ])
    func `bars have their colours in every format, also at odd sizes`(format: String) throws {
        for size in [FrameSize(width: 641, height: 361), hd] {
            for matrix in ["bt601", "bt709"] {
                let sent = try frames(
                    size, seconds: 0.1,
                    [("format", .choice(format)), ("matrix", .choice(matrix))])
                let frame = try #require(sent.first)
                #expect(frame.format.name == format)
                #expect(frame.isPaddingIntact)
                #expect(frame.info.color.matrix == (matrix == "bt601" ? .bt601 : .bt709))
                for bar in 0..<8 {
                    let x = (2 * bar + 1) * size.width / 16
                    let expected =
                        frame.format.isRGB
                        ? Self.rgb[bar] : matrix == "bt601" ? Self.bt601[bar] : Self.bt709[bar]
                    for y in [3 * size.height / 8, size.height - 1] {
                        let seen = frame.components(x: x, y: y)
                        #expect(
                            zip(seen, expected).allSatisfy { abs($0 - $1) <= 1 },
                            "bar \(bar) at \(x), \(y) is \(seen), not \(expected)")
                    }
                }
            }
        }
    }

    /// 75 % bars from the standards' examples.
    private static let bt601 = [
        [180, 128, 128], [162, 44, 142], [131, 156, 44], [112, 72, 58], [84, 184, 198],
        [65, 100, 212], [35, 212, 114], [16, 128, 128],
    ]
    private static let bt709 = [
        [180, 128, 128], [168, 44, 136], [145, 147, 44], [133, 63, 52], [63, 193, 204],
        [51, 109, 212], [28, 212, 120], [16, 128, 128],
    ]
    private static let rgb = [
        [191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0],
        [0, 0, 191], [0, 0, 0],
    ]

    @Test func `the grey pattern has sixteen stripes in NV12, with the declared range`() throws {
        let frame = try #require(
            try frames(
                hd, seconds: 0.1,
                [
                    ("pattern", .choice("grey")), ("range", .choice("full")),
                    ("ball", .boolean(false)),
                ]
            ).first)
        #expect(frame.format == .nv12)
        #expect(frame.info.color == .bt601Full)
        for y in 0..<360 {
            let stripe = (0..<16).last { $0 * 360 / 16 <= y } ?? 0
            #expect(frame.components(x: 639, y: y) == [100 + 10 * stripe, 128, 128])
        }
    }

    @Test(arguments: [
        "1920x1080", "1280x720", "858x480", "853x481", "640x480", "352x240", "320x180",
        "212x160", "128x64", "129x65",
    ])
    func `the code has index and timestamp of every frame`(size: String) throws {
        let sent = try frames(try #require(FrameSize(size)), seconds: 1.2)
        #expect(sent.map { $0.code()?.index } == (0..<12).map { $0 })
        #expect(
            sent.map { $0.code()?.milliseconds }
                == sent.map { Int(($0.info.ptsNanoseconds ?? 0) / 1_000_000) })
    }

    @Test(arguments: ["1280x720", "854x482", "320x180", "256x128"])
    func `the code survives scaling to half`(size: String) throws {
        let sent = try frames(try #require(FrameSize(size)), seconds: 0.5)
        #expect(sent.map { $0.code(halved: true)?.index } == [0, 1, 2, 3, 4])
    }

    @Test func `a damaged code is rejected`() throws {
        var frame = try #require(try frames(hd, seconds: 0.1).first)
        #expect(frame.code()?.index == 0)
        // The cell of bit 10 of the index: column 2, row 1.
        for y in 22..<45 { for x in 40..<60 { frame.planes[0][y * 640 + x] = 235 } }
        #expect(frame.code() == nil)
    }

    @Test(arguments: ["1x1", "2x2", "3x5", "16x16", "17x1", "1x900", "127x64", "128x63"])
    func `tiny pictures are drawn, without a code`(size: String) throws {
        for format in ["i420", "yuy2", "rgb24", "p010"] {
            let sent = try frames(
                try #require(FrameSize(size)), seconds: 0.2, [("format", .choice(format))])
            #expect(sent.count == 2)
            #expect(sent.allSatisfy { $0.code() == nil && $0.isPaddingIntact })
        }
    }

    @Test func `without counter and ball all frames are equal`() throws {
        let sent = try frames(
            hd, seconds: 0.5, [("counter", .boolean(false)), ("ball", .boolean(false))])
        #expect(sent.allSatisfy { $0.planes == sent[0].planes })
        #expect(sent[0].code() == nil)
        let moving = try frames(hd, seconds: 0.5, [("counter", .boolean(false))])
        #expect(moving[0].planes != moving[4].planes)
    }

    @Test func `the ball crosses the picture at its speed`() throws {
        let sent = try frames(
            hd, seconds: 1.1, [("counter", .boolean(false)), ("speed", .number(1))])
        let middles = sent.map { frame -> Int in
            let row = frame.planes[0][(7 * 360 / 8 * 640)...].prefix(640)
            let white = row.indices.filter { row[$0] == 235 }.map { $0 - row.startIndex }
            guard let first = white.first, let last = white.last else { return -1 }
            return (first + last) / 2
        }
        #expect(middles.first == 22)
        #expect(middles.last == 639 - 22)
        #expect(zip(middles, middles.dropFirst()).allSatisfy { (59...61).contains($1 - $0) })
    }

    @Test func `the clock shows digits`() throws {
        let sent = try frames(hd, seconds: 0.2)
        let rows = 180..<198
        let text = sent.map { frame in rows.map { frame.planes[0][($0 * 640)...].prefix(254) } }
        // Black, white, and a difference between two frames.
        #expect(Set(text[0].joined()) == [16, 235])
        #expect(text[0] != text[1])
    }
}

extension SentFrame {
    /// Y, U, V or R, G, B of a pixel, converted to 8 bits.
    fileprivate func components(x: Int, y: Int) -> [Int] {
        let (cx, cy) = (x / 2, y / 2)
        func at(_ plane: Int, _ column: Int, _ row: Int, _ bytes: Int = 1) -> Int {
            Int(planes[plane][row * format.plane(plane, of: size).rowBytes + column * bytes])
        }
        func deep(_ plane: Int, _ column: Int, _ row: Int, shift: Int) -> Int {
            let index = row * format.plane(plane, of: size).rowBytes + column * 2
            let value = Int(planes[plane][index]) | Int(planes[plane][index + 1]) << 8
            return (value >> shift) / 4
        }
        switch format {
        case .i420: return [at(0, x, y), at(1, cx, cy), at(2, cx, cy)]
        case .nv12: return [at(0, x, y), at(1, 2 * cx, cy), at(1, 2 * cx + 1, cy)]
        case .nv21: return [at(0, x, y), at(1, 2 * cx + 1, cy), at(1, 2 * cx, cy)]
        case .yuy2: return [at(0, 2 * x, y), at(0, 4 * cx + 1, y), at(0, 4 * cx + 3, y)]
        case .uyvy: return [at(0, 2 * x + 1, y), at(0, 4 * cx, y), at(0, 4 * cx + 2, y)]
        case .bgra, .bgrx: return [at(0, 4 * x + 2, y), at(0, 4 * x + 1, y), at(0, 4 * x, y)]
        case .rgba, .rgbx: return [at(0, 4 * x, y), at(0, 4 * x + 1, y), at(0, 4 * x + 2, y)]
        case .rgb24: return [at(0, 3 * x, y), at(0, 3 * x + 1, y), at(0, 3 * x + 2, y)]
        case .i010:
            return [
                deep(0, x, y, shift: 0), deep(1, cx, cy, shift: 0), deep(2, cx, cy, shift: 0),
            ]
        case .p010:
            return [
                deep(0, x, y, shift: 6), deep(1, 2 * cx, cy, shift: 6),
                deep(1, 2 * cx + 1, cy, shift: 6),
            ]
        case .mjpeg: return []
        }
    }

    /// The code in the picture, read as documented; nil if its checksum is wrong.
    ///
    /// - Parameter halved: Read from a picture of half the size, four pixels averaged to one.
    fileprivate func code(halved: Bool = false) -> (index: Int, milliseconds: Int)? {
        func luma(_ x: Int, _ y: Int) -> Int { components(x: x, y: y)[0] }
        let factor = halved ? 2 : 1
        let (width, height) = (size.width / factor, size.height / factor)
        guard width >= 32, height >= 16 else { return nil }
        var bits: [Int] = []
        for row in 0..<4 {
            for column in 0..<16 {
                let x = (2 * column + 1) * width / 64
                let y = (2 * row + 1) * height / 32
                let value =
                    halved
                    ? (luma(2 * x, 2 * y) + luma(2 * x + 1, 2 * y) + luma(2 * x, 2 * y + 1)
                        + luma(2 * x + 1, 2 * y + 1)) / 4
                    : luma(x, y)
                bits.append(value > 125 ? 1 : 0)
            }
        }
        func number(_ range: Range<Int>) -> Int { bits[range].reduce(0) { 2 * $0 + $1 } }
        guard number(0..<4) == 10, number(60..<64) == 5 else { return nil }
        let sum = stride(from: 4, to: 52, by: 8).reduce(0) { $0 + number($1..<$1 + 8) }
        guard number(52..<60) == 255 - sum % 256 else { return nil }
        return (number(4..<28), number(28..<52))
    }
}
