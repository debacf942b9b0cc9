import GreenroomMedia
import GreenroomPlugin
import PluginImages
import PluginText
import StageDecisions

/// Draws names, initials and the background. The painter renders each once.
struct StagePainter {
    /// A label or a placeholder is rendered for this.
    private struct Key: Hashable {
        var text: String
        var rect: StageRect
    }

    /// More are dropped: names come and go in a long session.
    private static let limit = 200
    /// The longest name, in characters.
    private static let longestName = 40

    private let host: PluginHost
    private let color: ColorSpace
    private var typesetter: Typesetter?
    private var labels: [Key: Overlay] = [:]
    /// The newest captions.
    private var caption: (text: String, size: FrameSize, overlay: Overlay?) = (
        "", FrameSize(width: 0, height: 0), nil
    )
    private var placeholders: [Key: Picture] = [:]
    private var told: Set<String> = []

    init(host: PluginHost, color: ColorSpace) {
        self.host = host
        self.color = color
        do throws(PluginError) {
            typesetter = try Typesetter()
        } catch {
            host.log(.warning, "\(error.text). The stage has no name labels.")
        }
    }

    /// The background of a size: a colour, and an image over it if there is one.
    func background(_ size: FrameSize, _ fill: Color, image: borrowing Image?) -> Picture {
        var picture = Picture(size)
        let yuv = YUVColor(red: fill.red, green: fill.green, blue: fill.blue, in: color)
        picture.withPlanes { $0.fill(yuv) }
        switch image {
        case .none: break
        case .some(let image):
            let scale = max(
                Double(size.width) / Double(image.width),
                Double(size.height) / Double(image.height))
            let scaled = image.scaled(
                to: FrameSize(
                    width: Int((Double(image.width) * scale).rounded(.up)),
                    height: Int((Double(image.height) * scale).rounded(.up))))
            picture.blend(
                Overlay(
                    scaled, x: (size.width - scaled.width) / 2,
                    y: (size.height - scaled.height) / 2, frame: size, color: color))
        }
        return picture
    }

    /// The label of a tile; nil if none.
    mutating func label(_ name: String, in rect: StageRect, of canvas: FrameSize) -> Overlay? {
        let name = Self.shown(name)
        // A smaller tile has no room for it.
        guard !name.isEmpty, rect.height >= 64 else { return nil }
        let key = Key(text: name, rect: rect)
        if let label = labels[key] { return label }
        let pixels = min(max(rect.height / 14, 11), 30)
        guard
            let layout = typesetter?.layout(
                name, font: "Sans", size: pixels, alignment: 0,
                room: FrameSize(width: max(rect.width - 3 * pixels, 8), height: 2 * pixels))
        else { return nil }
        tell(layout.missing)
        let (inner, margin) = (pixels / 3, pixels / 2)
        let box = Self.box(
            layout, padding: inner, opacity: 150,
            within: FrameSize(width: rect.width, height: rect.height))
        let y = rect.y + rect.height - box.height - margin
        let label = Overlay(box, x: rect.x + margin, y: y, frame: canvas, color: color)
        if labels.count >= Self.limit { labels = [:] }
        labels[key] = label
        return label
    }

    /// The captions of a picture, above its lower edge; nil if there are none.
    mutating func caption(_ text: String, in canvas: FrameSize) -> Overlay? {
        guard text != caption.text || canvas != caption.size else { return caption.overlay }
        caption = (text, canvas, nil)
        let pixels = min(max(canvas.height / 22, 12), 48)
        guard !text.isEmpty,
            let layout = typesetter?.layout(
                text, font: "Sans", size: pixels, alignment: 1,
                room: FrameSize(width: max(canvas.width * 4 / 5, 8), height: canvas.height / 2))
        else { return nil }
        tell(layout.missing)
        let box = Self.box(layout, padding: pixels / 2, opacity: 190, within: canvas)
        let x = (canvas.width - box.width) / 2
        let y = max(canvas.height - box.height - pixels, 0)
        caption.overlay = Overlay(box, x: x, y: y, frame: canvas, color: color)
        return caption.overlay
    }

    /// White text on a dark box.
    private static func box(
        _ layout: TextLayout, padding: Int, opacity: UInt8, within limit: FrameSize
    ) -> Image {
        let size = FrameSize(
            width: min(layout.size.width + 2 * padding, limit.width),
            height: min(layout.size.height + padding, limit.height))
        var picture = TextPicture(size: size)
        picture.fill(
            x: 0, y: 0, width: size.width, height: size.height,
            Color(red: 0, green: 0, blue: 0, alpha: opacity))
        layout.draw(
            into: &picture, x: padding, y: padding / 2,
            color: Color(red: 255, green: 255, blue: 255))
        return picture.finished()
    }

    /// The picture of a tile without video: the initials of a name on the person's colour.
    mutating func placeholder(_ name: String, _ size: FrameSize) -> Picture {
        let initials = StageEntry.initials(of: Self.shown(name))
        let person = PersonColor(of: name)
        let key = Key(text: initials + person.hex, rect: StageRect(size))
        if let picture = placeholders[key] { return picture }
        var picture = Picture(size)
        let fill =
            initials.isEmpty
            ? YUVColor(red: 58, green: 64, blue: 78, in: color)
            : YUVColor(red: person.red, green: person.green, blue: person.blue, in: color)
        picture.withPlanes { $0.fill(fill) }
        if !initials.isEmpty,
            let layout = typesetter?.layout(
                initials, font: "Sans Bold", size: max(size.height / 3, 8), alignment: 1)
        {
            tell(layout.missing)
            var text = TextPicture(size: layout.size)
            layout.draw(
                into: &text, x: 0, y: 0, color: Color(red: 255, green: 255, blue: 255))
            picture.blend(
                Overlay(
                    text.finished(), x: (size.width - layout.size.width) / 2,
                    y: (size.height - layout.size.height) / 2, frame: size, color: color))
        }
        if placeholders.count >= Self.limit { placeholders = [:] }
        placeholders[key] = picture
        return picture
    }

    /// A name on one line that is not too long.
    private static func shown(_ name: String) -> String {
        let text = name.singleLine
        return text.count > longestName ? "\(text.prefix(longestName - 1))\u{2026}" : text
    }

    private mutating func tell(_ missing: MissingGlyphs) {
        for message in missing.messages where told.insert(message.package).inserted {
            host.log(.warning, message.text)
        }
    }
}
