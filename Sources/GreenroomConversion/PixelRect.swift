public import GreenroomMedia

/// A rectangle of pixels within an image.
public struct PixelRect: Hashable, Sendable {
    /// The left column. The value is even, so that it is addressable in subsampled chroma.
    public var x: Int
    /// The top row. The value is even, too.
    public var y: Int
    /// The rectangle's width and height.
    public var size: FrameSize

    /// Makes a rectangle.
    public init(x: Int, y: Int, size: FrameSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// Makes a centred rectangle in an image.
    ///
    /// - Parameters:
    ///   - size: The rectangle's size, at most the image's size.
    ///   - whole: The image's size.
    init(_ size: FrameSize, centredIn whole: FrameSize) {
        self.init(
            x: (whole.width - size.width) / 4 * 2, y: (whole.height - size.height) / 4 * 2,
            size: size)
    }
}

extension FrameSize {
    /// Returns the largest size with another size's aspect ratio that fits in this size, rounded to
    /// even numbers.
    ///
    /// With an even side, the image's edge is between two chroma samples. A side that equals this
    /// size's side is not rounded.
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
