import CPango
import PluginImages
import GreenroomPlugin
import PluginText

/// The place where a text is in a frame.
struct TextGeometry {
    let frame: FrameSize
    /// Distance from the edges, in pixels.
    let margin: Int
    /// Between the lines and the edges of their box.
    let padding: (x: Int, y: Int)
    /// Width of the bar of a lower third.
    let bar: Int
    let position: OverlayPosition
    let isTicker: Bool

    init(_ settings: TextSettings, frame: FrameSize, fontSize: Int) {
        self.frame = frame
        margin = Int((settings.margin * Double(frame.height)).rounded())
        padding = (fontSize * 2 / 5, fontSize / 5)
        bar = settings.template == .lowerThird ? max(fontSize / 6, 1) : 0
        position = settings.position
        isTicker = settings.template == .ticker
    }

    /// The room of the lines; nil for a ticker, which is one line.
    var room: FrameSize? {
        guard !isTicker else { return nil }
        return FrameSize(
            width: max(frame.width - 2 * (margin + padding.x) - bar, 1),
            height: max(frame.height - 2 * (margin + padding.y), 1))
    }

    /// The way in which lines of different lengths stand to each other.
    var alignment: Int {
        if isTicker { return GREENROOM_ALIGN_START }
        return switch position {
        case .topLeft, .left, .bottomLeft: GREENROOM_ALIGN_START
        case .top, .centre, .bottom: GREENROOM_ALIGN_CENTRE
        case .topRight, .right, .bottomRight: GREENROOM_ALIGN_RIGHT
        }
    }

    /// The box of a text that stays in its place.
    func banner(of layout: TextLayout) -> Banner {
        let size = FrameSize(
            width: min(layout.size.width + 2 * padding.x + bar, frame.width),
            height: min(layout.size.height + 2 * padding.y, frame.height))
        let placement = OverlayPlacement(
            of: size, in: frame, at: position, margin: margin, scale: 0)
        return Banner(
            x: placement.x, y: placement.y, size: size, padding: padding, bar: bar,
            isRightToLeft: layout.isRightToLeft)
    }
}

/// A box with a text in it.
struct Banner {
    let x: Int
    let y: Int
    let size: FrameSize
    let padding: (x: Int, y: Int)
    let bar: Int
    let isRightToLeft: Bool

    /// - Parameter background: The box's colour; nil if none.
    func picture(of layout: TextLayout, _ color: Color, on background: Color?) -> Image {
        var picture = TextPicture(size: size)
        if let background {
            picture.fill(x: 0, y: 0, width: size.width, height: size.height, background)
        }
        if bar > 0 {
            // The start of the text.
            picture.fill(
                x: isRightToLeft ? size.width - bar : 0, y: 0, width: bar, height: size.height,
                color)
        }
        layout.draw(
            into: &picture, x: padding.x + (isRightToLeft ? 0 : bar), y: padding.y, color: color)
        return picture.finished()
    }
}
