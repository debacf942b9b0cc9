import GreenroomSystem
import Glibc
import SystemPackage
import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomFiles

/// A picture whose bytes tell frame, plane, row and column apart.
struct TestFrame: Equatable, Sendable {
    let size: FrameSize
    var planes: [[UInt8]]

    init(size: FrameSize, seed: Int = 0) {
        self.size = size
        planes = (0..<3).map { index in
            let plane = PixelFormat.i420.plane(index, of: size)
            let start = index * 85 + seed * 31
            return (0..<(plane.rowBytes * plane.rows)).map { (place: Int) -> UInt8 in
                UInt8(truncatingIfNeeded: place * 7 + start)
            }
        }
    }

    var packed: [UInt8] { planes.flatMap { $0 } }

    /// The planes with rows further apart; the gaps hold a byte that no picture may show.
    func padded(by padding: Int) -> [[UInt8]] {
        planes.indices.map { index in
            let plane = PixelFormat.i420.plane(index, of: size)
            return (0..<plane.rows).flatMap { row in
                planes[index][(row * plane.rowBytes)..<((row + 1) * plane.rowBytes)]
                    + [UInt8](repeating: 0xEE, count: padding)
            }
        }
    }

    func stride(_ plane: Int, padding: Int = 0) -> Int {
        PixelFormat.i420.plane(plane, of: size).rowBytes + padding
    }
}

extension Y4MWriter {
    mutating func write(_ picture: TestFrame, padding: Int = 0) throws(FileError) {
        let planes = picture.padded(by: padding)
        let (y, u, v) = (planes[0], planes[1], planes[2])
        try write(
            y: y.span.bytes, yStride: picture.stride(0, padding: padding),
            u: u.span.bytes, uStride: picture.stride(1, padding: padding),
            v: v.span.bytes, vStride: picture.stride(2, padding: padding))
    }
}

extension Y4MReader {
    mutating func picture(_ index: Int, padding: Int = 0) throws -> TestFrame {
        var picture = TestFrame(size: format.size)
        var y = [UInt8](repeating: 0xEE, count: picture.padded(by: padding)[0].count)
        var u = [UInt8](repeating: 0xEE, count: picture.padded(by: padding)[1].count)
        var v = u
        try y.withUnsafeMutableBytes { y in
            try u.withUnsafeMutableBytes { u in
                try v.withUnsafeMutableBytes { v in
                    var yBytes = y.mutableBytes
                    var uBytes = u.mutableBytes
                    var vBytes = v.mutableBytes
                    try readFrame(
                        index, y: &yBytes, yStride: picture.stride(0, padding: padding),
                        u: &uBytes, uStride: picture.stride(1, padding: padding),
                        v: &vBytes, vStride: picture.stride(2, padding: padding))
                }
            }
        }
        for (plane, bytes) in [y, u, v].enumerated() {
            let stride = picture.stride(plane, padding: padding)
            let rows = stride > 0 ? bytes.count / stride : 0
            picture.planes[plane] = (0..<rows).flatMap { row in
                let gap = bytes[((row + 1) * stride - padding)..<((row + 1) * stride)]
                #expect(gap.allSatisfy { $0 == 0xEE }, "wrote between rows")
                return bytes[(row * stride)..<((row + 1) * stride - padding)]
            }
        }
        return picture
    }
}

private let rate30 = FrameRate(30)

@Suite(.ownThreads) struct Y4MTests {
    static let sizes = [
        FrameSize(width: 1, height: 1), FrameSize(width: 2, height: 2),
        FrameSize(width: 5, height: 3), FrameSize(width: 129, height: 64),
    ]

    @Test(arguments: sizes, [0, 1, 64])
    func `frames are read as they were written, in any order and at any stride`(
        size: FrameSize, padding: Int
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        let format = Y4MFormat(size: size, rate: rate30, range: .full)
        let pictures = (0..<4).map { TestFrame(size: size, seed: $0) }
        var writer = try Y4MWriter(path: path, format: format)
        for picture in pictures { try writer.write(picture, padding: padding) }
        #expect(writer.frameCount == 4)
        try writer.close()

        var reader = try Y4MReader(path: path)
        #expect(reader.format == format)
        #expect(reader.frameCount == 4)
        #expect(reader.notes == [])
        for index in [3, 0, 2, 1] {
            #expect(try reader.picture(index, padding: padding) == pictures[index])
        }
    }

