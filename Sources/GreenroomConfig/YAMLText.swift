import GreenroomSchema

/// The bytes of a session file as text, checked for everything that has to be sound before
/// YAML is looked at.
enum YAMLText {
    /// The largest session file. One that a person wrote has a hundredth of this.
    static let maximumBytes = 256 * 1024

    /// Decodes and checks.
    ///
    /// - Throws: The one fault that makes the rest unreadable.
    static func decode(_ bytes: [UInt8], file: String) throws(SessionFileError) -> String {
        func fault(_ message: String, after text: String = "") -> SessionFileError {
            let source = SourceText(text, file: file)
            let place = SourceLocation(source.end, path: "")
            return SessionFileError([Diagnostic(message, at: place)], in: source)
        }
        guard bytes.count <= maximumBytes else {
            throw fault(
                "the file is too large. A session file has at most \(maximumBytes) bytes.")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw fault("the file is UTF-16. Save it as UTF-8.")
        }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        var text = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var input = content.makeIterator()
        scan: while true {
            switch parser.parseScalar(from: &input) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                guard scalar.isAllowedInYAML else {
                    let number = String(scalar.value, radix: 16, uppercase: true)
                    throw fault(
                        "the character U+\(String(repeating: "0", count: max(0, 4 - number.count)))"
                            + "\(number) is not allowed in YAML. Remove it.",
                        after: String(text))
                }
                text.append(scalar)
            case .error:
                throw fault("not UTF-8. Save the file as UTF-8.", after: String(text))
            case .emptyInput:
                break scan
            }
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    /// Whether YAML's production `c-printable` has it; a byte order mark is taken off before.
    fileprivate var isAllowedInYAML: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE,
            0xFF00...0xFFFD, 0x10000...0x10FFFF:
            true
        default: false
        }
    }
}
