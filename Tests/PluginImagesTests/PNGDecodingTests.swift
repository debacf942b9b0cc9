import GreenroomSystem
import PluginImages
import GreenroomMedia
import TestSupport
import Testing

struct PNGDecodingTests {
    struct Variety: CustomTestStringConvertible {
        var name: String
        var file: PNGFile
        var pixels: [UInt8]
        var testDescription: String { name }
    }

    static let varieties = [
        Variety(
            name: "rgba",
            file: PNGFile(
                width: 2, height: 2, colorType: .rgba,
                rows: [[1, 2, 3, 4, 250, 128, 7, 255], [9, 8, 7, 0, 40, 50, 60, 128]]),
            pixels: [1, 2, 3, 4, 250, 128, 7, 255, 9, 8, 7, 0, 40, 50, 60, 128]),
        Variety(
            name: "rgb",
            file: PNGFile(
                width: 3, height: 1, colorType: .rgb, rows: [[1, 2, 3, 4, 5, 6, 7, 8, 9]]),
            pixels: [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255]),
        Variety(
            name: "rgb with one colour transparent",
            file: PNGFile(
                width: 2, height: 1, colorType: .rgb,
                extraChunks: [("tRNS", [0, 4, 0, 5, 0, 6])], rows: [[1, 2, 3, 4, 5, 6]]),
            pixels: [1, 2, 3, 255, 4, 5, 6, 0]),
        Variety(
            name: "grey",
            file: PNGFile(width: 3, height: 1, colorType: .grey, rows: [[0, 128, 255]]),
            pixels: [0, 0, 0, 255, 128, 128, 128, 255, 255, 255, 255, 255]),
        Variety(
            name: "black and white",
            file: PNGFile(
                width: 3, height: 1, depth: 1, colorType: .grey, rows: [[0b1010_0000]]),
            pixels: [255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255]),
        Variety(
            name: "grey with alpha",
            file: PNGFile(width: 2, height: 1, colorType: .greyAlpha, rows: [[77, 10, 200, 255]]),
            pixels: [77, 77, 77, 10, 200, 200, 200, 255]),
        Variety(
            name: "palette with alpha",
            file: PNGFile(
                width: 3, height: 1, depth: 2, colorType: .palette,
                extraChunks: [
                    ("PLTE", [10, 20, 30, 40, 50, 60, 70, 80, 90]), ("tRNS", [255, 100]),
                ], rows: [[0b00_01_10_00]]),
            pixels: [10, 20, 30, 255, 40, 50, 60, 100, 70, 80, 90, 255]),
        Variety(
            name: "16 bits",
            file: PNGFile(
                width: 1, height: 1, depth: 16, colorType: .rgba,
                rows: [[0x40, 0x40, 0x80, 0x80, 0xC0, 0xC0, 0xFF, 0xFF]]),
            pixels: [0x40, 0x80, 0xC0, 0xFF]),
    ]

    @Test(arguments: varieties)
    func `every colour type and bit depth of PNG is decoded to RGBA`(_ variety: Variety) throws {
        try withTemporaryFile(variety.file.bytes) { path in
            let image = try Image(contentsOf: path)
            #expect(image.width == Int(variety.file.width))
            #expect(image.height == Int(variety.file.height))
            #expect(copy(of: image) == variety.pixels)
        }
    }

