import GreenroomSystem
import SystemPackage

/// The chunks of a WAV or AIFF file that its sound needs.
struct AudioChunks {
    /// A kind of file that consists of chunks.
    private struct Container {
        /// What the file begins with, and what stands after the size of the whole.
        var names: [String]
        var forms: [String]
        var isBigEndian = false
        /// The chunk with the samples, and how many of its bytes come before them.
        var samples: String
        var samplesOffset: Int64 = 0
        /// The chunks that are handed on: what says the format.
        var format: [String]
        /// The chunks with markers and with loops.
        var markers: String
        var loops: String
    }

    private static let containers = [
        Container(
            names: ["RIFF", "RF64"], forms: ["WAVE"], samples: "data", format: ["fmt ", "fact"],
            markers: "cue ", loops: "smpl"),
        Container(
            names: ["RIFX"], forms: ["WAVE"], isBigEndian: true, samples: "data",
            format: ["fmt ", "fact"], markers: "cue ", loops: "smpl"),
        Container(
            names: ["FORM"], forms: ["AIFF", "AIFC"], isBigEndian: true, samples: "SSND",
            samplesOffset: 8, format: ["COMM", "CHAN"], markers: "MARK", loops: "INST"),
    ]

    /// More than any file has; each costs two reads.
    private static let mostChunks = 10_000
    /// More than any chunk needs that is not samples.
    private static let mostBytes: Int64 = 4096

    /// A file with these chunks, up to the samples.
    private(set) var head: [UInt8] = []
    /// Where the samples are in the file.
    private(set) var samples: Range<Int64> = 0..<0
    /// How many bytes of samples there are, and how many there should be; nil for a whole file.
    private(set) var truncation: (present: Int64, said: Int64)?
    /// Whether there are several chunks of samples.
    private(set) var isSplit = false
    private(set) var markerCount = 0
    private(set) var hasLoops = false

    /// Finds the chunks of a file; nil for a file that has none of a known kind.
    ///
    /// - Parameters:
    ///   - start: Where they begin in the file.
    ///   - length: The file's; it may have grown since.
    init?(of file: FileDescriptor, from start: Int64, length: Int64) {
        guard let first = Self.read(12, at: start, of: file) else { return nil }
        let (name, form) = (Self.name(first[0..<4]), Self.name(first[8..<12]))
        guard
            let container = Self.containers.first(where: {
                $0.names.contains(name) && $0.forms.contains(form)
            })
        else { return nil }
        var format: [(name: String, bytes: [UInt8])] = []
        var hasSamples = false
        var largeSize: Int64?
        var offset = start + 12
        for _ in 0..<Self.mostChunks {
            guard let first = Self.read(8, at: offset, of: file) else { break }
            let name = Self.name(first[0..<4])
            var size = Self.number(first[4..<8], container)
            let rest = length - offset - 8
            guard rest >= 0 else { break }
            if name == container.samples {
                // Without a final size, because it was streamed or its writer was killed, they
                // continue to the end of the file.
                if size == Int64(UInt32.max) {
                    size = largeSize ?? rest
                } else if size == 0, name == "data" {
                    size = rest
                }
                if hasSamples {
                    isSplit = true
                } else {
                    hasSamples = true
                    samples = offset + 8..<offset + 8 + min(size, rest)
                    if size > rest {
                        truncation = (
                            max(0, rest - container.samplesOffset), size - container.samplesOffset
                        )
                    }
                }
            } else if name == "ds64" || name == container.markers || name == container.loops
                || container.format.contains(name), size <= min(rest, Self.mostBytes),
                let bytes = Self.read(Int(size), at: offset + 8, of: file)
            {
                if name == "ds64", bytes.count >= 16 {
                    let said = bytes[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                    largeSize = Int64(clamping: said)
                } else if name == container.markers {
                    let width = container.samplesOffset > 0 ? 2 : 4
                    if bytes.count >= width {
                        markerCount = Int(Self.number(bytes[0..<width], container))
                    }
                } else if name == container.loops {
                    // The number of loops; of AIFF, how the sustain loop plays.
                    let place = container.samplesOffset > 0 ? 8..<10 : 28..<32
                    hasLoops =
                        bytes.count >= place.upperBound
                        && Self.number(bytes[place], container) > 0
                } else if !format.contains(where: { $0.name == name }),
                    let whole = Self.harmless(name, bytes)
                {
                    format.append((name, whole))
                }
            }
            guard size < rest else { break }
            offset += 8 + size + size % 2
        }
        writeHead(of: container, form, format, hasSamples: hasSamples)
    }

    /// A chunk that libsndfile reads to its end and no further: what it reads by the chunk's content
    /// instead of its size is there.
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

    /// Makes the head. Only RF64 can say sizes of more than 32 bits: of other files the rest is
    /// left out.
    private mutating func writeHead(
        of container: Container, _ form: String, _ format: [(name: String, bytes: [UInt8])],
        hasSamples: Bool
    ) {
        let most = Int64(UInt32.max) - 2 * Self.mostBytes * Int64(format.count + 1)
        if container.isBigEndian, samples.count > most {
            truncation = truncation ?? (most, Int64(samples.count))
            samples = samples.lowerBound..<samples.lowerBound + most
        }
        let isLarge = samples.count > most
        var chunks: [UInt8] = []
        func add(_ name: String, size: Int64) {
            chunks += name.utf8
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
            chunks += container.isBigEndian ? bytes.reversed() : bytes
        }
        for (name, bytes) in format {
            add(name, size: Int64(bytes.count))
            chunks += bytes + [UInt8](repeating: 0, count: bytes.count % 2)
        }
        if hasSamples {
            add(container.samples, size: isLarge ? Int64(UInt32.max) : Int64(samples.count))
        }
        let body = chunks
        chunks = []
        let total = Int64(4 + body.count + samples.count)
        guard isLarge else {
            add(container.names[0], size: total)
            head = chunks + form.utf8 + body
            return
        }
        add("RF64", size: Int64(UInt32.max))
        chunks += form.utf8
        add("ds64", size: 28)
        for number in [total + 36, Int64(samples.count), 0] {
            chunks += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        head = chunks + [0, 0, 0, 0] + body
    }

    // MARK: Reading

    private static func read(_ count: Int, at offset: Int64, of file: FileDescriptor) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try? bytes.withUnsafeMutableBytes {
            try file.read(fromAbsoluteOffset: offset, into: $0)
        }
        return read == count ? bytes : nil
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ container: Container) -> Int64 {
        container.isBigEndian
            ? bytes.reduce(0) { $0 << 8 | Int64($1) }
            : bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
