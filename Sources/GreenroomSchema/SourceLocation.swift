/// A location in the session file, or in an argument that overrides it.
public struct SourceLocation: Hashable, Sendable {
    /// The text of a location. Sorted by position in the file, then arguments.
    public enum Origin: Hashable, Comparable, Sendable {
        /// The session file. Line and column count from 1; a column is a Unicode scalar.
        case file(line: Int, column: Int)
        /// An argument of the command line, as given: `--set session.duration=3s`.
        case argument(String)
    }

    /// The text of the location.
    public var origin: Origin
    /// The path of keys, `camera.pre-processors[0].settings.opacity`; empty for the whole file.
    public var path: String

    /// Makes a location.
    package init(_ origin: Origin, path: String) {
        self.origin = origin
        self.path = path
    }
}

/// A value with its location, for checks after decoding.
package struct Located<Value: Sendable>: Sendable {
    /// The value.
    package var value: Value
    /// The location.
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
    /// The path of a key in this section.
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
