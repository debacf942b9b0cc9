/// The allowed values at a place of the file, as data. It generates the JSON Schema; decoders read
/// known keys, words and rules from it.
package struct Schema: Sendable {
    package indirect enum Kind: Sendable {
        /// Text; with a pattern, text that matches it.
        case text(pattern: String?)
        /// One of several words, each with its meaning.
        case choice([(word: String, meaning: String)])
        /// `true` or `false`.
        case boolean
        /// A whole number within bounds.
        case integer(ClosedRange<Int64>)
        /// Keys of a plugin's settings, with single values or lists of them.
        case settings
        /// Values of one kind, with a range for their number.
        case list(Schema, count: ClosedRange<Int>)
        /// Keys with values.
        case section(Section)
        /// Any one of several forms.
        case anyOf([Schema])
        /// Names that match a pattern, each with a value of one kind.
        case named(Schema, pattern: String, limit: Int)
    }

    /// A mapping with known keys.
    package struct Section: Sendable {
        /// Its name in the definitions of the JSON Schema.
        package var name: String
        /// The meaning, as a sentence.
        package var summary: String
        /// Its keys, in their usual order.
        package var fields: [Field]
        /// The keys that must be present besides required ones.
        package var presence = Presence.any
        /// The key of a single value that stands for the section.
        package var shortKey: String?
        /// Wrong keys that users often write.
        package var keyAliases: [KeyAlias] = []

        /// Whether it may be empty.
        package var mayBeEmpty: Bool { presence == .any && !fields.contains(where: \.isRequired) }
    }

    /// The rule about keys that a section must have.
    package enum Presence: Equatable, Sendable {
        /// Only the required ones.
        case any
        /// At least one of these.
        case oneOrMore([String])
        /// Exactly one of these, and others.
        case exactlyOneOf([String])
        /// One of the first keys with others, or one of the rest alone.
        case either([String], orAlone: [String])
    }

    /// A wrong key that users often write.
    package struct KeyAlias: Sendable {
        package var key: String
        /// The right key.
        package var meant: String
        /// The replacement.
        package var cure: String

        package init(key: String, meant: String, cure: String) {
            self.key = key
            self.meant = meant
            self.cure = cure
        }
    }

    /// A key of a section.
    package struct Field: Sendable {
        package var key: String
        /// The effect, in a sentence or two.
        package var summary: String
        package var examples: [JSON]
        package var defaultValue: JSON?
        package var isRequired = false
        package var schema: Schema
    }

    package var kind: Kind
    /// The expected value, after "needs": "a size such as 1280x720".
    package var expectation: String

    package init(kind: Kind, expectation: String) {
        self.kind = kind
        self.expectation = expectation
    }
}

extension Schema {
    /// The section in this schema, in any form.
    package var section: Section? {
        switch kind {
        case .section(let section): section
        case .anyOf(let forms): forms.lazy.compactMap(\.section).first
        case .text, .choice, .boolean, .integer, .settings, .list, .named: nil
        }
    }

    /// All nested sections and itself, unique, in the order of first use.
    package var sections: [Section] {
        var found: [Section] = []
        collectSections(into: &found)
        return found
    }

    private func collectSections(into found: inout [Section]) {
        switch kind {
        case .text, .choice, .boolean, .integer, .settings: break
        case .list(let item, _), .named(let item, _, _): item.collectSections(into: &found)
        case .anyOf(let forms): for form in forms { form.collectSections(into: &found) }
        case .section(let section):
            guard !found.contains(where: { $0.name == section.name }) else { return }
            found.append(section)
            for field in section.fields { field.schema.collectSections(into: &found) }
        }
    }
}
