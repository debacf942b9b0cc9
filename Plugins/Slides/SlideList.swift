import Glibc
import PluginImages
import GreenroomPlugin

/// The images of a folder, sorted by name, or one image.
struct SlideList {
    /// Paths; at least one.
    let paths: [String]

    /// Finds images: names that end in `.png`, `.jpg` or `.jpeg`, without hidden files.
    ///
    /// - Parameter path: A folder, or an image of any name.
    init(path: String) throws {
        guard let folder = opendir(path) else {
            // Not a folder: reading the file as an image reports other errors.
            guard errno == ENOTDIR else {
                let reason = errno == ENOENT ? "no such file" : "cannot open the file"
                throw PluginError(
                    "\(path): \(reason); check the path, which names an image or a folder",
                    status: .badSetting)
            }
            paths = [path]
            return
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if Self.isImage(name) { names.append(name) }
        }
        guard !names.isEmpty else {
            throw PluginError(
                "\(path): the folder has no .png, .jpg or .jpeg; put images there",
                status: .badSetting)
        }
        paths = names.sorted().map { "\(path)/\($0)" }
    }

    /// The size of an image whose shape all of them have, within 1 %; nil if they differ, or one
    /// does not tell.
    var commonShape: FrameSize? {
        guard let first = paths.first.flatMap(Image.size(ofFile:)) else { return nil }
        let areAlike = paths.dropFirst().allSatisfy { path in
            guard let other = Image.size(ofFile: path) else { return false }
            let (one, two) = (first.width * other.height, other.width * first.height)
            return abs(one - two) * 100 <= max(one, two)
        }
        return areAlike ? first : nil
    }

    private static func isImage(_ name: String) -> Bool {
        let name = name.lowercased()
        return !name.hasPrefix(".") && [".png", ".jpg", ".jpeg"].contains { name.hasSuffix($0) }
    }
}
