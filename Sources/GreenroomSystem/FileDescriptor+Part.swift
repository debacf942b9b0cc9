package import SystemPackage

extension FileDescriptor {
    /// Reads at an offset until the memory is full, the file ends or it can't be read. The current
    /// offset stays as it is.
    ///
    /// - Returns: The number of bytes read.
    package func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        var done = 0
        while done < memory.count {
            let (place, overflow) = offset.addingReportingOverflow(Int64(done))
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            guard !overflow, let count = try? read(fromAbsoluteOffset: place, into: rest),
                count > 0
            else { break }
            done += count
        }
        return done
    }

    /// A part of the file; nil if it is not all there, or can't be read.
    package func part(_ count: Int, at offset: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return bytes.withUnsafeMutableBytes { fill($0, at: offset) } == count ? bytes : nil
    }
}
