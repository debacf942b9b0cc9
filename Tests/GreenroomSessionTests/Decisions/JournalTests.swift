import Foundation
import GreenroomDecisions
import TestSupport
import Testing

/// Journals of sessions with faults. `GREENROOM_WRITE_JOURNALS=1` writes them again from the tests
/// in `Session`, after a deliberate change of the decisions.
@Suite struct JournalTests {
    private static let folder = Checkout.root + "/Tests/Journals"

    /// Stores the journal of the current test if a plugin of the session has failed.
    static func keep(_ journal: [String]) throws {
        let faults = [#""lost":"#, #""hangs":"#, #""gaveUp":"#]
        guard ProcessInfo.processInfo.environment["GREENROOM_WRITE_JOURNALS"] != nil,
            journal.contains(where: { line in faults.contains { line.contains($0) } }),
            let name = Test.current?.name
        else { return }
        let words = name.split { !$0.isLetter && !$0.isNumber }.prefix(12)
        try journal.map { $0 + "\n" }.joined().write(
            toFile: "\(folder)/\(words.joined(separator: "-")).jsonl", atomically: true,
            encoding: .utf8)
    }

    private static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []

    @Test func `there are journals of twenty sessions`() { #expect(Self.names.count >= 20) }

    @Test(arguments: names)
    func `a replayed journal of a faulty session yields the same decisions`(name: String) throws {
        let journal = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
        #expect(try SessionState.replay(journal) > 2)
    }

    private static let start =
        #"{"at":1000,"plugins":{"0":{"connects":false,"isCall":false,"isNeeded":false,"isSource":true,"#
        + #""onFailure":"restart","role":"camera","takesTracks":false,"track":"camera"}}}"#
    private static let started = #"{"at":1000,"effects":[],"event":{"opened":{"_0":true}}}"#

    private static func lost(at time: String, _ effects: String) -> String {
        #"{"at":\#(time),"effects":[\#(effects)],"event":{"lost":{"_0":0,"_1":"#
            + #"{"cause":"other","fault":"crashed","hasBeenLive":false}}}}"#
    }

    @Test func `a decision that differs from the journal is reported with its line`() throws {
        let effects = #""give up 0: failed","camera restarts in 0.5 s""#
        let lines = [Self.start, Self.started, Self.lost(at: "2000", effects)]
        #expect(try SessionState.replay(lines.joined(separator: "\n")) == 2)
        let wrong = [Self.start, Self.started, Self.lost(at: "2000", #""give up 0: failed""#)]
        let error = #expect(throws: JournalError.self) {
            try SessionState.replay(wrong.joined(separator: "\n"))
        }
        #expect(error?.line == 3)
        #expect(
            error?.description == #"the journal has "give up 0: failed", but this version decides "#
                + #""give up 0: failed", "camera restarts in 0.5 s""#)
    }

    private static let wrongJournals: [(journal: String, line: Int, reason: String)] = [
        ("", 1, "the journal is empty"),
        ("{}", 1, "not a line of a journal: the key at is missing"),
        (started, 1, "a journal begins with a line that lists the plugins"),
        ("\(start)\n\(start)", 2, "needs an event and its effects"),
        ("\(start)\nnot JSON", 2, "not a line of a journal: not a JSON object"),
        (#"{"at":"1"}"#, 1, "not a line of a journal: at has the wrong type"),
    ]
    private static let wrongTimes = [
        ("999", "the time must not decrease or exceed 2^62 ns"),
        ("9223372036854775807", "the time must not decrease or exceed 2^62 ns"),
        ("1e40", "not a line of a journal: "),
    ]

    @Test(
        arguments: wrongJournals
            + wrongTimes.map { ("\(start)\n\(lost(at: $0, ""))", 2, $1) })
    func `a journal that cannot be replayed is an error with its line and the reason`(
        wrong: (journal: String, line: Int, reason: String)
    ) throws {
        let error = try #require(
            #expect(throws: JournalError.self) { try SessionState.replay(wrong.journal) })
        #expect(error.line == wrong.line)
        #expect(error.description.hasPrefix(wrong.reason), "\(error)")
        #expect(!error.description.contains("CodingKeys"), "\(error)")
    }
}
