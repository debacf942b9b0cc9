import GreenroomMedia

extension Image {
    /// Reads a PNG or JPEG file; which one is told by its content, not its name.
    ///
    /// PNG may have any depth, a palette, alpha or interlacing. A JPEG's EXIF orientation is
    /// applied, so that the picture is upright.
    ///
    /// - Throws: What is wrong with the file. Nothing is allocated for a picture whose sides
    ///   are beyond ``maximumDimension``.
    public init(contentsOf path: String) throws(ImageError) {
        let bytes = try readFile(path)
        if bytes.starts(with: PNGDecoder.signature) {
            self = try PNGDecoder.decode(bytes, path: path)
        } else if bytes.starts(with: JPEGDecoder.signature) {
            let picture = try JPEGDecoder.decode(bytes, path: path)
            self = picture.upright(from: EXIFOrientation(inJPEG: bytes))
        } else {
            throw ImageError(
                .notAPicture, path: path,
                rule: bytes.isEmpty ? "the file is empty" : "the file is neither PNG nor JPEG",
                cure: "name a .png or .jpg picture, or convert the file to PNG")
        }
    }

    /// The size, unless it is beyond the limit: known before memory is made for it.
    static func legalSize(
        width: Int, height: Int, path: String
    ) throws(ImageError) -> FrameSize {
        let size = FrameSize(width: width, height: height)
        guard size.isLegal else {
            throw ImageError(
                .tooLarge, path: path,
                rule: "the picture is \(size); a side has 1 to \(maximumDimension) pixels",
                cure: "save it smaller")
        }
        return size
    }
}
