/// What may stand at a place of the file, as data: the JSON Schema is written from it, and
/// reading takes its known keys, its words and its rules from it.
struct Schema: Sendable {
    indirect enum Kind: Sendable {
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
    struct Section: Sendable {
        /// Its name among the definitions of the JSON Schema.
        var name: String
        /// What it is, a sentence.
        var summary: String
        /// Its keys, in the order in which people write them.
        var fields: [Field]
        /// What has to stand in it besides required keys.
        var presence = Presence.any
        /// The key that is meant where a single value stands in the section's place.
        var shortKey: String?
        /// Keys that people write in place of others.
        var keyAliases: [KeyAlias] = []

        /// Whether it may be empty.
        var mayBeEmpty: Bool { presence == .any && !fields.contains(where: \.isRequired) }
    }

    /// Which of a section's keys have to be there.
    enum Presence: Equatable, Sendable {
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
    struct KeyAlias: Sendable {
        var key: String
        /// The key that was meant.
        var meant: String
        /// What to write instead.
        var cure: String
    }

    /// A key of a section.
    struct Field: Sendable {
        var key: String
        /// What it does, a sentence or two.
        var summary: String
        var examples: [JSON]
        var defaultValue: JSON?
        var isRequired = false
        var schema: Schema
    }

    var kind: Kind
    /// What is needed, for "needs …": "a size such as 1280x720".
    var expectation: String
}

extension Schema {
    /// The section that it is, in whatever form.
    var section: Section? {
        if case .section(let section) = kind { section } else { nil }
    }

    /// Every section in it, itself included, each once, in the order of first use.
    var sections: [Section] {
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
