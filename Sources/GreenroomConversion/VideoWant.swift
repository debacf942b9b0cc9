public import GreenroomMedia

/// What a consumer takes.
public struct VideoWant: Hashable, Sendable {
    /// The layout of pixels.
    public var format: PixelFormat
    /// The size, or nil for the picture's own, upright.
    public var size: FrameSize?
    /// The range of YUV values, or nil for as they come; pictures of RGB become limited then.
    /// Without meaning for RGB formats, which are always full.
    public var range: ColorRange?
    /// The matrix, or nil for as it comes.
    public var matrix: ColorMatrix?
    /// What becomes of a picture of another shape.
    public var fit: Fit
    /// Whether the consumer turns pictures upright itself; else they arrive so. With a size
    /// that is wanted, the size then is that of the pixels before the consumer turns them.
    public var acceptsRotation: Bool

    /// Makes a want.
    public init(
        format: PixelFormat,
        size: FrameSize? = nil,
        range: ColorRange? = nil,
        matrix: ColorMatrix? = nil,
        fit: Fit = .letterbox,
        acceptsRotation: Bool = false
    ) {
        self.format = format
        self.size = size
        self.range = range
        self.matrix = matrix
        self.fit = fit
        self.acceptsRotation = acceptsRotation
    }
}
