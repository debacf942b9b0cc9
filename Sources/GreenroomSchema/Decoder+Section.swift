/// A key of a section, and the property of the draft that gets its value.
package struct Field<Draft>: Sendable {
    package var schema: Schema.Field
    /// Reads the key's value into the draft.
    package var read: @Sendable (ConfigNode, _ path: String, inout Draft, inout Reading) -> Void
    /// Whether two drafts have the same value; nil if its values can't be compared.
    package var isSame: (@Sendable (Draft, Draft) -> Bool)?

    /// - Parameters:
    ///   - key: As in the file.
    ///   - target: The draft's property; unchanged if the value is invalid.
    ///   - decoder: Decodes the value.
    ///   - summary: The effect of the key.
    ///   - examples: Example values, at least one.
    ///   - defaultValue: The value if the key is absent.
    ///   - isRequired: Whether the section is invalid without it.
    package init<Value>(
        _ key: String, _ target: any WritableKeyPath<Draft, Value> & Sendable,
        _ decoder: Decoder<Value>, _ summary: String, examples: [JSON], defaultValue: JSON? = nil,
        isRequired: Bool = false
    ) {
        schema = Schema.Field(
            key: key, summary: summary, examples: examples, defaultValue: defaultValue,
            isRequired: isRequired, schema: decoder.schema)
        read = { node, path, draft, reading in
            if let value = decoder.read(node, path, &reading) { draft[keyPath: target] = value }
        }
        guard Value.self is any Equatable.Type else { return }
        isSame = { one, other in areSame(one[keyPath: target], other[keyPath: target]) }
    }

    /// The same key of a larger draft.
    ///
    /// - Parameter part: The part of the draft that has the key's property.
    package func within<Whole>(
        _ part: any WritableKeyPath<Whole, Draft> & Sendable
    ) -> Field<Whole> {
        var isSame: (@Sendable (Whole, Whole) -> Bool)?
        if let inner = self.isSame {
            isSame = { one, other in inner(one[keyPath: part], other[keyPath: part]) }
        }
        return Field<Whole>(schema: schema, isSame: isSame) { [read] node, path, draft, reading in
            read(node, path, &draft[keyPath: part], &reading)
        }
    }

    private init(
        schema: Schema.Field, isSame: (@Sendable (Draft, Draft) -> Bool)?,
        read:
            @escaping @Sendable (ConfigNode, _ path: String, inout Draft, inout Reading) -> Void
    ) {
        self.schema = schema
        self.isSame = isSame
        self.read = read
    }

    /// The same for an optional property.
    package init<Value>(
        _ key: String, _ target: any WritableKeyPath<Draft, Value?> & Sendable,
        _ decoder: Decoder<Value>, _ summary: String, examples: [JSON], defaultValue: JSON? = nil,
        isRequired: Bool = false
    ) {
        self.init(
            key, target, decoder.map { value, _ in Optional(value) }, summary, examples: examples,
            defaultValue: defaultValue, isRequired: isRequired)
    }
}

/// Whether two values of a type are equal; false for a type that can't be compared.
private func areSame<Value>(_ one: Value, _ other: Value) -> Bool {
    func areEqual<Comparable: Equatable>(_ type: Comparable.Type) -> Bool {
        guard let one = one as? Comparable, let other = other as? Comparable else { return false }
        return one == other
    }
    guard let type = Value.self as? any Equatable.Type else { return false }
    return areEqual(type)
}

extension Decoder {
    /// A section: its keys set the properties of a draft, which then becomes the value.
    ///
    /// - Parameters:
    ///   - draft: The values if no key is present.
    ///   - name: Its name in the JSON Schema.
    ///   - summary: The purpose of the section.
    ///   - expectation: The expected value, for messages.
    ///   - presence: The keys that must be present besides required ones.
    ///   - shortKey: The key of a single value that stands for the section.
    ///   - keyAliases: Wrong keys that users often write.
    ///   - fields: Its keys.
    ///   - finish: Makes the value; nil with a diagnostic if something is missing.
    package static func section<Draft: Sendable>(
        _ draft: Draft, name: String, _ summary: String, expectation: String,
        presence: Schema.Presence = .any, shortKey: String? = nil,
        keyAliases: [Schema.KeyAlias] = [], fields: [Field<Draft>],
        finish: @escaping @Sendable (Draft, SourceLocation) -> Value?
    ) -> Decoder {
        let section = Schema.Section(
            name: name, summary: summary, fields: fields.map(\.schema), presence: presence,
            shortKey: shortKey, keyAliases: keyAliases)
        let schema = Schema(kind: .section(section), expectation: expectation)
        return Decoder(schema: schema) { node, path, reading in
            var entries: [ConfigNode.Entry] = []
            var isShort = false
            switch node.content {
            case .refused:
                return nil
            case .mapping(let found):
                entries = found
            case .scalar(let text, _) where node.scalar == .null && section.mayBeEmpty:
                // An empty value omits everything; the word null may be a name.
                guard text.isEmpty || shortKey == nil else {
                    reading.complain(
                        "\(text) without quotes is nothing. Put it in quotes if it is a name, or "
                            + "remove it.", about: node, path)
                    return nil
                }
            case .scalar where node.scalar != .null && shortKey != nil:
                isShort = true
                entries = [
                    ConfigNode.Entry(key: shortKey ?? "", keyOrigin: node.origin, value: node)
                ]
            case .scalar, .sequence:
                reading.complain(
                    "needs \(expectation), found \(node.inWords).", about: node, path)
                return nil
            }
            var draft = draft
            for entry in entries {
                // Diagnostics of a short value have the section's own path.
                let entryPath = isShort ? path : path.appending(key: entry.key)
                guard let field = fields.first(where: { $0.schema.key == entry.key }) else {
                    reading.diagnostics.append(
                        Diagnostic(
                            section.explain(unknown: entry.key),
                            at: SourceLocation(entry.keyOrigin, path: entryPath)))
                    continue
                }
                field.read(entry.value, entryPath, &draft, &reading)
            }
            for message in section.missing(from: entries.map(\.key)) {
                reading.complain(message, about: node, path)
            }
            return finish(draft, SourceLocation(node.origin, path: path))
        }
    }
}

