import Glibc
import GreenroomConversion
import GreenroomMedia
import Synchronization
import Testing

/// JPEG images, valid and hostile.
@Suite struct JPEGTests {
    private typealias Plane = ReferenceFrame.Plane

    /// Planes of waves in the sizes that a sampling has.
    private static func planes(_ size: FrameSize, _ sampling: JPEGWriter.Sampling) -> [Plane] {
        let (across, down) = sampling.factors
        func plane(_ width: Int, _ height: Int, _ period: Double) -> Plane {
            Plane(width, height) { x, y in
                (128 + 60 * sin(Double(x) * 2 * .pi / period)
                    + 50 * cos(Double(y) * 2 * .pi / period)).rounded()
            }
        }
        let chromaWidth = (size.width + across - 1) / across
        let chromaHeight = (size.height + down - 1) / down
        return [
            plane(size.width, size.height, 33), plane(chromaWidth, chromaHeight, 170),
            plane(chromaWidth, chromaHeight, 130),
        ]
    }

    /// A frame of the data, followed by other bytes to the end of its memory.
    private static func frame(
        _ bytes: [UInt8], _ size: FrameSize, _ pool: FramePool, info: FrameInfo = FrameInfo(),
        behind: UInt8 = 0
    ) throws -> VideoFrame {
        let padding = [UInt8](repeating: behind, count: (64 - bytes.count % 64) % 64)
        do {
            // The pool returns the same memory again.
            var whole = try takeFrame(
                pool, .mjpeg, size, compressedByteCount: bytes.count + padding.count)
            whole.fill(0) { $0 < bytes.count ? bytes[$0] : padding[$0 - bytes.count] }
        }
        return try takeFrame(
            pool, .mjpeg, size, info: info, compressedByteCount: bytes.count)
    }

    /// Decodes, and returns the visible bytes or the error.
    private static func decode(
        _ bytes: [UInt8], _ size: FrameSize, behind: UInt8 = 0
    ) throws -> Result<[UInt8], ConversionError> {
        let data = try frame(bytes, size, FramePool(limit: 1), behind: behind)
        let pool = FramePool(limit: 1)
        return Result { () throws(ConversionError) in
            try FrameConverter().convert(data, to: VideoWant(format: .i420), into: pool)
                .visibleBytes
        }
    }

    @Test(arguments: JPEGWriter.Sampling.allCases, ["16x16", "17x9", "64x48", "1x1", "101x35"])
    func `a JPEG image decodes to the planes that were encoded`(
        sampling: JPEGWriter.Sampling, size: String
    ) throws {
        let size = try #require(FrameSize(size))
        let planes = Self.planes(size, sampling)
        let data = try Self.frame(
            JPEGWriter.image(planes, sampling), size, FramePool(limit: 1),
            info: FrameInfo(rotation: .half, color: .bt601Full, ptsNanoseconds: 8))
        let made = try FrameConverter().convert(
            data, to: VideoWant(format: .i420), into: FramePool(limit: 1))
        #expect(made.info == FrameInfo(color: .bt601Full, ptsNanoseconds: 8))
        let grey = Plane((size.width + 1) / 2, (size.height + 1) / 2) { _, _ in 128 }
        let chroma: [Plane] =
            switch sampling {
            case .yuv420: Array(planes[1...])
            case .yuv422: planes[1...].map { $0.halved(horizontally: false) }
            case .yuv444: planes[1...].map { $0.halved() }
            case .grey: [grey, grey]
            }
        let expected = ReferenceFrame(y: planes[0], u: chroma[0], v: chroma[1]).turned(.half)
        // libyuv halves the last chroma of an odd size in its own way. A pixel further on, the wave differs by 11.
        #expect(expected.distance(to: ReferenceFrame(made)) <= 4)
    }

    @Test
    func `a JPEG image can be decoded, turned, cropped, scaled and converted to RGB`() throws {
        let size = FrameSize(width: 64, height: 48)
        let planes = [90.0, 150, 60].map { level in Plane(64, 48) { _, _ in level } }
        let data = try Self.frame(
            JPEGWriter.image(planes, .yuv444), size, FramePool(limit: 1),
            info: FrameInfo(rotation: .quarter, color: .bt601Full))
        let want = VideoWant(
            format: .bgra, size: FrameSize(width: 60, height: 60), fit: .crop)
        let made = try FrameConverter().convert(data, to: want, into: FramePool(limit: 1))
        let rgb = ReferenceFrame.rgb([90, 150, 60], .bt601Full)
        let expected = ReferenceFrame(made).planes.enumerated().allSatisfy { index, plane in
            plane.samples.allSatisfy { abs($0 - max(0, rgb[index])) <= 4 }
        }
        #expect(expected)
    }

