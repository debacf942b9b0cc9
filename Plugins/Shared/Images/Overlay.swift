package import GreenroomMedia

/// An image with alpha, prepared for blending into I420 frames of one size and colour space.
///
/// Making an overlay converts every pixel and allocates memory. Blending does neither.
package struct Overlay: Sendable {
    private var planes: [OverlayPlane]

    /// Makes an overlay with the opacity of its image.
    ///
    /// - Parameters:
    ///   - image: The image, in its size in the frame.
    ///   - x: The image's left edge in the frame, in pixels; even or odd.
    ///   - y: The image's upper edge in the frame, in pixels.
    ///   - frame: The frame's size. Parts of the image outside the frame are omitted.
    ///   - color: The colour space of the frame.
    package init(
        _ image: borrowing Image, x: Int, y: Int, frame: FrameSize, color: ColorSpace
    ) {
        planes = OverlayPlane.planes(of: image, x: x, y: y, frame: frame, color: color)
        setOpacity(1)
    }

    /// Makes the whole image more transparent.
    ///
    /// - Parameter opacity: The factor of the image's alpha, from 0 (invisible) to 1 (unchanged).
    package mutating func setOpacity(_ opacity: Double) {
        for index in planes.indices { planes[index].setOpacity(opacity) }
    }

    /// Returns the rows of a plane that the image touches.
    ///
    /// - Parameter plane: 0 for Y, 1 for U, 2 for V.
    package func rows(ofPlane plane: Int) -> Range<Int> {
        planes.indices.contains(plane) ? planes[plane].rows : 0..<0
    }

    /// Blends the image into a row of a frame.
    ///
    /// - Parameters:
    ///   - pixels: The row's samples. A row that is shorter than the frame's width is not changed.
    ///   - row: The index of the row in the plane, from 0.
    ///   - plane: 0 for Y, 1 for U, 2 for V.
    package func blend(into pixels: inout MutableSpan<UInt8>, row: Int, ofPlane plane: Int) {
        guard planes.indices.contains(plane),
            planes[plane].columns.upperBound <= pixels.count
        else { return }
        planes[plane].blend(into: &pixels, row: row, movedBy: 0)
    }

    /// Blends the image into a row of a frame, shifted to the left or right. Columns outside the
    /// row are omitted.
    ///
    /// - Parameters:
    ///   - pixels: The row's samples.
    ///   - row: The index of the row in the plane, from 0.
    ///   - plane: 0 for Y, 1 for U, 2 for V.
    ///   - pairs: The shift to the right, in pairs of pixels, because chroma has one sample for two
    ///     pixels.
    package func blend(
        into pixels: inout MutableSpan<UInt8>, row: Int, ofPlane plane: Int, movedBy pairs: Int
    ) {
        guard planes.indices.contains(plane) else { return }
        planes[plane].blend(into: &pixels, row: row, movedBy: plane == 0 ? 2 * pairs : pairs)
    }
}

/// One plane of an overlay.
struct OverlayPlane {
    /// The rows and columns of the frame's plane that the image touches.
    let rows: Range<Int>
    let columns: Range<Int>
    /// The image's samples, row by row.
    private let values: [UInt8]
    /// The alpha of each sample; 255 is opaque.
    private let alphas: [UInt8]
    /// The alpha of each sample with the overlay's opacity; 256 is opaque.
    private var weights: [UInt16]

    init(rows: Range<Int>, columns: Range<Int>, values: [UInt8], alphas: [UInt8]) {
        self.rows = rows
        self.columns = columns
        self.values = values
        self.alphas = alphas
        weights = Array(repeating: 0, count: alphas.count)
    }

    mutating func setOpacity(_ opacity: Double) {
        let factor = (min(max(opacity, 0), 1) * 256 / 255)
        for index in alphas.indices {
            weights[index] = UInt16((Double(alphas[index]) * factor).rounded())
        }
    }

    func blend(into pixels: inout MutableSpan<UInt8>, row: Int, movedBy shift: Int) {
        guard rows.contains(row) else { return }
        let place = columns.lowerBound + shift..<columns.upperBound + shift
        let visible = place.clamped(to: 0..<pixels.count)
        guard !visible.isEmpty else { return }
        let start = (row - rows.lowerBound) * columns.count + visible.lowerBound - place.lowerBound
        let values = values.span.extracting(start..<start + visible.count)
        let weights = weights.span.extracting(start..<start + visible.count)
        for index in values.indices {
            let old = Int32(pixels[visible.lowerBound &+ index])
            let difference = Int32(values[index]) &- old
            // A weight of 256 gives exactly the image's sample, and 0 exactly the frame's sample.
            let change = (difference &* Int32(weights[index]) &+ 128) >> 8
            pixels[visible.lowerBound &+ index] = UInt8(truncatingIfNeeded: old &+ change)
        }
    }
}
