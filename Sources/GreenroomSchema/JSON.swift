/// A JSON value with ordered keys, so that its text is deterministic.
package enum JSON: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number; infinity and NaN become `null`.
    case number(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Keys and values in order.
    case object([Member])

    /// A key and its value.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSON

        package init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(key: $0, value: $1) })
    }

    /// An object of the members with a value.
    package static func members(_ members: [(String, JSON?)]) -> JSON {
        .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }
}

extension JSON {
    /// The value on one line.
    package var line: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value):
            value.isFinite ? Int64(exactly: value).map { "\($0)" } ?? "\(value)" : "null"
        case .string(let value): value.quotedAsJSON
        case .array(let values): "[\(values.map(\.line).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.map { "\($0.key.quotedAsJSON): \($0.value.line)" }.joined(separator: ", "))}"
        }
    }

    /// The value on several lines, indented by two blanks for each level.
    package var text: String { text(indentation: "") }

    /// Longest value on one line, in characters.
    private static let width = 80

    private func text(indentation: String) -> String {
        let line = line
        if line.count + indentation.count <= Self.width, !holdsObjects { return line }
        let inner = indentation + "  "
        switch self {
        case .array(let values) where !values.isEmpty:
            let lines = values.map { inner + $0.text(indentation: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map {
                "\(inner)\($0.key.quotedAsJSON): \($0.value.text(indentation: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
        default:
            return line
        }
    }

    private var holdsObjects: Bool {
        switch self {
        case .array(let values): values.contains { $0.isObject || $0.holdsObjects }
        case .object(let members): members.contains { $0.value.isObject || $0.value.holdsObjects }
        default: false
        }
    }

    private var isObject: Bool { if case .object = self { true } else { false } }
}

extension String {
    fileprivate var quotedAsJSON: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let number = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - number.count) + number
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
