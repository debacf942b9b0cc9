/// A PNG file put together byte by byte after the standard, as an oracle for the decoder.
///
/// Pixel data is stored in zlib without compression.
struct PNGFile {
    enum ColorType: UInt8 {
        case grey = 0
        case rgb = 2
        case palette = 3
        case greyAlpha = 4
        case rgba = 6
    }

    var width: UInt32
    var height: UInt32
    var depth: UInt8 = 8
    var colorType: ColorType
    /// Whether the rows are written in the seven passes of Adam7; 8 bits only.
    var isInterlaced = false
    /// Palette and transparency: whole chunks between header and data.
    var extraChunks: [(name: String, data: [UInt8])] = []
    /// The bytes of each row, without its filter byte.
    var rows: [[UInt8]]

    var bytes: [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += Self.chunk(
            "IHDR",
            Self.big(width) + Self.big(height) + [
                depth, colorType.rawValue, 0, 0, isInterlaced ? 1 : 0,
            ])
        for (name, data) in extraChunks { file += Self.chunk(name, data) }
        file += Self.chunk("IDAT", Self.stored((isInterlaced ? passes : rows).flatMap { [0] + $0 }))
        file += Self.chunk("IEND", [])
        return file
    }

    /// The rows of all passes.
    private var passes: [[UInt8]] {
        let channels = [ColorType.rgb: 3, .greyAlpha: 2, .rgba: 4][colorType] ?? 1
        return [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
            (0, 1, 1, 2),
        ].flatMap { (x, y, columns, lines) -> [[UInt8]] in
            guard x < Int(width) else { return [] }
            return stride(from: y, to: rows.count, by: lines).map { line in
                stride(from: x, to: Int(width), by: columns).flatMap {
                    rows[line][$0 * channels..<($0 + 1) * channels]
                }
            }
        }
    }

    private static func big(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        return big(UInt32(data.count)) + content + big(crc32(content))
    }

    /// A zlib stream of one stored block.
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        precondition(data.count <= 0xFFFF)
        let length = UInt16(data.count)
        let header = [length, ~length].flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return [0x78, 0x01, 0x01] + header + data + big(b << 16 | a)
    }

    private static func crc32(_ data: [UInt8]) -> UInt32 {
        var crc: UInt32 = .max
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
