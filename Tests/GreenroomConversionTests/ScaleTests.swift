import Glibc
import GreenroomConversion
import GreenroomMedia
import Testing

/// Scaling of waves, whose value is known at every position.
@Suite struct ScaleTests {
    private static let source = FrameSize(width: 192, height: 108)

    /// The wave at a place in the source, in pixels from its upper left corner. Periods are
    /// relative to the source, and long enough for every size below.
    private static func wave(_ x: Double, _ y: Double) -> Double {
        128 + 50 * sin(x * 2 * .pi / 48) + 50 * cos(y * 2 * .pi / 36)
    }

    /// Scales the wave, and returns the largest difference in luma from the wave at the centres of
    /// the resulting pixels.
    private static func error(_ format: PixelFormat, _ size: FrameSize) throws -> Double {
        let pool = FramePool(limit: 4)
        var frame = try takeFrame(pool, format, source)
        let stride = frame.strideBytes(0)
        let step = format == .i420 ? 1 : 4
        frame.fill(0) {
            UInt8(wave(Double($0 % stride / step) + 0.5, Double($0 / stride) + 0.5).rounded())
        }
        if format == .i420 {
            frame.fill(1) { _ in 90 }
            frame.fill(2) { _ in 200 }
        }
        let made = try FrameConverter().convert(
            frame, to: VideoWant(format: format, size: size, fit: .stretch), into: pool)
        let bytes = made.visibleBytes(0)
        var worst = 0.0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let expected = wave(
                    (Double(x) + 0.5) * Double(source.width) / Double(size.width),
                    (Double(y) + 0.5) * Double(source.height) / Double(size.height))
                worst = max(worst, abs(Double(bytes[(y * size.width + x) * step]) - expected))
            }
        }
        if format == .i420 {
            #expect(made.visibleBytes(1).allSatisfy { $0 == 90 })
            #expect(made.visibleBytes(2).allSatisfy { $0 == 200 })
        }
        return worst
    }

    /// Within 5 levels. The wave rises by up to 15 levels a pixel, so a picture that is off by half
    /// a pixel errs by 7 at least; averaging over 3 by 3 pixels flattens its crests by 2.
    @Test(arguments: [PixelFormat.i420, .bgra], ["128x72", "144x81", "96x54", "86x48", "64x36"])
    func `a shrunk picture keeps position and brightness`(format: PixelFormat, size: String) throws
    {
        let size = try #require(FrameSize(size))
        #expect(try Self.error(format, size) < 5)
    }

    /// Within 6 levels: libyuv lays the outermost pixels of both sizes on each other, which moves
    /// the edges of a picture of twice the size by a quarter of a pixel of the source.
    @Test(arguments: [PixelFormat.i420, .bgra], ["256x144", "288x162", "384x216"])
    func `an enlarged picture keeps position and brightness`(format: PixelFormat, size: String)
        throws
    {
        let size = try #require(FrameSize(size))
        #expect(try Self.error(format, size) < 6)
    }

    @Test(arguments: [PixelFormat.i420, .bgra])
    func `halving is the mean of four`(format: PixelFormat) throws {
        let pool = FramePool(limit: 4)
        var frame = try takeFrame(pool, format, FrameSize(width: 64, height: 48))
        frame.fillWithNoise(seed: 3)
        let half = FrameSize(width: 32, height: 24)
        let made = try FrameConverter().convert(
            frame, to: VideoWant(format: format, size: half), into: pool)
        var expected = ReferenceFrame(frame)
        expected.planes = expected.planes.map { $0.halved() }
        // One level: libyuv's vector code rounds after each of two means.
        #expect(expected.distance(to: ReferenceFrame(made)) <= 1)
    }

    /// Within a level for each pass: libyuv's vector code for RGB drops fractions.
    @Test func `every size scales to every other`() throws {
        let converter = FrameConverter()
        let pool = FramePool(limit: 4)
        let sides = [1, 2, 3, 5, 16, 33, 131]
        let sizes = sides.flatMap { width in
            sides.map { FrameSize(width: width, height: $0) }
        }
        for format in [PixelFormat.i420, .bgra] {
            for size in sizes {
                var frame = try takeFrame(pool, format, size)
                for index in 0..<frame.planeCount { frame.fill(index) { _ in 99 } }
                for wanted in ["1x1", "2x3", "17x9", "131x65"].compactMap({ FrameSize($0) }) {
                    let want = VideoWant(format: format, size: wanted, fit: .stretch)
                    let plan = try ConversionPlan.plan(
                        format: format, size: size, rotation: .none, color: .bt601Limited,
                        want: want)
                    let made = try converter.convert(frame, to: want, into: pool)
                    let levels = made.visibleBytes
                    #expect(
                        levels.allSatisfy { (99 - plan.steps.count...99).contains(Int($0)) },
                        "\(format) \(size) to \(wanted)")
                }
            }
        }
    }
}
