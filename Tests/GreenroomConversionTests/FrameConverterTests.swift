import GreenroomConversion
import GreenroomMedia
import TestSupport
import Testing

/// Properties of conversions besides pixels: memory, frame info and cost.
@Suite struct FrameConverterTests {
    private static let size = FrameSize(width: 70, height: 38)

    @Test(arguments: PixelFormat.allCases)
    func `a frame in the requested format is returned without a copy`(format: PixelFormat) throws {
        let pool = FramePool(limit: 1)
        let converter = FrameConverter()
        let info = FrameInfo(
            rotation: .half, color: .bt709Full, offerRevision: 3, ptsNanoseconds: 5)
        let frame = try takeFrame(pool, format, Self.size, info: info, compressedByteCount: 9)
        let made = try converter.convert(
            frame, to: VideoWant(format: format, acceptsRotation: true), into: pool)
        #expect(made.unsafePlanePointer(0) == frame.unsafePlanePointer(0))
        #expect(made.info == info)
        #expect(converter.conversionCount == 0)
        #expect(converter.bytesWritten == 0)
    }

    @Test(arguments: PixelFormat.allCases)
    func `a copy is a separate frame, even of a frame in the requested format`(
        format: PixelFormat
    ) throws {
        let inputs = FramePool(limit: 1)
        let copies = FramePool(limit: 1)
        let converter = FrameConverter()
        let info = FrameInfo(
            rotation: .half, color: .bt709Full, offerRevision: 3, ptsNanoseconds: 5)
        var frame = try takeFrame(inputs, format, Self.size, info: info, compressedByteCount: 9)
        for index in 0..<frame.planeCount { frame.fill(index) { UInt8($0 % 251) } }
        let made = try converter.copy(
            frame, to: VideoWant(format: format, acceptsRotation: true), into: copies)
        #expect(copies.aliveCount == 1 && inputs.aliveCount == 1)
        #expect(made.format == format)
        #expect(made.info == info)
        for index in 0..<frame.planeCount {
            #expect(made.byteCount(index) == frame.byteCount(index))
            let (one, other) = (frame.plane(index), made.plane(index))
            let rowBytes = format.plane(index, of: Self.size).rowBytes
            for offset in 0..<one.byteCount
            where format.isCompressed || offset % frame.strideBytes(index) < rowBytes {
                let byte = one.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                guard other.unsafeLoad(fromByteOffset: offset, as: UInt8.self) != byte else {
                    continue
                }
                Issue.record("plane \(index) differs at \(offset)")
                break
            }
        }
        let byteCount = (0..<made.planeCount).reduce(0) { $0 + made.byteCount($1) }
        #expect(converter.conversionCount == 0 && converter.bytesWritten == byteCount)
    }

    @Test func `a copy in another format has the pixels of a conversion`() throws {
        let pool = FramePool(limit: 3)
        let want = VideoWant(format: .i420, size: FrameSize(width: 64, height: 48))
        var frame = try takeFrame(pool, .bgra, Self.size)
        frame.fillWithNoise(seed: 1)
        let converted = try FrameConverter().convert(frame, to: want, into: pool)
        let copied = try FrameConverter().copy(frame, to: want, into: pool)
        #expect(copied.visibleBytes == converted.visibleBytes)
        #expect(copied.info == converted.info)
    }

    @Test
    func `a conversion between formats of equal layout changes only the description`() throws {
        let pool = FramePool(limit: 1)
        let frame = try takeFrame(pool, .rgbx, Self.size)
        let made = try FrameConverter().convert(
            frame, to: VideoWant(format: .rgba, matrix: .bt709), into: pool)
        #expect(made.unsafePlanePointer(0) == frame.unsafePlanePointer(0))
        #expect(made.format == .rgba)
        #expect(made.info.color == .bt709Full)
    }

    @Test func `a conversion keeps a rotation that the consumer accepts`() throws {
        let pool = FramePool(limit: 2)
        let frame = try takeFrame(
            pool, .nv12, Self.size, info: FrameInfo(rotation: .threeQuarters))
        let made = try FrameConverter().convert(
            frame, to: VideoWant(format: .i420, acceptsRotation: true), into: pool)
        #expect(made.size == Self.size)
        #expect(made.info.rotation == .threeQuarters)
    }

