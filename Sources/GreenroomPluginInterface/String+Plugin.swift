import Glibc

extension String {
    /// Copies a plugin's text; nil if it is not UTF-8, has control characters, or is longer than a
    /// limit.
    package init?(pluginText text: UnsafePointer<CChar>, longest: Int) {
        let length = strnlen(text, longest + 1)
        guard length <= longest else { return nil }
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        guard let string = String(validating: bytes, as: UTF8.self), string.isPrintable
        else { return nil }
        self = string
    }

    /// Copies a plugin's text for display: cut at a limit; replaces invalid UTF-8 and control
    /// characters, so that no plugin can forge a line of the log.
    package init(repairing text: UnsafePointer<CChar>, longest: Int) {
        let length = strnlen(text, longest)
        let decoded = String(
            decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
        self = decoded.repaired
    }

    /// Whether it has no control characters.
    package var isPrintable: Bool { !unicodeScalars.contains(where: \.isControl) }

    /// The text with control characters replaced.
    package var repaired: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            scalars.append(
                !scalar.isControl ? scalar : scalar == "\n" || scalar == "\t" ? " " : "\u{FFFD}")
        }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    /// Whether it controls a terminal or the direction of text.
    fileprivate var isControl: Bool {
        // Without a look into the tables of Unicode.
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: self != "\u{200D}"
        default: false
        }
    }
}
