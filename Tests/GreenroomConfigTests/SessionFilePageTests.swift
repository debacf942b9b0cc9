import Foundation
import GreenroomSchema
import TestSupport
import Testing

@testable import GreenroomConfig

/// The manual's page of the session file, made from the schema. After a change of the schema
///
///     GREENROOM_WRITE_BOOK=1 swift test --filter SessionFilePageTests
///
/// updates it.
@Suite struct SessionFilePageTests {
    @Test func `the manual has every key of the session file`() throws {
        let path = "\(Chapter.folder)/manual/session-file.md"
        let text = SessionFilePage(root: try #require(SessionDecoder.root.schema.section)).text
        if ProcessInfo.processInfo.environment["GREENROOM_WRITE_BOOK"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(
            String(decoding: try readFile(path), as: UTF8.self) == text,
            "GREENROOM_WRITE_BOOK=1 writes session-file.md again")
    }
}

private struct SessionFilePage {
    private(set) var text = """
        # Session file

        This page is the reference of all keys of a session file. If you are new to session files, read [Run a
        session](run-a-session.md) first.

        A session file is YAML, or JSON. A session needs at least a camera, a microphone, a share, a stage or a call.

        ```yaml
        session: { maximum: 1280x720@30, duration: 10s }
        camera: { plugin: ColorBars }
        microphone: { plugin: Tone }
        outputs: [{ record: recordings/demo }]
        ```

        Paths are relative to the folder of the file. `greenroom check FILE` reports every error, and
        `greenroom plugin info NAME` lists the settings of a plugin. This page is made from the schema that
        `greenroom schema` prints.

        """

    /// Described fields, and the heading above each.
    private var described: [String: String] = [:]

    init(root: Schema.Section) {
        for section in Schema(kind: .section(root), expectation: "").sections {
            let heading = section.name == root.name ? "The file" : section.name
            text += "\n## \(heading)\n\n\(Self.prose(section.summary))\n"
            add(section.fields, under: heading)
        }
    }

    private mutating func add(_ fields: [Schema.Field], under heading: String) {
        var repeated: [String: [String]] = [:]
        var rows = ""
        for field in fields {
            let identity = field.key + field.summary
            if let earlier = described[identity] {
                repeated[earlier, default: []].append("`\(field.key)`")
                continue
            }
            described[identity] = heading
            rows += "| `\(field.key)`\(field.isRequired ? " (required)" : "") | "
            rows += "\(Self.values(of: field)) | \(Self.meaning(of: field)) |\n"
        }
        if !rows.isEmpty { text += "\n| key | value | meaning |\n| --- | --- | --- |\n" + rows }
        for (earlier, keys) in repeated.sorted(by: { $0.key < $1.key }) {
            text += "\nAs in *\(earlier)*: \(keys.joined(separator: ", ")).\n"
        }
    }

    /// The words of a choice, else examples; then the default.
    private static func values(of field: Schema.Field) -> String {
        let words = field.schema.choices.map { "`\($0.word)`" }
        let examples = field.examples.prefix(2).map { "`\(flow($0))`" }
        let values = (words.isEmpty ? examples : words).joined(separator: ", ")
        guard let value = field.defaultValue else { return values }
        return "\(values); default `\(flow(value))`"
    }

    private static func meaning(of field: Schema.Field) -> String {
        let choices = field.schema.choices.filter { !$0.meaning.isEmpty }
        let words = choices.map { "`\($0.word)`: \(prose($0.meaning))" }
        return ([prose(field.summary)] + words).joined(separator: " ")
    }

    /// A sentence with quoted keys in code voice, for a cell of a table.
    private static func prose(_ sentence: String) -> String {
        sentence.replacing(#/"([^"]+)"/#) { "`\($0.1)`" }.replacing("|", with: "\\|")
    }

    /// A value as YAML on one line.
    private static func flow(_ value: JSON) -> String {
        switch value {
        case .string(let text):
            text.wholeMatch(of: #/[A-Za-z0-9.\/][A-Za-z0-9.\/@ =_%\[\]-]*/#) == nil
                ? "\"\(text)\"" : text
        case .array(let values): "[\(values.map(flow).joined(separator: ", "))]"
        case .object(let members):
            "{ \(members.map { "\($0.key): \(flow($0.value))" }.joined(separator: ", ")) }"
        case .null, .boolean, .integer, .number: value.line
        }
    }
}

extension Schema {
    /// The words that the value may be.
    fileprivate var choices: [(word: String, meaning: String)] {
        switch kind {
        case .choice(let words): words
        case .anyOf(let forms): forms.flatMap(\.choices)
        case .text, .boolean, .integer, .settings, .list, .section, .named: []
        }
    }
}
