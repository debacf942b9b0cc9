import GreenroomSystem
import SystemPackage

/// The chunks of a WAV or AIFF file that its sound needs.
struct AudioChunks {
    /// A kind of file that consists of chunks.
    private struct Container {
        /// The identifiers at the start of the file and after its size.
        var names: [String]
        var forms: [String]
        var isBigEndian = false
        /// The chunk with the samples, and how many of its bytes come before them.
        var samples: String
        var samplesOffset: Int64 = 0
        /// The chunks with the format, which libsndfile gets to read.
        var format: [String]
        /// The positions of the number of markers and of the number of loops; in AIFF, of the loop's play mode.
        var markers: Place
        var loops: Place
    }

    /// Some bytes of the content of a chunk.
    private struct Place {
        var chunk: String
        var bytes: Range<Int>
    }

    /// A chunk as its head says it. The file may end before it does.
    private struct Chunk {
        var name: String
        /// The place and the size of its content, in bytes.
        var start: Int64
        var size: Int64
    }

    private static let containers = [
        Container(
            names: ["RIFF", "RF64"], forms: ["WAVE"], samples: "data", format: ["fmt ", "fact"],
            markers: Place(chunk: "cue ", bytes: 0..<4),
            loops: Place(chunk: "smpl", bytes: 28..<32)),
        Container(
            names: ["RIFX"], forms: ["WAVE"], isBigEndian: true, samples: "data",
            format: ["fmt ", "fact"], markers: Place(chunk: "cue ", bytes: 0..<4),
            loops: Place(chunk: "smpl", bytes: 28..<32)),
        Container(
            names: ["FORM"], forms: ["AIFF", "AIFC"], isBigEndian: true, samples: "SSND",
            samplesOffset: 8, format: ["COMM", "CHAN"],
            markers: Place(chunk: "MARK", bytes: 0..<2),
            loops: Place(chunk: "INST", bytes: 8..<10)),
    ]

    /// More than any file has; each costs a read.
    private static let mostChunks = 10_000
    /// More than any chunk needs that is not samples.
    private static let mostBytes: Int64 = 4096
    /// More than any file has; sums of places in it don't overflow.
    private static let mostLength: Int64 = .max / 4

    /// A file with these chunks, up to the samples.
    let head: [UInt8]
    /// The place where the samples are in the file.
    let samples: Range<Int64>
    /// The present and the expected number of bytes of samples; nil for a whole file.
    let truncation: (present: Int64, said: Int64)?
    /// The number of bytes after the samples that belong to no chunk; nil if chunks fill the file.
    let unexplained: Int64?
    /// Whether there are several chunks of samples.
    let isSplit: Bool
    let markerCount: Int
    let hasLoops: Bool

    /// Finds the chunks of a file; nil for a file that has none of a known kind.
    ///
    /// - Parameters:
    ///   - start: The position of the first chunk in the file.
    ///   - length: The file's; it may have grown since. A file with holes may have any.
    init?(of file: FileDescriptor, from start: Int64, length: Int64) {
        let length = min(length, Self.mostLength)
        guard let first = file.part(12, at: start),
            let container = Self.containers.first(where: {
                $0.names.contains(Self.name(first[0..<4]))
                    && $0.forms.contains(Self.name(first[8..<12]))
            })
        else { return nil }
        let chunks = Self.chunks(of: file, container, from: start + 12, length: length)
        func content(_ name: String) -> [UInt8]? {
            chunks.first { $0.name == name && $0.size <= Self.mostBytes }
                .flatMap { file.part(Int($0.size), at: $0.start) }
        }
        func number(_ place: Place) -> Int64 {
            guard let bytes = content(place.chunk), bytes.count >= place.bytes.upperBound else {
                return 0
            }
            return Self.number(bytes[place.bytes], container)
        }
        markerCount = Int(number(container.markers))
        hasLoops = number(container.loops) > 0
        let format = container.format.compactMap { name in
            content(name).flatMap { Self.harmless(name, $0) }.map { (name: name, bytes: $0) }
        }
        // Only RF64 has sizes of more than 32 bits. The rest of other files is left out.
        let most = Int64(UInt32.max) - 2 * Self.mostBytes * Int64(format.count + 1)
        let data = chunks.first { $0.name == container.samples }
        let size = data.map { chunk in
            let present = min(chunk.size, length - chunk.start)
            return container.isBigEndian ? min(present, most) : present
        }
        samples = data.map { $0.start..<$0.start + (size ?? 0) } ?? 0..<0
        if let data, let size, size < data.size {
            let before = container.samplesOffset
            truncation = (max(0, size - before), data.size - before)
        } else {
            truncation = nil
        }
        unexplained = data.flatMap { Self.unexplained(after: $0, in: chunks, length: length) }
        isSplit = chunks.count { $0.name == container.samples } > 1
        head = Self.head(
            container, form: Array(first[8..<12]), format, samples: size,
            isLarge: (size ?? 0) > most)
    }

