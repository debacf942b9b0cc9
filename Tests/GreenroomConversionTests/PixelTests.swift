import GreenroomConversion
import GreenroomMedia
import TestSupport
import Testing

/// Every format converted to every possible one, compared with ``ReferenceFrame``.
///
/// Tolerances, in levels of 255, besides half a level for rounding:
/// - if samples only move, or 10 bits are cut to 8: none;
/// - from YUV to RGB: a tenth; 1.1 if 4:2:2 becomes 4:2:0 before, whose rounding grows;
/// - if 4:2:2 becomes 4:2:0, YUV changes its colour space, or 32-bit RGB becomes YUV: 1;
/// - if libyuv converts RGB to YUV (24 bits, and NV12): 3, for its coefficients of 6 to 8 bits.
@Suite struct PixelTests {
    static let smallSizes = ["1x1", "2x2", "3x5", "17x9"].compactMap { FrameSize($0) }

    private static func tolerance(
        _ input: PixelFormat, _ wanted: PixelFormat, _ from: ColorSpace, _ to: ColorSpace
    ) -> Double {
        switch (input.isRGB, wanted.isRGB) {
        case (true, true): 0
        case (false, true): input == .yuy2 || input == .uyvy ? 1.1 : 0.1
        case (true, false): input == .rgb24 || wanted == .nv12 ? 3 : 1
        case (false, false):
            from != to || input == .yuy2 || input == .uyvy ? 1 : 0
        }
    }

    private static func expect(
        _ input: PixelFormat, _ size: FrameSize, _ rotation: Rotation, _ color: ColorSpace,
        _ want: VideoWant, _ converter: FrameConverter, _ pool: FramePool
    ) throws {
        let info = FrameInfo(
            rotation: rotation, color: color, offerRevision: 7, ptsNanoseconds: 123_456_789)
        var frame = try takeFrame(pool, input, size, info: info)
        frame.fillWithNoise(seed: size.area)
        let made = try converter.convert(frame, to: want, into: pool)

        let matrix = want.matrix ?? color.matrix
        let own: ColorRange = input.isRGB ? .limited : color.range
        let expectedColor = ColorSpace(
            range: want.format.isRGB ? .full : want.range ?? own, matrix: matrix)
        let what: Comment =
            "\(input) \(size) \(rotation) \(color) to \(want.format) \(expectedColor)"
        var expectedInfo = info
        expectedInfo.rotation = .none
        expectedInfo.color = expectedColor
        #expect(made.info == expectedInfo, what)
        #expect(made.format == want.format, what)
        #expect(made.size == size.rotated(by: rotation), what)

        let source = ReferenceFrame(frame)
        let expected: ReferenceFrame =
            if want.format.isRGB {
                source.turned(rotation).rgb(color)
            } else {
                source.yuv(expectedColor, from: color).turned(rotation)
            }
        let distance = expected.distance(to: ReferenceFrame(made))
        #expect(distance <= tolerance(input, want.format, color, expectedColor) + 0.5, what)
    }

    @Test(arguments: PixelFormat.uncompressed)
    func `every format converts to every other, including odd sizes and rotations`(
        input: PixelFormat
    ) throws {
        let converter = FrameConverter()
        let pool = FramePool(limit: 4)
        for size in Self.smallSizes {
            for (rotation, color) in Nightly.pairs(Rotation.allCases, ColorSpace.all) {
                for wanted in PixelFormat.makeable {
                    try Self.expect(
                        input, size, rotation, color, VideoWant(format: wanted), converter, pool)
                }
            }
        }
    }

    @Test(arguments: PixelFormat.uncompressed)
    func `every range and matrix converts to every other`(input: PixelFormat) throws {
        let converter = FrameConverter()
        let pool = FramePool(limit: 4)
        for wanted in [.i420, .nv12, .bgra] as [PixelFormat] {
            for from in ColorSpace.all {
                for to in ColorSpace.all {
                    let want = VideoWant(format: wanted, range: to.range, matrix: to.matrix)
                    try Self.expect(
                        input, FrameSize(width: 17, height: 9), .none, from, want, converter, pool)
                }
            }
        }
    }

    @Test(arguments: PixelFormat.uncompressed)
    func `rows longer than a vector are converted correctly`(input: PixelFormat) throws {
        let converter = FrameConverter()
        let pool = FramePool(limit: 4)
        let size = FrameSize(width: 853, height: 24)
        for wanted in [.i420, .bgra] as [PixelFormat] {
            try Self.expect(
                input, size, .none, .bt709Full, VideoWant(format: wanted, range: .limited),
                converter, pool)
            try Self.expect(
                input, FrameSize(width: 64, height: 48), .quarter, .bt601Limited,
                VideoWant(format: wanted), converter, pool)
        }
    }

    /// Vector code handles the end of rows separately; each width has a different end.
    @Test(arguments: PixelFormat.uncompressed)
    func `rows of every width up to 66 pixels are converted correctly`(input: PixelFormat) throws {
        let converter = FrameConverter()
        let pool = FramePool(limit: 4)
        for width in 1...66 {
            for wanted in PixelFormat.makeable {
                try Self.expect(
                    input, FrameSize(width: width, height: 3), .none, .bt601Limited,
                    VideoWant(format: wanted), converter, pool)
            }
        }
    }
}
