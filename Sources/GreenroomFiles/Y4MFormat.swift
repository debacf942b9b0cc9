public import GreenroomMedia

/// What the header of a Y4M file says: 4:2:0, 8 bits, progressive pictures of one size.
public struct Y4MFormat: Hashable, Sendable {
    /// The size in pixels; chroma planes have half of it, rounded up.
    public var size: FrameSize
    /// Frames a second.
    public var rate: FrameRate
    /// The range of values. A file that says nothing is taken as limited.
    public var range: ColorRange

    /// Makes a format.
    public init(size: FrameSize, rate: FrameRate, range: ColorRange = .limited) {
        self.size = size
        self.rate = rate
        self.range = range
    }

    /// The bytes of a frame's pixels.
    var frameByteCount: Int { PixelFormat.i420.packedByteCount(of: size) }

    /// The first line of the file, with its line feed.
    ///
    /// Chromium's fake camera wants a line within 200 bytes and plain `C420`; ffmpeg reads the
    /// range from `XCOLORRANGE`. `XYSCSS=420JPEG` says what plain `C420` means to both: chroma
    /// sits in the middle of its four pixels.
    var header: String {
        let rangeName = range == .full ? "FULL" : "LIMITED"
        return "YUV4MPEG2 W\(size.width) H\(size.height) F\(rate.numerator):\(rate.denominator)"
            + " Ip A1:1 C420 XYSCSS=420JPEG XCOLORRANGE=\(rangeName)\n"
    }
}

// MARK: Reading

extension Y4MFormat {
    /// The longest first line that is read, in bytes. Real ones have fewer than 100.
    static let longestHeader = 1024

    /// What each kind of file begins with.
    private static let signature = "YUV4MPEG2"

    private static let conversion = "convert it: ffmpeg -i FILE -pix_fmt yuv420p NEW.y4m"

    /// Reads the header of a file.
    ///
    /// - Parameters:
    ///   - bytes: The start of the file: up to ``longestHeader`` bytes, fewer if it is shorter.
    ///   - file: The name for errors.
    /// - Returns: The format, and how long the header is with its line feed.
    static func parse(
        _ bytes: [UInt8], file: String
    ) throws(MediaFileError) -> (format: Y4MFormat, headerByteCount: Int) {
        func malformed(_ offset: Int, _ rule: String) -> MediaFileError {
            MediaFileError(
                .malformed, file: file, offset: Int64(offset), rule: rule, cure: conversion)
        }
        guard bytes.starts(with: signature.utf8) else {
            throw malformed(0, "a Y4M file begins with \(signature)")
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            throw malformed(
                bytes.count, "the header line does not end within \(longestHeader) bytes")
        }

        var width: Int?
        var height: Int?
        var rate: FrameRate?
        var range = ColorRange.limited
        var chroma: (name: String, offset: Int)?
        var oldChroma: (name: String, offset: Int)?

        for (offset, text) in fields(of: bytes[signature.utf8.count..<end]) {
            let value = text.dropFirst()
            switch text.first {
            case "W", "H":
                guard let side = Int(value), (1...FrameSize.maximumDimension).contains(side)
                else {
                    throw malformed(
                        offset, "\(text) is not a side of 1 to \(FrameSize.maximumDimension) pixels"
                    )
                }
                if text.first == "W" { width = side } else { height = side }
            case "F":
                guard let parsed = frameRate(value) else {
                    throw malformed(
                        offset, "\(text) is not a frame rate above 0 and up to 1000, as F30:1")
                }
                rate = parsed
            case "C":
                chroma = (String(value), offset)
            case "X" where value.hasPrefix("YSCSS="):
                oldChroma = (String(value.dropFirst("YSCSS=".count)), offset)
            case "X" where value.uppercased() == "COLORRANGE=FULL":
                range = .full
            default:
                // Interlacing, pixel aspect and comments do not change how frames are read.
                break
            }
        }

        guard let width else { throw malformed(end, "the header has no width (W)") }
        guard let height else { throw malformed(end, "the header has no height (H)") }
        guard let rate else { throw malformed(end, "the header has no frame rate (F)") }
        if let found = chroma ?? oldChroma {
            let known = ["420", "420jpeg", "420mpeg2", "420paldv"]
            guard known.contains(found.name.lowercased()) else {
                throw MediaFileError(
                    .unsupported, file: file, offset: Int64(found.offset),
                    rule: "the pictures are C\(found.name); only 8-bit 4:2:0 (C420) is read",
                    cure: conversion)
            }
        }
        let format = Y4MFormat(
            size: FrameSize(width: width, height: height), rate: rate, range: range)
        return (format, end + 1)
    }

    /// The fields between spaces, each with its offset in the file.
    private static func fields(of line: ArraySlice<UInt8>) -> [(offset: Int, text: String)] {
        line.split(separator: UInt8(ascii: " "))
            .map { ($0.startIndex, String(decoding: $0, as: UTF8.self)) }
    }

    private static func frameRate(_ text: Substring) -> FrameRate? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let numerator = UInt32(parts[0]), let denominator = UInt32(parts[1])
        else { return nil }
        return FrameRate(numerator: numerator, denominator: denominator)
    }
}
