import CPNG

/// PNG through libpng's simplified interface, which keeps its long jumps to itself.
enum PNGDecoder {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// `PNG_FORMAT_RGBA`, whose macro is beyond Swift's importer.
    private static let rgba = PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA

    static func decode(_ bytes: [UInt8], path: String) throws(ImageError) -> Image {
        // libpng keeps a pointer to the bytes between its two calls: both happen in here.
        try bytes.span.withUnsafeBytes { file throws(ImageError) in
            try decode(file, path: path)
        }
    }

    private static func decode(
        _ file: UnsafeRawBufferPointer, path: String
    ) throws(ImageError) -> Image {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        // Frees what either call left behind when it failed; harmless otherwise.
        defer { png_image_free(&image) }

        guard png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else {
            throw damaged(image, path: path)
        }
        image.format = rgba
        // Without a gamma, libpng takes 16-bit colours as linear; the rest of the world doesn't.
        image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)

        var picture = Image(
            size: try Image.legalSize(
                width: Int(image.width), height: Int(image.height), path: path))
        var target = picture.mutableBytes
        let done = target.withUnsafeMutableBytes { memory in
            png_image_finish_read(&image, nil, memory.baseAddress, 0, nil)
        }
        guard done != 0 else { throw damaged(image, path: path) }
        return picture
    }

    private static func damaged(_ image: png_image, path: String) -> ImageError {
        let message = withUnsafeBytes(of: image.message) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        return ImageError(
            .damaged, path: path, rule: "libpng cannot decode it: \(message)",
            cure: "save or copy the picture again")
    }
}
