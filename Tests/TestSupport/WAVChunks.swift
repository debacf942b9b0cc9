/// Builds WAV files byte by byte.
public struct WAVChunks {
    /// The file so far.
    public private(set) var bytes: [UInt8]

    /// Starts a file; pass its size if it must be right.
    public init(_ form: String = "RIFF", size: UInt32 = 0) {
        bytes = Self.named(form, size)
        bytes += "WAVE".utf8
    }

    /// A four-character name and a size.
    public static func named(_ name: String, _ size: UInt32) -> [UInt8] {
        var bytes = [UInt8](name.utf8)
        bytes += number(size)
        return bytes
    }

    /// The bytes of a number.
    public static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// Adds a chunk, padded to even, with its own or a false size.
    public func adding(_ name: String, _ body: [UInt8], size: UInt32? = nil) -> WAVChunks {
        var copy = self
        copy.bytes += Self.named(name, size ?? UInt32(body.count))
        copy.bytes += body
        if body.count % 2 == 1 { copy.bytes.append(0) }
        return copy
    }

    /// Adds the chunk with the sample format.
    public func format(
        tag: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 8000, block: UInt16 = 2,
        bits: UInt16 = 16
    ) -> WAVChunks {
        var body = Self.number(tag)
        body += Self.number(channels)
        body += Self.number(rate)
        body += Self.number(rate &* UInt32(block))
        body += Self.number(block)
        body += Self.number(bits)
        return adding("fmt ", body)
    }

    /// The bytes of samples.
    public static func samples(_ samples: [Int16]) -> [UInt8] { samples.flatMap { number($0) } }
}
