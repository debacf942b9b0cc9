import CPNG
import BrowserDecisions
import GreenroomPlugin

/// The newest picture of a page.
struct PagePicture {
    /// Rows of red, green, blue and straight alpha, without padding.
    private(set) var pixels: [UInt8] = []
    /// The size of the pixels; 0x0 before the first picture.
    private(set) var size = FrameSize(width: 0, height: 0)
    /// The part to show, from the upper left corner.
    var visible = FrameSize(width: 0, height: 0)

    /// Bytes from a row to the next.
    var strideBytes: Int { size.width * 4 }

    var isEmpty: Bool { size.area == 0 }

    /// Decodes a PNG image. Its memory is reused while the size stays.
    ///
    /// - Throws: ``BrowserError`` if it is none.
    mutating func decode(_ png: [UInt8], showing wanted: FrameSize) throws(BrowserError) {
        func number(_ place: Int) -> Int {
            png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        guard png.count > 24 else { throw BrowserError("Chromium's picture is empty") }
        let size = FrameSize(width: number(16), height: number(20))
        guard (1...PageGeometry.longestSide).contains(size.width),
            (1...PageGeometry.longestSide).contains(size.height)
        else { throw BrowserError("Chromium's picture has \(size)") }
        if pixels.count != size.area * 4 {
            pixels = [UInt8](repeating: 0, count: size.area * 4)
        }
        var message = [CChar](repeating: 0, count: Int(GREENROOM_PNG_MESSAGE_LENGTH))
        let done = greenroom_png_read(
            png, png.count, UInt32(size.width), UInt32(size.height), 1, 0, &pixels, &message)
        guard done != 0 else {
            self.size = FrameSize(width: 0, height: 0)
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw BrowserError(
                "Chromium's picture is damaged: \(String(decoding: text, as: UTF8.self))")
        }
        self.size = size
        visible = FrameSize(
            width: min(wanted.width, size.width), height: min(wanted.height, size.height))
    }
}