    /// A picture of colours and transparency at random.
    private static func noise(
        _ width: Int, _ height: Int, isInterlaced: Bool = false
    ) -> PNGFile {
        var random = SeededGenerator(seed: 3)
        let rows = (0..<height).map { _ in
            (0..<width * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        return PNGFile(
            width: UInt32(width), height: UInt32(height), colorType: .rgba,
            isInterlaced: isInterlaced, rows: rows)
    }

    @Test(arguments: [(1, 1), (3, 2), (5, 1), (13, 9), (16, 16), (64, 5)])
    func `an interlaced PNG decodes like a plain one, in full or reduced size`(
        width: Int, height: Int
    ) throws {
        let plain = Self.noise(width, height)
        let interlaced = Self.noise(width, height, isInterlaced: true)
        #expect(interlaced.bytes != plain.bytes)
        for block in [1, 2, 3, 4, 9] {
            let limit =
                block == 1
                ? nil : FrameSize(width: max(width / block, 1), height: max(height / block, 1))
            let (size, pixels) = try read(plain, fitting: limit)
            let (otherSize, others) = try read(interlaced, fitting: limit)
            #expect(size == otherSize && pixels == others, "blocks of \(block)")
            // One that is to become larger stays.
            let larger = try read(interlaced, fitting: FrameSize(width: 99, height: 99))
            #expect(larger.size == FrameSize(width: width, height: height))
            if block == 1 { #expect(pixels == plain.rows.flatMap { $0 }) }
        }
    }

    private func read(
        _ file: PNGFile, fitting limit: FrameSize?
    ) throws -> (size: FrameSize, pixels: [UInt8]) {
        try withTemporaryFile(file.bytes) { path in
            let picture = try Image(contentsOf: path, fitting: limit)
            return (picture.size, copy(of: picture))
        }
    }

    @Test(arguments: [nil, FrameSize(width: 2, height: 2)])
    func `an interlaced picture cut off anywhere is damaged`(limit: FrameSize?) throws {
        let whole = Self.noise(8, 8, isInterlaced: true).bytes
        for length in 33..<(whole.count - 16) {
            let code = try withTemporaryFile(Array(whole.prefix(length))) { path in
                do throws(FileError) {
                    _ = try Image(contentsOf: path, fitting: limit)
                    return nil as FileError.Code?
                } catch {
                    return error.code
                }
            }
            #expect(code == .malformed, "cut to \(length) bytes")
        }
    }

    @Test(arguments: [(12, 8), (13, 9), (64, 5)])
    func `an image much larger than needed is read as means of its blocks`(
        width: Int, height: Int
    ) throws {
        let file = Self.noise(width, height)
        let block = 4
        let limit = FrameSize(width: width / block, height: max(height / block, 1))
        try withTemporaryFile(file.bytes) { path in
            let image = try Image(contentsOf: path, fitting: limit)
            #expect(
                image.size
                    == FrameSize(
                        width: (width + block - 1) / block, height: (height + block - 1) / block))
            for y in 0..<image.height {
                for x in 0..<image.width {
                    let expected = mean(of: file.rows, x: x * block, y: y * block, block)
                    let found = (0..<4).map { Double(image.row(y)[x * 4 + $0]) }
                    #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(x), \(y)")
                }
            }
        }
    }

    /// The mean of a block: of alpha, and of colours by their alpha.
    private func mean(of rows: [[UInt8]], x: Int, y: Int, _ block: Int) -> [Double] {
        var (sums, alpha, count) = ([0.0, 0, 0], 0.0, 0.0)
        for row in rows[y..<min(y + block, rows.count)] {
            for column in x..<min(x + block, row.count / 4) {
                let pixel = row[column * 4..<column * 4 + 4].map(Double.init)
                for color in 0..<3 { sums[color] += pixel[color] * pixel[3] }
                alpha += pixel[3]
                count += 1
            }
        }
        return sums.map { $0 / max(alpha, 1) } + [alpha / count]
    }

    @Test func `a large image cut off anywhere is damaged`() throws {
        let whole = Self.noise(8, 8).bytes
        for length in 33..<(whole.count - 16) {
            let code = try withTemporaryFile(Array(whole.prefix(length))) { path in
                do throws(FileError) {
                    _ = try Image(contentsOf: path, fitting: FrameSize(width: 2, height: 2))
                    return nil as FileError.Code?
                } catch {
                    return error.code
                }
            }
            #expect(code == .malformed, "cut to \(length) bytes")
        }
    }

    @Test func `an image of any size is turned upright as its eXIf chunk says`() throws {
        // One pixel of each grey in two rows, or a block of 4 by 4.
        let greys: [[UInt8]] = [[10, 90], [170, 250]]
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0,
            0,
        ]
        for block in [1, 4] {
            let rows = greys.flatMap { row in
                let pixels = row.flatMap { [UInt8](repeating: $0, count: block) }
                return [[UInt8]](repeating: pixels, count: block)
            }
            let file = PNGFile(
                width: UInt32(2 * block), height: UInt32(2 * block), colorType: .grey,
                extraChunks: [("eXIf", tiff)], rows: rows)
            try withTemporaryFile(file.bytes) { path in
                let image = try Image(
                    contentsOf: path, fitting: FrameSize(width: 2, height: 2))
                let seen = copy(of: image)
                #expect(
                    seen.enumerated().filter { $0.offset % 4 == 0 }.map(\.element) == [
                        170, 10, 250, 90,
                    ])
                #expect(Image.size(ofFile: path) == FrameSize(width: 2 * block, height: 2 * block))
            }
        }
    }

