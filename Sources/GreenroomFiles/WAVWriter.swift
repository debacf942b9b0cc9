package import GreenroomSystem
import Glibc

/// Writes 16-bit PCM to a WAV file, continuously.
///
/// The sizes in the header are correct after every write, so the file is valid whenever the process
/// ends. Beyond 4 GiB, the limit of sizes in a WAV file, the header becomes that of RF64 (EBU Tech
/// 3306); a `JUNK` chunk, which readers skip, reserves space for its 64-bit sizes. If a write fails
/// because the disk is full, the partial data is removed and writing can continue.
///
/// Use it from one thread at a time.
package struct WAVWriter: ~Copyable, Sendable {
    /// The sample rate, in hertz.
    package let sampleRate: Int
    /// The number of interleaved channels.
    package let channels: Int
    /// The samples of each channel written so far.
    package var frameCount: Int64 { dataByteCount / Int64(blockByteCount) }

    private let file: Descriptor
    private var dataByteCount: Int64 = 0
    private var blockByteCount: Int { channels * MemoryLayout<Int16>.size }

    /// Creates a file that only this user can read, and writes the header.
    ///
    /// - Parameters:
    ///   - path: The file. A link is not followed. It can't be a pipe, because the header is
    ///     rewritten as the file grows.
    ///   - sampleRate: In hertz, 1 to 1,000,000.
    ///   - channels: 1 or 2.
    ///   - replaces: Whether the file may exist.
    package init(
        path: String, sampleRate: Int, channels: Int, replaces: Bool = true
    ) throws(FileError) {
        guard (1...1_000_000).contains(sampleRate), (1...2).contains(channels) else {
            throw FileError(
                .badArgument, file: path, rule: "\(channels) channels at \(sampleRate) Hz",
                cure: "use 1 or 2 channels and a rate of 1 to 1000000 Hz")
        }
        let file = try Descriptor.creating(path, replaces: replaces)
        try WAVHeader(sampleRate: sampleRate, channels: channels, dataByteCount: 0).write(to: file)
        self.file = file
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Appends samples.
    ///
    /// - Parameter samples: Interleaved, whole frames.
    /// - Throws: ``FileError/Code/badArgument`` for an incomplete frame;
    ///   ``FileError/Code/full``.
    package mutating func write(_ samples: Span<Int16>) throws(FileError) {
        guard samples.count.isMultiple(of: channels) else {
            throw FileError(
                .badArgument, file: file.name,
                rule: "\(samples.count) samples do not divide into frames of \(channels) channels",
                cure: "pass all the channels of each frame")
        }
        let end = WAVHeader.byteCount + dataByteCount
        let result = samples.withUnsafeBufferPointer { samples in
            // PCM in the file is little-endian, as is every machine on which Swift supports Linux.
            Result { () throws(FileError) in
                try file.write(UnsafeRawBufferPointer(samples), at: end)
            }
        }
        if case .failure(let error) = result {
            // Even if truncating fails, the header excludes the partial data.
            try? file.setByteCount(end)
            throw error
        }
        dataByteCount += Int64(samples.count * MemoryLayout<Int16>.size)
        try writeHeader()
    }

    /// Closes the file and reports delayed write errors.
    package consuming func close() throws(FileError) {
        try file.close()
    }

    private func writeHeader() throws(FileError) {
        let header = WAVHeader(
            sampleRate: sampleRate, channels: channels, dataByteCount: dataByteCount)
        try header.write(to: file)
    }

    /// Appends silence as a hole, which uses no disk space; for tests beyond 4 GiB.
    mutating func appendHole(frames: Int64) throws(FileError) {
        dataByteCount += frames * Int64(blockByteCount)
        try file.setByteCount(WAVHeader.byteCount + dataByteCount)
        try writeHeader()
    }
}

/// The bytes before the samples; WAV and RF64 headers have the same length.
struct WAVHeader {
    /// `RIFF` 12, `JUNK` or `ds64` 36, `fmt ` 24, `data` 8.
    static let byteCount: Int64 = 80

    var sampleRate: Int
    var channels: Int
    var dataByteCount: Int64

    /// Writes the header at the start of a file.
    func write(to file: borrowing Descriptor) throws(FileError) {
        let result = withUnsafeTemporaryAllocation(
            byteCount: Int(Self.byteCount), alignment: 8
        ) { memory in
            var bytes = Cursor(memory: memory)
            put(into: &bytes)
            return Result { () throws(FileError) in
                try file.write(UnsafeRawBufferPointer(memory), at: 0)
            }
        }
        try result.get()
    }

    private func put(into bytes: inout Cursor) {
        let blockByteCount = channels * MemoryLayout<Int16>.size
        let riffByteCount = Self.byteCount - 8 + dataByteCount
        let isLarge = riffByteCount > Int64(UInt32.max)
        // In RF64, this 32-bit size means: see ds64.
        let riffField = isLarge ? UInt32.max : UInt32(truncatingIfNeeded: riffByteCount)
        let dataField = isLarge ? UInt32.max : UInt32(truncatingIfNeeded: dataByteCount)

        bytes.put(isLarge ? "RF64" : "RIFF")
        bytes.put(riffField)
        bytes.put("WAVE")

        bytes.put(isLarge ? "ds64" : "JUNK")
        bytes.put(28 as UInt32)
        bytes.put(isLarge ? UInt64(riffByteCount) : 0)
        bytes.put(isLarge ? UInt64(dataByteCount) : 0)
        bytes.put(isLarge ? UInt64(dataByteCount / Int64(blockByteCount)) : 0)
        bytes.put(0 as UInt32)

        bytes.put("fmt ")
        bytes.put(16 as UInt32)
        bytes.put(1 as UInt16)
        bytes.put(UInt16(channels))
        bytes.put(UInt32(sampleRate))
        bytes.put(UInt32(sampleRate * blockByteCount))
        bytes.put(UInt16(blockByteCount))
        bytes.put(16 as UInt16)

        bytes.put("data")
        bytes.put(dataField)
    }

    /// Writes fields to memory in sequence; the header's fields always fit.
    private struct Cursor {
        let memory: UnsafeMutableRawBufferPointer
        var offset = 0

        mutating func put(_ name: StaticString) {
            for index in 0..<4 { memory[offset + index] = name.utf8Start[index] }
            offset += 4
        }

        mutating func put<Number: FixedWidthInteger>(_ number: Number) {
            memory.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
            offset += MemoryLayout<Number>.size
        }
    }
}
