import GreenroomMedia
import PluginImages
import Testing

struct OverlayTests {
    struct Place: CustomTestStringConvertible {
        var frame: FrameSize
        var image: FrameSize
        var x: Int
        var y: Int
        var testDescription: String { "\(image) at \(x),\(y) in \(frame)" }

        init(_ frame: String, _ image: String, _ x: Int, _ y: Int) {
            self.frame = FrameSize(frame) ?? FrameSize(width: 1, height: 1)
            self.image = FrameSize(image) ?? FrameSize(width: 1, height: 1)
            (self.x, self.y) = (x, y)
        }
    }

    static let places = [
        Place("16x16", "4x4", 4, 6), Place("16x16", "4x4", 5, 7), Place("17x15", "5x3", 12, 12),
        Place("17x15", "5x3", 0, 1), Place("9x9", "9x9", 0, 0), Place("3x3", "1x1", 2, 2),
        Place("1x1", "1x1", 0, 0), Place("8x8", "6x6", 5, -3),
    ]
    static let colors: [ColorSpace] = [.bt601Limited, .bt709Limited, .bt601Full, .bt709Full]

    @Test(arguments: places, colors)
    func `each blended sample equals the result of the plain formula`(
        _ place: Place, _ color: ColorSpace
    ) {
        for opacity in [1.0, 0.37] {
            let image = patterned(place.image)
            var overlay = Overlay(
                image, x: place.x, y: place.y, frame: place.frame, color: color)
            overlay.setOpacity(opacity)
            var frame = TestFrame(place.frame)
            let before = frame
            frame.blend(overlay)

            for plane in 0..<3 {
                let geometry = PixelFormat.i420.plane(plane, of: place.frame)
                for row in 0..<geometry.rows {
                    for column in 0..<geometry.rowBytes {
                        let index = row * geometry.rowBytes + column
                        let expected = reference(
                            plane, row, column, old: before.planes[plane][index], image, place,
                            color, opacity)
                        // Rounding of the image's sample, of its alpha and of the blend.
                        #expect(
                            abs(Double(frame.planes[plane][index]) - expected) <= 2,
                            "plane \(plane), row \(row), column \(column)")
                    }
                }
            }
        }
    }

    @Test func `an opaque image replaces and an invisible one changes nothing`() throws {
        let size = FrameSize(width: 6, height: 6)
        var image = Image(size: size)
        image.fill { _, _ in [255, 255, 255, 255] }
        var overlay = Overlay(image, x: 0, y: 0, frame: size, color: .bt601Limited)
        var frame = TestFrame(size)
        frame.blend(overlay)
        #expect(frame.planes[0].allSatisfy { $0 == 235 })
        #expect(frame.planes[1].allSatisfy { $0 == 128 })

        overlay.setOpacity(0)
        frame = TestFrame(size)
        let before = frame
        frame.blend(overlay)
        #expect(frame.planes == before.planes)
    }

    @Test func `a row that is too short stays unchanged`() {
        var image = Image(size: FrameSize(width: 6, height: 6))
        image.fill { _, _ in [255, 255, 255, 255] }
        let overlay = Overlay(
            image, x: 2, y: 0, frame: FrameSize(width: 8, height: 8), color: .bt601Limited)
        var row = [UInt8](repeating: 9, count: 7)
        var span = row.mutableSpan
        overlay.blend(into: &span, row: 0, ofPlane: 0)
        overlay.blend(into: &span, row: 0, ofPlane: 3)
        #expect(row == Array(repeating: 9, count: 7))
    }

    /// One sample by the standards' formulas, straight from the image.
    private func reference(
        _ plane: Int, _ row: Int, _ column: Int, old: UInt8, _ image: borrowing Image,
        _ place: Place, _ color: ColorSpace, _ opacity: Double
    ) -> Double {
        let step = plane == 0 ? 1 : 2
        var (sum, alphaSum, count) = (0.0, 0.0, 0.0)
        for y in row * step..<min(row * step + step, place.frame.height) {
            for x in column * step..<min(column * step + step, place.frame.width) {
                count += 1
                let (px, py) = (x - place.x, y - place.y)
                guard (0..<image.width).contains(px), (0..<image.height).contains(py) else {
                    continue
                }
                let pixel = image.row(py)
                let alpha = Double(pixel[px * 4 + 3]) / 255
                let value = sample(
                    plane, Double(pixel[px * 4]), Double(pixel[px * 4 + 1]),
                    Double(pixel[px * 4 + 2]), color)
                sum += value * alpha
                alphaSum += alpha
            }
        }
        let alpha = alphaSum / count * opacity
        return alphaSum == 0 ? Double(old) : Double(old) * (1 - alpha) + sum / alphaSum * alpha
    }

    private func sample(
        _ plane: Int, _ red: Double, _ green: Double, _ blue: Double, _ color: ColorSpace
    ) -> Double {
        // Rows of the full-range matrices of BT.601 and BT.709, as their tables print them.
        let rows: [[Double]] =
            color.matrix == .bt601
            ? [
                [0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312],
            ]
            : [
                [0.2126, 0.7152, 0.0722], [-0.114572, -0.385428, 0.5],
                [0.5, -0.454153, -0.045847],
            ]
        let full = rows[plane][0] * red + rows[plane][1] * green + rows[plane][2] * blue
        let isLimited = color.range == .limited
        if plane == 0 { return isLimited ? 16 + full * 219 / 255 : full }
        return min(128 + (isLimited ? full * 224 / 255 : full), 255)
    }

    private func patterned(_ size: FrameSize) -> Image {
        var image = Image(size: size)
        image.fill { x, y in
            [
                UInt8((x * 53 + 17) % 256), UInt8((y * 71 + 200) % 256),
                UInt8((x * 31 + y * 97) % 256), [0, 255, 128, 40][(x + y * 2) % 4],
            ]
        }
        return image
    }
}

/// A frame of I420 with a pattern in it.
struct TestFrame {
    let size: FrameSize
    var planes: [[UInt8]]

    init(_ size: FrameSize) {
        self.size = size
        planes = (0..<3).map { plane in
            let geometry = PixelFormat.i420.plane(plane, of: size)
            return (0..<geometry.rowBytes * geometry.rows).map {
                UInt8(($0 * 37 + plane * 11) % 256)
            }
        }
    }

    mutating func blend(_ overlay: Overlay) {
        for plane in 0..<3 {
            let width = PixelFormat.i420.plane(plane, of: size).rowBytes
            for row in overlay.rows(ofPlane: plane) {
                var pixels = Array(planes[plane][row * width..<(row + 1) * width])
                var span = pixels.mutableSpan
                overlay.blend(into: &span, row: row, ofPlane: plane)
                planes[plane].replaceSubrange(row * width..<(row + 1) * width, with: pixels)
            }
        }
    }
}

extension Image {
    mutating func fill(_ pixel: (Int, Int) -> [UInt8]) {
        let (width, height) = (width, height)
        var bytes = mutableBytes
        for y in 0..<height {
            for x in 0..<width {
                for (index, byte) in pixel(x, y).enumerated() {
                    bytes[(y * width + x) * 4 + index] = byte
                }
            }
        }
    }
}
