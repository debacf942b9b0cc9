import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomConversion

/// Steps that run together in bands of rows make what they make one after the other.
@Suite struct BandTests {
    private static let formats = PixelFormat.allCases.filter { !$0.isCompressed }
    private static let sizes = [
        FrameSize(width: 64, height: 96), FrameSize(width: 71, height: 133),
        FrameSize(width: 40, height: 151),
    ]

    /// Half, a quarter, other ratios down and up, odd sizes, and far down, in several steps.
    private static let wantedSizes: [FrameSize?] = [
        nil, FrameSize(width: 32, height: 48), FrameSize(width: 16, height: 24),
        FrameSize(width: 43, height: 65), FrameSize(width: 97, height: 201),
        FrameSize(width: 64, height: 67), FrameSize(width: 33, height: 96),
        FrameSize(width: 8, height: 40),
    ]

    /// Each format of a source, with wanted ones and sizes.
    @Test(arguments: Nightly.pairs(formats, sizes))
    func `a conversion in bands gives the same pixels as a conversion of the whole image`(
        format: PixelFormat, size: FrameSize
    ) throws {
        let pool = FramePool(limit: 4)
        let whole = FrameConverter(bandByteCount: .max)
        // Of so few bytes, bands have the fewest rows.
        let banded = FrameConverter(bandByteCount: 1)
        var bandCount = 0
        var seed = size.height
        for wanted in [PixelFormat.i420, .nv12, .bgra, .rgb24] {
            for wantedSize in Self.wantedSizes {
                seed += 1
                var frame = try takeFrame(
                    pool, format, size,
                    info: FrameInfo(
                        rotation: Rotation.allCases[seed % 7 % 4], color: ColorSpace.all[seed % 4]))
                frame.fillWithNoise(seed: seed)
                let want = VideoWant(
                    format: wanted, size: wantedSize, range: seed % 3 == 0 ? .full : nil,
                    matrix: seed % 5 == 0 ? .bt709 : nil,
                    fit: [Fit.stretch, .letterbox, .crop][seed % 3])
                let expected = try whole.convert(frame, to: want, into: pool)
                let made = try banded.convert(frame, to: want, into: pool)
                #expect(made.visibleBytes == expected.visibleBytes, "\(frame.info) \(want)")
                #expect(made.info == expected.info)
                #expect(try whole.bandRows(for: frame, want) == nil)
                if try banded.bandRows(for: frame, want) != nil { bandCount += 1 }
            }
        }
        #expect(bandCount >= 10, "\(bandCount) of 32 ran in bands")
        #expect(banded.bytesWritten >= whole.bytesWritten)
    }

    @Test func `bands have 16 to 200 rows, and repeat less than 10 % of the work`() throws {
        let pool = FramePool(limit: 4)
        let (whole, banded) = (FrameConverter(bandByteCount: .max), FrameConverter())
        let size = FrameSize(width: 1920, height: 1080)
        let frame = try takeFrame(pool, .nv12, size)
        let wants = [
            VideoWant(format: .i420, size: FrameSize(width: 1280, height: 720)),
            VideoWant(format: .bgra, size: FrameSize(width: 858, height: 480)),
        ]
        for want in wants {
            let rows = try #require(try banded.bandRows(for: frame, want))
            #expect(rows % 2 == 0 && rows >= 16 && rows < 200, "\(rows)")
            let before = (whole.bytesWritten, banded.bytesWritten)
            let expected = try whole.convert(frame, to: want, into: pool)
            let made = try banded.convert(frame, to: want, into: pool)
            #expect(made.visibleBytes == expected.visibleBytes)
            let (bytes, bandBytes) = (
                whole.bytesWritten - before.0, banded.bytesWritten - before.1
            )
            #expect(bandBytes < bytes * 110 / 100, "\(bandBytes), not \(bytes)")
        }
        // One step, and what is small enough, is not divided.
        #expect(try banded.bandRows(for: frame, VideoWant(format: .i420)) == nil)
        let small = try takeFrame(pool, .nv12, FrameSize(width: 160, height: 90))
        #expect(
            try banded.bandRows(
                for: small, VideoWant(format: .i420, size: FrameSize(width: 80, height: 44)))
                == nil)
        // Bands need less memory than the whole image, and none from the second frame on.
        #expect(banded.scratchAllocationCount > 0)
        let count = banded.scratchAllocationCount
        for _ in 0..<3 {
            for want in wants { _ = try banded.convert(frame, to: want, into: pool) }
        }
        #expect(banded.scratchAllocationCount == count)
    }
}
