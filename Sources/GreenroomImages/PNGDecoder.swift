import CPNG
import GreenroomMedia

/// PNG through libpng: as a rule its simplified interface, which keeps its long jumps to itself and
/// makes the whole image at once. An image of many more pixels than are needed is read row by row.
enum PNGDecoder {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// `PNG_FORMAT_RGBA`, whose macro is beyond Swift's importer.
    private static let rgba = PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA

    /// Decodes an image.
    ///
    /// - Parameters:
    ///   - header: What the file says of it.
    ///   - limit: The image may be smaller than it is stored, by a whole number, but not than
    ///     what fits into this size; nil for as it is stored.
    static func decode(
        _ bytes: [UInt8], _ header: ImageHeader, path: String, fitting limit: FrameSize?
    ) throws(ImageError) -> Image {
        if let limit, let stored = header.size, stored.isLegal, !header.isInterlaced {
            let needed = stored.fitted(within: limit)
            let block = min(stored.width / needed.width, stored.height / needed.height)
            if block > 1 { return try decode(bytes, stored, inBlocksOf: block, path: path) }
        }
        // libpng keeps a pointer to the bytes between its two calls: both happen in here.
        return try bytes.span.withUnsafeBytes { file throws(ImageError) in
            try decode(file, path: path)
        }
    }

    private static func decode(
        _ file: UnsafeRawBufferPointer, path: String
    ) throws(ImageError) -> Image {
        var png = png_image()
        png.version = png_uint_32(PNG_IMAGE_VERSION)
        // Frees what either call left behind when it failed; harmless otherwise.
        defer { png_image_free(&png) }

        guard png_image_begin_read_from_memory(&png, file.baseAddress, file.count) != 0 else {
            throw damaged(png, path: path)
        }
        png.format = rgba
        // Without a gamma, libpng takes 16-bit colours as linear; the rest of the world doesn't.
        png.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)

        var image = Image(
            size: try Image.legalSize(
                width: Int(png.width), height: Int(png.height), path: path))
        var target = image.mutableBytes
        let done = target.withUnsafeMutableBytes { memory in
            png_image_finish_read(&png, nil, memory.baseAddress, 0, nil)
        }
        guard done != 0 else { throw damaged(png, path: path) }
        return image
    }

    /// Decodes an image in which one pixel stands for a block of those that are stored.
    private static func decode(
        _ bytes: [UInt8], _ stored: FrameSize, inBlocksOf block: Int, path: String
    ) throws(ImageError) -> Image {
        var image = Image(
            size: FrameSize(
                width: (stored.width + block - 1) / block,
                height: (stored.height + block - 1) / block))
        var target = image.mutableBytes
        var message = [CChar](repeating: 0, count: Int(GREENROOM_PNG_MESSAGE_LENGTH))
        let done = target.withUnsafeMutableBufferPointer { memory in
            memory.baseAddress.map {
                greenroom_png_read_reduced(
                    bytes, bytes.count, UInt32(stored.width), UInt32(stored.height),
                    UInt32(block), $0, &message)
            } ?? 0
        }
        guard done != 0 else {
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw damaged(String(decoding: text, as: UTF8.self), path: path)
        }
        return image
    }

    private static func damaged(_ png: png_image, path: String) -> ImageError {
        let message = withUnsafeBytes(of: png.message) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        return damaged(message, path: path)
    }

    private static func damaged(_ message: String, path: String) -> ImageError {
        ImageError(
            .damaged, path: path, rule: "libpng cannot decode it: \(message)",
            cure: "save or copy the image again")
    }
}
