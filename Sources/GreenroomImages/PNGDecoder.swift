import GreenroomSystem
import CPNG
import GreenroomMedia

/// PNG through libpng, whose long jumps stay in C. An image of many more pixels than are needed is
/// made smaller while it is decoded.
enum PNGDecoder {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Decodes an image.
    ///
    /// - Parameters:
    ///   - header: What the file says of it.
    ///   - limit: The image may be smaller than it is stored, by a whole number, but not than
    ///     what fits into this size; nil for as it is stored.
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
