import Glibc
public import GreenroomMedia

/// Writes pictures as PNG files (ISO/IEC 15948), eight bits each of red, green and blue.
///
/// The pixels are stored as they are, not compressed: a file is as large as its picture, and
/// needs no library.
///
/// Threads: any.
public enum PNGWriter {
    /// The most bytes of a stored block of deflate (RFC 1951, 3.2.4).
    private static let longestBlock = 65_535

    /// Writes a picture; whoever opens the path finds the whole of it, or what was there before.
    ///
    /// - Parameters:
    ///   - pixels: Rows of red, green, blue, from the top; full range.
    ///   - strideBytes: Bytes from a row to the next, at least three times the width.
    ///   - size: The picture's.
    ///   - path: The file. One that is there is replaced.
    /// - Throws: ``MediaFileError/Code/badArgument`` for pixels too few, before anything is
    ///   written; ``MediaFileError/Code/cannotOpen``, ``MediaFileError/Code/full`` and others of
    ///   the system.
    public static func write(
        _ pixels: RawSpan, strideBytes: Int, size: FrameSize, to path: String
    ) throws(MediaFileError) {
        try check(pixels.byteCount, strideBytes: strideBytes, size: size, file: path)
        let bytes = encode(pixels, strideBytes: strideBytes, size: size)
        // In the same folder, so that it is on the same file system; another process may be
        // writing the same picture.
        let unfinished = "\(path).\(getpid()).unfinished"
        do throws(MediaFileError) {
            let file = try Descriptor.creating(unfinished, name: path)
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(MediaFileError) in try file.write(bytes, at: 0) }
            }
            try result.get()
            try file.close()
            try Descriptor.rename(unfinished, to: path)
        } catch {
            unlink(unfinished)
            throw error
        }
    }

    private static func check(
        _ byteCount: Int, strideBytes: Int, size: FrameSize, file: String
    ) throws(MediaFileError) {
        guard size.isLegal else {
            throw MediaFileError(
                .badArgument, file: file, rule: "\(size) is no legal size",
                cure: "keep both sides within 1 and \(FrameSize.maximumDimension)")
        }
        let plane = PixelFormat.rgb24.plane(0, of: size)
        guard strideBytes >= plane.rowBytes else {
            throw MediaFileError(
                .badArgument, file: file,
                rule: "a stride of \(strideBytes) bytes is shorter than a row of \(size)",
                cure: "pass at least \(plane.rowBytes)")
        }
        guard let least = plane.byteCount(stride: strideBytes), byteCount >= least else {
            throw MediaFileError(
                .badArgument, file: file,
                rule: "\(byteCount) bytes do not hold \(size) at a stride of \(strideBytes)",
                cure: "pass the whole picture")
        }
    }

    /// The file's bytes.
    private static func encode(_ pixels: RawSpan, strideBytes: Int, size: FrameSize) -> [UInt8] {
        let rowBytes = 3 * size.width
        // Each row begins with its filter: 0, none.
        var image: [UInt8] = []
        image.reserveCapacity((1 + rowBytes) * size.height)
        pixels.withUnsafeBytes { pixels in
            for row in 0..<size.height {
                image.append(0)
                let start = row * strideBytes
                image += UnsafeRawBufferPointer(rebasing: pixels[start..<start + rowBytes])
            }
        }
        let blocks = (image.count + longestBlock - 1) / longestBlock
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        file.reserveCapacity(image.count + blocks * 5 + 100)
        let header = bigEndian(size.width) + bigEndian(size.height)
        // Eight bits, truecolour, deflate, the five filters, not interlaced.
        append("IHDR", header + [8, 2, 0, 0, 0], to: &file)
        append("sRGB", [0], to: &file)
        append("IDAT", stored(image), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    /// A stream of zlib (RFC 1950) whose blocks are all stored.
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        // Deflate with a window of 32 KiB, and the check bits of these two bytes.
        var stream: [UInt8] = [0x78, 0x01]
        stream.reserveCapacity(data.count + (data.count / longestBlock + 1) * 5 + 6)
        var start = 0
        repeat {
            let end = min(start + longestBlock, data.count)
            let count = UInt16(end - start)
            stream.append(end == data.count ? 1 : 0)
            stream += [UInt8(count & 255), UInt8(count >> 8)]
            stream += [UInt8(~count & 255), UInt8(~count >> 8)]
            stream += data[start..<end]
            start = end
        } while start < data.count
        return stream + bigEndian(Int(adler32(data)))
    }

    private static func append(_ type: String, _ data: [UInt8], to file: inout [UInt8]) {
        file += bigEndian(data.count)
        let start = file.count
        file += type.utf8
        file += data
        file += bigEndian(Int(crc32(file[start...])))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// The check sum of zlib (RFC 1950, 9).
    private static func adler32(_ data: [UInt8]) -> UInt32 {
        // As many bytes as the sums can't overflow for.
        let longestRun = 5552
        var (low, high): (UInt32, UInt32) = (1, 0)
        data.withUnsafeBytes { data in
            var start = 0
            while start < data.count {
                let end = min(start + longestRun, data.count)
                for index in start..<end {
                    low += UInt32(data[index])
                    high += low
                }
                low %= 65_521
                high %= 65_521
                start = end
            }
        }
        return high << 16 | low
    }

    /// The remainder of each byte by the polynomial of PNG's CRC (ISO/IEC 15948, annex D).
    private static let remainders: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in
            rest & 1 == 1 ? 0xedb8_8320 ^ (rest >> 1) : rest >> 1
        }
    }

    private static func crc32(_ data: ArraySlice<UInt8>) -> UInt32 {
        remainders.withUnsafeBufferPointer { remainders in
            data.withUnsafeBytes { data in
                var rest: UInt32 = .max
                for byte in data {
                    rest = remainders[Int((rest ^ UInt32(byte)) & 255)] ^ (rest >> 8)
                }
                return ~rest
            }
        }
    }
}
