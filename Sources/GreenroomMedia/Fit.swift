/// How to fit a picture of another aspect ratio.
public enum Fit: String, CaseIterable, Sendable {
    /// The whole picture, centred, with black bars.
    case letterbox
    /// The middle of the picture fills the frame; the rest is cropped.
    case crop
    /// The whole picture fills the frame, distorted.
    case stretch
    /// Any other size is an error.
    case reject
}
