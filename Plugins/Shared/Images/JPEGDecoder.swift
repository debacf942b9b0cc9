import GreenroomSystem
import CTurboJPEG
import GreenroomMedia

/// Decodes JPEG images with libjpeg-turbo.
enum JPEGDecoder {
    static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]

    /// Decodes an image.
    ///
    /// - Parameter limit: The size to fit the image into; nil to decode at the stored size. The
    ///   result may be reduced by eighths, but still covers the fitted size.
    static func decode(
        _ bytes: [UInt8], path: String, fitting limit: FrameSize?
    ) throws(FileError) -> Image {
        guard let decompressor = tjInitDecompress() else {
            throw FileError(
                .cannotRead, file: path, rule: "libjpeg-turbo did not start",
                cure: "free some memory")
        }
        defer { tjDestroy(decompressor) }

        var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard
            tjDecompressHeader3(
                decompressor, bytes, UInt(bytes.count), &width, &height, &subsampling, &colors)
                == 0
        else { throw damaged(decompressor, path: path) }
        // libjpeg accepts a file without an image header, because it may contain only tables.
        guard width > 0, height > 0 else {
            throw FileError(
                .malformed, file: path, rule: "truncated image header",
                cure: "save or copy the image again")
        }
        guard colors != TJCS_CMYK.rawValue, colors != TJCS_YCCK.rawValue else {
            throw FileError(
                .unsupported, file: path,
                rule: "the image is CMYK, whose colours only its printer knows",
                cure: "save it as RGB")
        }

        let stored = try Image.legalSize(width: Int(width), height: Int(height), path: path)
        var image = Image(size: reduced(stored, toFit: limit))
        let size = image.size
        var target = image.mutableBytes
        // libjpeg reports missing data as a warning and shows it as grey, so stop at warnings.
        // Thousands of scans in a small file would take minutes, so limit scans.
        let status = target.withUnsafeMutableBufferPointer { memory in
            tjDecompress2(
                decompressor, bytes, UInt(bytes.count), memory.baseAddress,
                Int32(size.width), 0, Int32(size.height),
                Int32(TJPF_RGBA.rawValue),
                TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS)
        }
        guard status == 0 else { throw damaged(decompressor, path: path) }
        return image
    }

    /// Returns the smallest size that libjpeg-turbo can decode to and that still covers the fitted
    /// size.
    private static func reduced(_ stored: FrameSize, toFit limit: FrameSize?) -> FrameSize {
        guard let limit else { return stored }
        let needed = stored.fitted(within: limit)
        let sizes = (1...8).lazy.map { eighths in
            FrameSize(
                width: (stored.width * eighths + 7) / 8, height: (stored.height * eighths + 7) / 8)
        }
        return sizes.first { $0.covers(needed) } ?? stored
    }

    private static func damaged(_ decompressor: tjhandle, path: String) -> FileError {
        let message = tjGetErrorStr2(decompressor).map { String(cString: $0) } ?? "no reason given"
        return FileError(
            .malformed, file: path, rule: "libjpeg-turbo cannot decode the image: \(message)",
            cure: "save or copy the image again")
    }
}
