package import GreenroomMedia

/// The facts about an image from the beginning of its file, without the pixels.
struct ImageHeader {
    /// The size as stored; nil if the header lacks it.
    var size: FrameSize?
    /// The orientation that makes the image upright.
    var orientation = EXIFOrientation.upright
    /// Whether rows are stored in several passes.
    var isInterlaced = false
    /// The unsupported features, each as the end of a sentence about the image.
    var ignored: [String] = []

    /// The size of the upright image.
    var uprightSize: FrameSize? { size?.turned(by: orientation) }

    private static let foreignProfile =
        "has a colour profile that is ignored: its colours are shown as sRGB; convert it to sRGB"

    /// Reads the header of a PNG or JPEG file; nil for another file.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: PNGDecoder.signature) {
            self.init(inPNG: bytes)
        } else if bytes.starts(with: JPEGDecoder.signature) {
            self.init(inJPEG: bytes)
        } else {
            return nil
        }
    }

    private init(inPNG bytes: [UInt8]) {
        var rest = bytes.dropFirst(PNGDecoder.signature.count)
        while let length = rest.bigEndian32(at: 0), let type = rest.bigEndian32(at: 4) {
            let data = rest.dropFirst(8).prefix(length)
            switch type {
            case Self.type("IHDR"):
                if let width = data.bigEndian32(at: 0), let height = data.bigEndian32(at: 4) {
                    size = FrameSize(width: width, height: height)
                }
                isInterlaced = data.dropFirst(12).first == 1
            case Self.type("eXIf"):
                orientation = EXIFOrientation.orientation(inTIFF: data) ?? .upright
            case Self.type("acTL"):
                ignore("is animated, and its first image is shown")
            case Self.type("iCCP"):
                let name = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
                if !name.contains("sRGB") { ignore(Self.foreignProfile) }
            default:
                break
            }
            rest = rest.dropFirst(8 + length + 4)
        }
    }

    /// Records an unsupported feature once, because a file may repeat a chunk millions of times.
    private mutating func ignore(_ what: String) {
        if !ignored.contains(what) { ignored.append(what) }
    }

    private static func type(_ name: String) -> Int { name.utf8.reduce(0) { $0 << 8 | Int($1) } }

    private init(inJPEG bytes: [UInt8]) {
        let startOfScan: UInt8 = 0xDA
        let exif = Array("Exif\0\0".utf8)
        let profile = Array("ICC_PROFILE\0".utf8)
        var hasOrientation = false
        var rest = bytes.dropFirst(2)
        while let marker = rest.bigEndian16(at: 0), marker >> 8 == 0xFF,
            marker & 0xFF != startOfScan, let length = rest.bigEndian16(at: 2), length >= 2
        {
            let segment = rest.dropFirst(4).prefix(Int(length) - 2)
            switch UInt8(marker & 0xFF) {
            case 0xE1 where segment.starts(with: exif) && !hasOrientation:
                hasOrientation = true
                let tiff = segment.dropFirst(exif.count)
                orientation = EXIFOrientation.orientation(inTIFF: tiff) ?? .upright
            case 0xE2 where segment.starts(with: profile):
                // The first part of the profile contains its description, in letters of one or two
                // bytes.
                let isFirst = segment.dropFirst(profile.count).first == 1
                let letters = segment.filter { $0 != 0 }
                if isFirst, !Self.contains(letters, "sRGB") {
                    ignore(Self.foreignProfile)
                }
            // Match every start of a frame, except tables.
            case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker & 0xFF):
                if let height = segment.bigEndian16(at: 1), let width = segment.bigEndian16(at: 3) {
                    size = FrameSize(width: Int(width), height: Int(height))
                }
            default:
                break
            }
            rest = rest.dropFirst(2 + Int(length))
        }
    }

    private static func contains(_ bytes: [UInt8], _ word: String) -> Bool {
        let word = Array(word.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: word) }
    }
}

extension Image {
    /// Returns the size of an image once it is upright, from the beginning of its file; nil if the
    /// size is missing, or the file cannot be read.
    package static func size(ofFile path: String) -> FrameSize? {
        // Cameras store a thumbnail of up to 64 KiB before the size, along with profiles.
        guard let bytes = try? readFile(path, limit: 1 << 18) else { return nil }
        return ImageHeader(bytes)?.uprightSize
    }
}

extension ArraySlice<UInt8> {
    /// Returns two bytes as a number; nil beyond the end.
    func bigEndian16(at offset: Int) -> UInt16? {
        guard offset >= 0, count >= 2, offset <= count - 2 else { return nil }
        return UInt16(self[startIndex + offset]) << 8 | UInt16(self[startIndex + offset + 1])
    }

    /// Returns four bytes as a number; nil beyond the end.
    func bigEndian32(at offset: Int) -> Int? {
        guard let high = bigEndian16(at: offset), let low = bigEndian16(at: offset + 2) else {
            return nil
        }
        return Int(high) << 16 | Int(low)
    }
}
