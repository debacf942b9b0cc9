import Foundation
import TestSupport
import Testing

/// The rules of every text for people, whichever source file has it. The tests write all texts, by file, into
/// `.build/messages.txt`, so that a review can read them in one place.
@Suite struct MessageTests {
    private static let table = Result { try MessageTable() }

    @Test func `all messages are collected in one table`() throws {
        let table = try Self.table.get()
        #expect(table.messages.reduce(0) { $0 + $1.texts.count } > 1000)
        try table.text.write(
            toFile: "\(Checkout.root)/.build/messages.txt", atomically: true, encoding: .utf8)
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
        (#"\bthat there (is|are|was)\b"#, "name the subject"),
        (#"\bcan't be\b"#, "write: cannot, and the verb"),
    ])
    func `no message has a habit that hides its subject`(habit: String, fix: String) throws {
        let habit = try Regex(habit)
        for (file, texts) in try Self.table.get().messages {
            for text in texts where text.firstMatch(of: habit) != nil {
                Issue.record("\(file): \(text) (\(fix))")
            }
        }
    }
}
