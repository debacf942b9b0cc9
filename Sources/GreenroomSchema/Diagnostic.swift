import GreenroomMedia

/// A problem of a session file: location, rule and fix.
public struct Diagnostic: Hashable, Sendable {
    /// The location.
    public var place: SourceLocation
    /// The rule and the fix, in sentences.
    public var message: String

    /// Makes a diagnostic.
    package init(_ message: String, at place: SourceLocation) {
        self.place = place
        self.message = message
    }
}

/// All problems of a session file, in the order of the file; those of arguments are last.
public struct SessionFileError: Error, Sendable {
    /// The problems, at least one.
    public var diagnostics: [Diagnostic]
    /// The text of the file.
    public var source: SourceText

    /// Sorts the problems and removes duplicates.
    package init(_ diagnostics: [Diagnostic], in source: SourceText) {
        var seen: Set<Diagnostic> = []
        self.diagnostics =
            diagnostics
            .filter { seen.insert($0).inserted }
            .enumerated()
            .sorted { ($0.element.place.origin, $0.offset) < ($1.element.place.origin, $1.offset) }
            .map(\.element)
        self.source = source
    }
}

extension SessionFileError: CustomStringConvertible {
    /// Each problem on a line, followed by the line of the file and a caret.
    public var description: String { lines.joined(separator: "\n") }

    /// The lines of the description, ``Swift/String/printable``.
    package var lines: [String] { diagnostics.flatMap { source.lines(of: $0) } }
}

extension SourceText {
    /// A problem as text. Its first line has the format that editors and compilers use.
    ///
    ///     session.yaml:12:3: camera.settngs: unknown key. Did you mean "settings"?
    ///       settngs: { path: a.y4m }
    ///       ^
    ///
    /// - Parameter isWarning: Marks it as a warning before the path.
    public func render(_ diagnostic: Diagnostic, isWarning: Bool = false) -> String {
        lines(of: diagnostic, isWarning: isWarning).joined(separator: "\n")
    }

    /// A problem as lines, ``Swift/String/printable``.
    package func lines(of diagnostic: Diagnostic, isWarning: Bool = false) -> [String] {
        let path = diagnostic.place.path.isEmpty ? "" : "\(diagnostic.place.path): "
        let text = (isWarning ? "warning: " : "") + path.printable + diagnostic.message.printable
        switch diagnostic.place.origin {
        case .argument(let argument):
            return ["\(argument.hidingCredentials.hidingSecrets.printable): \(text)"]
        case .file(let number, let column):
            let first = "\(file.printable):\(number):\(column): \(text)"
            guard let excerpt = excerpt(line: number, column: column) else { return [first] }
            return [first] + excerpt
        }
    }

    /// Characters of a long line to show on either side of the caret.
    private static let contextLimit = 60

    private func excerpt(line number: Int, column: Int) -> [String]? {
        guard let line = line(number), !line.allSatisfy(\.isWhitespace) else { return nil }
        let scalars = Array(line.hidingCredentials.hidingSecrets.unicodeScalars)
        let index = min(max(column - 1, 0), scalars.count)
        let before = String(
            String.UnicodeScalarView(scalars[max(0, index - Self.contextLimit)..<index]))
        let after = String(
            String.UnicodeScalarView(scalars[index..<min(scalars.count, index + Self.contextLimit)])
        )
        let head = index > Self.contextLimit ? "..." : ""
        let tail = scalars.count > index + Self.contextLimit ? "..." : ""
        // One blank for each character, not for each Unicode scalar.
        let blanks = String(repeating: " ", count: head.count + before.count)
        return ["\(head)\(before.printable)\(after.printable)\(tail)", "\(blanks)^"]
    }
}
