/// The properties of a frame other than its format and size.
public struct FrameInfo: Equatable, Sendable {
    /// The rotation that makes it upright.
    public var rotation: Rotation
    /// The meaning of its values. For RGB formats: the matrix to convert with.
    public var color: ColorSpace
    /// The revision of its offer.
    public var offerRevision: UInt32
    /// The time to show it, in nanoseconds on the session clock; nil for its time of arrival.
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
