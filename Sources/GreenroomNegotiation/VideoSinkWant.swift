public import GreenroomMedia

/// How an output wants its picture.
public struct VideoSinkWant: Hashable, Sendable {
    /// The size; nil for the track's.
    public var size: FrameSize?
    /// The rate; nil for the track's.
    public var rate: FrameRate?
    /// What becomes of a picture of another shape.
    public var fit: Fit

    /// Makes a want.
    public init(size: FrameSize? = nil, rate: FrameRate? = nil, fit: Fit = .letterbox) {
        self.size = size
        self.rate = rate
        self.fit = fit
    }
}
