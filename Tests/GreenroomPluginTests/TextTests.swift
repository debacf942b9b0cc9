import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real shared library on black frames and looks at the pixels.
@Suite struct TextTests {
    private static let size = FrameSize(width: 320, height: 180)

    /// The pixels of a frame.
    private struct Picture: Equatable {
        let size: FrameSize
        /// The rows of each plane without padding.
        let planes: [[UInt8]]
        let isPaddingIntact: Bool

        init(_ frame: FakeFrame) {
            size = frame.size
            var isPaddingIntact = true
            planes = (0..<3).map { plane in
                let geometry = PixelFormat.i420.plane(plane, of: frame.size)
                return (0..<geometry.rows).flatMap { row -> [UInt8] in
                    let start = row * frame.strides[plane]
                    let end = start + frame.strides[plane]
                    isPaddingIntact =
                        isPaddingIntact
                        && frame.planes[plane][start + geometry.rowBytes..<end].allSatisfy {
                            $0 == FakeFrame.paddingByte
                        }
                    return Array(frame.planes[plane][start..<start + geometry.rowBytes])
                }
            }
            self.isPaddingIntact = isPaddingIntact
        }

        func luma(_ column: Int, _ row: Int) -> UInt8 { planes[0][row * size.width + column] }

        /// The columns and rows of the luma that fit.
        func extent(
            _ fits: (UInt8) -> Bool
        ) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>)? {
            let found = planes[0].indices.filter { fits(planes[0][$0]) }
            let columns = found.map { $0 % size.width }
            guard let left = columns.min(), let right = columns.max(), let first = found.first,
                let last = found.last
            else { return nil }
            return (left...right, first / size.width...last / size.width)
        }