    /// The chunks of a file in their order, as far as they can be followed.
    private static func chunks(
        of file: FileDescriptor, _ container: Container, from start: Int64, length: Int64
    ) -> [Chunk] {
        var chunks: [Chunk] = []
        var largeSize: Int64?
        var offset = start
        while chunks.count < mostChunks, let head = file.part(8, at: offset), offset + 8 <= length {
            var chunk = Chunk(
                name: name(head[0..<4]), start: offset + 8, size: number(head[4..<8], container))
            let rest = length - chunk.start
            if chunk.name == "ds64", chunk.size >= 16, let sizes = file.part(16, at: chunk.start) {
                largeSize = number(sizes[8..<16], container)
            }
            // Without a final size, because it was streamed or its writer was killed, they continue
            // to the end of the file.
            if chunk.name == container.samples {
                if chunk.size == Int64(UInt32.max) {
                    chunk.size = largeSize ?? rest
                } else if chunk.size == 0, chunk.name == "data" {
                    chunk.size = rest
                }
            }
            chunks.append(chunk)
            guard chunk.size < rest else { break }
            offset = chunk.start + chunk.size + chunk.size % 2
        }
        return chunks
    }

    /// The number of bytes after the samples that belong to no chunk: the samples' size is wrong. The
    /// sizes of a file of more than 4 GiB wrap. Padding and tags have a tenth of the samples at most,
    /// and do not count.
    private static func unexplained(
        after data: Chunk, in chunks: [Chunk], length: Int64
    ) -> Int64? {
        let foreign = chunks.first { chunk in
            chunk.start > data.start
                && (chunk.size > length - chunk.start
                    || !chunk.name.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        }
        guard let foreign else { return nil }
        let count = length - foreign.start + 8
        return count > data.size / 10 ? count : nil
    }

    /// A chunk that libsndfile reads to its end and no further, even where it follows sizes in the chunk's
    /// content.
    ///
    /// - Returns: nil for one that can't be made so.
    private static func harmless(_ name: String, _ bytes: [UInt8]) -> [UInt8]? {
        switch name {
        // Too short for any format it is an error; else no format needs more than this.
        case "fmt ":
            bytes.count < 16 || bytes.count >= 128
                ? bytes : bytes + [UInt8](repeating: 0, count: 128 - bytes.count)
        case "fact": bytes.count == 4 ? bytes : nil
        // With the name of the compression, whose length stands before it.
        case "COMM":
            [18, 22].contains(bytes.count)
                || bytes.count >= 24 && bytes.count >= 23 + Int(bytes[22]) ? bytes : nil
        case "CHAN": bytes.count >= 12 ? bytes : nil
        default: nil
        }
    }

    /// A file with the chunks of a format, up to its samples.
    ///
    /// - Parameters:
    ///   - samples: The size of the chunk of samples; nil for a file without.
    ///   - isLarge: Whether the sizes have 64 bits, as those of RF64.
    private static func head(
        _ container: Container, form: [UInt8], _ format: [(name: String, bytes: [UInt8])],
        samples: Int64?, isLarge: Bool
    ) -> [UInt8] {
        func chunk(_ name: String, size: Int64, _ content: [UInt8] = []) -> [UInt8] {
            let bytes = Self.bytes(min(size, Int64(UInt32.max))).prefix(4)
            return name.utf8 + (container.isBigEndian ? bytes.reversed() : Array(bytes)) + content
                + [UInt8](repeating: 0, count: content.count % 2)
        }
        var body = format.flatMap { chunk($0.name, size: Int64($0.bytes.count), $0.bytes) }
        if let samples { body += chunk(container.samples, size: isLarge ? .max : samples) }
        let total = Int64(4 + body.count) + (samples ?? 0)
        guard isLarge else { return chunk(container.names[0], size: total) + form + body }
        let sizes = [total + 36, samples ?? 0, 0].flatMap(Self.bytes) + [0, 0, 0, 0]
        return chunk("RF64", size: .max) + form + chunk("ds64", size: 28, sizes) + body
    }

    // MARK: Bytes

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ container: Container) -> Int64 {
        let highFirst = container.isBigEndian ? Array(bytes) : bytes.reversed()
        return Int64(clamping: highFirst.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The bytes of a number, low byte first.
    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
