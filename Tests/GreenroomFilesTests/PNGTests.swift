import Foundation
import Glibc
import GreenroomFiles
import GreenroomMedia
import TestSupport
import Testing

@Suite(.ownThreads) struct PNGTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A picture whose bytes tell rows, columns and colours apart, packed.
    private func picture(_ size: FrameSize) -> [UInt8] {
        (0..<3 * size.area).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / (3 * size.width) * 31) }
    }

    /// The same with rows further apart; the gaps hold a byte that no picture may show.
    private func padded(_ packed: [UInt8], _ size: FrameSize, by padding: Int) -> [UInt8] {
        let rowBytes = 3 * size.width
        return (0..<size.height).flatMap { row in
            packed[row * rowBytes..<(row + 1) * rowBytes] + [UInt8](repeating: 0xee, count: padding)
        }
    }

    @Test(
        .enabled(if: Oracle.isPresent),
        arguments: [(1, 1), (3, 2), (33, 21), (640, 360)], [0, 5])
    func `another decoder reads the picture that was written`(
        sides: (Int, Int), padding: Int
    ) throws {
        let size = FrameSize(width: sides.0, height: sides.1)
        let packed = picture(size)
        let file = folder("a.png")
        try PNGWriter.write(
            padded(packed, size, by: padding).span.bytes, strideBytes: 3 * size.width + padding,
            size: size, to: file)
        #expect(
            try Oracle.ffprobe(file, "stream=width,height,pix_fmt").hasPrefix(
                "\(size.width) \(size.height) rgb24"))
        let read = try Oracle.ffmpeg(
            "-err_detect", "crccheck+explode", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24",
            "-")
        let isSame = read == packed
        #expect(isSame, "\(size)")
    }

    /// Checks every chunk's CRC, the check sum of the data, and that nothing is left over.
    private static let reader = """
        import sys, zlib
        data = open(sys.argv[1], 'rb').read()
        assert data[:8] == bytes.fromhex('89504e470d0a1a0a')
        place, kinds, stream = 8, [], b''
        while place < len(data):
            count = int.from_bytes(data[place:place + 4], 'big')
            kind, body = data[place + 4:place + 8], data[place + 8:place + 8 + count]
            crc = int.from_bytes(data[place + 8 + count:place + 12 + count], 'big')
            assert crc == zlib.crc32(kind + body), kind
            kinds.append(kind.decode())
            if kind == b'IDAT': stream += body
            place += 12 + count
        decoder = zlib.decompressobj()
        image = decoder.decompress(stream)
        assert decoder.eof and not decoder.unused_data
        sys.stdout.buffer.write((' '.join(kinds) + '\\n').encode() + image)
        """

    // Rows of 1456 pixels take 4369 bytes with their filter: 15 of them fill a block to the byte.
    @Test(arguments: [(1, 1), (1456, 15), (1456, 30), (1457, 15)])
    func `check sums and lengths are right where stored blocks end`(sides: (Int, Int)) throws {
        let size = FrameSize(width: sides.0, height: sides.1)
        let packed = picture(size)
        let file = folder("a.png")
        try PNGWriter.write(packed.span.bytes, strideBytes: 3 * size.width, size: size, to: file)
        let run = try ChildProcess.run("python3", ["-c", Self.reader, file])
        #expect(run.exit == .code(0), "\(run)")
        var expected = Array("IHDR sRGB IDAT IEND\n".utf8)
        for row in 0..<size.height {
            expected.append(0)
            expected += packed[(3 * size.width * row)..<(3 * size.width * (row + 1))]
        }
        let isSame = run.standardOutput == expected
        #expect(isSame)
    }

    @Test func `a picture is replaced whole, and nothing else is left behind`() throws {
        let file = try folder.write("a.png", "old")
        let size = FrameSize(width: 2, height: 2)
        try PNGWriter.write(picture(size).span.bytes, strideBytes: 6, size: size, to: file)
        let written = try readFile(file)
        #expect(written.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.png"])
    }

    @Test func `what can't be written leaves what was there, and says why`() throws {
        let size = FrameSize(width: 2, height: 2)
        let pixels = picture(size)
        func error(_ path: String, stride: Int = 6, bytes: Int = 12) -> MediaFileError? {
            #expect(throws: MediaFileError.self) {
                try PNGWriter.write(
                    pixels.span.bytes.extracting(..<bytes), strideBytes: stride, size: size,
                    to: path)
            }
        }
        #expect(error(folder("no/a.png"))?.code == .cannotOpen)
        #expect(error(folder("no/a.png"))?.file == folder("no/a.png"))
        mkdir(folder("folder"), 0o755)
        #expect(error(folder("folder"))?.cure == "name a file, not a folder")
        #expect(error(folder("a.png"), stride: 5)?.code == .badArgument)
        #expect(error(folder("a.png"), bytes: 11)?.code == .badArgument)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["folder"])
    }
}
