import CPNG
import Glibc
import GreenroomConversion
import GreenroomMedia
import GreenroomSystem
import SystemPackage

/// Writes a frame as PNG, with libpng's simplified interface, which needs no longjmp.
enum PNGFile {
    /// Writes a frame atomically, for only this user.
    ///
    /// - Parameters:
    ///   - frame: The frame, in RGB24.
    ///   - path: The path of the file. Replaces an existing file.
    /// - Throws: ``ExitError`` with the reason of libpng or of the system.
    static func write(_ frame: borrowing VideoFrame, to path: String) throws {
        // Use the same folder, so that the rename is atomic. Add the process id, because another
        // process may write the same file.
        let unfinished = "\(path).\(getpid()).unfinished"
        if let reason = encode(frame, to: unfinished) {
            unlink(unfinished)
            throw ExitError(
                .outputFailed,
                "\(path): cannot be written: \(reason). Check the disk and the path.")
        }
        guard rename(unfinished, path) == 0 else {
            let reason = Errno.last
            unlink(unfinished)
            throw ExitError(
                .outputFailed, "\(path): cannot be replaced: \(reason). Name another file.")
        }
    }

    /// Writes the file.
    ///
    /// - Returns: The reason of a failure; nil if the file was written.
    private static func encode(_ frame: borrowing VideoFrame, to path: String) -> String? {
        let file: FileDescriptor
        do throws(FileError) {
            file = try FileDescriptor.output(path, replaces: true)
        } catch {
            return "\(path) \(error.rule)"
        }
        guard let stream = fdopen(file.rawValue, "wb") else {
            defer { close(file.rawValue) }
            return "\(Errno.last)"
        }
        let reason = encode(frame, to: stream)
        guard fclose(stream) == 0 else { return reason ?? "\(Errno.last)" }
        return reason
    }

    private static func encode(
        _ frame: borrowing VideoFrame, to stream: UnsafeMutablePointer<FILE>
    ) -> String? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(frame.size.width)
        image.height = png_uint_32(frame.size.height)
        image.format = PNG_FORMAT_FLAG_COLOR
        // Compress fast, because a session runs meanwhile.
        image.flags = png_uint_32(PNG_IMAGE_FLAG_FAST)
        defer { png_image_free(&image) }
        let stride = png_int_32(frame.strideBytes(0))
        let isWritten = frame.plane(0).withUnsafeBytes { pixels in
            png_image_write_to_stdio(&image, stream, 0, pixels.baseAddress, stride, nil)
        }
        guard isWritten == 0 else { return nil }
        return withUnsafeBytes(of: image.message) { text in
            String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
