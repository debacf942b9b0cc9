import CPNG
import Glibc
import GreenroomPlugin
import Testing

/// A folder of files for plugins to read; removed with the value.
final class TemporaryMedia {
    let path: String
    private var names: [String] = []

    init() throws {
        var template = Array("/tmp/greenroom-media-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(
            decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Writes a PNG of one colour R G B A.
    @discardableResult
    func addPNG(_ name: String, _ size: FrameSize, _ color: [UInt8]) throws -> String {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(size.width)
        image.height = png_uint_32(size.height)
        image.format = PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA
        let pixels = (0..<size.area).flatMap { _ in color }
        names.append(name)
        let file = "\(path)/\(name)"
        try #require(png_image_write_to_file(&image, file, 0, pixels, 0, nil) != 0)
        return file
    }

    /// Writes any other file.
    @discardableResult
    func addFile(_ name: String, _ bytes: [UInt8]) throws -> String {
        names.append(name)
        let file = "\(path)/\(name)"
        let stream = try #require(fopen(file, "w"))
        defer { fclose(stream) }
        try #require(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
        return file
    }
}
