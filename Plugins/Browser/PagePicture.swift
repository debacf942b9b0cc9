import CPNG
import CTurboJPEG
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

    /// Decodes Chromium's picture: a PNG image, or a JPEG image. The memory is reused while the size stays.
    ///
    /// - Throws: ``BrowserError`` if it is neither.
    mutating func decode(_ bytes: [UInt8], showing wanted: FrameSize) throws(BrowserError) {
        guard bytes.count > 24 else { throw BrowserError("Chromium's picture is empty") }
        size = FrameSize(width: 0, height: 0)
        let new = bytes[0] == 0xFF ? try decodeJPEG(bytes) : try decodePNG(bytes)
        size = new
        visible = FrameSize(
            width: min(wanted.width, new.width), height: min(wanted.height, new.height))
    }

    private mutating func decodePNG(_ png: [UInt8]) throws(BrowserError) -> FrameSize {
        func number(_ place: Int) -> Int {
            png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        let size = try makeRoom(width: number(16), height: number(20))
        var message = [CChar](repeating: 0, count: Int(GREENROOM_PNG_MESSAGE_LENGTH))
        let done = greenroom_png_read(
            png, png.count, UInt32(size.width), UInt32(size.height), 1, 0, &pixels, &message)
        guard done != 0 else {
            throw Self.damage(message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        }
        return size
    }

    private mutating func decodeJPEG(_ jpeg: [UInt8]) throws(BrowserError) -> FrameSize {
        guard let decoder = tjInitDecompress() else {
            throw BrowserError("libjpeg-turbo did not start: free some memory")
        }
        defer { tjDestroy(decoder) }
        func damage() -> BrowserError {
            Self.damage(tjGetErrorStr2(decoder).map { Array(String(cString: $0).utf8) } ?? [])
        }
        var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard
            tjDecompressHeader3(
                decoder, jpeg, UInt(jpeg.count), &width, &height, &subsampling, &colors) == 0
        else { throw damage() }
        let size = try makeRoom(width: Int(width), height: Int(height))
        guard
            tjDecompress2(
                decoder, jpeg, UInt(jpeg.count), &pixels, width, 0, height,
                Int32(TJPF_RGBA.rawValue), TJFLAG_STOPONWARNING) == 0
        else { throw damage() }
        return size
    }

    /// Makes room for the pixels of a picture.
    private mutating func makeRoom(width: Int, height: Int) throws(BrowserError) -> FrameSize {
        let size = FrameSize(width: width, height: height)
        guard (1...PageGeometry.longestSide).contains(width),
            (1...PageGeometry.longestSide).contains(height)
        else { throw BrowserError("Chromium's picture has \(size)") }
        if pixels.count != size.area * 4 {
            pixels = [UInt8](repeating: 0, count: size.area * 4)
        }
        return size
    }

    private static func damage(_ text: [UInt8]) -> BrowserError {
        BrowserError("Chromium's picture is damaged: \(String(decoding: text, as: UTF8.self))")
    }
}
