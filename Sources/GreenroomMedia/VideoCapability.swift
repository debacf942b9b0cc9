/// A size and a frame rate that a source can make or a session can take.
public struct VideoCapability: Hashable, Sendable {
    /// The size.
    public var size: FrameSize
    /// The frame rate; in an offer, the highest one.
    public var rate: FrameRate

    /// Makes a capability.
    public init(size: FrameSize, rate: FrameRate) {
        self.size = size
        self.rate = rate
    }

    /// Makes a capability of a whole frame rate.
    public init(width: Int, height: Int, fps: Int) {
        self.init(size: FrameSize(width: width, height: height), rate: FrameRate(fps))
    }
}

extension VideoCapability: CustomStringConvertible {
    /// `"1280x720@30"`.
    public var description: String { "\(size)@\(rate)" }

    /// Reads `"1280x720@30"`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let size = FrameSize(parts[0]), let rate = FrameRate(parts[1])
        else { return nil }
        self.init(size: size, rate: rate)
    }
}
