import BrowserDecisions
import GreenroomMedia
import Testing

/// Tests that a picture with alpha is laid over frames as floating point says.
@Suite struct PageOverlayTests {
    /// Y, U and V of RGB from 0 to 255, in BT.709.
    private static func yuv(
        _ rgb: (Double, Double, Double), _ range: ColorRange
    ) -> [Double] {
        let (r, g, b) = (rgb.0 / 255, rgb.1 / 255, rgb.2 / 255)
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
        let (offset, luma, chroma) = range == .limited ? (16.0, 219.0, 224.0) : (0.0, 255.0, 255.0)
        return [
            offset + luma * y, 128 + chroma * (b - y) / 1.8556, 128 + chroma * (r - y) / 1.5748,
        ]
    }

    /// Lays one colour over one sample of each plane.
    private static func blend(
        _ pixel: [UInt8], over frame: [UInt8], _ range: ColorRange
    ) -> [UInt8] {
        let color = ColorSpace(range: range, matrix: .bt709)
        let size = FrameSize(width: 6, height: 5)
        let pixels = (0..<size.area).flatMap { _ in pixel }
        var overlay = PageOverlay(color: color)
        overlay.make(from: pixels, strideBytes: 24, size: size, color: color)
        return (0..<3).map { plane in
            var row = [UInt8](repeating: frame[plane], count: 8)
            var samples = row.mutableSpan
            overlay.blend(into: &samples, row: 1, ofPlane: plane, at: 2)
            #expect(row[0] == frame[plane] && row[1] == frame[plane])
            return row[3]
        }
    }

    @Test(arguments: [ColorRange.limited, .full])
    func `colours blend by their straight alpha`(range: ColorRange) {
        for rgb in [
            (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (200, 90, 7),
        ] {
            for alpha in [0, 1, 64, 128, 200, 255] {
                for frame: [UInt8] in [[16, 128, 128], [235, 128, 128], [90, 30, 220]] {
                    let seen = Self.blend(
                        [UInt8(rgb.0), UInt8(rgb.1), UInt8(rgb.2), UInt8(alpha)], over: frame,
                        range)
                    let part = Double(alpha) / 255
                    let color = Self.yuv((Double(rgb.0), Double(rgb.1), Double(rgb.2)), range)
                    for plane in 0..<3 {
                        let exact = Double(frame[plane]) * (1 - part) + color[plane] * part
                        #expect(
                            abs(Double(seen[plane]) - min(max(exact, 0), 255)) <= 2.5,
                            "\(rgb) \(alpha) over \(frame), plane \(plane)")
                    }
                }
            }
        }
    }

    @Test func `transparent pixels keep the video bit by bit`() {
        #expect(Self.blend([255, 0, 0, 0], over: [17, 99, 201], .limited) == [17, 99, 201])
    }

    @Test func `pixels beyond the frame and pictures with missing bytes are not blended`() {
        let color = ColorSpace.bt709Limited
        var overlay = PageOverlay(color: color)
        let size = FrameSize(width: 4, height: 2)
        overlay.make(from: [255, 255], strideBytes: 16, size: size, color: color)
        #expect(overlay.rows(ofPlane: 0) == 0)
        overlay.make(
            from: [UInt8](repeating: 255, count: 32), strideBytes: 16, size: size, color: color)
        var row: [UInt8] = [20, 20, 20]
        var samples = row.mutableSpan
        overlay.blend(into: &samples, row: 0, ofPlane: 0, at: 1)
        overlay.blend(into: &samples, row: 2, ofPlane: 0, at: 0)
        overlay.blend(into: &samples, row: 0, ofPlane: 0, at: 3)
        #expect(row == [20, 235, 235])
    }
}
