import CPango
package import PluginImages
package import GreenroomPlugin

/// Lays out texts in the installed fonts. One thread at a time.
package final class Typesetter {
    private let fonts: OpaquePointer

    package init() throws(PluginError) {
        guard let fonts = greenroom_fonts_open() else {
            throw PluginError(
                "Pango has no fonts; apt install fonts-noto-core", status: .unavailable)
        }
        self.fonts = fonts
    }

    deinit { greenroom_fonts_close(fonts) }

    /// Lays out a text.
    ///
    /// - Parameters:
    ///   - text: Without control characters except line feeds.
    ///   - heading: The first bytes that are bold.
    ///   - size: The font's, in pixels.
    ///   - room: The area in which lines wrap and end; nil for one line of any length.
    package func layout(
        _ text: String, heading: Int = 0, font: String, size: Int, alignment: Int,
        room: FrameSize? = nil
    ) -> TextLayout? {
        text.utf8CString.withUnsafeBufferPointer { bytes in
            font.withCString { font in
                var style = greenroom_text_style(
                    font: font, pixels: Int32(clamping: size), alignment: Int32(alignment),
                    width: Int32(clamping: room?.width ?? 0),
                    height: Int32(clamping: room?.height ?? 0), heading: heading,
                    subtitle: 0.7)
                guard let start = bytes.baseAddress,
                    let layout = greenroom_layout_make(fonts, start, text.utf8.count, &style)
                else { return nil }
                return TextLayout(layout)
            }
        }
    }
}

/// A text in lines.
package final class TextLayout {
    private let layout: OpaquePointer
    /// The place where the lines are, in the layout's own coordinates.
    private let box: greenroom_box

    fileprivate init(_ layout: OpaquePointer) {
        self.layout = layout
        box = greenroom_layout_box(layout)
    }

    /// The size of the lines, with the room that they need between lines.
    package var size: FrameSize {
        FrameSize(width: max(Int(box.width), 1), height: max(Int(box.height), 1))
    }

    deinit { greenroom_layout_free(layout) }

    package var isRightToLeft: Bool { greenroom_layout_is_right_to_left(layout) != 0 }

    /// The first characters that no installed font has.
    package var missing: MissingGlyphs {
        MissingGlyphs(
            [UInt32](unsafeUninitializedCapacity: 256) { buffer, count in
                count = buffer.baseAddress.map { greenroom_layout_missing(layout, $0, 256) } ?? 0
            })
    }

    /// Draws the text with the upper left corner of its box at a place.
    package func draw(into picture: inout TextPicture, x: Int, y: Int, color: Color) {
        picture.draw { target in
            greenroom_draw_layout(
                target, layout, Int32(clamping: x - Int(box.x)), Int32(clamping: y - Int(box.y)),
                color.components)
        }
    }
}

/// A picture that texts and boxes are drawn into.
package struct TextPicture: ~Copyable {
    private var image: Image

    /// Transparent.
    package init(size: FrameSize) { image = Image(size: size) }

    /// Fills a rectangle.
    package mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: Color) {
        let box = greenroom_box(
            x: Int32(clamping: x), y: Int32(clamping: y), width: Int32(clamping: width),
            height: Int32(clamping: height))
        draw { greenroom_draw_box($0, box, color.components) }
    }

    fileprivate mutating func draw(_ body: (greenroom_picture) -> Int32) {
        let (width, height) = (Int32(clamping: image.width), Int32(clamping: image.height))
        var bytes = image.mutableBytes
        bytes.withUnsafeMutableBufferPointer { bytes in
            guard let pixels = bytes.baseAddress else { return }
            // Without memory for a glyph cairo leaves it out; the rest of the text stays.
            _ = body(greenroom_picture(pixels: pixels, width: width, height: height))
        }
    }

    /// The picture as an image: R, G, B and A, not premultiplied, instead of cairo's order.
    package consuming func finished() -> Image {
        var bytes = image.mutableBytes
        for start in stride(from: 0, to: bytes.count - 3, by: 4) {
            let alpha = Int(bytes[start + 3])
            let (blue, green, red) = (
                Int(bytes[start]), Int(bytes[start + 1]), Int(bytes[start + 2])
            )
            guard alpha > 0 else { continue }
            func straight(_ value: Int) -> UInt8 {
                UInt8(clamping: (value * 255 + alpha / 2) / alpha)
            }
            bytes[start] = straight(red)
            bytes[start + 1] = straight(green)
            bytes[start + 2] = straight(blue)
        }
        return image
    }
}
