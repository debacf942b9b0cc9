import CTurboJPEG
import Testing

/// JPEG files for the decoder, made by libjpeg-turbo, with segments of our own put in.
enum JPEGFile {
    /// Compresses rows of R G B A (or C M Y K) at the best quality, without subsampling.
    static func bytes(
        of pixels: [UInt8], width: Int, height: Int, format: TJPF = TJPF_RGBA
    ) throws -> [UInt8] {
        let compressor = try #require(tjInitCompress())
        defer { tjDestroy(compressor) }
        var memory: UnsafeMutablePointer<UInt8>?
        defer { tjFree(memory) }
        var length: UInt = 0
        let status = tjCompress2(
            compressor, pixels, Int32(width), 0, Int32(height), Int32(format.rawValue), &memory,
            &length, Int32(TJSAMP_444.rawValue), 100, TJFLAG_ACCURATEDCT)
        try #require(status == 0)
        return Array(UnsafeBufferPointer(start: memory, count: Int(length)))
    }

    /// Puts an EXIF segment with an orientation behind the start marker.
    static func bytes(
        _ file: [UInt8], withOrientation orientation: UInt8, isBigEndian: Bool
    ) -> [UInt8] {
        let tiff: [UInt8] =
            isBigEndian
            ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1]
                + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0] + [0, 0, 0, 0]
            : [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0]
                + [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0] + [0, 0, 0, 0]
        let content = Array("Exif\0\0".utf8) + tiff
        let segment = [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content
        return file.prefix(2) + segment + file.dropFirst(2)
    }
}
