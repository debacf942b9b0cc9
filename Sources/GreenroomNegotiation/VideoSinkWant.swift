public import GreenroomMedia

/// The video format that an output wants.
public struct VideoSinkWant: Hashable, Sendable {
    /// The size; nil for the track's.
    public var size: FrameSize?
    /// The rate; nil for the track's.
    public var rate: FrameRate?
    /// How to fit another aspect ratio.
    public var fit: Fit

    /// Makes a want.
    public init(size: FrameSize? = nil, rate: FrameRate? = nil, fit: Fit = .letterbox) {
        self.size = size
        self.rate = rate
        self.fit = fit
    }
}
