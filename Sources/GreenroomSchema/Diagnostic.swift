/// A fault of a session file: where, what, and the cure.
public struct Diagnostic: Hashable, Sendable {
    /// Where it stands.
    public var place: SourceLocation
    /// The rule and the cure, in sentences for people.
    public var message: String

    /// Makes a diagnostic.
    package init(_ message: String, at place: SourceLocation) {
        self.place = place
        self.message = message
    }
}

/// Every fault of a session file, in the order of the file; arguments come last.
public struct SessionFileError: Error, Sendable {
    /// The faults, at least one.
    public var diagnostics: [Diagnostic]
    /// The text that they stand in.
    public var source: SourceText

    /// Puts faults in order; each is kept once.
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
    /// Each fault on a line of its own, with the line of the file below it and a caret.
    public var description: String {
        diagnostics.map { source.render($0) }.joined(separator: "\n")
    }
}

extension SourceText {
    /// A fault as people read it; its first line is what editors and compilers' users know.
    ///
    ///     session.yaml:12:3: camera.settngs: unknown key. Did you mean "settings"?
    ///       settngs: { path: a.y4m }
    ///       ^
    ///
    /// - Parameter isWarning: Whether it is no fault, which is said before the path.
    public func render(_ diagnostic: Diagnostic, isWarning: Bool = false) -> String {
        let path = diagnostic.place.path.isEmpty ? "" : "\(diagnostic.place.path): "
        let text = (isWarning ? "warning: " : "") + path.printable + diagnostic.message.printable
        switch diagnostic.place.origin {
        case .argument(let argument):
            return "\(argument.printable): \(text)"
        case .file(let number, let column):
            let first = "\(file):\(number):\(column): \(text)"
            guard let excerpt = excerpt(line: number, column: column) else { return first }
            return "\(first)\n\(excerpt)"
        }
    }

    /// How much of a long line is shown on either side of the caret.
    private static let reach = 60

    private func excerpt(line number: Int, column: Int) -> String? {
        guard let line = line(number), !line.allSatisfy(\.isWhitespace) else { return nil }
        let scalars = Array(line.unicodeScalars)
        let index = min(max(column - 1, 0), scalars.count)
        let before = String(String.UnicodeScalarView(scalars[max(0, index - Self.reach)..<index]))
        let after = String(
            String.UnicodeScalarView(scalars[index..<min(scalars.count, index + Self.reach)]))
        let head = index > Self.reach ? "..." : ""
        let tail = scalars.count > index + Self.reach ? "..." : ""
        // One blank for each character, not for each of its scalars.
        let blanks = String(repeating: " ", count: head.count + before.count)
        return "\(head)\(before.printable)\(after.printable)\(tail)\n\(blanks)^"
    }
}

extension String {
    /// With control characters replaced, so that a file can't drive the terminal.
    package var printable: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control: scalars.append(scalar == "\t" ? " " : "\u{FFFD}")
            // Direction overrides make a line read as what it is not.
            case .format, .lineSeparator, .paragraphSeparator, .surrogate:
                scalars.append(scalar == "\u{200D}" ? scalar : "\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
