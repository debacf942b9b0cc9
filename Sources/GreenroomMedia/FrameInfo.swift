/// What a frame says of itself besides its pixels.
public struct FrameInfo: Equatable, Sendable {
    /// How to turn it upright.
    public var rotation: Rotation
    /// The meaning of its values. For RGB formats: the matrix to convert with.
    public var color: ColorSpace
    /// The revision of the offer that it was made for.
    public var offerRevision: UInt32
    /// When it shows, in nanoseconds on the session clock, or nil for "when it arrives".
    public var ptsNanoseconds: Int64?

    /// Makes the info of a frame.
    public init(
        rotation: Rotation = .none,
        color: ColorSpace = .bt601Limited,
        offerRevision: UInt32 = 0,
        ptsNanoseconds: Int64? = nil
    ) {
        self.rotation = rotation
        self.color = color
        self.offerRevision = offerRevision
        self.ptsNanoseconds = ptsNanoseconds
    }
}
