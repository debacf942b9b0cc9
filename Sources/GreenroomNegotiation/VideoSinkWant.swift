public import GreenroomMedia

/// The video format that an output wants.
public struct VideoSinkWant: Hashable, Sendable {
    /// The size; nil for the track's.
    public var size: FrameSize?
    /// The rate; nil for the track's.
    public var rate: FrameRate?
    /// The fit for another aspect ratio.
    public var fit: Fit
    /// The colour matrix; nil for the usual matrix of the output's size.
    public var matrix: ColorMatrix?

    /// Makes a want.
    public init(
        size: FrameSize? = nil, rate: FrameRate? = nil, fit: Fit = .letterbox,
        matrix: ColorMatrix? = nil
    ) {
        self.size = size
        self.rate = rate
        self.fit = fit
        self.matrix = matrix
    }

    /// The colour space of an output at a size. The range is limited, as readers of Y4M expect.
    package func color(at size: FrameSize) -> ColorSpace {
        ColorSpace(range: .limited, matrix: matrix ?? .usual(for: size))
    }
}