    private static let size = FrameSize(width: 48, height: 32)
    private static let image = JPEGWriter.image(planes(size, .yuv420), .yuv420)

    /// Writes to an image continuously.
    private final class Scribbling: Sendable {
        let isOver = Atomic(false)

        @concurrent func write(over image: [UInt8], in arena: Arena) async {
            var noise = Noise(3)
            while !isOver.load(ordering: .relaxed) {
                let offset = noise.next(below: image.count)
                arena.memory.storeBytes(of: noise.next(), toByteOffset: offset, as: UInt8.self)
                arena.memory.storeBytes(of: image[offset], toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    @Test func `an image in shared memory is decoded from a copy`() async throws {
        let slot = 1 << 21
        let arena = try Arena(slot)
        let pool = FramePool(limit: 1, slotByteCount: slot, memory: arena.memory, owner: arena)
        let frame = try Self.frame(Self.image, Self.size, pool)
        let converter = FrameConverter()
        let want = VideoWant(format: .i420)
        let expected = try Self.decode(Self.image, Self.size).get()
        do {
            let made = try converter.convert(frame, to: want, into: FramePool(limit: 1))
            #expect(made.visibleBytes == expected)
        }
        // It needs no other memory.
        #expect(converter.scratchAllocationCount == 1)
        // Concurrent writes may cause a wrong picture or an error, but never a crash.
        let scribbling = Scribbling()
        async let writer: Void = scribbling.write(over: Self.image, in: arena)
        for _ in 0..<500 { _ = try? converter.convert(frame, to: want, into: FramePool(limit: 1)) }
        scribbling.isOver.store(true, ordering: .relaxed)
        await writer
        #expect(converter.scratchAllocationCount == 1)
    }

    @Test func `a JPEG image of another size than the frame is an error with both sizes`() throws {
        for other in ["48x33", "49x32", "32x48", "4800x3200", "1x1", "32x32", "48x16"].compactMap({
            FrameSize($0)
        }) {
            let error = #expect(throws: ConversionError.self) {
                try Self.decode(Self.image, other).get()
            }
            #expect(error?.code == .badData)
            #expect(error?.description.contains("48x32") == true)
            #expect(error?.description.contains("\(other)") == true)
        }
    }

    @Test(arguments: JPEGWriter.Sampling.allCases, ["48x32", "41x18", "33x17", "48x31"])
    func `an image that is padded to a multiple of 16 is cropped`(
        sampling: JPEGWriter.Sampling, size: String
    ) throws {
        let size = try #require(FrameSize(size))
        let image = JPEGWriter.image(Self.planes(Self.size, sampling), sampling)
        let padded = try Self.decode(image, Self.size).get()
        let cropped = try Self.decode(image, size).get()
        var expected: [UInt8] = []
        for (start, stride, by) in [(0, 48, 1), (48 * 32, 24, 2), (48 * 32 * 5 / 4, 24, 2)] {
            for row in 0..<(size.height + by - 1) / by {
                expected += padded[(start + row * stride)...].prefix((size.width + by - 1) / by)
            }
        }
        // Chroma of the last column or row has only a part of its pixels at the edge.
        let differences = zip(cropped, expected).map { abs(Int($0) - Int($1)) }
        #expect(cropped.count == expected.count && differences.max() ?? 99 <= 3)
    }

    @Test func `an image truncated anywhere is an error`() throws {
        for count in 1..<Self.image.count {
            let result = try Self.decode(Array(Self.image.prefix(count)), Self.size)
            let error = #expect(throws: ConversionError.self) { try result.get() }
            #expect(error?.code == .badData)
        }
    }

    /// The first byte of the image data.
    private static func dataStart(_ image: [UInt8]) throws -> Int {
        try #require(image.indices.first { image[$0] == 0xff && image[$0 + 1] == 0xda }) + 14
    }

    @Test(arguments: JPEGWriter.Sampling.allCases)
    func `an image with missing data is an error, whatever bytes follow`(
        sampling: JPEGWriter.Sampling
    ) throws {
        let image = JPEGWriter.image(Self.planes(Self.size, sampling), sampling)
        for count in stride(from: try Self.dataStart(image), to: image.count - 3, by: 7) {
            for behind: UInt8 in [0x00, 0xff] {
                let result = try Self.decode(
                    Array(image.prefix(count)) + [0xff, 0xd9], Self.size, behind: behind)
                let error = #expect(throws: ConversionError.self) { try result.get() }
                #expect(error?.code == .badData)
                #expect(error?.description.contains("damaged") == true)
            }
        }
    }

    @Test func `an image with zeroed data is an error`() throws {
        let start = try Self.dataStart(Self.image)
        let length = (Self.image.count - start) / 3
        for offset in stride(from: start, to: Self.image.count - length - 2, by: 61) {
            var image = Self.image
            for index in offset..<(offset + length) { image[index] = 0 }
            let result = try Self.decode(image, Self.size)
            #expect(throws: ConversionError.self) { try result.get() }
        }
    }

    @Test(arguments: [(0, true), (16, true), (32, false), (500, false)])
    func `up to 16 bytes after the last block do not count as damage`(count: Int, isWhole: Bool)
        throws
    {
        let extra = [UInt8](repeating: 0x5a, count: count)
        let image = Array(Self.image[..<(Self.image.count - 2)]) + extra + [0xff, 0xd9]
        let result = try Self.decode(image, Self.size)
        #expect(
            (try? result.get()) == (isWhole ? try Self.decode(Self.image, Self.size).get() : nil))
    }

    /// The image with a byte changed at a place relative to a marker.
    private static func changed(_ marker: UInt8, _ offset: Int, to byte: UInt8) throws -> [UInt8] {
        var bytes = image
        let at = try #require(bytes.indices.first { bytes[$0] == 0xff && bytes[$0 + 1] == marker })
        bytes[at + offset] = byte
        return bytes
    }

    @Test func `invalid images are refused with the reason`() throws {
        let scans = (0..<40).flatMap { _ -> [UInt8] in
            [0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0, 0x55]
        }
        let frameHeader: [UInt8] = [
            0xff, 0xc0, 0, 17, 8, 0, 32, 0, 48, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0,
        ]
        let table: [(bytes: [UInt8], reason: String)] = [
            (Array(repeating: 0, count: 500), "FF D8"),
            ([0xff], "FF D8"),
            ([0xff, 0xd8], "end marker"),
            ([0xff, 0xd8, 0xff, 0xd9], "before its image data"),
            ([0xff, 0xd8, 0xff, 0xe0, 0, 1, 0xff, 0xd9], "segment FF E0"),
            ([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 0xff, 0xd9], "segment FF E0"),
            ([0xff, 0xd8, 0xff, 0xda, 0, 2, 0xff, 0xd9], "before its frame header"),
            ([0xff, 0xd8, 0xff, 0xc0, 0, 4, 8, 0, 0xff, 0xd9], "frame header"),
            ([0xff, 0xd8] + frameHeader + frameHeader, "two frame headers"),
            ([0xff, 0xd8] + frameHeader + scans + [0xff, 0xd9], "scans"),
            (try Self.changed(0xc0, 1, to: 0xc9), "arithmetic"),
            (try Self.changed(0xc0, 4, to: 12), "8 bits"),
            (try Self.changed(0xc0, 9, to: 4), "wrong length"),
            (try Self.changed(0xc0, 11, to: 0x41), "4:2:0"),
            (try Self.changed(0xc0, 11, to: 0x00), "4:2:0"),
        ]
        for (bytes, reason) in table {
            let result = try Self.decode(bytes, Self.size)
            let error = #expect(throws: ConversionError.self) { try result.get() }
            #expect(error?.code == .badData)
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "none")")
        }
    }

    @Test func `images with random changes are refused or decoded safely`() throws {
        var noise = Noise(1)
        var failures = 0
        for round in 0..<1500 {
            var bytes = Self.image
            for _ in 0...(round % 4) {
                // Half of the changes affect only the headers, which end there.
                let limit = round.isMultiple(of: 2) ? 330 : bytes.count
                bytes[noise.next(below: limit)] = noise.next()
            }
            switch try Self.decode(bytes, Self.size, behind: noise.next()) {
            case .success(let pixels): #expect(pixels.count == 48 * 32 * 3 / 2)
            case .failure(let error):
                #expect(error.code == .badData)
                failures += 1
            }
        }
        #expect(failures > 100)
    }
}
