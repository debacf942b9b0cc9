/// How a WAV file writes a sample.
enum WAVEncoding: Equatable {
    /// Whole numbers of 1 to 4 bytes; one byte is unsigned with 128 as silence.
    case pcm(bytes: Int)
    /// Floating point of 4 or 8 bytes, full scale at ±1.
    case float(bytes: Int)
    /// ITU-T G.711 A-law.
    case aLaw
    /// ITU-T G.711 µ-law.
    case muLaw

    /// The bytes of a sample.
    var byteCount: Int {
        switch self {
        case .pcm(let bytes), .float(let bytes): bytes
        case .aLaw, .muLaw: 1
        }
    }

    /// A sample as 16 bits. Longer whole numbers are rounded; floating point beyond full
    /// scale is clipped, and what is no number is silence.
    ///
    /// - Parameters:
    ///   - bytes: Memory that holds the sample.
    ///   - offset: Where in it the sample begins.
    @inline(__always)
    func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int16 {
        switch self {
        case .pcm(1):
            Int16(Int(bytes[offset]) - 128) << 8
        case .pcm(2):
            Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
        case .pcm(3):
            Self.rounded(
                Int64(bytes[offset]) | Int64(bytes[offset + 1]) << 8
                    | Int64(Int8(bitPattern: bytes[offset + 2])) << 16, dropping: 8)
        case .pcm:
            Self.rounded(
                Int64(
                    Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
                ), dropping: 16)
        case .float(4):
            Self.scaled(
                Double(
                    Float(
                        bitPattern: UInt32(
                            littleEndian: bytes.loadUnaligned(
                                fromByteOffset: offset, as: UInt32.self)))))
        case .float:
            Self.scaled(
                Double(
                    bitPattern: UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            )
        case .aLaw:
            Self.expandedALaw(bytes[offset])
        case .muLaw:
            Self.expandedMuLaw(bytes[offset])
        }
    }

    private static func rounded(_ value: Int64, dropping bits: Int64) -> Int16 {
        Int16(clamping: (value + 1 << (bits - 1)) >> bits)
    }

    private static func scaled(_ value: Double) -> Int16 {
        guard !value.isNaN else { return 0 }
        return Int16(min(max(value * 32768, -32768), 32767).rounded())
    }

    /// Bit 7 is the sign (1: positive), 6 to 4 the segment, 3 to 0 the step; even bits are
    /// inverted on the line. The 13-bit value is put into the upper bits.
    private static func expandedALaw(_ code: UInt8) -> Int16 {
        let bits = code ^ 0x55
        let segment = Int16(bits >> 4 & 7)
        let step = Int16(bits & 15) << 4 + 8
        let magnitude = segment == 0 ? step : (step + 0x100) << (segment - 1)
        return bits & 0x80 != 0 ? magnitude : -magnitude
    }

    /// As A-law, with all bits inverted and a bias of 33 steps (132 in 16 bits).
    private static func expandedMuLaw(_ code: UInt8) -> Int16 {
        let bits = ~code
        let magnitude = (Int16(bits & 15) << 3 + 132) << Int16(bits >> 4 & 7) - 132
        return bits & 0x80 != 0 ? -magnitude : magnitude
    }
}