    @Test func `a Y4M file has exactly the expected bytes`() throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        let picture = TestFrame(size: FrameSize(width: 3, height: 3))
        let rate = try #require(FrameRate("30000/1001"))
        var writer = try Y4MWriter(path: path, format: Y4MFormat(size: picture.size, rate: rate))
        try writer.write(picture, padding: 5)
        let header =
            "YUV4MPEG2 W3 H3 F30000:1001 Ip A1:1 C420 XCOLORRANGE=LIMITED\nFRAME\n"
        #expect(try readFile(path) == Array(header.utf8) + picture.packed)
        let tagged = Y4MFormat(size: picture.size, rate: rate, matrix: .bt601)
        #expect(tagged.header.hasSuffix(" XCOLORRANGE=LIMITED XCOLORSPACE=BT601\n"))
    }

    @Test(.enabled(if: Oracle.isPresent)) func `ffmpeg reads the longest header`() throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        let formats = try ColorRange.allCases.flatMap { range in
            try ColorMatrix.allCases.map { matrix in
                Y4MFormat(
                    size: FrameSize(
                        width: FrameSize.maximumDimension, height: FrameSize.maximumDimension),
                    rate: try #require(FrameRate("4294967295/4294967294")), range: range,
                    matrix: matrix)
            }
        }
        let longest = try #require(formats.max { $0.header.utf8.count < $1.header.utf8.count })
        #expect(longest.header.utf8.count <= 96)
        let writer = try Y4MWriter(path: path, format: longest)
        try writer.close()
        truncate(path, off_t(longest.header.utf8.count + 6 + longest.frameByteCount))
        let file = open(path, O_WRONLY)
        defer { close(file) }
        #expect(pwrite(file, "FRAME\n", 6, off_t(longest.header.utf8.count)) == 6)
        #expect(
            try Oracle.ffprobe(path, "stream=width,height,pix_fmt,color_range")
                == "8192 8192 yuv420p tv")
    }

    @Test(.enabled(if: Oracle.isPresent), arguments: ColorRange.allCases)
    func `ffmpeg reads the written frames`(range: ColorRange) throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        let pictures = (0..<3).map { TestFrame(size: FrameSize(width: 35, height: 17), seed: $0) }
        let format = Y4MFormat(size: pictures[0].size, rate: rate30, range: range)
        var writer = try Y4MWriter(path: path, format: format)
        for picture in pictures { try writer.write(picture) }

        let pixels = try Oracle.ffmpeg("-i", path, "-f", "rawvideo", "-")
        #expect(pixels == pictures.flatMap(\.packed))
        let entries = try Oracle.ffprobe(
            path, "stream=width,height,pix_fmt,color_range,r_frame_rate")
        #expect(entries == "35 17 yuv420p \(range == .full ? "pc" : "tv") 30/1")
    }

    @Test(.enabled(if: Oracle.isPresent))
    func `a Y4M file from ffmpeg is read`() throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        _ = try Oracle.ffmpeg(
            "-f", "lavfi", "-i", "testsrc=size=53x31:rate=24000/1001", "-frames:v", "5",
            "-pix_fmt", "yuv420p", path)
        let pixels = try Oracle.ffmpeg("-i", path, "-f", "rawvideo", "-")
        var reader = try Y4MReader(path: path)
        #expect(reader.format.size == FrameSize(width: 53, height: 31))
        #expect(reader.format.rate == FrameRate("24000/1001"))
        #expect(reader.format.range == .limited)
        var read: [UInt8] = []
        for index in 0..<reader.frameCount { read += try reader.picture(index).packed }
        #expect(read == pixels)
    }

    /// What is wrong with a header, and the command that the message has for it.
    @Test(
        .enabled(if: Oracle.isPresent),
        arguments: [
            "W8194 H4 F30:1", "W4 H8194 F30:1", "W16 H16 F0:0", "W16 H16", "W16 H16 F30:1 C444",
        ])
    func `the ffmpeg command in the fix of an error makes the file readable`(fields: String) throws
    {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "film.y4m",
            Array("YUV4MPEG2 \(fields)\nFRAME\n".utf8) + [UInt8](repeating: 80, count: 60_000))
        let error = #expect(throws: FileError.self) { _ = try Y4MReader(path: path) }
        let words = try #require(error).cure.split(separator: " ")
        let command = try #require(words.firstIndex(of: "ffmpeg"), "\(words)")
        let cured = folder("cured.y4m")
        // What follows the frame is cut off, and ffmpeg says so.
        _ = try ChildProcess.run(
            "ffmpeg",
            ["-nostdin", "-v", "quiet", "-y"]
                + words[(command + 1)...].map {
                    $0 == "FILE" ? path : $0 == "NEW.y4m" ? cured : String($0)
                })
        let reader = try Y4MReader(path: cured)
        #expect(reader.frameCount > 0)
    }

    @Test func `a file that is cut off anywhere yields its whole frames and a note`() throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        let pictures = (0..<2).map { TestFrame(size: FrameSize(width: 3, height: 3), seed: $0) }
        let format = Y4MFormat(size: pictures[0].size, rate: rate30)
        var writer = try Y4MWriter(path: path, format: format)
        for picture in pictures { try writer.write(picture) }
        let whole = try readFile(path)
        let header = format.header.utf8.count
        let frame = (whole.count - header) / 2
        for length in header...whole.count {
            let cut = try folder.write("cut.y4m", Array(whole[..<length]))
            var reader = try Y4MReader(path: cut)
            #expect(reader.frameCount == (length - header) / frame)
            #expect(reader.notes.isEmpty == ((length - header) % frame == 0))
            if reader.frameCount > 0 { #expect(try reader.picture(0) == pictures[0]) }
        }
    }

    @Test(arguments: [
        ["FRAME Ip", "FRAME Ip"], ["FRAME", "FRAME Ip X=a b"], ["FRAME Ib", "FRAME"],
    ])
    func `frame headers may have parameters, equal or different`(lines: [String]) throws {
        let folder = try TemporaryFolder()
        let pictures = (0..<4).map { TestFrame(size: FrameSize(width: 4, height: 2), seed: $0) }
        var bytes = Array("YUV4MPEG2 W4 H2 F25:1\n".utf8)
        for (index, picture) in pictures.enumerated() {
            bytes += Array((lines[index % 2] + "\n").utf8) + picture.packed
        }
        for cut in [0, 3] {
            var reader = try Y4MReader(
                path: try folder.write("film.y4m", Array(bytes.dropLast(cut))))
            #expect(reader.frameCount == (cut == 0 ? 4 : 3))
            #expect(reader.notes.contains { $0.contains("FRAME lines have parameters") })
            #expect(reader.notes.contains { $0.contains("cut off") } == (cut != 0))
            for index in 0..<reader.frameCount {
                #expect(try reader.picture(index) == pictures[index])
            }
        }
    }

    @Test(
        arguments: [
            ("420", .center), ("420jpeg", .center), ("420mpeg2", .left), ("420paldv", .dv),
        ] as [(String, Y4MFormat.ChromaSiting)])
    func `every tag of 8-bit 4:2:0 is accepted`(
        name: String, siting: Y4MFormat.ChromaSiting
    ) throws {
        let (format, length, notes) = try Y4MFormat.parse(
            Array("YUV4MPEG2 W4 H2 F25:1 Ip A0:0 C\(name) Xanything\nFRAME\n".utf8), file: "f")
        var expected = Y4MFormat(size: FrameSize(width: 4, height: 2), rate: FrameRate(25))
        expected.siting = siting
        #expect(format == expected)
        #expect(length == 42 + name.utf8.count)
        #expect(notes.count == (siting == .dv ? 1 : 0))
    }

    @Test(
        arguments: [
            ("", nil, nil), ("Ip A1:1", nil, nil), ("I? A0:0", nil, nil), ("A7:7", nil, nil),
            ("It", nil, "interlaced (It)"), ("Ib", nil, "interlaced"), ("Im", nil, "interlaced"),
            ("A16:11", nil, "too narrow"), ("A8:9", nil, "too wide"),
            ("XCOLORSPACE=BT709", .bt709, nil), ("XCOLORSPACE=bt601", .bt601, nil),
            ("XCOLORSPACE=BT2020", nil, "BT2020 is neither"),
        ] as [(String, ColorMatrix?, String?)])
    func `a note names each header field that is ignored`(
        field: String, matrix: ColorMatrix?, note: String?
    ) throws {
        let (format, _, notes) = try Y4MFormat.parse(
            Array("YUV4MPEG2 W4 H2 F25:1 \(field)\n".utf8), file: "f.y4m")
        #expect(format.matrix == matrix)
        #expect(notes.count == (note == nil ? 0 : 1))
        #expect(notes.allSatisfy { $0.hasPrefix("f.y4m: ") && $0.contains(note ?? "") }, "\(notes)")
    }

    struct Bad: Sendable {
        var header: String
        var offset: Int64
        var code: FileError.Code
        var rule: String
    }

    static let bad: [Bad] = [
        Bad(header: "", offset: 0, code: .malformed, rule: "begins with YUV4MPEG2"),
        Bad(header: "RIFF\n", offset: 0, code: .malformed, rule: "begins with YUV4MPEG2"),
        Bad(
            header: "YUV4MPEG2 W4 H2 F1:1 C420\r\nFRAME\r\n", offset: 25, code: .malformed,
            rule: "ends with a carriage return"),
        Bad(
            header: "YUV4MPEG2 W4 H2 F1:1\rFRAME\r", offset: 20, code: .malformed,
            rule: "ends with a carriage return"),
        Bad(header: "YUV4MPEG2 W4 H2", offset: 15, code: .malformed, rule: "does not end"),
        Bad(
            header: "YUV4MPEG2 " + String(repeating: "x", count: 5000), offset: 1024,
            code: .malformed, rule: "does not end"),
        Bad(header: "YUV4MPEG2 H2 F1:1\n", offset: 17, code: .malformed, rule: "no width"),
        Bad(header: "YUV4MPEG2 W2 F1:1\n", offset: 17, code: .malformed, rule: "no height"),
        Bad(header: "YUV4MPEG2 W2 H2\n", offset: 15, code: .malformed, rule: "no frame rate"),
        Bad(header: "YUV4MPEG2 W0 H2 F1:1\n", offset: 10, code: .malformed, rule: "W0"),
        Bad(header: "YUV4MPEG2 W-4 H2 F1:1\n", offset: 10, code: .malformed, rule: "W-4"),
        Bad(header: "YUV4MPEG2 W4 H8193 F1:1\n", offset: 13, code: .malformed, rule: "H8193"),
        Bad(
            header: "YUV4MPEG2 W99999999999999999999 H2 F1:1\n", offset: 10, code: .malformed,
            rule: "not a side"),
        Bad(header: "YUV4MPEG2 W4 H2 F0:1\n", offset: 16, code: .malformed, rule: "F0:1"),
        Bad(header: "YUV4MPEG2 W4 H2 F30:0\n", offset: 16, code: .malformed, rule: "F30:0"),
        Bad(header: "YUV4MPEG2 W4 H2 F30\n", offset: 16, code: .malformed, rule: "F30"),
        Bad(header: "YUV4MPEG2 W4 H2 F9999:1\n", offset: 16, code: .malformed, rule: "F9999:1"),
        Bad(header: "YUV4MPEG2 W4 H2 F1:1 C444\n", offset: 21, code: .unsupported, rule: "C444"),
        Bad(
            header: "YUV4MPEG2 W4 H2 F1:1 C420p10\n", offset: 21, code: .unsupported,
            rule: "C420p10"),
        Bad(
            header: "YUV4MPEG2 W4 H2 F1:1 XYSCSS=422\n", offset: 21, code: .unsupported,
            rule: "C422"),
        Bad(
            header: "YUV4MPEG2 W1 H1 F1:1\nfRAME\n123", offset: 21, code: .malformed, rule: "FRAME"),
        Bad(
            header: "YUV4MPEG2 W1 H1 F1:1\nFRAMES\n123", offset: 21, code: .malformed, rule: "FRAME"
        ),
        Bad(
            header: "YUV4MPEG2 W1 H1 F1:1\nFRAME\n123JUNK\n123", offset: 30, code: .malformed,
            rule: "FRAME"),
        Bad(
            header: "YUV4MPEG2 W1 H1 F1:1\nFRAME " + String(repeating: "x", count: 500), offset: 21,
            code: .malformed, rule: "does not end"),
    ]

    @Test(arguments: bad)
    func `an error in a header names the rule and the offset`(bad: Bad) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("bad.y4m", Array(bad.header.utf8))
        let error = #expect(throws: FileError.self) { _ = try Y4MReader(path: path) }
        #expect(error?.offset == bad.offset)
        #expect(error?.code == bad.code)
        #expect(error?.rule.contains(bad.rule) == true)
        #expect(error?.cure.isEmpty == false)
        #expect(error?.description.hasPrefix("\(path), byte \(bad.offset): ") == true)
    }

    @Test func `no mutation of a file crashes the reader`() throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        let format = Y4MFormat(size: FrameSize(width: 5, height: 3), rate: rate30, range: .full)
        var writer = try Y4MWriter(path: path, format: format)
        for seed in 0..<3 { try writer.write(TestFrame(size: format.size, seed: seed)) }
        try writer.close()
        let whole = try readFile(path)
        var random = SeededGenerator(seed: 3)
        var (read, refused) = (0, 0)
        for _ in 0..<2000 {
            let changed = try folder.write("changed.y4m", random.mutation(of: whole))
            guard var reader = try? Y4MReader(path: changed), reader.format.size.area < 1 << 20
            else {
                refused += 1
                continue
            }
            for index in 0..<min(reader.frameCount, 4) { _ = try? reader.picture(index) }
            read += 1
        }
        #expect(read > 300 && refused > 100)
    }

    @Test func `planes that are too short and frames that do not exist are refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder("film.y4m")
        let picture = TestFrame(size: FrameSize(width: 6, height: 4))
        var writer = try Y4MWriter(path: path, format: Y4MFormat(size: picture.size, rate: rate30))
        let (u, v) = (picture.planes[1], picture.planes[2])
        let shapes: [(Int, Int, Int)] = [
            (23, 6, 3), (24, 5, 3), (24, 6, 2), (24, 7, 3), (24, .max, 3),
        ]
        for (yCount, yStride, uStride) in shapes {
            let y = Array(picture.planes[0].prefix(yCount))
            let error = #expect(throws: FileError.self) {
                try writer.write(
                    y: y.span.bytes, yStride: yStride,
                    u: u.span.bytes, uStride: uStride,
                    v: v.span.bytes, vStride: 3)
            }
            #expect(error?.code == .badArgument)
        }
        try writer.write(picture)
        var reader = try Y4MReader(path: path)
        #expect(reader.frameCount == 1)
        for index in [-1, 1, .max] {
            #expect(throws: FileError.self) { _ = try reader.picture(index) }
        }
        #expect(try reader.picture(0) == picture)
        #expect(throws: FileError.self) {
            _ = try Y4MWriter(
                path: path,
                format: Y4MFormat(size: FrameSize(width: 0, height: 1), rate: rate30))
        }
    }

    @Test func `files beyond 4 GiB are read and written`() throws {
        let folder = try TemporaryFolder()
        let picture = TestFrame(size: FrameSize(width: 1920, height: 1080), seed: 5)
        let format = Y4MFormat(size: picture.size, rate: rate30)
        let path = folder("long.y4m")
        let step = 6 + format.frameByteCount
        let count = 2000
        // A file of holes, but for the lines that are looked at and one frame's pixels.
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        let header = Array(format.header.utf8)
        #expect(pwrite(descriptor, header, header.count, 0) == header.count)
        for frame in [0, count - 1] {
            #expect(pwrite(descriptor, "FRAME\n", 6, off_t(header.count + frame * step)) == 6)
        }
        let last = header.count + (count - 1) * step + 6
        #expect(pwrite(descriptor, picture.packed, picture.packed.count, off_t(last)) > 0)
        #expect(byteCount(path) > 5 << 30)

        var reader = try Y4MReader(path: path)
        #expect(reader.frameCount == count)
        #expect(try reader.picture(count - 1) == picture)
        let error = #expect(throws: FileError.self) { _ = try reader.picture(7) }
        #expect(error?.offset == Int64(header.count + 7 * step))

        lseek(descriptor, 0, SEEK_END)
        var writer = try Y4MWriter(descriptor: descriptor, format: format)
        try writer.write(picture)
        #expect(byteCount(path) == Int64(header.count * 2 + (count + 1) * step))
    }

    @Test func `a slow reader of a non-blocking pipe gets every byte`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let picture = TestFrame(size: FrameSize(width: 640, height: 480), seed: 9)
        let format = Y4MFormat(size: picture.size, rate: rate30)
        let output = ends[1]
        let writing = Task.detached {
            defer { close(output) }
            var writer = try Y4MWriter(descriptor: output, format: format)
            for _ in 0..<3 { try writer.write(picture, padding: 2) }
        }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 50_001)
        while true {
            var request = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            poll(&request, 1, -1)
            let count = read(ends[0], &chunk, chunk.count)
            if count == 0 { break }
            try #require(count > 0)
            received += chunk[..<count]
        }
        close(ends[0])
        try await writing.value
        let frame = Array("FRAME\n".utf8) + picture.packed
        #expect(received == Array(format.header.utf8) + frame + frame + frame)
    }

    @Test func `each write after the reader leaves is an error`() throws {
        signal(SIGPIPE, SIG_IGN)
        // The program that another test starts meanwhile may hold a copy of each descriptor: for a
        // socket the reader leaves nevertheless.
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let picture = TestFrame(size: FrameSize(width: 4, height: 4))
        var writer = try Y4MWriter(
            descriptor: ends[1], format: Y4MFormat(size: picture.size, rate: rate30))
        shutdown(ends[0], Int32(SHUT_RDWR))
        close(ends[0])
        for _ in 0..<2 {
            let error = #expect(throws: FileError.self) { try writer.write(picture) }
            #expect(error?.code == .readerGone)
            #expect(error?.underlyingError == .brokenPipe)
            #expect(error?.file == "standard output")
        }
        #expect(writer.frameCount == 0)
        close(ends[1])
    }

    @Test func `an error for a file that cannot be opened has the reason`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: FileError.self) {
            _ = try Y4MReader(path: folder.path + "/none.y4m")
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.underlyingError == .noSuchFileOrDirectory)
        #expect(throws: FileError.self) { _ = try Y4MReader(path: folder.path) }
        let device = open("/dev/full", O_WRONLY)
        defer { close(device) }
        let full = #expect(throws: FileError.self) {
            _ = try Y4MWriter(
                descriptor: device, name: "/dev/full",
                format: Y4MFormat(size: FrameSize(width: 2, height: 2), rate: rate30))
        }
        #expect(full?.code == .full)
        #expect(full?.underlyingError == .noSpace)
    }

    @Test func `a full disk cuts no frame in two, and writing continues when there is room`() async
    {
        // A limit on file sizes is of the whole process: it gets one of its own.
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let folder = try TemporaryFolder()
            let path = folder("film.y4m")
            let picture = TestFrame(size: FrameSize(width: 64, height: 64))
            let format = Y4MFormat(size: picture.size, rate: rate30)
            var writer = try Y4MWriter(path: path, format: format)
            var limit = rlimit()
            let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            getrlimit(fileSize, &limit)
            limit.rlim_cur = 20_000
            setrlimit(fileSize, &limit)
            var failure: FileError?
            do throws(FileError) {
                while true { try writer.write(picture) }
            } catch {
                failure = error
            }
            #expect(failure?.code == .full)
            #expect(writer.frameCount == 3)
            let step = Int64(6 + picture.packed.count)
            #expect(byteCount(path) == Int64(format.header.utf8.count) + 3 * step)
            limit.rlim_cur = limit.rlim_max
            setrlimit(fileSize, &limit)
            try writer.write(picture)
            var reader = try Y4MReader(path: path)
            #expect(reader.frameCount == 4)
            #expect(reader.notes == [])
            #expect(try reader.picture(3) == picture)
        }
    }
}
