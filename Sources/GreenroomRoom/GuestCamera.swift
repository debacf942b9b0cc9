package import GreenroomMedia

/// The size with which a guest's camera is opened.
package enum GuestCamera {
    /// The most that the session gets; its maximum may be less.
    private static let largest = VideoCapability(width: 1280, height: 720, fps: 30)

    /// The capability of a camera.
    ///
    /// - Parameters:
    ///   - first: The size of its first frame.
    ///   - isAdaptive: Whether its sender changes the size with the network, as browsers do: they begin
    ///     with small frames.
    package static func capability(first: FrameSize, isAdaptive: Bool) -> VideoCapability {
        let size = first.reduced(toFit: largest.size)
        guard isAdaptive, size.width > 0, size.height > 0 else {
            return VideoCapability(size: size, rate: largest.rate)
        }
        // As large as it may become: its shape stays.
        let grown = FrameSize(
            width: size.width * largest.size.height, height: size.height * largest.size.height)
        return VideoCapability(size: grown.reduced(toFit: largest.size), rate: largest.rate)
    }
}
