internal import CLibYUV
internal import GreenroomConversion
package import GreenroomMedia

/// A picture with alpha, made ready to be laid over I420 frames of one size and colour.
///
/// Making one again reuses its memory; blending allocates nothing.
package struct PageOverlay: Sendable {
    /// One plane of the frame, covered wholly or in part.
    private struct Plane {
        var width = 0
        var height = 0
        /// The picture's part of each sample.
        var values: [UInt8] = []
        /// The share of the frame's sample that stays, of 255.
        var rests: [UInt8] = []
        /// Whether the picture changes a row.
        var isVisible: [Bool] = []

        mutating func resize(_ size: PlaneGeometry) {
            guard (width, height) != (size.rowBytes, size.rows) else { return }
            (width, height) = (size.rowBytes, size.rows)
            values = [UInt8](repeating: 0, count: width * height)
            rests = [UInt8](repeating: 255, count: width * height)
            isVisible = [Bool](repeating: false, count: height)
        }
    }

    /// The size of the picture.
    package private(set) var size = FrameSize(width: 0, height: 0)
    /// The meaning of its values.
    package private(set) var color: ColorSpace
    private var planes = InlineArray<3, Plane>(repeating: Plane())
    private var premultiplied: [UInt8] = []

    /// Makes an overlay that shows nothing.
    package init(color: ColorSpace) { self.color = color }

    /// Makes the overlay from a picture.
    ///
    /// - Parameters:
    ///   - pixels: Rows of red, green, blue and straight alpha. Too few leave the overlay as it is.
    ///   - strideBytes: Bytes from a row to the next.
    ///   - size: The part of the picture that is laid over the frame.
    ///   - color: The frame's.
    package mutating func make(
        from pixels: [UInt8], strideBytes: Int, size: FrameSize, color: ColorSpace
    ) {
        guard size.isLegal, strideBytes >= size.width * 4,
            pixels.count >= strideBytes * (size.height - 1) + size.width * 4
        else { return }
        self.size = size
        self.color = color
        for plane in 0..<3 { planes[plane].resize(PixelFormat.i420.plane(plane, of: size)) }
        if premultiplied.count != size.area * 4 {
            premultiplied = [UInt8](repeating: 0, count: size.area * 4)
        }
        let (width, height) = (Int32(size.width), Int32(size.height))
        pixels.withUnsafeBufferPointer { pixels in
            _ = ARGBAttenuate(
                pixels.baseAddress, Int32(strideBytes), &premultiplied, width * 4, width, height)
        }
        convert()
        readAlpha()
        for plane in 0..<3 { finish(plane) }
    }

    /// Converts the premultiplied picture, on black, to the values.
    private mutating func convert() {
        let conversion = PackedConversion(color: color, isBlueFirst: false)
        let (size, width, chromaWidth) = (size, planes[0].width, planes[1].width)
        // Each array is moved out for as long as it is written.
        var (y, u, v): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        swap(&y, &planes[0].values)
        swap(&u, &planes[1].values)
        swap(&v, &planes[2].values)
        y.withUnsafeMutableBufferPointer { y in
            u.withUnsafeMutableBufferPointer { u in
                v.withUnsafeMutableBufferPointer { v in
                    premultiplied.withUnsafeBufferPointer { pixels in
                        guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress,
                            let pixels = pixels.baseAddress
                        else { return }
                        conversion.makePlanes(
                            PackedConversion.Planes(
                                y: y, u: u, v: v, yStride: width, uStride: chromaWidth,
                                vStride: chromaWidth), size: size, from: pixels, stride: width * 4)
                    }
                }
            }
        }
        swap(&y, &planes[0].values)
        swap(&u, &planes[1].values)
        swap(&v, &planes[2].values)
    }

    /// Fills the rests of luma, and of chroma with the mean of up to four.
    private mutating func readAlpha() {
        let (width, height) = (planes[0].width, planes[0].height)
        let (chromaWidth, chromaHeight) = (planes[1].width, planes[1].height)
        var (luma, chroma): ([UInt8], [UInt8]) = ([], [])
        swap(&luma, &planes[0].rests)
        swap(&chroma, &planes[1].rests)
        premultiplied.withUnsafeBufferPointer { pixels in
            luma.withUnsafeMutableBufferPointer { rests in
                for index in rests.indices { rests[index] = 255 &- pixels[index &* 4 &+ 3] }
            }
        }
        luma.withUnsafeBufferPointer { rests in
            chroma.withUnsafeMutableBufferPointer { result in
                for row in 0..<chromaHeight {
                    let upper = row &* 2 &* width
                    let lower = min(row &* 2 &+ 1, height &- 1) &* width
                    for column in 0..<chromaWidth {
                        let left = column &* 2
                        let right = min(left &+ 1, width &- 1)
                        let sum =
                            UInt16(rests[upper &+ left]) &+ UInt16(rests[upper &+ right])
                            &+ UInt16(rests[lower &+ left]) &+ UInt16(rests[lower &+ right])
                        result[row &* chromaWidth &+ column] = UInt8(
                            truncatingIfNeeded: (sum &+ 2) >> 2)
                    }
                }
            }
        }
        swap(&luma, &planes[0].rests)
        swap(&chroma, &planes[1].rests)
        let count = planes[2].rests.count
        for index in 0..<min(count, planes[1].rests.count) {
            planes[2].rests[index] = planes[1].rests[index]
        }
    }

    /// Subtracts black from the values, by the part that the frame keeps.
    private mutating func finish(_ index: Int) {
        let black: UInt16 = index > 0 ? 128 : color.range == .limited ? 16 : 0
        let (width, height) = (planes[index].width, planes[index].height)
        var values: [UInt8] = []
        var isVisible: [Bool] = []
        swap(&values, &planes[index].values)
        swap(&isVisible, &planes[index].isVisible)
        values.withUnsafeMutableBufferPointer { values in
            planes[index].rests.withUnsafeBufferPointer { rests in
                for row in 0..<height {
                    var least: UInt8 = 255
                    for place in row &* width..<(row &+ 1) &* width {
                        let rest = rests[place]
                        least = min(least, rest)
                        let offset = Self.product(UInt16(rest), black)
                        values[place] = max(values[place], offset) &- offset
                    }
                    isVisible[row] = least < 255
                }
            }
        }
        swap(&values, &planes[index].values)
        swap(&isVisible, &planes[index].isVisible)
    }

    /// Two factors of 0 to 255, as parts of 255.
    @inline(__always)
    private static func product(_ first: UInt16, _ second: UInt16) -> UInt8 {
        let product = first &* second &+ 128
        return UInt8(truncatingIfNeeded: (product &+ product >> 8) >> 8)
    }

    /// The rows of a plane, from the picture's top on.
    package func rows(ofPlane plane: Int) -> Int { planes[plane].height }

    /// Lays a row of the picture over a row of a frame.
    ///
    /// - Parameters:
    ///   - pixels: The frame's samples.
    ///   - row: The picture's row in this plane.
    ///   - column: The picture's start in the frame's row; the part beyond the row is left out.
    package func blend(
        into pixels: inout MutableSpan<UInt8>, row: Int, ofPlane index: Int, at column: Int
    ) {
        guard (0..<planes[index].height).contains(row), planes[index].isVisible[row],
            (0..<pixels.count).contains(column)
        else { return }
        let count = min(planes[index].width, pixels.count - column)
        let start = row * planes[index].width
        pixels.withUnsafeMutableBufferPointer { pixels in
            planes[index].values.withUnsafeBufferPointer { values in
                planes[index].rests.withUnsafeBufferPointer { rests in
                    guard let pixels = pixels.baseAddress.map({ $0 + column }),
                        let values = values.baseAddress.map({ $0 + start }),
                        let rests = rests.baseAddress.map({ $0 + start })
                    else { return }
                    for place in 0..<count {
                        let rest = Self.product(UInt16(rests[place]), UInt16(pixels[place]))
                        let sum = UInt16(rest) &+ UInt16(values[place])
                        pixels[place] = UInt8(truncatingIfNeeded: min(sum, 255))
                    }
                }
            }
        }
    }
}
