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
    func `a session with faults decides again as its journal says`(name: String) throws {
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
        #expect(error?.line == 3 && error?.description.contains("camera restarts in 0.5 s") == true)
    }

    private static let wrongJournals: [(journal: String, line: Int)] = [
        ("", 1), ("{}", 1), (started, 1), ("\(start)\n\(start)", 2), ("\(start)\nnot JSON", 2),
    ]
    private static let wrongTimes = ["999", "9223372036854775807", "1e40"]

    @Test(arguments: wrongJournals + wrongTimes.map { ("\(start)\n\(lost(at: $0, ""))", 2) })
    func `a journal that cannot be replayed is an error with its line`(
        wrong: (journal: String, line: Int)
    ) {
        let error = #expect(throws: JournalError.self) { try SessionState.replay(wrong.journal) }
        #expect(error?.line == wrong.line)
    }
}
