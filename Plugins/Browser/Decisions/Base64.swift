/// Base64, as DevTools sends images.
package enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for place in 0..<4 {
                let value = Int(bits >> (18 - 6 * UInt32(place)) & 0x3F)
                text.append(place <= group.count ? letters[value] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a part of a text.
    ///
    /// - Parameter result: Its content is replaced; its memory is reused.
    /// - Returns: false unless it is Base64.
    package static func decode(
        _ bytes: Span<UInt8>, _ place: Range<Int>, into result: inout [UInt8]
    ) -> Bool {
        result.removeAll(keepingCapacity: true)
        var end = place.upperBound
        while end > place.lowerBound, end > place.upperBound - 2,
            bytes[end - 1] == UInt8(ascii: "=")
        {
            end -= 1
        }
        guard (end - place.lowerBound) % 4 != 1 else { return false }
        result.reserveCapacity((end - place.lowerBound) / 4 * 3 + 3)
        return values.withUnsafeBufferPointer { values in
            var bits: UInt32 = 0
            var bad: UInt8 = 0
            var count = 0
            for index in place.lowerBound..<end {
                let value = values[Int(bytes[index])]
                bad |= value
                bits = bits << 6 | UInt32(value & 0x3F)
                count &+= 1
                if count & 3 == 0 {
                    result.append(UInt8(truncatingIfNeeded: bits >> 16))
                    result.append(UInt8(truncatingIfNeeded: bits >> 8))
                    result.append(UInt8(truncatingIfNeeded: bits))
                }
            }
            switch count & 3 {
            case 2: result.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 3:
                result.append(UInt8(truncatingIfNeeded: bits >> 10))
                result.append(UInt8(truncatingIfNeeded: bits >> 2))
            default: break
            }
            return bad & 0xC0 == 0
        }
    }
}
