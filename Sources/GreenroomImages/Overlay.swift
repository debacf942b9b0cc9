package import GreenroomMedia

/// An image with alpha, made ready to be blended into I420 frames of one size and colour.
///
/// Making one converts every pixel and allocates; blending does neither.
package struct Overlay: Sendable {
    private var planes: [OverlayPlane]

    /// Makes an overlay, opaque as its image is.
    ///
    /// - Parameters:
    ///   - image: In the size that it has in the frame.
    ///   - x: Its left edge in the frame, in pixels; odd ones are as good as even ones.
    ///   - y: Its upper edge.
    ///   - frame: The frame's size. What of the image lies outside is left out.
    ///   - color: What the frame's values mean.
    package init(
        _ image: borrowing Image, x: Int, y: Int, frame: FrameSize, color: ColorSpace
    ) {
        planes = OverlayPlane.planes(of: image, x: x, y: y, frame: frame, color: color)
        setOpacity(1)
    }

    /// Makes the whole image more transparent.
    ///
    /// - Parameter opacity: 0 for invisible to 1 for what the image's alpha says.
    package mutating func setOpacity(_ opacity: Double) {
        for index in planes.indices { planes[index].setOpacity(opacity) }
    }

    /// The rows of a plane that the image touches.
    ///
    /// - Parameter plane: 0 for Y, 1 for U, 2 for V.
    package func rows(ofPlane plane: Int) -> Range<Int> {
        planes.indices.contains(plane) ? planes[plane].rows : 0..<0
    }

    /// Blends the image into a row of a frame.
    ///
    /// - Parameters:
    ///   - pixels: The row's samples. One that is shorter than the frame is wide is left alone.
    ///   - row: Which row of the plane it is, counted from 0.
    ///   - plane: 0 for Y, 1 for U, 2 for V.
    package func blend(into pixels: inout MutableSpan<UInt8>, row: Int, ofPlane plane: Int) {
        guard planes.indices.contains(plane),
            planes[plane].columns.upperBound <= pixels.count
        else { return }
        planes[plane].blend(into: &pixels, row: row, movedBy: 0)
    }

    /// Blends the image into a row of a frame, left or right of its place; columns outside the
    /// row are left out.
    ///
    /// - Parameters:
    ///   - pixels: The row's samples.
    ///   - row: Which row of the plane it is, counted from 0.
    ///   - plane: 0 for Y, 1 for U, 2 for V.
    ///   - pairs: How far to the right, in pairs of pixels: chroma has one sample for two pixels.
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
    /// How opaque each is, 255 wholly.
    private let alphas: [UInt8]
    /// The same with the opacity in it, 256 wholly.
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
            // A weight of 256 gives the image's sample and 0 the frame's, both exactly.
            let change = (difference &* Int32(weights[index]) &+ 128) >> 8
            pixels[visible.lowerBound &+ index] = UInt8(truncatingIfNeeded: old &+ change)
        }
    }
}
