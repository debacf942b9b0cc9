package import GreenroomSystem
package import GreenroomMedia

extension Image {
    /// Reads a PNG or JPEG file; which one is told by its content, not its name.
    ///
    /// PNG may have any depth, a palette, alpha or interlacing. The EXIF orientation of either is
    /// applied, so that the image is upright. ``notes`` say what else of the file is not followed.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - size: The size that the image is to be fitted into. One that is much larger is made
    ///     smaller while it is decoded, so that it never takes the memory of all its pixels, and
    ///     still covers what fits. nil for the image's own size.
    /// - Throws: What is wrong with the file. Nothing is allocated for an image whose sides
    ///   are beyond ``maximumDimension``.
    package init(contentsOf path: String, fitting size: FrameSize? = nil) throws(FileError) {
        let bytes = try readFile(path)
        guard let header = ImageHeader(bytes) else {
            throw FileError(
                .wrongFormat, file: path,
                rule: bytes.isEmpty ? "the file is empty" : "the file is neither PNG nor JPEG",
                cure: "name a .png or .jpg image, or convert the file to PNG")
        }
        let turned = size?.turned(by: header.orientation)
        var image = try Self.decode(bytes, header, path: path, fitting: turned)
            .upright(from: header.orientation)
        image.notes = header.ignored.map { "\(path) \($0)" }
        self = image
    }

    private static func decode(
        _ bytes: [UInt8], _ header: ImageHeader, path: String, fitting limit: FrameSize?
    ) throws(FileError) -> Image {
        guard bytes.starts(with: PNGDecoder.signature) else {
            return try JPEGDecoder.decode(bytes, path: path, fitting: limit)
        }
        return try PNGDecoder.decode(bytes, header, path: path, fitting: limit)
    }

    /// The size, unless it is beyond the limit: known before memory is made for it.
    static func legalSize(
        width: Int, height: Int, path: String
    ) throws(FileError) -> FrameSize {
        let size = FrameSize(width: width, height: height)
        guard width > 0, height > 0 else {
            throw FileError(
                .malformed, file: path, rule: "the image is \(size), and has no pixels",
                cure: "save it again")
        }
        guard size.isLegal else {
            throw FileError(
                .tooLarge, file: path,
                rule: "the image is \(size); a side has 1 to \(maximumDimension) pixels",
                cure: "save it smaller")
        }
        return size
    }
}

extension FrameSize {
    /// The size after a stored image is made upright, or before.
    func turned(by orientation: EXIFOrientation) -> FrameSize {
        orientation.swapsSides ? FrameSize(width: height, height: width) : self
    }

    /// Whether neither side is shorter than another size's.
    func covers(_ other: FrameSize) -> Bool { width >= other.width && height >= other.height }
}
