extension String {
    /// The text with control characters replaced, so that it can't control a terminal: one line.
    ///
    /// Text from files, plugins, peers and paths passes here before it reaches a terminal.
    package var printable: String {
        guard !isPlainASCII else { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let isSpace = scalar == "\t" || scalar == "\n"
            scalars.append(!scalar.controlsTerminal ? scalar : isSpace ? " " : "\u{FFFD}")
        }
        return String(scalars)
    }

    /// Whether it has no control characters.
    package var isPrintable: Bool { !unicodeScalars.contains(where: \.controlsTerminal) }

    /// Each line of the text, ``printable``.
    package var printableLines: [String] {
        split(separator: "\n" as Character, omittingEmptySubsequences: false)
            .map { String($0).printable }
    }

    /// JSON, with each control character escaped: no character between its values is one.
    package var printableJSON: String {
        guard !isPlainASCII else { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar.controlsTerminal, scalar != "\n" else {
                scalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                let digits = String(unit, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                scalars.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            }
        }
        return String(scalars)
    }

    private var isPlainASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}

extension Unicode.Scalar {
    /// Whether a terminal may obey it, or show the rest of a line elsewhere because of it.
    fileprivate var controlsTerminal: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: changesDirection
        }
    }

    /// Whether it changes the direction of the text around it, so that a line reads differently.
    private var changesDirection: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x206A...0x206F: true
        default: false
        }
    }
}

extension String {
    /// A person's name, or another text of a person, in one line: without the characters that control a
    /// terminal or change the direction of the text around them, and without blanks at the ends; empty if
    /// nothing visible remains. The joiners of scripts and emoji stay.
    ///
    /// The room, the page, the stage and the report show names as this function returns them.
    package var singleLine: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.properties.isWhitespace {
                scalars.append(" ")
            } else if !scalar.controlsTerminal {
                scalars.append(scalar)
            }
        }
        let text = String(scalars).split(separator: " ").joined(separator: " ")
        let isVisible = text.unicodeScalars.contains {
            switch $0.properties.generalCategory {
            case .format, .spaceSeparator: false
            default: !$0.properties.isDefaultIgnorableCodePoint
            }
        }
        return isVisible ? text : ""
    }
}

extension String {
    /// The text up to a zero, without control characters: other programs choose it.
    package init(upToZero bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        self = String(String.UnicodeScalarView(scalars))
    }
}
