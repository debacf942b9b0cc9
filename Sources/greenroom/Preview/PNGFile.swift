import CPNG
import Glibc
import GreenroomConversion
import GreenroomMedia
import GreenroomSystem
import SystemPackage

/// A picture as a PNG file, through libpng's simplified interface, which keeps its long jumps to
/// itself.
enum PNGFile {
    /// Writes a picture; whoever opens the path finds the whole of it, or what was there before.
    ///
    /// - Parameters:
    ///   - frame: In RGB24.
    ///   - path: The file. One that is there is replaced.
    /// - Throws: ``Failure`` with the reason of libpng or of the system.
    static func write(_ frame: borrowing VideoFrame, to path: String) throws {
        // In the same folder, so that it is on the same file system; another process may be
        // writing the same picture.
        let unfinished = "\(path).\(getpid()).unfinished"
        if let reason = encode(frame, to: unfinished) {
            unlink(unfinished)
            throw Failure(
                .outputFailed,
                "\(path): it can't be written: \(reason). Check the disk and the path.")
        }
        guard rename(unfinished, path) == 0 else {
            let reason = Errno.last
            unlink(unfinished)
            throw Failure(
                .outputFailed, "\(path): it can't be replaced: \(reason). Name another file.")
        }
    }

    /// Writes the file; nil, or why it is not there.
    private static func encode(_ frame: borrowing VideoFrame, to path: String) -> String? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(frame.size.width)
        image.height = png_uint_32(frame.size.height)
        image.format = PNG_FORMAT_FLAG_COLOR
        // A snapshot is taken beside a session that runs.
        image.flags = png_uint_32(PNG_IMAGE_FLAG_FAST)
        defer { png_image_free(&image) }
        let stride = png_int_32(frame.strideBytes(0))
        let isWritten = frame.plane(0).withUnsafeBytes { pixels in
            png_image_write_to_file(&image, path, 0, pixels.baseAddress, stride, nil)
        }
        guard isWritten == 0 else { return nil }
        return withUnsafeBytes(of: image.message) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
