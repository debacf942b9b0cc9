internal import CPNG
internal import CTurboJPEG
internal import Glibc
package import GreenroomMedia
package import GreenroomSystem
internal import SystemPackage

/// Writes opaque images as PNG or JPEG files. The writer reuses its memory for images of one size.
package struct ImageWriter: ~Copyable {
    /// The format of the file.
    package enum Format: Equatable, Sendable {
        /// Lossless, with fast compression.
        case png
        /// Lossy, with a quality of 1 to 100.
        case jpeg(quality: Int)
    }

    private let format: Format
    /// Memory for PNG: rows of red, green and blue, and the file's bytes.
    private var pixels: [UInt8] = []
    private var file: [UInt8] = []
    /// The compressor for JPEG; nil until it is needed.
    private var compressor: tjhandle?
    private var jpeg: UnsafeMutablePointer<UInt8>?
    private var jpegLength: UInt = 0

    /// Makes a writer.
    package init(_ format: Format) { self.format = format }

    deinit {
        if let compressor { tjDestroy(compressor) }
        tjFree(jpeg)
    }

    /// Writes an image. Other readers of the folder see the whole file or no file.
    ///
    /// - Parameters:
    ///   - rgba: Rows of `R G B A`; alpha is ignored.
    ///   - size: The number of pixels in a row, and of rows.
    ///   - strideBytes: The number of bytes from a row to the next.
    ///   - path: The file. An existing file is replaced.
    package mutating func write(
        _ rgba: RawSpan, size: FrameSize, strideBytes: Int, to path: String
    ) throws(FileError) {
        let rows = PlaneGeometry(rowBytes: size.width * 4, rows: size.height)
        guard size.isLegal, strideBytes >= rows.rowBytes,
            let needed = rows.byteCount(stride: strideBytes), rgba.byteCount >= needed
        else {
            throw FileError(
                .malformed, file: path, rule: "an image of \(size) has more bytes than there are",
                cure: "check size and stride")
        }
        switch format {
        case .png:
            let length = try encodePNG(rgba, size, strideBytes, path)
            try file.span.bytes.extracting(first: length).withUnsafeBytes {
                (bytes) throws(FileError) in try Self.save(bytes, path)
            }
        case .jpeg(let quality):
            try encodeJPEG(rgba, size, strideBytes, quality, path)
            try Self.save(UnsafeRawBufferPointer(start: jpeg, count: Int(jpegLength)), path)
        }
    }

    /// Returns the bytes of the file.
    private mutating func encodePNG(
        _ rgba: RawSpan, _ size: FrameSize, _ stride: Int, _ path: String
    ) throws(FileError) -> Int {
        let count = size.area * 3
        // The size of incompressible rows, each with its filter, and of the headers of a chunk in
        // 8 KiB.
        let longest = (count + size.height) / 8 * 9 + 4096
        if pixels.count != count {
            pixels = [UInt8](repeating: 0, count: count)
            file = [UInt8](repeating: 0, count: longest)
        }
        pack(rgba, size, stride)
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(size.width)
        image.height = png_uint_32(size.height)
        image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
        image.flags = png_uint_32(PNG_IMAGE_FLAG_FAST)
        defer { png_image_free(&image) }
        var length = file.count
        guard png_image_write_to_memory(&image, &file, &length, 0, pixels, 0, nil) != 0 else {
            let message = withUnsafeBytes(of: image.message) { text in
                String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw FileError(
                .cannotWrite, file: path, rule: "libpng cannot encode it: \(message)",
                cure: "free some memory")
        }
        return length
    }

    /// Copies the pixels without alpha.
    private mutating func pack(_ rgba: RawSpan, _ size: FrameSize, _ stride: Int) {
        rgba.withUnsafeBytes { source in
            pixels.withUnsafeMutableBytes { target in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                for row in 0..<size.height {
                    let from = from + row * stride
                    let to = to + row * size.width * 3
                    for column in 0..<size.width {
                        let pixel = from.loadUnaligned(fromByteOffset: column * 4, as: UInt32.self)
                        to.storeBytes(
                            of: UInt16(truncatingIfNeeded: pixel), toByteOffset: column * 3,
                            as: UInt16.self)
                        to.storeBytes(
                            of: UInt8(truncatingIfNeeded: pixel >> 16),
                            toByteOffset: column * 3 + 2, as: UInt8.self)
                    }
                }
            }
        }
    }

    private mutating func encodeJPEG(
        _ rgba: RawSpan, _ size: FrameSize, _ stride: Int, _ quality: Int, _ path: String
    ) throws(FileError) {
        if compressor == nil { compressor = tjInitCompress() }
        let status = rgba.withUnsafeBytes { bytes in
            tjCompress2(
                compressor, bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                Int32(size.width), Int32(clamping: stride), Int32(size.height),
                Int32(TJPF_RGBX.rawValue), &jpeg, &jpegLength, Int32(TJSAMP_420.rawValue),
                Int32(min(max(quality, 1), 100)), 0)
        }
        guard status == 0 else {
            let message =
                tjGetErrorStr2(compressor).map { String(cString: $0) } ?? "no reason given"
            throw FileError(
                .cannotWrite, file: path, rule: "libjpeg-turbo cannot encode it: \(message)",
                cure: "free some memory")
        }
    }

    private static func save(_ bytes: UnsafeRawBufferPointer, _ path: String) throws(FileError) {
        do throws(FileError) {
            try FileDescriptor.writeWhole(path, bytes)
        } catch {
            throw error.underlyingError.map { failure($0, path: path) } ?? error
        }
    }

    private static func failure(_ error: Errno, path: String) -> FileError {
        let (rule, cure) =
            switch error {
            case .noSuchFileOrDirectory, .notDirectory:
                ("no such folder", "make the folder")
            case .permissionDenied, .notPermitted, .readOnlyFileSystem:
                ("writing it is not permitted", "check the permissions of the folder")
            case .noSpace, .diskQuotaExceeded: ("the disk is full", "free some space")
            default: ("writing failed: \(error)", "check the disk and the path")
            }
        return FileError(.cannotWrite, file: path, rule: rule, cure: cure, underlyingError: error)
    }
}
