/// A schema together with how a node that follows it becomes a value: the one description from
/// which reading, its messages and the JSON Schema come.
package struct Decoder<Value>: Sendable {
    package var schema: Schema
    /// Reads a node; nil if it is not what the schema says, which was then told.
    package var read: @Sendable (ConfigNode, _ path: String, inout Reading) -> Value?

    package init(
        schema: Schema,
        read: @escaping @Sendable (ConfigNode, _ path: String, inout Reading) -> Value?
    ) {
        self.schema = schema
        self.read = read
    }
}

/// What reading needs and what it gathers.
package struct Reading {
    /// The absolute folder that relative paths start from.
    package var folder: String
    /// What was found wrong so far.
    package var diagnostics: [Diagnostic] = []

    package init(folder: String, diagnostics: [Diagnostic] = []) {
        self.folder = folder
        self.diagnostics = diagnostics
    }

    /// Says what is wrong with a node.
    package mutating func complain(_ message: String, about node: ConfigNode, _ path: String) {
        diagnostics.append(Diagnostic(message, at: SourceLocation(node.origin, path: path)))
    }
}

extension Decoder {
    /// A single value: text whose looks `parse` judges.
    ///
    /// - Parameters:
    ///   - schema: What is needed.
    ///   - cure: What to write instead of a text that is not right, if that is clear.
    ///   - parse: nil if the scalar is not what is needed.
    package static func scalar(
        _ schema: Schema, cure: @escaping @Sendable (String) -> String? = { _ in nil },
        parse: @escaping @Sendable (ConfigNode.Scalar) -> Value?
    ) -> Decoder {
        Decoder(schema: schema) { node, path, reading in
            if let scalar = node.scalar, let value = parse(scalar) { return value }
            if case .refused = node.content { return nil }
            var message = "needs \(schema.expectation), found \(node.inWords)."
            // Quotes make the difference between a text and a number.
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

    /// The value with its place.
    package func located() -> Decoder<Located<Value>> where Value: Sendable {
        Decoder<Located<Value>>(schema: schema) { node, path, reading in
            read(node, path, &reading).map {
                Located($0, at: SourceLocation(node.origin, path: path))
            }
        }
    }

    /// The value made into another.
    package func map<Other>(_ transform: @escaping @Sendable (Value, Reading) -> Other) -> Decoder<
        Other
    > {
        Decoder<Other>(schema: schema) { node, path, reading in
            read(node, path, &reading).map { transform($0, reading) }
        }
    }

    /// A list of values; those that are wrong are told and left out.
    ///
    /// - Parameter count: How many there may be. A list that may be empty may be left out, too.
    package static func list<Item>(
        of item: Decoder<Item>, _ expectation: String, count: ClosedRange<Int> = 0...Int.max
    ) -> Decoder<[Item]> {
        let schema = Schema(kind: .list(item.schema, count: count), expectation: expectation)
        return Decoder<[Item]>(schema: schema) { node, path, reading in
            switch node.content {
            case .sequence(let nodes):
                guard count.contains(nodes.count) else {
                    reading.complain(
                        "needs \(count.lowerBound) to \(count.upperBound) entries, found "
                            + "\(nodes.count). Remove the key to do without.", about: node, path)
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
