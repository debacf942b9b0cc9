public import GreenroomMedia

/// A rectangle of pixels within a picture.
public struct PixelRect: Hashable, Sendable {
    /// The column of its left edge; even, so that subsampled chroma can be addressed.
    public var x: Int
    /// The row of its upper edge; even likewise.
    public var y: Int
    /// Its width and height.
    public var size: FrameSize

    /// Makes a rectangle.
    public init(x: Int, y: Int, size: FrameSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// The middle of a picture.
    ///
    /// - Parameters:
    ///   - size: The size of the rectangle, at most that of the picture.
    ///   - whole: The size of the picture.
    init(_ size: FrameSize, centredIn whole: FrameSize) {
        self.init(
            x: (whole.width - size.width) / 4 * 2, y: (whole.height - size.height) / 4 * 2,
            size: size)
    }
}

extension FrameSize {
    /// The largest size of another size's shape within this one, to the nearest even number.
    ///
    /// A side that is even lets the edge of a picture fall between two chroma samples; one
    /// that is all of this size's side stays as it is.
    func largestInside(shapedLike shape: FrameSize) -> FrameSize {
        let wider = width * shape.height > shape.width * height
        return wider
            ? FrameSize(
                width: Self.evenQuotient(height * shape.width, shape.height, within: width),
                height: height)
            : FrameSize(
                width: width,
                height: Self.evenQuotient(width * shape.height, shape.width, within: height))
    }

    private static func evenQuotient(_ numerator: Int, _ denominator: Int, within limit: Int)
        -> Int
    {
        min(max((numerator + denominator) / (2 * denominator) * 2, 2), limit)
    }
}
