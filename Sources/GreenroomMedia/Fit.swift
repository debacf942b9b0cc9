/// What becomes of a picture whose shape is not the wanted one.
public enum Fit: String, CaseIterable, Sendable {
    /// All of the picture, centred, with black bars.
    case letterbox
    /// The middle of the picture fills the frame; the rest is cut off.
    case crop
    /// All of the picture fills the frame, out of proportion.
    case stretch
    /// Any other size is an error.
    case reject
}
