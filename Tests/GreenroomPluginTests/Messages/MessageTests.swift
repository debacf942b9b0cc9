import Foundation
import TestSupport
import Testing

/// Every text for people stands in one table, so that a review reads all of them. After a change
///
///     GREENROOM_WRITE_MESSAGES=1 swift test --filter MessageTests
///
/// updates the table.
@Suite struct MessageTests {
    private static let path = "\(Checkout.root)/Tests/Messages.txt"

    private static let table = Result { try MessageTable() }

    @Test func `the table has every message`() throws {
        let table = try Self.table.get()
        if ProcessInfo.processInfo.environment["GREENROOM_WRITE_MESSAGES"] != nil {
            try table.text.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        var listed: [String: Set<Substring>] = [:]
        var file = ""
        for line in String(decoding: try readFile(Self.path), as: UTF8.self).split(separator: "\n")
        {
            if line.hasPrefix("  ") {
                listed[file, default: []].insert(line.dropFirst(2))
            } else {
                file = String(line)
            }
        }
        for (file, texts) in table.messages {
            let known = listed.removeValue(forKey: file) ?? []
            let found = Set(texts.map { Substring($0) })
            #expect(found.subtracting(known).sorted() == [], "not in Tests/Messages.txt: \(file)")
            #expect(known.subtracting(found).sorted() == [], "no longer in \(file)")
        }
        #expect(listed.keys.sorted() == [], "files without messages")
    }

    /// Habits of this project that make readers look for the subject or the verb.
    @Test(arguments: [
        ("^(it|they) ", "begin with the verb, or name the subject"),
        ("^[Ww]hat ", "name the subject"),
        (#"\b(is|are|was|were) no (?!longer\b|more\b)"#, "write: not a …"),
        (#"\b[Tt]here (is|are|was|were) (no|none)\b"#, "begin with: no …"),
        (#"\bis none of\b"#, "write: not one of …"),
        (#"\b(is|are|was|were) (started|tried|connected) again\b"#, "write: restarting, retrying"),
        (#"\bhas (left|gone|joined|connected)\b"#, "write: left, joined, connected, disconnected"),
        (#"\b(is|are|was|were) (told|asked for)\b"#, "use the verb of the field"),
        (#"\bfor want of\b"#, "write: lacks …"),
        (#"\ball the same\b"#, "write: anyway"),
        (#"\bcan't be\b"#, "write: cannot, and the verb"),
        (#"\bthat there (is|are|was)\b"#, "name the subject"),
        (#"\bcan't be\b"#, "write: cannot, and the verb"),
    ])
    func `no message has a habit that hides its subject`(habit: String, cure: String) throws {
        let habit = try Regex(habit)
        for (file, texts) in try Self.table.get().messages {
            for text in texts where text.firstMatch(of: habit) != nil {
                Issue.record("\(file): \(text) (\(cure))")
            }
        }
    }
}
