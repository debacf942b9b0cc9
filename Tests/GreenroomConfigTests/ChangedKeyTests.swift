import Testing

@testable import GreenroomConfig
@testable import GreenroomSchema

/// The keys that a session's file has changed, for a reload.
@Suite struct ChangedKeyTests {
    private static let keys = SessionDecoder.sessionFields.map(\.schema.key)

    private func read(_ text: String) throws -> SessionFile {
        try SessionFile.read(Array(text.utf8), file: "demo.yaml", folder: "/")
    }

    /// A file with a duration, which some keys need.
    private func file(with entry: String) throws -> SessionFile {
        try read(
            """
            session:
              \(entry.hasPrefix("duration:") ? "" : "duration: 1s")
              \(entry)
            camera: { plugin: ColorBars }
            """)
    }

    @Test(arguments: keys)
    func `a change of any key in the section session is found`(key: String) throws {
        let field = try #require(SessionDecoder.sessionFields.first { $0.schema.key == key })
        let without = try file(with: "")
        let changes = try field.schema.examples.map { example in
            try file(with: "\(key): \(example.text)").changedKeys(since: without)
        }
        #expect(changes.contains(["session.\(key)"]), "\(changes)")
        let same = try file(with: "\(key): \(field.schema.examples[0].text)")
        #expect(same.changedKeys(since: same).isEmpty)
    }

    @Test func `a value in another spelling does not count as a change`() throws {
        let (first, second) = try (
            read("session: { duration: 60s }\ncamera: { plugin: ColorBars }"),
            read("camera: { plugin: ColorBars }\nsession: { duration: 1m }")
        )
        #expect(second.changedKeys(since: first).isEmpty)
    }

    @Test func `a changed timeline is reported, and a changed plugin is not`() throws {
        let first = try read("camera: { plugin: ColorBars }")
        let second = try read(
            """
            camera: { plugin: Slides, settings: { path: slides } }
            timeline: [{ at: 1s, ceiling: 640x360@15 }]
            """)
        #expect(second.changedKeys(since: first) == ["timeline"])
    }

    @Test func `the timeline and every key in the section session can be compared`() {
        let roots = SessionDecoder.rootFields.filter { $0.schema.key == "timeline" }
        #expect(roots.count == 1 && roots.allSatisfy { $0.isSame != nil })
        for field in SessionDecoder.sessionFields {
            #expect(field.isSame != nil, "\(field.schema.key)")
        }
    }
}
