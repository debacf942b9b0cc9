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

    /// The heights that a guest is asked for. Few of them, because each change costs a key frame.
    private static let steps = [180, 270, 360, 540, 720]

    /// The size of a camera that its viewers and the session use. A larger video is wasted.
    ///
    /// - Parameters:
    ///   - lines: The number of lines in which the largest viewer shows the video; nil without a viewer.
    ///   - session: The size that the session decodes; nil if it decodes nothing.
    /// - Returns: The size; nil if nobody uses the video.
    package static func wanted(lines: Int?, session: FrameSize?) -> FrameSize? {
        let viewers = lines.map { lines in
            let height = steps.first { $0 >= lines } ?? largest.size.height
            return FrameSize(width: height * 16 / 9, height: height)
        }
        guard let viewers, let session else { return viewers ?? session }
        return FrameSize(
            width: max(viewers.width, session.width), height: max(viewers.height, session.height))
    }
}
