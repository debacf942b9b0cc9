import GreenroomSystem

extension Descriptor {
    /// Returns the bytes at an offset; fewer than requested only at the end of the file.
    func bytes(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { memory in
            Result { () throws(FileError) in try read(into: memory, at: offset) }
        }
        bytes.removeLast(count - (try result.get()))
        return bytes
    }

    /// Fills the memory from an offset; throws if the file ends before.
    func readWhole(
        into memory: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) {
        let count = try read(into: memory, at: offset)
        guard count == memory.count else {
            throw FileError(
                .malformed, file: name, offset: offset + Int64(count),
                rule: "the file was truncated while it was read",
                cure: "do not change the file while it is being read")
        }
    }
}
