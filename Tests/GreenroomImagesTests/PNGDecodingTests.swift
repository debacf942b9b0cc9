import GreenroomImages
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
    func `every variety becomes RGBA`(_ variety: Variety) throws {
        try withTemporaryFile(variety.file.bytes) { path in
            let picture = try Image(contentsOf: path)
            #expect(picture.width == Int(variety.file.width))
            #expect(picture.height == Int(variety.file.height))
            #expect(copy(of: picture) == variety.pixels)
        }
    }

    @Test func `a PNG cut off anywhere is damaged`() throws {
        let whole = Self.varieties[0].file.bytes
        // The last chunk, IEND, has 12 bytes and no pixels.
        for length in 8..<(whole.count - 12) {
            let code = try withTemporaryFile(Array(whole.prefix(length))) { errorCode(at: $0) }
            #expect(code == .damaged, "cut to \(length) bytes")
        }
    }

    @Test(arguments: [(8193, 1), (1, 8193), (1_000_000, 1_000_000)] as [(UInt32, UInt32)])
    func `a side beyond 8192 is refused before its memory is made`(
        _ width: UInt32, _ height: UInt32
    ) throws {
        let file = PNGFile(width: width, height: height, colorType: .rgba, rows: [[0, 0, 0, 0]])
        let code = try withTemporaryFile(file.bytes) { errorCode(at: $0) }
        // libpng has a limit of its own of a million, which calls the file damaged.
        #expect(code == .tooLarge || width == 1_000_000 && code == .damaged)
    }

    @Test func `bytes changed at random never bring the process down`() throws {
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
