package import GreenroomMedia

/// The position of an image in a frame.
package enum OverlayPosition: String, CaseIterable, Sendable {
    /// The upper left corner.
    case topLeft = "top-left"
    /// The middle of the upper edge.
    case top
    /// The upper right corner.
    case topRight = "top-right"
    /// The middle of the left edge.
    case left
    /// The middle.
    case centre
    /// The middle of the right edge.
    case right
    /// The lower left corner.
    case bottomLeft = "bottom-left"
    /// The middle of the lower edge.
    case bottom
    /// The lower right corner.
    case bottomRight = "bottom-right"
}

/// The position and size of an image in a frame.
package struct OverlayPlacement: Equatable, Sendable {
    /// The number of pixels between the image's left edge and the frame's left edge.
    package let x: Int
    /// The number of pixels between the image's upper edge and the frame's upper edge.
    package let y: Int
    /// The image's size in the frame.
    package let size: FrameSize

    /// Places an image. The image always lies within the frame, and is reduced if necessary.
    ///
    /// - Parameters:
    ///   - image: The image's own size.
    ///   - frame: The frame's size.
    ///   - position: The position of the image.
    ///   - margin: The number of pixels between the image and the nearest edges; reduced in a
    ///     small frame.
    ///   - scale: The image's width as a part of the frame's width, up to 1; 0 to keep the image's
    ///     own size.
    package init(
        of image: FrameSize, in frame: FrameSize, at position: OverlayPosition, margin: Int,
        scale: Double
    ) {
        let limit =
            scale > 0
            ? FrameSize(
                width: max(Int((Double(frame.width) * min(scale, 1)).rounded()), 1),
                height: frame.height)
            : FrameSize(
                width: min(image.width, frame.width), height: min(image.height, frame.height))
        size = image.fitted(within: limit)

        func offset(_ free: Int, _ edge: Edge) -> Int {
            switch edge {
            case .near: min(max(margin, 0), free)
            case .middle: free / 2
            case .far: max(free - max(margin, 0), 0)
            }
        }
        x = offset(frame.width - size.width, position.horizontal)
        y = offset(frame.height - size.height, position.vertical)
    }
}

/// The end of an axis at which an image lies.
private enum Edge { case near, middle, far }

extension OverlayPosition {
    fileprivate var horizontal: Edge {
        switch self {
        case .topLeft, .left, .bottomLeft: .near
        case .top, .centre, .bottom: .middle
        case .topRight, .right, .bottomRight: .far
        }
    }

    fileprivate var vertical: Edge {
        switch self {
        case .topLeft, .top, .topRight: .near
        case .left, .centre, .right: .middle
        case .bottomLeft, .bottom, .bottomRight: .far
        }
    }
}