extension Schema.Section {
    /// The reason why a key is refused, and the key probably meant.
    package func explain(unknown key: String) -> String {
        let known = fields.map(\.key)
        if let keyAlias = keyAliases.first(where: { $0.key == key }) {
            return "unknown key. Write \"\(keyAlias.cure)\"."
        }
        if key == "<<" {
            return "merge keys (<<) are not supported. Write the values out."
        }
        if let nearest = nearestName(to: key, among: known) {
            return "unknown key. Did you mean \"\(nearest)\"?"
        }
        if let home = fields.first(where: { field in
            field.schema.section?.fields.contains { $0.key == key } ?? false
        }) {
            return "unknown key. It goes under \"\(home.key)\"."
        }
        if known.contains("settings") {
            return "unknown key. A setting of the plugin goes under \"settings\"; other keys here "
                + "are \(list(known.filter { $0 != "settings" }))."
        }
        return "unknown key. Known keys are \(list(known))."
    }

    /// Messages for missing keys.
    package func missing(from written: [String]) -> [String] {
        let keys = written.map { key in keyAliases.first { $0.key == key }?.meant ?? key }
        var messages = fields.filter { $0.isRequired && !keys.contains($0.key) }.map { field in
            let example = field.examples.first.map { ", such as \(field.key): \($0.asYAML)" } ?? ""
            return "needs the key \"\(field.key)\". Add it\(example)."
        }
        switch presence {
        case .any: break
        case .oneOrMore(let wanted) where keys.contains(where: wanted.contains): break
        case .oneOrMore(let wanted):
            messages.append("needs at least one of the keys \(list(wanted)). Add one.")
        case .either(let first, let alone):
            let heads = fields.map(\.key).filter { first.contains($0) || alone.contains($0) }
            let found = heads.filter(keys.contains)
            let others = keys.filter { !found.contains($0) }
            // A single unknown key is a misspelling, already reported.
            let isMisspelt = !keys.isEmpty && !keys.contains { fields.map(\.key).contains($0) }
            if found.isEmpty {
                guard alone.isEmpty || !isMisspelt else { break }
                let example = fields.first { alone.isEmpty && $0.key == first.first }?.examples
                    .first
                let such = example.map { ", such as \(first[0]): \($0.asYAML)" } ?? ""
                messages.append("needs one of the keys \(list(heads)). Add one\(such).")
            } else if found.count > 1, alone.isEmpty {
                let both = found.map { "\"\($0)\"" }.joined(separator: " and ")
                messages.append("has \(both) and can have one. Keep one.")
            } else if found.count > 1 {
                messages.append(
                    "has \(found.count) keys (\(list(found))) and can have one. Begin a list entry "
                        + "with \"- \" for each.")
            } else if alone.contains(found[0]), !others.isEmpty {
                messages.append(
                    "\(list(found)) takes no \(list(others)). Remove it.")
            }
        case .exactlyOneOf(let wanted):
            let found = keys.filter(wanted.contains)
            if found.isEmpty {
                messages.append("needs one of the keys \(list(wanted)). Add one.")
            } else if found.count > 1 {
                messages.append(
                    "has \(found.count) of the keys \(list(wanted)) and can have one. Make a "
                        + "separate entry for each.")
            }
        }
        return messages
    }

    private func list(_ names: [String]) -> String {
        names.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}

extension JSON {
    /// A scalar in the notation of a session file.
    package var asYAML: String {
        if case .string(let text) = self, text != "-" { text } else { line }
    }
}
