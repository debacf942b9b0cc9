import GreenroomSystem
package import GreenroomMedia

/// The header of a Y4M file: 4:2:0, 8 bits, frames of one size.
package struct Y4MFormat: Hashable, Sendable {
    /// The place of a chroma sample among its four pixels.
    package enum ChromaSiting: Hashable, Sendable {
        /// In the middle, as in JPEG: plain `C420`, `C420jpeg`.
        case center
        /// Between the two on the left, as in MPEG-2 and H.264: `C420mpeg2`.
        case left
        /// On the left, U and V on separate lines, as in PAL DV: `C420paldv`.
        case dv
    }

    /// The size in pixels; chroma planes have half of it, rounded up.
    package var size: FrameSize
    /// Frames a second.
    package var rate: FrameRate
    /// The range of values. A file that says nothing is taken as limited.
    package var range: ColorRange
    /// The matrix; nil for a file that says nothing.
    package var matrix: ColorMatrix?
    /// The place of chroma samples. Files are written with ``ChromaSiting/center``.
    package internal(set) var siting = ChromaSiting.center

    /// Makes a format.
    package init(
        size: FrameSize, rate: FrameRate, range: ColorRange = .limited, matrix: ColorMatrix? = nil
    ) {
        self.size = size
        self.rate = rate
        self.range = range
        self.matrix = matrix
    }

    /// The bytes of a frame's pixels.
    var frameByteCount: Int { PixelFormat.i420.packedByteCount(of: size) }

    /// The first line of the file, with its line feed: at most 96 bytes.
    ///
    /// ffmpeg opens no file with a longer line. Chromium's fake camera wants plain `C420`, which puts
    /// chroma in the middle of its four pixels. ffmpeg reads the range from `XCOLORRANGE`. The format has
    /// no field for the matrix: `XCOLORSPACE` is read by ``Y4MReader`` and a few others, and skipped by
    /// the rest.
    package var header: String {
        let rangeName = range == .full ? "FULL" : "LIMITED"
        let matrixField = matrix.map { " XCOLORSPACE=\($0.name.uppercased())" } ?? ""
        return "YUV4MPEG2 W\(size.width) H\(size.height) F\(rate.numerator):\(rate.denominator)"
            + " Ip A1:1 C420 XCOLORRANGE=\(rangeName)\(matrixField)\n"
    }
}

// MARK: Reading

extension Y4MFormat {
    /// The longest first line that is read, in bytes. Real ones have fewer than 100.
    static let longestHeader = 1024

    /// The start of the file.
    private static let signature = "YUV4MPEG2"

    private static let conversion = "convert it: ffmpeg -i FILE -pix_fmt yuv420p NEW.y4m"
    private static let rating = "say its rate: ffmpeg -r 30 -i FILE -pix_fmt yuv420p NEW.y4m"
    private static let remaking = "create the file again"

