import Glibc
package import SystemPackage

extension FileDescriptor {
    /// The names of what is in a folder, in no order, without `.` and `..`.
    package static func names(in folder: String) throws(Errno) -> [String] {
        guard let directory = opendir(folder) else { throw .last }
        return names(of: directory)
    }

    /// The names of what is in this folder, in no order, without `.` and `..`.
    package func names() throws(Errno) -> [String] {
        // The stream moves its descriptor's position and closes it.
        let own = openat(rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { throw .last }
        guard let directory = fdopendir(own) else {
            let error = Errno.last
            Glibc.close(own)
            throw error
        }
        return Self.names(of: directory)
    }

    /// Reads and closes a stream.
    private static func names(of directory: OpaquePointer) -> [String] {
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
