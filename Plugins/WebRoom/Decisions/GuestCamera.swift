package import GreenroomMedia

/// The size of a guest's camera.
package enum GuestCamera {
    /// The largest size and rate of a guest's camera. The session's maximum may be lower.
    private static let largest = VideoCapability(width: 1280, height: 720, fps: 30)

    /// The capability to use for a guest's camera.
    ///
    /// - Parameters:
    ///   - first: The size of the camera's first frame.
    ///   - isAdaptive: Whether the sender adapts the size to the network. Browsers do so, and begin
    ///     with small frames.
    package static func capability(first: FrameSize, isAdaptive: Bool) -> VideoCapability {
        let size = first.reduced(toFit: largest.size)
        guard isAdaptive, size.width > 0, size.height > 0 else {
            return VideoCapability(size: size, rate: largest.rate)
        }
        // The largest size that the camera may reach with the same aspect ratio.
        let grown = FrameSize(
            width: size.width * largest.size.height, height: size.height * largest.size.height)
        return VideoCapability(size: grown.reduced(toFit: largest.size), rate: largest.rate)
    }
}
