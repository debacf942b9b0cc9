/// The text of a session file, to quote lines.
public struct SourceText: Sendable {
    /// The file's name as the user gave it, for messages.
    public let file: String
    private let lines: [String.UnicodeScalarView.SubSequence]

    /// Splits a text into lines.
    ///
    /// - Parameters:
    ///   - text: The whole text.
    ///   - file: The name for messages.
    package init(_ text: String, file: String) {
        self.file = file
        // CR LF is one break; NEL, LS and PS are breaks too, as in YAML.
        var lines: [String.UnicodeScalarView.SubSequence] = []
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        var index = start
        while index < scalars.endIndex {
            let scalar = scalars[index]
            var next = scalars.index(after: index)
            if Self.breaks.contains(scalar) {
                lines.append(scalars[start..<index])
                if scalar == "\r", next < scalars.endIndex, scalars[next] == "\n" {
                    next = scalars.index(after: next)
                }
                start = next
            }
            index = next
        }
        lines.append(scalars[start...])
        self.lines = lines
    }

    private static let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

    /// Number of lines, at least 1.
    package var lineCount: Int { lines.count }

    /// The position after the last character.
    package var end: SourceLocation.Origin {
        .file(line: lines.count, column: (lines.last?.count ?? 0) + 1)
    }

    /// A line without its break; nil if the number is out of range.
    ///
    /// - Parameter number: The line, from 1.
    package func line(_ number: Int) -> String? {
        lines.indices.contains(number - 1) ? String(lines[number - 1]) : nil
    }

    /// The index of a line and column; nil if out of range.
    package func index(line number: Int, column: Int) -> String.Index? {
        guard lines.indices.contains(number - 1) else { return nil }
        let line = lines[number - 1]
        guard
            let index = line.index(
                line.startIndex, offsetBy: column - 1, limitedBy: line.endIndex),
            index < line.endIndex
        else { return nil }
        return index
    }
}
