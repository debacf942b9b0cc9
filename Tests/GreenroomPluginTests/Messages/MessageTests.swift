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

    @Test func `the table has every message`() throws {
        let table = try MessageTable()
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
}
