import GreenroomSystem
import CTurboJPEG
import GreenroomMedia
import PluginImages
import TestSupport
import Testing

struct JPEGDecodingTests {
    /// 16x8 pixels, a colour for each 8x8 block: red on the left, blue on the right.
    private static let (width, height) = (16, 8)
    private static let pixels: [UInt8] = (0..<(16 * 8)).flatMap { index -> [UInt8] in
        index % 16 < 8 ? [200, 30, 20, 255] : [10, 40, 220, 255]
    }

    @Test func `decoded JPEG colours are within 3 levels of the original`() throws {
        let file = try JPEGFile.bytes(of: Self.pixels, width: Self.width, height: Self.height)
        try withTemporaryFile(file) { path in
            let image = try Image(contentsOf: path)
            #expect(image.size == FrameSize(width: 16, height: 8))
            let difference = zip(copy(of: image), Self.pixels)
                .map { abs(Int($0) - Int($1)) }.max()
            #expect(try #require(difference) <= 3)
        }
    }

    /// The stored image has marks A (top left), B (top right), C (bottom left) and
    /// D (bottom right); each orientation says where they are seen.
    static let seen: [(orientation: UInt8, corners: String)] = [
        (1, "ABCD"), (2, "BADC"), (3, "DCBA"), (4, "CDAB"),
        (5, "ACBD"), (6, "CADB"), (7, "DBCA"), (8, "BDAC"),
        (0, "ABCD"), (9, "ABCD"),
    ]

    @Test(arguments: seen, [true, false])
    func `an image is turned upright as its EXIF orientation says`(
        _ row: (orientation: UInt8, corners: String), _ isBigEndian: Bool
    ) throws {
        // Blocks of 8 pixels of one grey each, so that JPEG keeps them.
        let greys: [Character: UInt8] = ["A": 20, "B": 90, "C": 160, "D": 230]
        let stored: [[Character]] = [["A", "A", "B"], ["C", "C", "D"]]
        let pixels = (0..<16).flatMap { y in
            (0..<24).flatMap { x -> [UInt8] in
                let grey = greys[stored[y / 8][x / 8]] ?? 0
                return [grey, grey, grey, 255]
            }
        }
        let file = JPEGFile.bytes(
            try JPEGFile.bytes(of: pixels, width: 24, height: 16),
            withOrientation: row.orientation, isBigEndian: isBigEndian)
        try withTemporaryFile(file) { path in
            let image = try Image(contentsOf: path)
            let isSideways = (5...8).contains(row.orientation)
            #expect(
                image.size == FrameSize(width: isSideways ? 16 : 24, height: isSideways ? 24 : 16)
            )
            let (right, bottom) = (image.width - 1, image.height - 1)
            let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)].map { x, y in
                Int(image.row(y)[x * 4])
            }
            for (found, name) in zip(corners, row.corners) {
                #expect(abs(found - Int(greys[name] ?? 0)) <= 3, "expected \(name)")
            }
        }
    }

    @Test(arguments: [(1, 20, 20), (1, 21, 21), (6, 20, 20), (1, 500, 160), (1, 160, 20)])
    func `an image much larger than needed is made smaller while it is decoded`(
        orientation: Int, limit: Int, side: Int
    ) throws {
        // Four quarters, each of one grey, 160x160.
        let greys: [[UInt8]] = [[20, 90], [160, 230]]
        let pixels = (0..<160).flatMap { y in
            (0..<160).flatMap { x -> [UInt8] in
                let grey = greys[y / 80][x / 80]
                return [grey, grey, grey, 255]
            }
        }
        let file = JPEGFile.bytes(
            try JPEGFile.bytes(of: pixels, width: 160, height: 160),
            withOrientation: UInt8(orientation), isBigEndian: true)
        try withTemporaryFile(file) { path in
            let size = FrameSize(width: limit, height: side == limit ? side : 160)
            let image = try Image(contentsOf: path, fitting: size)
            let least = min(size.width, size.height, 160)
            #expect(image.width >= least && image.width < least + 20 + 1)
            let (far, near) = (image.width * 3 / 4, image.width / 4)
            let seen = [(near, near), (far, near), (near, far), (far, far)].map { x, y in
                Int(image.row(y)[x * 4])
            }
            let expected = orientation == 6 ? [160, 20, 230, 90] : [20, 90, 160, 230]
            #expect(zip(seen, expected).allSatisfy { abs($0 - $1) <= 3 }, "\(seen)")
        }
        let told = try withTemporaryFile(file) { Image.size(ofFile: $0) }
        #expect(told == FrameSize(width: 160, height: 160))
    }

    @Test(arguments: [("sRGB IEC61966-2.1", 0), ("s\0R\0G\0B", 0), ("Display P3", 1)])
    func `a colour profile other than sRGB is reported`(name: String, count: Int) throws {
        let profile = Array("ICC_PROFILE\0".utf8) + [1, 1] + Array(name.utf8)
        let file = try JPEGFile.bytes(of: Self.pixels, width: Self.width, height: Self.height)
        let segment = [0xFF, 0xE2, 0, UInt8(profile.count + 2)] + profile
        try withTemporaryFile(file.prefix(2) + segment + file.dropFirst(2)) { path in
            let notes = try Image(contentsOf: path).notes
            #expect(notes.count == count)
        }
    }

    @Test func `CMYK is refused with a reason`() throws {
        let file = try JPEGFile.bytes(
            of: Self.pixels, width: Self.width, height: Self.height, format: TJPF_CMYK)
        #expect(try withTemporaryFile(file) { errorCode(at: $0) } == .unsupported)
    }

    @Test func `a JPEG cut off anywhere is damaged`() throws {
        let whole = try JPEGFile.bytes(of: Self.pixels, width: Self.width, height: Self.height)
        for length in 3..<(whole.count - 2) {
            let code = try withTemporaryFile(Array(whole.prefix(length))) { errorCode(at: $0) }
            #expect(code == .malformed, "cut to \(length) bytes")
        }
    }

    @Test func `a side beyond 8192 is refused before its memory is made`() throws {
        var file = try JPEGFile.bytes(of: Self.pixels, width: Self.width, height: Self.height)
        let frame = try #require(
            file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
        // Behind the marker: length (2 bytes), depth (1), height (2), width (2).
        file.replaceSubrange((frame + 5)..<(frame + 9), with: [0xFF, 0x00, 0xFF, 0x00])
        #expect(try withTemporaryFile(file) { errorCode(at: $0) } == .tooLarge)
    }

    @Test func `randomly changed bytes never crash the decoder`() throws {
        let whole = JPEGFile.bytes(
            try JPEGFile.bytes(of: Self.pixels, width: Self.width, height: Self.height),
            withOrientation: 6, isBigEndian: true)
        var random = SeededGenerator(seed: 2)
        var codes: Set<FileError.Code> = []
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[.random(in: 3..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            if let code = try withTemporaryFile(bytes, errorCode(at:)) { codes.insert(code) }
        }
        #expect(codes.contains(.malformed))
    }
}
