/// A schema and a function that decodes matching nodes. Decoding, messages and the JSON Schema all
/// use this one description.
package struct Decoder<Value>: Sendable {
    package var schema: Schema
    /// Decodes a node; nil with a diagnostic if it does not match the schema.
    package var read: @Sendable (ConfigNode, _ path: String, inout Reading) -> Value?

    package init(
        schema: Schema,
        read: @escaping @Sendable (ConfigNode, _ path: String, inout Reading) -> Value?
    ) {
        self.schema = schema
        self.read = read
    }
}

/// Input and diagnostics of decoding.
package struct Reading {
    /// The absolute folder of relative paths.
    package var folder: String
    /// The problems so far.
    package var diagnostics: [Diagnostic] = []

    package init(folder: String, diagnostics: [Diagnostic] = []) {
        self.folder = folder
        self.diagnostics = diagnostics
    }

    /// Adds a diagnostic about a node.
    package mutating func complain(_ message: String, about node: ConfigNode, _ path: String) {
        diagnostics.append(Diagnostic(message, at: SourceLocation(node.origin, path: path)))
    }
}

extension Decoder {
    /// A single value from text.
    ///
    /// - Parameters:
    ///   - schema: The expected value.
    ///   - cure: The suggested text for an invalid one; nil if none.
    ///   - parse: Returns nil if the scalar is invalid.
    package static func scalar(
        _ schema: Schema, cure: @escaping @Sendable (String) -> String? = { _ in nil },
        parse: @escaping @Sendable (ConfigNode.Scalar) -> Value?
    ) -> Decoder {
        Decoder(schema: schema) { node, path, reading in
            if let scalar = node.scalar, let value = parse(scalar) { return value }
            if case .refused = node.content { return nil }
            var message = "needs \(schema.expectation), found \(node.inWords)."
            // Quotes distinguish text from a number.
            if case .scalar(let text, let isPlain) = node.content, !text.isEmpty {
                let other = ConfigNode(
                    content: .scalar(text, isPlain: !isPlain), origin: node.origin)
                if let scalar = other.scalar, parse(scalar) != nil {
                    message += isPlain ? " Put it in quotes." : " Remove the quotes."
                } else if let cure = cure(text) {
                    message += " Write \(cure)."
                }
            }
            reading.complain(message, about: node, path)
            return nil
        }
    }

    /// Adds the source location to the value.
    package func located() -> Decoder<Located<Value>> where Value: Sendable {
        Decoder<Located<Value>>(schema: schema) { node, path, reading in
            read(node, path, &reading).map {
                Located($0, at: SourceLocation(node.origin, path: path))
            }
        }
    }

    /// Transforms the value.
    package func map<Other>(_ transform: @escaping @Sendable (Value, Reading) -> Other) -> Decoder<
        Other
    > {
        Decoder<Other>(schema: schema) { node, path, reading in
            read(node, path, &reading).map { transform($0, reading) }
        }
    }

    /// Values with names, in their order; invalid ones are reported and omitted.
    ///
    /// - Parameters:
    ///   - what: The word for the values, in the plural.
    ///   - pattern: The pattern of a name.
    ///   - isName: Whether a text is a name.
    package static func named<Item>(
        _ item: Decoder<Item>, _ what: String, pattern: String, limit: Int,
        isName: @escaping @Sendable (String) -> Bool
    ) -> Decoder<[(name: String, value: Item)]> {
        let schema = Schema(
            kind: .named(item.schema, pattern: pattern, limit: limit),
            expectation: "a section of \(what), each under a name")
        return Decoder<[(name: String, value: Item)]>(schema: schema) { node, path, reading in
            switch node.content {
            case .refused: return nil
            case .scalar where node.scalar != .null, .sequence:
                reading.complain(
                    "needs \(schema.expectation), found \(node.inWords).", about: node, path)
                return nil
            case .scalar, .mapping:
                let entries: [ConfigNode.Entry] =
                    if case .mapping(let entries) = node.content { entries } else { [] }
                guard !entries.isEmpty else {
                    reading.complain(
                        "has no \(what). Add one under its name, or remove the key.", about: node,
                        path)
                    return nil
                }
                guard entries.count <= limit else {
                    reading.complain(
                        "has \(entries.count) \(what); limit: \(limit). Remove some.", about: node,
                        path)
                    return nil
                }
                return entries.compactMap { entry in
                    let path = path.appending(key: entry.key)
                    guard isName(entry.key) else {
                        reading.diagnostics.append(
                            Diagnostic(
                                "not a name. A name has up to 40 letters, digits and hyphens, and "
                                    + "begins with a letter.",
                                at: SourceLocation(entry.keyOrigin, path: path)))
                        return nil
                    }
                    return item.read(entry.value, path, &reading).map {
                        (name: entry.key, value: $0)
                    }
                }
            }
        }
    }

    /// A list of values; invalid ones are reported and omitted.
    ///
    /// - Parameter count: The allowed number of values. A list that may be empty may also be
    ///   absent.
    package static func list<Item>(
        of item: Decoder<Item>, _ expectation: String, count: ClosedRange<Int> = 0...Int.max
    ) -> Decoder<[Item]> {
        let schema = Schema(kind: .list(item.schema, count: count), expectation: expectation)
        return Decoder<[Item]>(schema: schema) { node, path, reading in
            switch node.content {
            case .sequence(let nodes):
                guard count.contains(nodes.count) else {
                    reading.complain(
                        count.contains(0)
                            ? "needs at most \(count.upperBound) entries, found \(nodes.count). "
                                + "Remove some."
                            : "needs \(count.lowerBound) to \(count.upperBound) entries, found "
                                + "\(nodes.count). Remove the key to use the default.",
                        about: node, path)
                    return nil
                }
                return nodes.enumerated().compactMap { index, node in
                    item.read(node, "\(path)[\(index)]", &reading)
                }
            case .refused: return nil
            case .scalar, .mapping:
                if node.scalar == .null, count.contains(0) { return [] }
                reading.complain(
                    "needs \(expectation), found \(node.inWords). Begin each with \"- \".",
                    about: node, path)
                return nil
            }
        }
    }
}
