/// A node of a session file, in any notation. Overrides change nodes; decoders read them.
package struct ConfigNode: Sendable {
    package enum Content: Sendable {
        /// A single value. Only plain ones, without quotes, can be numbers, booleans or null.
        case scalar(String, isPlain: Bool)
        /// Keys and values, each key once, in the order of the file.
        case mapping([Entry])
        /// Values in order.
        case sequence([ConfigNode])
        /// An invalid node with a diagnostic already: decoders report nothing more.
        case refused
    }

    package struct Entry: Sendable {
        package var key: String
        package var keyOrigin: SourceLocation.Origin
        package var value: ConfigNode

        package init(key: String, keyOrigin: SourceLocation.Origin, value: ConfigNode) {
            self.key = key
            self.keyOrigin = keyOrigin
            self.value = value
        }
    }

    package var content: Content
    package var origin: SourceLocation.Origin

    package init(content: Content, origin: SourceLocation.Origin) {
        self.content = content
        self.origin = origin
    }
}

extension ConfigNode {
    /// The type of a scalar by its text.
    package enum Scalar: Equatable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case number(Double)
        /// A number too large for `Double`.
        case immense
        case text(String)
    }

    /// The type of the node's scalar; nil for other nodes.
    ///
    /// This is a subset of YAML's core schema: only `true` and `false` are booleans, only decimal
    /// numbers are numbers. A number with a redundant leading zero is text, because it is probably
    /// a name.
    package var scalar: Scalar? {
        guard case .scalar(let text, let isPlain) = content else { return nil }
        guard isPlain else { return .text(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        default: break
        }
        if text.wholeMatch(of: /-?(0|[1-9][0-9]*)/) != nil, let integer = Int64(text) {
            return .integer(integer)
        }
        guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)?(\.[0-9]*)?([eE][-+]?[0-9]+)?/) != nil,
            text.contains(where: { ("0"..."9").contains($0) }), let number = Double(text.spelled)
        else { return .text(text) }
        return number.isFinite ? .number(number) : .immense
    }

    /// The value of a key of a section.
    package func value(of key: String) -> ConfigNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// A description, for "found …".
    package var inWords: String {
        switch content {
        case .mapping: "a section"
        case .sequence: "a list"
        case .refused: "something unreadable"
        case .scalar(let text, _):
            switch scalar {
            case .null, nil: "nothing"
            case .boolean: "the boolean \(text)"
            case .integer, .number, .immense: "the number \(text)"
            case .text: text.isEmpty ? "empty text" : "the text \"\(text.shortened)\""
            }
        }
    }
}

extension String {
    /// The text with `.5` and `5.` completed by zeros, for `Double`.
    fileprivate var spelled: String {
        var text = self
        if let point = text.firstIndex(of: ".") {
            let next = text.index(after: point)
            if next == text.endIndex || !text[next].isNumber { text.insert("0", at: next) }
            if point == text.startIndex || text[text.index(before: point)] == "-" {
                text.insert("0", at: point)
            }
        }
        return text
    }

    /// The start of a text, short enough for a message.
    package var shortened: String { count > 40 ? "\(prefix(37))..." : self }
}
