/// A value of a JSON text. Strings are places in the text: the image of a page is not copied.
package indirect enum JSONText: Equatable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    /// The bytes between the quotes.
    case string(Range<Int>)
    case array([JSONText])
    case object([Member])

    /// A member of an object.
    package struct Member: Equatable, Sendable {
        /// The bytes between the quotes.
        package var key: Range<Int>
        package var value: JSONText
    }

    /// The greatest depth of arrays and objects.
    static let deepest = 64

    /// Reads a whole text.
    ///
    /// - Returns: nil unless it is JSON, at most 64 levels deep.
    package init?(_ bytes: Span<UInt8>) {
        var reader = Reader(bytes: bytes)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipBlanks()
        guard reader.place == bytes.count else { return nil }
        self = value
    }

    /// A member of an object; nil without it.
    package func member(_ key: String, in bytes: Span<UInt8>) -> JSONText? {
        guard case .object(let members) = self else { return nil }
        return members.first { bytes.hold(key, at: $0.key) }?.value
    }

    /// The text of a string, escapes resolved.
    package func text(in bytes: Span<UInt8>) -> String? {
        guard case .string(let place) = self else { return nil }
        return bytes.unescaped(place)
    }

    /// A whole number.
    package var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(exactly: number)
    }

    /// The truth of a boolean.
    package var isTrue: Bool { self == .boolean(true) }

    private struct Reader: ~Escapable {
        let bytes: Span<UInt8>
        var place = 0

        @_lifetime(copy bytes)
        init(bytes: Span<UInt8>) { self.bytes = bytes }

        var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        mutating func skipBlanks() {
            while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
        }

        mutating func take(_ byte: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard next == UInt8(ascii: byte) else { return false }
            place += 1
            return true
        }

        mutating func take(word: StaticString) -> Bool {
            let count = word.utf8CodeUnitCount
            guard count <= bytes.count - place else { return false }
            let isThere = word.withUTF8Buffer { word in
                word.indices.allSatisfy { bytes[place + $0] == word[$0] }
            }
            if isThere { place += count }
            return isThere
        }

        mutating func value(depth: Int) -> JSONText? {
            guard depth <= JSONText.deepest else { return nil }
            skipBlanks()
            switch next {
            case UInt8(ascii: "{"): return object(depth)
            case UInt8(ascii: "["): return array(depth)
            case UInt8(ascii: "\""): return string().map { .string($0) }
            case UInt8(ascii: "t"): return take(word: "true") ? .boolean(true) : nil
            case UInt8(ascii: "f"): return take(word: "false") ? .boolean(false) : nil
            case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
            default: return number()
            }
        }

        private mutating func object(_ depth: Int) -> JSONText? {
            place += 1
            var members: [Member] = []
            if take("}") { return .object(members) }
            repeat {
                skipBlanks()
                guard let key = string(), take(":"), let value = value(depth: depth + 1) else {
                    return nil
                }
                members.append(Member(key: key, value: value))
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        private mutating func array(_ depth: Int) -> JSONText? {
            place += 1
            var values: [JSONText] = []
            if take("]") { return .array(values) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                values.append(value)
            } while take(",")
            return take("]") ? .array(values) : nil
        }

        private mutating func string() -> Range<Int>? {
            guard next == UInt8(ascii: "\"") else { return nil }
            let start = place + 1
            // A picture has a million bytes.
            var end = start
            while end < bytes.count {
                let byte = bytes[end]
                if byte == UInt8(ascii: "\"") {
                    place = end + 1
                    return start..<end
                }
                if byte < 0x20 { return nil }
                end += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            return nil
        }

        private mutating func number() -> JSONText? {
            let start = place
            while let byte = next, "+-.eE0123456789".utf8.contains(byte), place - start < 40 {
                place += 1
            }
            var text = ""
            for index in start..<place {
                text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
            }
            guard let number = Double(text), number.isFinite else { return nil }
            return .number(number)
        }
    }
}

extension Span<UInt8> {
    fileprivate func hold(_ text: String, at place: Range<Int>) -> Bool {
        var index = place.lowerBound
        for byte in text.utf8 {
            guard index < place.upperBound, self[index] == byte else { return false }
            index += 1
        }
        return index == place.upperBound
    }

    fileprivate func unescaped(_ place: Range<Int>) -> String {
        var units: [UInt8] = []
        var index = place.lowerBound
        while index < place.upperBound {
            let byte = self[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < place.upperBound else {
                units.append(byte)
                continue
            }
            let escape = self[index]
            index += 1
            switch escape {
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "u"):
                var scalar = codeUnit(&index, place.upperBound)
                if (0xD800..<0xDC00).contains(scalar), index + 1 < place.upperBound,
                    self[index] == UInt8(ascii: "\\"), self[index + 1] == UInt8(ascii: "u")
                {
                    index += 2
                    let low = codeUnit(&index, place.upperBound)
                    if (0xDC00..<0xE000).contains(low) {
                        scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                    }
                }
                let text = String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}"))
                units.append(contentsOf: text.utf8)
            default: units.append(escape)
            }
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// Four hexadecimal digits.
    private func codeUnit(_ index: inout Int, _ end: Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 where index < end {
            let digit = Character(Unicode.Scalar(self[index])).hexDigitValue ?? 0
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
