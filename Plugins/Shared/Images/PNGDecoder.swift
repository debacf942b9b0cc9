import GreenroomSystem
import CPNG
import GreenroomMedia

/// Decodes PNG images with libpng. Long jumps of libpng stay in C. An image with many more pixels
/// than needed is reduced during decoding.
enum PNGDecoder {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Decodes an image.
    ///
    /// - Parameters:
    ///   - header: The header of the file.
    ///   - limit: The size to fit the image into; nil to decode at the stored size. The result may
    ///     be reduced by a whole factor, but still covers the fitted size.
    static func decode(
        _ bytes: [UInt8], _ header: ImageHeader, path: String, fitting limit: FrameSize?
    ) throws(FileError) -> Image {
        guard let told = header.size else {
            throw damaged("no header", path: path)
        }
        let stored = try Image.legalSize(width: told.width, height: told.height, path: path)
        var block = 1
        if let limit {
            let needed = stored.fitted(within: limit)
            let largest = min(stored.width / needed.width, stored.height / needed.height)
            block = min(max(largest, 1), Int(GREENROOM_PNG_LARGEST_BLOCK))
        }
        var image = Image(
            size: FrameSize(
                width: (stored.width + block - 1) / block,
                height: (stored.height + block - 1) / block))
        var target = image.mutableBytes
        var message = [CChar](repeating: 0, count: Int(GREENROOM_PNG_MESSAGE_LENGTH))
        let done = target.withUnsafeMutableBufferPointer { memory in
            memory.baseAddress.map {
                greenroom_png_read(
                    bytes, bytes.count, UInt32(stored.width), UInt32(stored.height),
                    UInt32(block), header.isInterlaced ? 1 : 0, $0, &message)
            } ?? 0
        }
        guard done != 0 else {
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw damaged(String(decoding: text, as: UTF8.self), path: path)
        }
        return image
    }

    private static func damaged(_ message: String, path: String) -> FileError {
        FileError(
            .malformed, file: path, rule: "libpng cannot decode it: \(message)",
            cure: "save or copy the image again")
    }
}
