import Glibc

/// What the kernel tells of a plugin's process.
struct ProcessView {
    private let process: Int32

    init(_ process: Int32) { self.process = process }

    /// Its threads, by their ids.
    var threads: [String] { Self.entries(of: "/proc/\(process)/task") }

    /// Its open descriptors, by their numbers.
    var descriptors: [Int] {
        Self.entries(of: "/proc/\(process)/fd").compactMap(Int.init).sorted()
    }

    private static func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// A short file's content; empty if it can't be read.
    static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
    }
}
