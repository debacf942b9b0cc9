import Glibc
import GreenroomPlugin

/// The pictures of a folder, sorted by name, or one picture.
struct SlideList {
    /// Paths; at least one.
    let paths: [String]

    /// Finds pictures: names that end in `.png`, `.jpg` or `.jpeg`, without hidden files.
    ///
    /// - Parameter path: A folder, or a picture of any name.
    init(path: String) throws {
        guard let folder = opendir(path) else {
            // Not a folder: reading the file as a picture reports other errors.
            guard errno == ENOTDIR else {
                let reason = errno == ENOENT ? "nothing is there" : "it cannot be opened"
                throw PluginError(
                    "\(path): \(reason); check the path, which names a picture or a folder",
                    status: .unavailable)
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
            if Self.isPicture(name) { names.append(name) }
        }
        guard !names.isEmpty else {
            throw PluginError(
                "\(path): the folder has no .png, .jpg or .jpeg; put pictures there",
                status: .unavailable)
        }
        paths = names.sorted().map { "\(path)/\($0)" }
    }

    private static func isPicture(_ name: String) -> Bool {
        let name = name.lowercased()
        return !name.hasPrefix(".") && [".png", ".jpg", ".jpeg"].contains { name.hasSuffix($0) }
    }
}
