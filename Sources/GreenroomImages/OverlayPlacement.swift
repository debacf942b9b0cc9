public import GreenroomMedia

/// Where a picture sits in a frame.
public enum OverlayPosition: String, CaseIterable, Sendable {
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

/// Where a picture is put in a frame, and how large.
public struct OverlayPlacement: Equatable, Sendable {
    /// Pixels between the picture's left edge and the frame's.
    public let x: Int
    /// Pixels between the picture's upper edge and the frame's.
    public let y: Int
    /// The picture's size in the frame.
    public let size: FrameSize

    /// Places a picture; it always lies within the frame, smaller if need be.
    ///
    /// - Parameters:
    ///   - picture: The picture's own size.
    ///   - frame: The frame's size.
    ///   - position: Where.
    ///   - margin: Pixels between the picture and the edges it is at; less where there is no
    ///     room for them.
    ///   - scale: The picture's width as a part of the frame's, up to 1; 0 for its own pixels.
    public init(
        of picture: FrameSize, in frame: FrameSize, at position: OverlayPosition, margin: Int,
        scale: Double
    ) {
        let limit =
            scale > 0
            ? FrameSize(
                width: max(Int((Double(frame.width) * min(scale, 1)).rounded()), 1),
                height: frame.height)
            : FrameSize(
                width: min(picture.width, frame.width), height: min(picture.height, frame.height))
        size = picture.fitted(within: limit)

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

/// To which end of an axis a picture is put.
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
