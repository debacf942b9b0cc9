public import GreenroomMedia

/// The video format that a consumer wants.
public struct VideoWant: Hashable, Sendable {
    /// The pixel format.
    public var format: PixelFormat
    /// The size; nil to keep the size of the upright image.
    public var size: FrameSize?
    /// The range of YUV values; nil to keep the image's range, or limited for RGB images. Ignored
    /// for RGB formats, which always have full range.
    public var range: ColorRange?
    /// The matrix; nil to keep the image's matrix.
    public var matrix: ColorMatrix?
    /// The policy for a different aspect ratio.
    public var fit: Fit
    /// Whether the consumer rotates images itself; otherwise images arrive upright. With rotation
    /// by the consumer, a wanted size applies before that rotation.
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
