// The standard library has the normal forms of Unicode, though not as public API; Foundation has them
// with all of ICU.
@_spi(_Unicode) import Swift

extension String {
    /// The most bytes of a participant's name in a file name. The track's name follows it.
    private static let fileNameLimit = 64

    /// Small letters of any script and digits, in normal form C, with single hyphens between them;
    /// at most 64 bytes. `participant` if no such character is left.
    var asFileName: String {
        var name = ""
        for scalar in lowercased()._nfc {
            let isLetter =
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
                    .otherLetter, .decimalNumber, .letterNumber:
                    true
                // A combining mark of the preceding letter.
                case .nonspacingMark, .spacingMark: !name.isEmpty && !name.hasSuffix("-")
                default: false
                }
            let next = isLetter ? Character(scalar) : "-"
            guard isLetter || !name.isEmpty && !name.hasSuffix("-") else { continue }
            guard name.utf8.count + next.utf8.count <= Self.fileNameLimit else { break }
            name.append(next)
        }
        while name.hasSuffix("-") { name.removeLast() }
        return name.isEmpty ? "participant" : name
    }
}