    /// Every kind of step: unpacking, scaling both ways, rotation, colours, bars.
    private static let wants: [VideoWant] = PixelFormat.makeable.flatMap { format in
        [
            VideoWant(format: format),
            VideoWant(format: format, size: FrameSize(width: 35, height: 19), matrix: .bt709),
            VideoWant(format: format, size: FrameSize(width: 101, height: 41), range: .full),
            VideoWant(format: format, size: FrameSize(width: 50, height: 50), fit: .crop),
        ]
    }

    @Test(arguments: Nightly.pairs(PixelFormat.uncompressed, Rotation.allCases))
    func `a conversion reads and writes no bytes outside the picture`(
        format: PixelFormat, rotation: Rotation
    ) throws {
        let converter = FrameConverter()
        let inputs = FramePool(limit: 2)
        let outputs = FramePool(limit: 1)
        let info = FrameInfo(rotation: rotation)
        var frame = try takeFrame(inputs, format, Self.size, info: info)
        frame.fillWithNoise(seed: 1, paddingSeed: 1)
        var twin = try takeFrame(inputs, format, Self.size, info: info)
        twin.fillWithNoise(seed: 1, paddingSeed: 2)
        for want in Self.wants {
            let size = want.size ?? Self.size.rotated(by: rotation)
            // The pool's one frame returns with its memory unchanged.
            let plan = try ConversionPlan.plan(
                format: format, size: Self.size, rotation: rotation, color: info.color, want: want)
            guard !plan.isIdentity else { continue }
            func prepare() throws {
                var empty = try takeFrame(outputs, want.format, size)
                for index in 0..<empty.planeCount { empty.fill(index) { _ in 0xa5 } }
            }
            try prepare()
            let (pixels, padding) = try {
                let made = try converter.convert(frame, to: want, into: outputs)
                return (made.visibleBytes, made.paddingBytes)
            }()
            #expect(padding.allSatisfy { $0 == 0xa5 }, "\(format) to \(want)")
            try prepare()
            let twinPixels = try converter.convert(twin, to: want, into: outputs).visibleBytes
            #expect(pixels == twinPixels, "\(format) to \(want)")
        }
    }

    @Test func `steady state allocates no memory`() throws {
        let converter = FrameConverter()
        let inputs = FramePool(limit: 1)
        let outputs = FramePool(limit: 2)
        func convertAll() throws {
            for format in [PixelFormat.i420, .nv12, .rgb24, .p010] {
                let frame = try takeFrame(
                    inputs, format, Self.size,
                    info: FrameInfo(rotation: .quarter, color: .bt709Full))
                for want in Self.wants {
                    _ = try converter.convert(frame, to: want, into: outputs)
                }
            }
        }
        for _ in 0..<3 { try convertAll() }
        let (scratch, made) = (converter.scratchAllocationCount, outputs.allocationCount)
        for _ in 0..<10 { try convertAll() }
        #expect(scratch > 0 && made > 0)
        #expect(converter.scratchAllocationCount == scratch)
        #expect(outputs.allocationCount == made)
    }

    @Test func `conversions and their bytes are counted`() throws {
        let converter = FrameConverter()
        let pool = FramePool(limit: 2)
        let frame = try takeFrame(pool, .nv12, FrameSize(width: 64, height: 32))
        _ = try converter.convert(frame, to: VideoWant(format: .i420), into: pool)
        #expect(converter.conversionCount == 1)
        #expect(converter.bytesWritten == 64 * 32 * 3 / 2)
        let half = FrameSize(width: 32, height: 16)
        _ = try converter.convert(frame, to: VideoWant(format: .i420, size: half), into: pool)
        #expect(converter.conversionCount == 2)
        #expect(converter.bytesWritten == 2 * 64 * 32 * 3 / 2 + 32 * 16 * 3 / 2)
    }

    @Test func `a conversion that finds the pool empty is an error`() throws {
        let pool = FramePool(limit: 1)
        let frame = try takeFrame(pool, .nv12, Self.size)
        let error = #expect(throws: ConversionError.self) {
            _ = try FrameConverter().convert(frame, to: VideoWant(format: .i420), into: pool)
        }
        #expect(error?.code == .noBuffer)
        #expect(pool.aliveCount == 1)
    }

    @Test func `frames in more formats than the cache of plans holds are converted`() throws {
        let converter = FrameConverter()
        let pool = FramePool(limit: 2)
        for _ in 0..<2 {
            for width in 1...80 {
                let size = FrameSize(width: width, height: 2)
                let frame = try takeFrame(pool, .nv12, size)
                let made = try converter.convert(frame, to: VideoWant(format: .i420), into: pool)
                #expect(made.size == size)
            }
        }
    }
}
