/// The string literals of a source file, in order. `…` replaces an interpolation, whose own literals
/// follow. Literals that `+` joins are one, and adjacent literals of C.
struct LiteralScanner {
    enum Language { case swift, javaScript, c }

    private let text: [Unicode.Scalar]
    private let language: Language
    private var position = 0
    private var literals: [String] = []

    static func literals(in source: String, language: Language) -> [String] {
        var scanner = LiteralScanner(text: Array(source.unicodeScalars), language: language)
        scanner.scanCode(closing: nil)
        return scanner.literals
    }

    private init(text: [Unicode.Scalar], language: Language) {
        self.text = text
        self.language = language
    }

    /// Up to the bracket that closes an interpolation, or to the end.
    private mutating func scanCode(closing: Unicode.Scalar?) {
        var depth = 0
        let opening: Unicode.Scalar? = closing.map { $0 == ")" ? "(" : "{" }
        while position < text.count {
            if skipComment() || skipPattern() { continue }
            if startsLiteral {
                scanLiterals()
                continue
            }
            let scalar = text[position]
            position += 1
            if scalar == opening { depth += 1 }
            if scalar == closing {
                if depth == 0 { return }
                depth -= 1
            }
        }
    }

    // MARK: - Literals

    /// A literal and those that `+` joins to it.
    private mutating func scanLiterals() {
        let index = literals.count
        literals.append("")
        literals[index] = scanLiteral()
        while true {
            let end = position
            skipSpace()
            if language != .c, starts(with: "+") {
                position += 1
                skipSpace()
            } else if language != .c {
                position = end
                return
            }
            guard startsLiteral else {
                position = end
                return
            }
            literals[index] += scanLiteral()
        }
    }

    private var startsLiteral: Bool {
        switch language {
        case .javaScript: starts(with: "\"") || starts(with: "'") || starts(with: "`")
        case .swift: text[skippingHashes: position] == "\""
        case .c: starts(with: "\"")
        }
    }

    private mutating func scanLiteral() -> String {
        let start = position
        while starts(with: "#") { position += 1 }
        let hashes = String(repeating: "#", count: position - start)
        let quote = language == .swift && starts(with: "\"\"\"") ? "\"\"\"" : String(text[position])
        position += quote.unicodeScalars.count
        let end = quote + hashes
        let escape = "\\" + hashes
        var value = String.UnicodeScalarView()
        while position < text.count, !starts(with: end) {
            let opening = language == .swift ? escape + "(" : "${"
            if (language == .swift || quote == "`") && starts(with: opening) {
                position += opening.unicodeScalars.count
                scanCode(closing: language == .swift ? ")" : "}")
                value.append("…")
            } else if starts(with: escape) {
                position += escape.unicodeScalars.count
                value += scanEscape().unicodeScalars
            } else {
                value.append(text[position])
                position += 1
            }
        }
        position += end.unicodeScalars.count
        return String(value)
    }

    /// The character that an escape stands for: a space for each kind of space.
    private mutating func scanEscape() -> String {
        guard position < text.count else { return "" }
        let scalar = text[position]
        position += 1
        switch scalar {
        case "n": return "\n"
        case "t", "r": return " "
        case "\n":
            skipSpace()
            return ""
        case "u":
            var digits = ""
            while position < text.count, text[position] != "}" {
                if text[position] != "{" { digits.unicodeScalars.append(text[position]) }
                position += 1
            }
            position += 1
            return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map(String.init) ?? ""
        default: return String(scalar)
        }
    }

    // MARK: - The rest

    private mutating func skipSpace() {
        while position < text.count {
            if skipComment() { continue }
            guard text[position].properties.isWhitespace else { return }
            position += 1
        }
    }

    private mutating func skipComment() -> Bool {
        if starts(with: "//") {
            while position < text.count, text[position] != "\n" { position += 1 }
            return true
        }
        guard starts(with: "/*") else { return false }
        position += 2
        var depth = 1
        while position < text.count, depth > 0 {
            if language == .swift, starts(with: "/*") { depth += 1 }
            if starts(with: "*/") { depth -= 1 }
            position += 1
        }
        position += 1
        return true
    }

    /// `#/…/#`, and `/…/` where an operand may stand; a character literal of C.
    private mutating func skipPattern() -> Bool {
        if language == .c {
            // A character: '"'.
            guard starts(with: "'") else { return false }
            position += text.count > position + 1 && text[position + 1] == "\\" ? 4 : 3
            return true
        }
        var end = "/"
        if language == .swift, starts(with: "#/") {
            end = "/#"
            position += 1
        } else {
            guard starts(with: "/"), position > 0, position + 1 < text.count,
                text[position + 1] != " "
            else { return false }
            var before = position - 1
            while before > 0, text[before] == " " { before -= 1 }
            guard "(,:=[!&|?{};\n".unicodeScalars.contains(text[before]) else { return false }
        }
        position += 1
        var isClass = false
        while position < text.count, text[position] != "\n", isClass || !starts(with: end) {
            if text[position] == "\\" { position += 1 }
            if position < text.count, text[position] == "[" { isClass = true }
            if position < text.count, text[position] == "]" { isClass = false }
            position += 1
        }
        position += end.unicodeScalars.count
        return true
    }

    private func starts(with prefix: String) -> Bool {
        var index = position
        for scalar in prefix.unicodeScalars {
            guard index < text.count, text[index] == scalar else { return false }
            index += 1
        }
        return true
    }
}

extension [Unicode.Scalar] {
    /// The first scalar from an index on that is no `#`.
    fileprivate subscript(skippingHashes start: Int) -> Unicode.Scalar? {
        var index = start
        while index < count, self[index] == "#" { index += 1 }
        return index < count ? self[index] : nil
    }
}