        /// The mean column of a plane's samples that fit, in pixels of the frame.
        func middle(ofPlane plane: Int, _ fits: (UInt8) -> Bool) -> Double? {
            let width = PixelFormat.i420.plane(plane, of: size).rowBytes
            let columns = planes[plane].indices.filter { fits(planes[plane][$0]) }
                .map { $0 % width }
            guard !columns.isEmpty else { return nil }
            return Double(columns.reduce(0, +) * size.width / width) / Double(columns.count)
        }
    }

    private func session(
        _ settings: [(String, Given)], size: FrameSize = size
    ) throws -> FakeSession {
        let session = try FakeSession("Text", of: bundledEntry("Text"), settings: settings)
        let capability = VideoCapability(size: size, rate: FrameRate(30))
        try #require(session.initializePreProcessor(capability) == .ok)
        try #require(session.startSend() == .ok)
        return session
    }

    /// A black frame with the text.
    private func picture(
        _ session: FakeSession, at seconds: Double = 0, size: FrameSize = size
    ) throws -> Picture {
        let lent = FakeFrame(.i420, size, padding: 5)
        defer { lent.free() }
        for plane in 0..<3 {
            let geometry = PixelFormat.i420.plane(plane, of: size)
            for row in 0..<geometry.rows {
                for column in 0..<geometry.rowBytes {
                    lent.planes[plane][row * lent.strides[plane] + column] = plane == 0 ? 16 : 128
                }
            }
        }
        var frame = lent.cFrame
        frame.info.pts_ns = 5_000_000_000 + Int64(seconds * 1e9)
        try #require(try session.process(&frame) == .ok)
        return Picture(lent)
    }

    /// The text without a box.
    private func plain(_ text: String, _ position: String = "left") throws -> Picture {
        try picture(
            session([
                ("text", .text(text)), ("background", .text("#00000000")), ("size", .number(0.2)),
                ("position", .choice(position)),
            ]))
    }

    struct Layout: CustomTestStringConvertible, Sendable {
        var template: String
        var position: String
        var size: FrameSize
        /// The edges that the box is at, with the margin.
        var edges: String
        var testDescription: String { "\(template) \(position) \(size)" }

        init(_ template: String, _ position: String, _ size: FrameSize, _ edges: String) {
            self.template = template
            self.position = position
            self.size = size
            self.edges = edges
        }
    }

    static let layouts = [
        Layout("plain", "top-left", size, "lt"), Layout("plain", "bottom-right", size, "rb"),
        Layout("plain", "centre", FrameSize(width: 333, height: 177), ""),
        Layout("clock", "top-right", size, "rt"), Layout("counter", "bottom", size, "b"),
        Layout("lower-third", "bottom-left", size, "lb"),
        Layout("lower-third", "left", FrameSize(width: 213, height: 161), "l"),
        Layout("ticker", "bottom", size, "b"),
    ]

    @Test(arguments: layouts)
    func `a text stays in its box, and the box at its position`(layout: Layout) throws {
        let session = try session(
            [
                ("template", .choice(layout.template)), ("background", .text("#808080")),
                ("position", .choice(layout.position)), ("margin", .number(0.1)),
                ("size", .number(0.1)), ("subtitle", .text("and its second line")),
            ] + (layout.template == "clock" ? [] : [("text", .text("Name {time}"))]),
            size: layout.size)
        let picture = try picture(session, at: 1, size: layout.size)
        let later = try self.picture(session, at: 2.5, size: layout.size)
        #expect(picture.isPaddingIntact)
        let box = try #require(picture.extent { $0 != 16 })
        let text = try #require(later.extent { $0 > 200 })
        let margin = Int((0.1 * Double(layout.size.height)).rounded())
        if layout.template == "ticker" {
            #expect(box.columns == 0...layout.size.width - 1)
        } else {
            #expect(box.columns.count < layout.size.width * 2 / 3)
            #expect(
                picture.planes[0].indices.allSatisfy {
                    let isIn =
                        box.columns.contains($0 % layout.size.width)
                        && box.rows.contains($0 / layout.size.width)
                    return isIn == (picture.planes[0][$0] != 16)
                })
        }
        #expect(box.rows.count < layout.size.height / 2)
        // The bar of a lower third is as high as its box.
        if layout.template != "lower-third" {
            #expect(text.rows.lowerBound > box.rows.lowerBound)
            #expect(text.rows.upperBound < box.rows.upperBound)
        }
        let edges: [Character: Bool] = [
            "l": box.columns.lowerBound == margin, "t": box.rows.lowerBound == margin,
            "r": box.columns.upperBound == layout.size.width - 1 - margin,
            "b": box.rows.upperBound == layout.size.height - 1 - margin,
        ]
        for (edge, isThere) in edges where layout.edges.contains(edge) {
            #expect(isThere, "\(edge): \(box)")
        }
    }

    @Test func `right-to-left text is drawn from right to left`() throws {
        func isRed(_ v: UInt8) -> Bool { v > 170 }
        let english = try plain("ab\u{1F534}")
        let hebrew = try plain("\u{5D0}\u{5D1}\u{1F534}")
        for (picture, order) in [(english, 1.0), (hebrew, -1.0)] {
            let red = try #require(
                picture.middle(ofPlane: 2, isRed), "no red circle: install fonts-noto-color-emoji")
            let white = try #require(picture.middle(ofPlane: 0) { $0 > 220 })
            #expect((red - white) * order > 20, "circle at \(red), letters at \(white)")
        }
        func bar(_ text: String) throws -> Double {
            let picture = try picture(
                session([
                    ("template", .choice("lower-third")), ("text", .text(text)),
                    ("background", .text("#202020")), ("position", .choice("centre")),
                    ("size", .number(0.2)),
                ]))
            // No letter is as high as the box.
            let box = try #require(picture.extent { $0 > 16 })
            return try #require(
                box.columns.first { picture.luma($0, box.rows.lowerBound) > 220 }.map(Double.init))
        }
        #expect(try bar("ab") < 160)
        #expect(try bar("\u{5D0}\u{5D1}") > 160)
    }

    @Test func `a clock starts at the set time, and a counter counts up or down`() throws {
        let style: [(String, Given)] = [("size", .number(0.2))]
        func shows(_ text: String) throws -> Picture {
            try picture(session(style + [("text", .text(text))]))
        }
        let clock = try session(
            style + [
                ("template", .choice("clock")), ("clock-start", .text("2026-12-31T23:59:58")),
                ("time-format", .text("%d.%m. %H:%M:%S")),
            ])
        #expect(try picture(clock) == shows("31.12. 23:59:58"))
        #expect(try picture(clock, at: 1.999) == shows("31.12. 23:59:59"))
        #expect(try picture(clock, at: 2) == shows("01.01. 00:00:00"))

        let counter = try session(
            style + [("template", .choice("counter")), ("text", .text("in {time}"))])
        #expect(try picture(counter, at: 0) == shows("in 00:00"))
        #expect(try picture(counter, at: 61.5) == shows("in 01:01"))
        #expect(try counter.set("count-from", .integer(3700)) == .ok)
        #expect(try picture(counter, at: 62) == shows("in 1:01:40"))
        #expect(try picture(counter, at: 63) == shows("in 1:01:39"))
        #expect(try picture(counter, at: 5000) == shows("in 00:00"))
    }

    @Test(arguments: ["Moving text", "\u{5D0}\u{5D1}\u{5D2} \u{5D3}\u{5D4}\u{5D5}"])
    func `a ticker moves its line by whole pixels`(text: String) throws {
        let isRightToLeft = text.utf8.first != UInt8(ascii: "M")
        let session = try session([
            ("template", .choice("ticker")), ("text", .text(text)), ("size", .number(0.15)),
            ("background", .text("#00000000")), ("speed", .number(0.1)),
        ])
        #expect(try picture(session, at: 0).extent { $0 != 16 } == nil)
        let width = Self.size.width
        // 32 pixels a second, at odd and even places.
        let before = try picture(session, at: 5)
        for steps in [1, 2, 7, 32] {
            let after = try picture(session, at: 5 + (Double(steps) + 0.5) / 32)
            let shift = isRightToLeft ? steps : -steps
            let isMoved = (0..<Self.size.height).allSatisfy { row in
                (40..<width - 40).allSatisfy { column in
                    after.luma(column, row) == before.luma(column - shift, row)
                }
            }
            #expect(isMoved, "\(steps) pixels")
        }
        #expect(try #require(before.extent { $0 > 220 }).columns.count > 40)
    }

    @Test func `live settings show in the next frame`() throws {
        let session = try session([("text", .text("before"))])
        let before = try picture(session)
        for (name, value) in [
            ("text", Given.text("after")), ("color", .text("#ff0000")),
            ("position", .choice("top")), ("opacity", .number(0.5)),
        ] {
            #expect(try session.set(name, value) == .ok)
        }
        let same = try self.session([
            ("text", .text("after")), ("color", .text("#ff0000")), ("position", .choice("top")),
            ("opacity", .number(0.5)),
        ])
        let after = try picture(session)
        #expect(try after == picture(same) && after != before)
        // Opacity alone renders nothing anew.
        #expect(try session.set("opacity", .number(0)) == .ok)
        #expect(try picture(session).extent { $0 != 16 } == nil)

        #expect(try session.set("color", .text("red")) == .ok)
        #expect(try session.set("opacity", .number(0.5)) == .ok)
        #expect(try picture(session) == after)
        let log = session.host.state.withLock { $0.log }
        #expect(log.count { $0.contains("color: \"red\" is not a colour; write #rrggbb") } == 1)
    }

    @Test func `a character that no font has is reported once, with the package`() throws {
        // An ideograph of 2022.
        let session = try session([("text", .text("\u{323AE}"))])
        for second in 0..<3 {
            _ = try picture(session, at: Double(second))
            #expect(try session.set("text", .text("\u{323AE}\(second)")) == .ok)
        }
        let log = session.host.state.withLock { $0.log }
        #expect(
            log.count { $0.contains("U+323AE") && $0.contains("apt install fonts-noto-cjk") } == 1)
    }

    @Test func `no text crashes the plugin or draws outside the picture`() throws {
        let endless = String(repeating: "long \u{1F469}\u{200D}\u{1F680} ", count: 20_000)
        for text in [
            "", "\u{1}\u{7F}\u{85}\n\r\n\u{2028}", "\u{202E}\u{202E}abc", endless,
            String(repeating: "\u{300}", count: 50_000), String(repeating: "\n", count: 5000),
        ] {
            for template in ["plain", "lower-third", "ticker", "clock"] {
                for size in [0.01, 1.0] {
                    let session = try session([
                        ("template", .choice(template)), ("text", .text(text)),
                        ("subtitle", .text(text)), ("size", .number(size)),
                        ("time-format", .text(text)), ("margin", .number(0.5)),
                    ])
                    #expect(try picture(session, at: 3).isPaddingIntact)
                    let log = session.host.state.withLock { $0.log }
                    #expect(
                        text.utf8.count < 16_384 || log.contains { $0.contains("too long") },
                        "\(template)")
                }
            }
        }
    }

    @Test(arguments: [
        ("color", "white"), ("color", "#12345"), ("background", "#ggffff"), ("background", ""),
        ("clock-start", "2026-13-01T00:00:00"), ("clock-start", "noon"),
        ("clock-start", "2026-01-01T00:00:99999999999"),
    ])
    func `a setting that can't be read is refused`(setting: (String, String)) throws {
        let refusal = #expect(throws: FakeHost.Refusal.self) {
            _ = try FakeSession(
                "Text", of: bundledEntry("Text"), settings: [(setting.0, .text(setting.1))])
        }
        #expect(refusal?.status == .badSetting)
    }

    @Test func `a text share fills its page with the background's colour`() throws {
        let limit = VideoCapability(size: Self.size, rate: FrameRate(30))
        for (template, rate) in [("plain", 10), ("ticker", 30)] {
            let session = try FakeSession(
                "TextShare", of: bundledEntry("Text"),
                settings: [
                    ("template", .choice(template)), ("text", .text("share")),
                    ("background", .text("#ffffff")), ("color", .text("#000000")),
                ])
            try #require(session.initializeVideo([limit]) == .ok)
            try #require(session.run(nanoseconds: 2_000_000_000) == .ok)
            let frames = session.host.state.withLock { $0.video.committed }
            #expect(frames.count >= 2 * rate && frames.count <= 2 * rate + 1)
            let last = try #require(frames.last)
            #expect(last.planes[0].first == 235 && last.planes[0].contains { $0 < 40 })
            #expect(last.planes[1].allSatisfy { $0 == 128 } && last.isPaddingIntact)
        }
    }
}