    /// Reads the header of a file.
    ///
    /// - Parameters:
    ///   - bytes: The start of the file: up to ``longestHeader`` bytes, fewer if it is shorter.
    ///   - file: The name for errors.
    /// - Returns: The format, the length of the header with its line feed, and what of the header
    ///   is ignored, one sentence each.
    static func parse(
        _ bytes: [UInt8], file: String
    ) throws(FileError) -> (format: Y4MFormat, headerByteCount: Int, notes: [String]) {
        func malformed(
            _ offset: Int, _ rule: String, cure: String = remaking
        ) -> FileError {
            FileError(.malformed, file: file, offset: Int64(offset), rule: rule, cure: cure)
        }
        guard bytes.starts(with: signature.utf8) else {
            throw malformed(0, "a Y4M file begins with \(signature)", cure: conversion)
        }
        let feed = bytes.firstIndex(of: UInt8(ascii: "\n"))
        if let carriage = bytes[..<(feed ?? bytes.count)].firstIndex(of: UInt8(ascii: "\r")) {
            throw malformed(
                carriage,
                "the header line ends with a carriage return (CR) instead of only a line feed (LF)",
                cure: "create the file again, without a program that converts line ends")
        }
        guard let end = feed else {
            throw malformed(
                bytes.count, "the header line does not end within \(longestHeader) bytes")
        }

        var width: Int?
        var height: Int?
        var rate: FrameRate?
        var range = ColorRange.limited
        var matrix: ColorMatrix?
        var notes: [String] = []
        var chroma: (name: String, offset: Int)?
        var oldChroma: (name: String, offset: Int)?

        for (offset, text) in fields(of: bytes[signature.utf8.count..<end]) {
            let value = text.dropFirst()
            switch text.first {
            case "W", "H":
                let longest = FrameSize.maximumDimension
                guard let side = Int(value), (1...longest).contains(side) else {
                    let isTooLong = Int(value).map { $0 > longest } ?? false
                    throw malformed(
                        offset, "\(text) is not a side of 1 to \(longest) pixels",
                        cure: isTooLong ? scaling(text.first == "W") : remaking)
                }
                if text.first == "W" { width = side } else { height = side }
            case "F":
                guard let parsed = frameRate(value) else {
                    throw malformed(
                        offset, "\(text) is not a frame rate above 0 and up to 1000, as F30:1",
                        cure: rating)
                }
                rate = parsed
            case "C":
                chroma = (String(value), offset)
            case "X" where value.hasPrefix("YSCSS="):
                oldChroma = (String(value.dropFirst("YSCSS=".count)), offset)
            case "X" where value.uppercased() == "COLORRANGE=FULL":
                range = .full
            case "X" where value.uppercased().hasPrefix("COLORSPACE="):
                let name = value.dropFirst("COLORSPACE=".count)
                matrix = ColorMatrix.allCases.first { $0.name == name.lowercased() }
                if matrix == nil {
                    notes.append(
                        "\(file): the colour matrix \(name) is neither BT601 nor BT709, and is "
                            + "ignored; colours may be wrong")
                }
            case "I":
                notes += interlacingNote(value, file: file)
            case "A":
                notes += aspectNote(value, file: file)
            default:
                // Comments, and what other programs add.
                break
            }
        }

        guard let width else { throw malformed(end, "the header has no width (W)") }
        guard let height else { throw malformed(end, "the header has no height (H)") }
        guard let rate else {
            throw malformed(end, "the header has no frame rate (F)", cure: rating)
        }
        var format = Y4MFormat(
            size: FrameSize(width: width, height: height), rate: rate, range: range, matrix: matrix)
        if let found = chroma ?? oldChroma {
            guard let siting = siting(found.name) else {
                throw FileError(
                    .unsupported, file: file, offset: Int64(found.offset),
                    rule: "the frames are C\(found.name); only 8-bit 4:2:0 (C420) is read",
                    cure: conversion)
            }
            format.siting = siting
            if siting == .dv {
                notes.append(
                    "\(file): reading the chroma of C420paldv as C420jpeg; colours shift by up to "
                        + "one pixel")
            }
        }
        return (format, end + 1, notes)
    }

    /// The position of chroma samples for a name of 4:2:0; nil for other names.
    private static func siting(_ name: String) -> ChromaSiting? {
        switch name.lowercased() {
        case "420", "420jpeg": .center
        case "420mpeg2": .left
        case "420paldv": .dv
        default: nil
        }
    }

    /// A note about the field `I`, unless the frames are progressive or of unknown order.
    private static func interlacingNote(_ value: Substring, file: String) -> [String] {
        guard ["t", "b", "m"].contains(value) else { return [] }
        return [
            "\(file): the frames are interlaced (I\(value)), and are shown as they are, with combs "
                + "where something moves; deinterlace them: ffmpeg -i FILE -vf yadif NEW.y4m"
        ]
    }

    /// A note about the field `A`, the pixel aspect ratio, unless pixels are square.
    private static func aspectNote(_ value: Substring, file: String) -> [String] {
        let sides = value.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        // 0:0 is "unknown".
        guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0,
            width != height
        else { return [] }
        return [
            "\(file): the pixels are \(width):\(height), and are shown square, so that the video "
                + "is \(width > height ? "too narrow" : "too wide"); scale it: ffmpeg -i FILE -vf "
                + "scale=iw*sar:ih,setsar=1 NEW.y4m"
        ]
    }

    /// Advice for video that is too wide or too high.
    private static func scaling(_ isWidth: Bool) -> String {
        let longest = FrameSize.maximumDimension
        let scale = isWidth ? "\(longest):-2" : "-2:\(longest)"
        return "scale it: ffmpeg -i FILE -vf scale=\(scale) -pix_fmt yuv420p NEW.y4m"
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
