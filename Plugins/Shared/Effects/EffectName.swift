// The bridges to interfaces of effects share this file.

/// A text of an effect: without control characters, at most 200 characters.
package func printable(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    var bytes: [UInt8] = []
    while bytes.count < 800, text[bytes.count] != 0 {
        bytes.append(UInt8(bitPattern: text[bytes.count]))
    }
    let words = String(decoding: bytes, as: UTF8.self).unicodeScalars
        .map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                " "
            default: Character(scalar)
            }
        }.split(separator: " ")
    return String(words.joined(separator: [" "]).prefix(200))
}

/// Names in session files.
package enum EffectName {
    /// The name of a setting: of a-z, 0-9 and `-`, with a letter at the beginning. Empty if the name has
    /// no letter or digit.
    package static func setting(_ name: String) -> String {
        var result = ""
        for byte in name.lowercased().utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                result.append(Character(UnicodeScalar(byte)))
            default: if !result.isEmpty, result.last != "-" { result.append("-") }
            }
        }
        if result.last == "-" { result.removeLast() }
        return result.first?.isNumber == true ? "p-\(result)" : result
    }

    /// A name that no earlier setting has: with `-2`, `-3` and so on at its end, if need be.
    ///
    /// - Parameter taken: The names of earlier settings; gets the new one.
    package static func unique(_ name: String, among taken: inout Set<String>) -> String {
        var result = name
        var number = 1
        while !taken.insert(result).inserted {
            number += 1
            result = "\(name)-\(number)"
        }
        return result
    }
}

/// Writes the reason of a refusal where the host reads it, with a zero at the end.
///
/// - Parameters:
///   - buffer: Room for `capacity` bytes.
///   - capacity: At least 1.
package func write(
    reason: String, to buffer: UnsafeMutablePointer<CChar>, capacity: Int
) {
    let text = reason.utf8.prefix(capacity - 1)
    for (place, byte) in text.enumerated() { buffer[place] = CChar(bitPattern: byte) }
    buffer[text.count] = 0
}
