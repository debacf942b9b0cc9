/// The fit of an image of another aspect ratio.
public enum Fit: String, CaseIterable, Sendable {
    /// The whole image, centred, with black bars.
    case letterbox
    /// The middle of the image fills the frame; the rest is cropped.
    case crop
    /// The whole image fills the frame, distorted.
    case stretch
    /// Any other size is an error.
    case reject
}
