import GreenroomMedia

/// A cursor's picture: premultiplied B, G, R and alpha.
package struct CursorPicture: Equatable {
    package var width = 0
    package var height = 0
    /// The place of the hot spot in it.
    package var hotX = 0
    package var hotY = 0
    package var pixels: [UInt32] = []

    /// An empty one.
    package init(
        width: Int = 0, height: Int = 0, hotX: Int = 0, hotY: Int = 0, pixels: [UInt32] = []
    ) {
        self.width = width
        self.height = height
        self.hotX = hotX
        self.hotY = hotY
        self.pixels = pixels
    }
}

/// The cursor on an image, and the pixels that it hides.
package struct CursorOverlay {
    private var hidden: [UInt32] = []
    private var place: PixelArea?

    /// Without a cursor.
    package init() {}

    /// Removes the cursor from an image.
    package mutating func remove(from image: CapturedImage) {
        guard let place else { return }
        self.place = nil
        var index = 0
        Self.forEachPixel(of: place, in: image) { pixel in
            pixel.storeBytes(of: hidden[index], as: UInt32.self)
            index += 1
        }
    }

    /// Draws a cursor whose hot spot is at a place of the image.
    package mutating func draw(_ cursor: CursorPicture, x: Int, y: Int, on image: CapturedImage) {
        remove(from: image)
        let (left, top) = (x - cursor.hotX, y - cursor.hotY)
        let from = (x: max(left, 0), y: max(top, 0))
        let to = (
            x: min(left + cursor.width, image.size.width),
            y: min(top + cursor.height, image.size.height)
        )
        guard from.x < to.x, from.y < to.y, cursor.pixels.count >= cursor.width * cursor.height
        else { return }
        let area = PixelArea(x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y)
        hidden.removeAll(keepingCapacity: true)
        var (column, row) = (from.x - left, from.y - top)
        Self.forEachPixel(of: area, in: image) { pixel in
            let below = pixel.loadUnaligned(as: UInt32.self)
            hidden.append(below)
            let above = cursor.pixels[row * cursor.width + column]
            pixel.storeBytes(of: Self.blend(above, over: below), as: UInt32.self)
            column += 1
            if column == to.x - left { (column, row) = (from.x - left, row + 1) }
        }
        place = area
    }

    package var isVisible: Bool { place != nil }

    /// Forgets the hidden pixels: the image has others.
    package mutating func forget() { place = nil }

    /// Puts a premultiplied pixel over an opaque one.
    package static func blend(_ above: UInt32, over below: UInt32) -> UInt32 {
        let rest = 255 - (above >> 24)
        var result: UInt32 = 0
        for shift in stride(from: UInt32(0), to: 24, by: 8) {
            let part = (above >> shift & 0xff) + ((below >> shift & 0xff) * rest + 127) / 255
            result |= min(part, 255) << shift
        }
        return result
    }

    private static func forEachPixel(
        of area: PixelArea, in image: CapturedImage, _ body: (UnsafeMutableRawPointer) -> Void
    ) {
        let bytes = image.bytes
        guard let base = bytes.baseAddress, area.x + area.width <= image.size.width,
            area.y + area.height <= image.size.height
        else { return }
        for row in area.y..<area.y + area.height {
            for column in area.x..<area.x + area.width {
                body(base + row * image.strideBytes + column * CapturedImage.bytesOfPixel)
            }
        }
    }
}
