/// Bytes in order, as a pipe has them: each is read once, and their number is unknown.
package protocol ByteSource {
    /// Fills the memory.
    ///
    /// - Returns: The number of bytes read; less than requested only at the end of the stream.
    mutating func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int
}

extension ByteSource {
    /// The next bytes; fewer than requested only at the end of the stream.
    package mutating func bytes(_ count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { memory, read in
            read = try self.read(into: UnsafeMutableRawBufferPointer(memory))
        }
    }

    /// The bytes up to a line feed, which is the last one unless the stream or the limit ends first.
    mutating func line(atMost limit: Int) throws -> [UInt8] {
        var line: [UInt8] = []
        while line.count < limit, line.last != UInt8(ascii: "\n") {
            let byte = try bytes(1)
            guard !byte.isEmpty else { break }
            line += byte
        }
        return line
    }

    /// Skips bytes.
    ///
    /// - Returns: Whether the stream has them all.
    mutating func skip(_ count: Int) throws -> Bool {
        var left = count
        while left > 0 {
            let part = min(left, 1 << 16)
            guard try bytes(part).count == part else { return false }
            left -= part
        }
        return true
    }
}
