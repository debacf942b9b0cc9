package import GreenroomSystem
package import GreenroomMedia

extension Image {
    /// Reads a PNG or JPEG file. The content determines the format, not the name.
    ///
    /// A PNG file may have any depth, a palette, alpha or interlacing. The EXIF orientation of both
    /// formats is applied, so that the image is upright. ``notes`` lists features of the file that
    /// are not supported.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - size: The size to fit the image into; nil to keep the image's own size. A much larger
    ///     image is reduced during decoding, so that it never needs memory for all its pixels. The
    ///     reduced image still covers the fitted size.
    /// - Throws: The problem of the file. An image with sides beyond ``maximumDimension`` fails
    ///   before memory is allocated for it.
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

    /// Returns the size, or throws an error if the size exceeds the limit, before memory is
    /// allocated for it.
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
    /// Returns the size of a stored image after it is made upright, or the reverse.
    func turned(by orientation: EXIFOrientation) -> FrameSize {
        orientation.swapsSides ? FrameSize(width: height, height: width) : self
    }

    /// Whether neither side is shorter than another size's.
    func covers(_ other: FrameSize) -> Bool { width >= other.width && height >= other.height }
}
