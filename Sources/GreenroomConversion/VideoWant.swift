public import GreenroomMedia

/// The video format that a consumer wants.
public struct VideoWant: Hashable, Sendable {
    /// The pixel format.
    public var format: PixelFormat
    /// The size; nil for the upright image's own.
    public var size: FrameSize?
    /// The range of YUV values; nil for the image's own, or limited for RGB images. Ignored for
    /// RGB formats, which are always full.
    public var range: ColorRange?
    /// The matrix; nil for the image's own.
    public var matrix: ColorMatrix?
    /// How to fit another aspect ratio.
    public var fit: Fit
    /// Whether the consumer rotates images itself; otherwise they arrive upright. A wanted size
    /// then is that before the consumer's rotation.
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