    @Test(
        arguments: [
            ("acTL", [0, 0, 0, 2, 0, 0, 0, 0], "is animated"),
            ("iCCP", Array("Display P3\0\0".utf8), "colour profile"), ("tEXt", [65, 0, 66], nil),
        ] as [(String, [UInt8], String?)])
    func `PNG features that are ignored are reported`(chunk: String, data: [UInt8], note: String?)
        throws
    {
        let file = PNGFile(
            width: 1, height: 1, colorType: .grey, extraChunks: [(chunk, data)], rows: [[7]])
        try withTemporaryFile(file.bytes) { path in
            let notes = try Image(contentsOf: path).notes
            #expect(notes.count == (note == nil ? 0 : 1))
            #expect(notes.allSatisfy { $0.hasPrefix("\(path) ") && $0.contains(note ?? "") })
        }
    }

    @Test func `a PNG cut off anywhere is damaged`() throws {
        let whole = Self.varieties[0].file.bytes
        // The last chunk, IEND, has 12 bytes and no pixels.
        for length in 8..<(whole.count - 12) {
            let code = try withTemporaryFile(Array(whole.prefix(length))) { errorCode(at: $0) }
            #expect(code == .malformed, "cut to \(length) bytes")
        }
    }

    @Test(arguments: [(8193, 1), (1, 8193), (1_000_000, 1_000_000)] as [(UInt32, UInt32)])
    func `a side beyond 8192 is refused before its memory is made`(
        _ width: UInt32, _ height: UInt32
    ) throws {
        let file = PNGFile(width: width, height: height, colorType: .rgba, rows: [[0, 0, 0, 0]])
        let code = try withTemporaryFile(file.bytes) { errorCode(at: $0) }
        // libpng has a limit of its own of a million, which calls the file damaged.
        #expect(code == .tooLarge || width == 1_000_000 && code == .malformed)
    }

    @Test(arguments: [(0, 0), (0, 4), (4, 0)] as [(UInt32, UInt32)])
    func `an image without pixels is reported as malformed, not as too large`(
        _ width: UInt32, _ height: UInt32
    )
        throws
    {
        let file = PNGFile(width: width, height: height, colorType: .rgba, rows: [])
        let code = try withTemporaryFile(file.bytes) { errorCode(at: $0) }
        #expect(code == .malformed)
    }

    @Test func `randomly changed bytes never crash the decoder`() throws {
        let whole = Self.varieties[6].file.bytes
        var random = SeededGenerator(seed: 1)
        var refused = 0
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[.random(in: 8..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            refused += try withTemporaryFile(bytes) { errorCode(at: $0) } == nil ? 0 : 1
        }
        // Nearly every change breaks a check sum.
        #expect(refused > 200)
    }
}
