import Glibc
package import SystemPackage

extension FileDescriptor {
    /// Opens a file to read it. The descriptor closes on exec.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - options: Further options, such as ``OpenOptions/nonBlocking`` where the path may name a
    ///     pipe, whose opening would wait for its writer.
    package static func reading(
        _ path: String, options: OpenOptions = []
    ) throws(Errno) -> FileDescriptor {
        try withErrno { try open(path, .readOnly, options: options.union(.closeOnExec)) }
    }

    /// Makes a file for writing, or empties the one that is there. The descriptor closes on exec.
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

    /// The content of a file, also of one that does not know its size, as in `/proc`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: Nothing is read beyond this many bytes.
    package static func contents(
        of path: String, limit: Int = .max
    ) throws(Errno) -> [UInt8] {
        let file = try reading(path)
        defer { _ = Glibc.close(file.rawValue) }
        return try file.readToEnd(limit: limit)
    }

    /// Reads from the present offset to the end.
    ///
    /// - Parameters:
    ///   - limit: Nothing is read beyond this many bytes.
    ///   - expected: As many bytes need no memory beside their own.
    package func readToEnd(limit: Int = .max, expected: Int = 0) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(limit, expected))
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
