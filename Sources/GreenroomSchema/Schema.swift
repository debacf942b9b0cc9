/// What may stand at a place of the file, as data: the JSON Schema is written from it, and
/// reading takes its known keys, its words and its rules from it.
package struct Schema: Sendable {
    package indirect enum Kind: Sendable {
        /// Text; with a pattern, text that matches all of it.
        case text(pattern: String?)
        /// One of a few words, each with what it means.
        case choice([(word: String, meaning: String)])
        /// `true` or `false`.
        case boolean
        /// A whole number within bounds.
        case integer(ClosedRange<Int64>)
        /// Keys of a plugin's own with single values.
        case settings
        /// Values of one kind, as many as a range says.
        case list(Schema, count: ClosedRange<Int>)
        /// Keys with values.
        case section(Section)
        /// Any one of several forms.
        case anyOf([Schema])
    }

    /// A mapping with known keys.
    package struct Section: Sendable {
        /// Its name among the definitions of the JSON Schema.
        package var name: String
        /// What it is, a sentence.
        package var summary: String
        /// Its keys, in the order in which people write them.
        package var fields: [Field]
        /// What has to stand in it besides required keys.
        package var presence = Presence.any
        /// The key that is meant where a single value stands in the section's place.
        package var shortKey: String?
        /// Keys that people write in place of others.
        package var keyAliases: [KeyAlias] = []

        /// Whether it may be empty.
        package var mayBeEmpty: Bool { presence == .any && !fields.contains(where: \.isRequired) }
    }

    /// Which of a section's keys have to be there.
    package enum Presence: Equatable, Sendable {
        /// Only the required ones.
        case any
        /// At least one of these.
        case oneOrMore([String])
        /// One and no other.
        case exactlyOne
        /// One of these, besides others.
        case exactlyOneOf([String])
        /// One of two, besides others with the first, and with the second none.
        case either(String, orAlone: String)
    }

    /// A key that is none, and that people write.
    package struct KeyAlias: Sendable {
        package var key: String
        /// The key that was meant.
        package var meant: String
        /// What to write instead.
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
        /// What it does, a sentence or two.
        package var summary: String
        package var examples: [JSON]
        package var defaultValue: JSON?
        package var isRequired = false
        package var schema: Schema
    }

    package var kind: Kind
    /// What is needed, for "needs …": "a size such as 1280x720".
    package var expectation: String

    package init(kind: Kind, expectation: String) {
        self.kind = kind
        self.expectation = expectation
    }
}

extension Schema {
    /// The section that it is, in whatever form.
    package var section: Section? {
        if case .section(let section) = kind { section } else { nil }
    }

    /// Every section in it, itself included, each once, in the order of first use.
    package var sections: [Section] {
        var found: [Section] = []
        collectSections(into: &found)
        return found
    }

    private func collectSections(into found: inout [Section]) {
        switch kind {
        case .text, .choice, .boolean, .integer, .settings: break
        case .list(let item, _): item.collectSections(into: &found)
        case .anyOf(let forms): for form in forms { form.collectSections(into: &found) }
        case .section(let section):
            guard !found.contains(where: { $0.name == section.name }) else { return }
            found.append(section)
            for field in section.fields { field.schema.collectSections(into: &found) }
        }
    }
}
