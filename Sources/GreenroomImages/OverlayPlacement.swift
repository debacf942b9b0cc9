package import GreenroomMedia

/// Where an image sits in a frame.
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

/// Where an image is put in a frame, and how large.
package struct OverlayPlacement: Equatable, Sendable {
    /// Pixels between the image's left edge and the frame's.
    package let x: Int
    /// Pixels between the image's upper edge and the frame's.
    package let y: Int
    /// The image's size in the frame.
    package let size: FrameSize

    /// Places an image; it always lies within the frame, smaller if need be.
    ///
    /// - Parameters:
    ///   - image: The image's own size.
    ///   - frame: The frame's size.
    ///   - position: Where.
    ///   - margin: Pixels between the image and the edges it is at; less where there is no
    ///     room for them.
    ///   - scale: The image's width as a part of the frame's, up to 1; 0 for its own pixels.
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

/// To which end of an axis an image is put.
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
