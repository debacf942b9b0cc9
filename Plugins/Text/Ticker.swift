import PluginImages
import GreenroomPlugin
import PluginText

/// A line of text that moves through the picture: it enters at one edge, leaves at the other, and
/// starts again.
///
/// The line is drawn in tiles, each when it first comes into view. They are kept, up to a limit,
/// and move by whole pixels.
final class Ticker {
    private static let tileWidth = 512
    private static let tileLimit = 64

    /// A tile begins at an even column of the frame, since chroma has one sample for two pixels. So
    /// there are two sets: for lines at even columns and at odd ones.
    private struct TileKey: Hashable {
        var isOdd: Bool
        var index: Int
    }

    private let layout: TextLayout
    private let frame: FrameSize
    private let color: Color
    private let opacity: Double
    private let colorSpace: ColorSpace
    private let top: Int
    private let height: Int
    private let padding: Int
    private let band: Overlay?
    private var tiles: [TileKey: Overlay] = [:]

    /// - Parameter background: Behind the line, from edge to edge; nil if none.
    init(
        _ layout: TextLayout, _ geometry: TextGeometry, color: Color, background: Color?,
        opacity: Double, colorSpace: ColorSpace
    ) {
        self.layout = layout
        frame = geometry.frame
        self.color = color
        self.opacity = opacity
        self.colorSpace = colorSpace
        padding = geometry.padding.y
        height = min(layout.size.height + 2 * padding, frame.height)
        top =
            OverlayPlacement(
                of: FrameSize(width: 1, height: height), in: frame, at: geometry.position,
                margin: geometry.margin, scale: 0
            ).y
        if let background {
            var picture = TextPicture(size: FrameSize(width: frame.width, height: height))
            picture.fill(x: 0, y: 0, width: frame.width, height: height, background)
            var band = Overlay(
                picture.finished(), x: 0, y: top, frame: frame, color: colorSpace)
            band.setOpacity(opacity)
            self.band = band
        } else {
            band = nil
        }
    }

    /// Paints the line at a time.
    ///
    /// - Parameters:
    ///   - elapsed: Nanoseconds since it entered first.
    ///   - speed: In widths of the frame per second.
    func paint(_ frame: inout MutableFrame, elapsed: Int64, speed: Double) {
        let start = TickerPath(
            width: layout.size.width, frame: self.frame.width,
            isRightToLeft: layout.isRightToLeft
        ).start(after: elapsed, speed: speed)
        let isOdd = start & 1 != 0
        // The first tile of the odd set begins a pixel before the line.
        let origin = isOdd ? start - 1 : start
        let width = Self.tileWidth
        let first = max(-origin / width, 0)
        let last = min(
            (self.frame.width - 1 - origin) / width, (layout.size.width + 1) / width)
        let visible = first..<max(last + 1, first)
        for index in visible { prepare(TileKey(isOdd: isOdd, index: index), visible) }

        for plane in 0..<frame.planeCount {
            if let band {
                for y in band.rows(ofPlane: plane) {
                    var row = frame.row(y, ofPlane: plane)
                    band.blend(into: &row, row: y, ofPlane: plane)
                }
            }
            for index in visible {
                guard let tile = tiles[TileKey(isOdd: isOdd, index: index)] else { continue }
                for y in tile.rows(ofPlane: plane) {
                    var row = frame.row(y, ofPlane: plane)
                    tile.blend(
                        into: &row, row: y, ofPlane: plane,
                        movedBy: (origin + index * width) / 2)
                }
            }
        }
    }

    private func prepare(_ key: TileKey, _ visible: Range<Int>) {
        guard tiles[key] == nil else { return }
        if tiles.count >= Self.tileLimit {
            tiles = tiles.filter { $0.key.isOdd == key.isOdd && visible.contains($0.key.index) }
        }
        let size = FrameSize(width: Self.tileWidth, height: height)
        var picture = TextPicture(size: size)
        layout.draw(
            into: &picture, x: (key.isOdd ? 1 : 0) - key.index * Self.tileWidth, y: padding,
            color: color)
        var tile = Overlay(
            picture.finished(), x: 0, y: top,
            frame: FrameSize(width: Self.tileWidth, height: frame.height), color: colorSpace)
        tile.setOpacity(opacity)
        tiles[key] = tile
    }
}

/// Describes how a line moves: against the direction in which it is read.
struct TickerPath {
    /// The line's width.
    let width: Int
    /// The frame's width.
    let frame: Int
    let isRightToLeft: Bool

    /// The column of the line's left end.
    ///
    /// - Parameters:
    ///   - elapsed: Nanoseconds since it entered first.
    ///   - speed: In widths of the frame per second.
    func start(after elapsed: Int64, speed: Double) -> Int {
        let period = Double(frame + width)
        let way = (Double(elapsed) / 1e9 * speed * Double(frame))
            .truncatingRemainder(dividingBy: period)
        let steps = Int(way.rounded(.down))
        return isRightToLeft ? steps - width : frame - steps
    }
}
