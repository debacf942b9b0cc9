import Glibc
package import SystemPackage

extension FileDescriptor {
    /// Opens a file for reading. The descriptor closes on exec.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - options: Further options, such as ``OpenOptions/nonBlocking`` if the path may be a pipe:
    ///     opening it would wait for a writer.
    package static func reading(
        _ path: String, options: OpenOptions = []
    ) throws(Errno) -> FileDescriptor {
        try withErrno { try open(path, .readOnly, options: options.union(.closeOnExec)) }
    }

    /// Creates or truncates a file. The descriptor closes on exec.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - options: Further options, such as ``OpenOptions/exclusiveCreate``.
    package static func creating(
        _ path: String, options: OpenOptions = []
    ) throws(Errno) -> FileDescriptor {
        try withErrno {
            try open(
                path, .writeOnly, options: options.union([.create, .truncate, .closeOnExec]),
                permissions: FilePermissions(rawValue: 0o666))
        }
    }

    /// The content of a file, including files in `/proc` with unknown size.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: Stops reading after this many bytes.
    package static func contents(
        of path: String, limit: Int = .max
    ) throws(Errno) -> [UInt8] {
        let file = try reading(path)
        defer { _ = Glibc.close(file.rawValue) }
        return try file.readToEnd(limit: limit)
    }

    /// Reads from the current offset to the end.
    ///
    /// - Parameter limit: Stops reading after this many bytes.
    package func readToEnd(limit: Int = .max) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 16))
        while bytes.count < limit {
            let count = try read(into: &chunk, atMost: limit - bytes.count)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Reads once.
    ///
    /// - Returns: The bytes read; 0 at the end.
    package func read(
        into chunk: inout [UInt8], atMost limit: Int = .max
    ) throws(Errno) -> Int {
        try withErrno {
            try chunk.withUnsafeMutableBytes {
                try read(into: UnsafeMutableRawBufferPointer(rebasing: $0.prefix(limit)))
            }
        }
    }
}
