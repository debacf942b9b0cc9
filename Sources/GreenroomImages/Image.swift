package import GreenroomMedia

/// An image in memory: rows of `R G B A` from the top, one after the other without padding.
///
/// Colours are sRGB, full range. Alpha says how opaque a pixel is, 255 wholly; colours are not
/// multiplied by it.
package struct Image: ~Copyable, Sendable {
    /// The largest width and height that is read.
    package static let maximumDimension = FrameSize.maximumDimension

    /// The size in pixels, at least 1x1.
    package let size: FrameSize
    /// What of the file is not followed, a sentence each, with its path; empty as a rule.
    package internal(set) var notes: [String]
    private var pixels: [UInt8]

    /// Makes an image of transparent black.
    ///
    /// - Parameter size: Each side is brought within 1 to ``maximumDimension``.
    package init(size: FrameSize) {
        let sides = 1...Self.maximumDimension
        self.size = FrameSize(
            width: min(max(size.width, sides.lowerBound), sides.upperBound),
            height: min(max(size.height, sides.lowerBound), sides.upperBound))
        notes = []
        pixels = [UInt8](repeating: 0, count: self.size.area * 4)
    }

    /// Pixels in a row.
    package var width: Int { size.width }
    /// Rows.
    package var height: Int { size.height }
    /// Bytes from a row to the next.
    package var strideBytes: Int { width * 4 }

    /// Every byte, four a pixel.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self) get { pixels.span }
    }

    /// Every byte, to change.
    package var mutableBytes: MutableSpan<UInt8> {
        @_lifetime(&self) mutating get { pixels.mutableSpan }
    }

    /// A row, counted from 0 at the top; empty for one that is not there.
    @_lifetime(borrow self)
    package func row(_ row: Int) -> Span<UInt8> {
        guard (0..<height).contains(row) else { return Span() }
        return pixels.span.extracting(row * strideBytes..<(row + 1) * strideBytes)
    }

    /// Copies a row to where it is wanted, as much of it as there is room for.
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
