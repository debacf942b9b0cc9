public import GreenroomMedia

/// Checks the markers of a JPEG image (ITU-T T.81, annex B) before a decoder receives it.
///
/// A decoder allocates memory for the declared size, and its running time grows with the number of
/// scans. Therefore the check covers the size, the components, the number of scans, and the bounds
/// of every segment.
public enum JPEGStructure {
    /// Limit of scans. Common encoders make progressive images of about 10 scans; an attacker could
    /// make thousands.
    static let scanLimit = 32

    /// Checks an image.
    ///
    /// - Parameters:
    ///   - data: The image. Bytes after its end are ignored.
    ///   - size: The frame's size. The image may be padded to the next multiple of 16.
    /// - Throws: ``ConversionError/Code/badData`` if the image fails a check.
    public static func check(_ data: RawSpan, size: FrameSize) throws(ConversionError) {
        guard word(data, 0) == 0xffd8 else {
            throw .badData("not a JPEG image: it does not begin with FF D8")
        }
        var position = 2
        var scans = 0
        var hasSize = false
        while let marker = nextMarker(data, &position) {
            switch marker {
            case 0xd9:
                guard hasSize, scans > 0 else {
                    throw .badData("the JPEG image ends before its image data")
                }
                return
            case 0xd8, 0xd0...0xd7, 0x01:
                continue
            default:
                break
            }
            guard let length = word(data, position), length >= 2,
                position + length <= data.byteCount
            else {
                throw .badData(
                    "the JPEG image is cut off in segment FF "
                        + String(marker, radix: 16, uppercase: true))
            }
            let segment = data.extracting((position + 2)..<(position + length))
            position += length
            switch marker {
            case 0xc0, 0xc1, 0xc2:
                guard !hasSize else { throw .badData("the JPEG image has two frame headers") }
                try checkFrameHeader(segment, size)
                hasSize = true
            case 0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
                throw .badData(
                    "the JPEG image is lossless, hierarchical or arithmetic: send a baseline or "
                        + "progressive one with Huffman codes")
            case 0xda:
                scans += 1
                guard hasSize, scans <= scanLimit else {
                    throw .badData(
                        hasSize
                            ? "the JPEG image has more than \(scanLimit) scans"
                            : "the JPEG image has a scan before its frame header")
                }
            default:
                break
            }
        }
        throw .badData("the JPEG image is cut off: it has no end marker FF D9")
    }

    /// Checks SOF: precision, height, width, components and their sampling.
    private static func checkFrameHeader(
        _ segment: RawSpan, _ size: FrameSize
    ) throws(ConversionError) {
        guard segment.byteCount >= 6, let height = word(segment, 1), let width = word(segment, 3)
        else { throw .badData("the frame header of the JPEG image is cut off") }
        guard byte(segment, 0) == 8 else {
            throw .badData("the JPEG image has samples of other than 8 bits")
        }
        guard covers(width, size.width), covers(height, size.height) else {
            throw .badData(
                "the JPEG image is \(FrameSize(width: width, height: height)), but the frame is "
                    + "\(size)"
            )
        }
        let components = Int(byte(segment, 5))
        guard segment.byteCount == 6 + 3 * components else {
            throw .badData("the frame header of the JPEG image has a wrong length")
        }
        // Each byte has a hexadecimal digit for each of the two factors, luma first.
        let samplings = (0..<components).reduce(0) { $0 << 8 | Int(byte(segment, 7 + 3 * $1)) }
        switch (components, samplings) {
        case (1, 0x11), (3, 0x11_1111), (3, 0x21_1111), (3, 0x22_1111):
            return
        default:
            throw .badData(
                "the JPEG image is neither grey nor YUV of 4:2:0, 4:2:2 or 4:4:4: re-encode it")
        }
    }

    /// Whether a coded length is the frame's, or the frame's with padding: some cameras code 1088 rows for
    /// 1080, up to the next multiple of a block's 16.
    private static func covers(_ coded: Int, _ length: Int) -> Bool {
        coded >= length && coded <= (length + 15) / 16 * 16
    }

    /// Moves after the next marker and returns the marker. Skips fill bytes and entropy-coded data,
    /// in which 00 follows FF.
    private static func nextMarker(_ data: RawSpan, _ position: inout Int) -> UInt8? {
        while position + 1 < data.byteCount {
            guard byte(data, position) == 0xff else {
                position += 1
                continue
            }
            let code = byte(data, position + 1)
            position += code == 0xff ? 1 : 2
            if code != 0, code != 0xff { return code }
        }
        return nil
    }

    private static func byte(_ data: RawSpan, _ index: Int) -> UInt8 {
        data.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    private static func word(_ data: RawSpan, _ index: Int) -> Int? {
        guard index >= 0, index + 2 <= data.byteCount else { return nil }
        return Int(byte(data, index)) << 8 | Int(byte(data, index + 1))
    }
}
