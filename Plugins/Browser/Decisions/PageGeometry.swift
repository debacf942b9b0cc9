package import GreenroomMedia

/// Describes how a page is laid out for frames of a size.
package struct PageGeometry: Equatable, Sendable {
    /// The page's size in CSS pixels.
    package let layout: FrameSize
    /// Pixels of the picture for a CSS pixel.
    package let scale: Double
    /// The part of the picture that is shown, from its upper left corner.
    package let visible: FrameSize

    /// The longest side of a page, in CSS pixels.
    package static let longestSide = 8192

    /// - Parameters:
    ///   - frame: The size of the frames.
    ///   - width: The width that the page is made for, in CSS pixels; 0 for the frame's.
    ///   - height: Its height, likewise.
    ///   - zoom: The factor by which everything on the page is larger.
    package init(frame: FrameSize, width: Int, height: Int, zoom: Double) {
        let width = width > 0 ? width : frame.width
        let height = height > 0 ? height : frame.height
        let fit = min(
            Double(frame.width) / Double(width), Double(frame.height) / Double(height))
        visible = FrameSize(
            width: Self.side(Double(width) * fit, frame.width),
            height: Self.side(Double(height) * fit, frame.height))
        // At least as large as what is shown.
        layout = FrameSize(
            width: Self.side((Double(width) / zoom).rounded(.up), Self.longestSide),
            height: Self.side((Double(height) / zoom).rounded(.up), Self.longestSide))
        scale = fit * zoom
    }

    private static func side(_ length: Double, _ longest: Int) -> Int {
        min(max(Int(min(length, Double(longest)).rounded()), 1), longest)
    }
}
