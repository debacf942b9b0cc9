package import GreenroomMedia

/// An image in memory: rows of `R G B A` from the top, without padding between rows.
///
/// Colours are sRGB in full range. An alpha of 255 is opaque. Colours are not multiplied by alpha.
package struct Image: ~Copyable, Sendable {
    /// Limit of the width and height of images to read.
    package static let maximumDimension = FrameSize.maximumDimension

    /// The size in pixels, at least 1x1.
    package let size: FrameSize
    /// The unsupported features of the file, one sentence each, with the file's path; usually
    /// empty.
    package internal(set) var notes: [String]
    private var pixels: [UInt8]

    /// Makes an image of transparent black.
    ///
    /// - Parameter size: The size. Each side is limited to 1 to ``maximumDimension``.
    package init(size: FrameSize) {
        let sides = 1...Self.maximumDimension
        self.size = FrameSize(
            width: min(max(size.width, sides.lowerBound), sides.upperBound),
            height: min(max(size.height, sides.lowerBound), sides.upperBound))
        notes = []
        pixels = [UInt8](repeating: 0, count: self.size.area * 4)
    }

    /// The number of pixels in a row.
    package var width: Int { size.width }
    /// The number of rows.
    package var height: Int { size.height }
    /// The number of bytes from a row to the next.
    package var strideBytes: Int { width * 4 }

    /// All bytes, four for each pixel.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self) get { pixels.span }
    }

    /// All bytes for writing, four for each pixel.
    package var mutableBytes: MutableSpan<UInt8> {
        @_lifetime(&self) mutating get { pixels.mutableSpan }
    }

    /// Returns a row, counted from 0 at the top; empty outside the image.
    @_lifetime(borrow self)
    package func row(_ row: Int) -> Span<UInt8> {
        guard (0..<height).contains(row) else { return Span() }
        return pixels.span.extracting(row * strideBytes..<(row + 1) * strideBytes)
    }

    /// Copies a row to `target`, up to the length of `target`.
    package func copyRow(_ row: Int, into target: inout MutableSpan<UInt8>) {
        let source = self.row(row)
        source.withUnsafeBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                let count = min(source.count, target.count)
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                to.update(from: from, count: count)
            }
        }
    }
}
