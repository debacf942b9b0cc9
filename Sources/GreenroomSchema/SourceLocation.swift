/// Where something stands: in the session file, or in an argument that overrides it.
public struct SourceLocation: Hashable, Sendable {
    /// The text that it stands in. In order: from the file's start to its end, then arguments.
    public enum Origin: Hashable, Comparable, Sendable {
        /// The session file. Line and column count from 1; a column is a Unicode scalar.
        case file(line: Int, column: Int)
        /// An argument of the command line, as it was given: `--set session.duration=3s`.
        case argument(String)
    }

    /// The text that it stands in.
    public var origin: Origin
    /// The keys that lead to it, `camera.pre-processors[0].settings.opacity`; empty for the file
    /// as a whole.
    public var path: String

    /// Makes a place.
    package init(_ origin: Origin, path: String) {
        self.origin = origin
        self.path = path
    }
}

/// A value and where it stands, for checks that come later than reading.
package struct Located<Value: Sendable>: Sendable {
    /// The value.
    package var value: Value
    /// Where it stands.
    package var place: SourceLocation

    /// Makes a located value.
    package init(_ value: Value, at place: SourceLocation) {
        self.value = value
        self.place = place
    }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}

extension String {
    /// The path of a key of the section at this path.
    package func appending(key: String) -> String {
        let isWord =
            !key.isEmpty
            && key.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || "0123456789-_<".unicodeScalars.contains($0)
            }
        let part = isWord ? key : "\"\(key.shortened)\""
        return isEmpty ? part : "\(self).\(part)"
    }
}
