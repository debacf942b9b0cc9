import GreenroomModel
import Foundation
import GreenroomABI
import GreenroomPluginInterface
import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomLifecycle

/// The generated parts of the authors' book and the manual. After a change of the code
///
///     GREENROOM_WRITE_BOOK=1 swift test --filter BookTests
///
/// updates them.
@Suite struct BookTests {
    static let parts: [(chapter: String, name: String, text: String)] =
        [
            ("manual/events", "members", BookParts.members),
            ("manual/events", "events", BookParts.events),
            ("book/lifecycle", "diagram", BookParts.diagram),
            ("book/lifecycle", "table", BookParts.lifecycle),
            ("book/send-video", "refusals", BookParts.refusals),
            ("book/negotiation", "sizes", BookParts.sizes),
        ] + Limits.pages.map { ("manual/limits", $0.part, $0.table) }

    @Test func `the limits of the Swift interface equal the header's limits`() {
        #expect(Limits.participants == Int(GR_MAX_PARTICIPANTS))
        #expect(Limits.keptFrames == Int(GR_MAX_KEPT))
    }

    @Test func `generated parts of the book match the code`() throws {
        for part in Self.parts {
            if ProcessInfo.processInfo.environment["GREENROOM_WRITE_BOOK"] != nil {
                let chapter = try Chapter(path: "\(Chapter.folder)/\(part.chapter).md")
                try chapter.replacing(part.name, with: part.text)
                    .write(toFile: chapter.path, atomically: true, encoding: .utf8)
            }
            let chapter = try Chapter(path: "\(Chapter.folder)/\(part.chapter).md")
            #expect(
                chapter.generated(part.name) == part.text,
                "\(part.name) of \(part.chapter).md: write it anew with GREENROOM_WRITE_BOOK=1")
        }
    }

    @Test func `every part that is marked as generated is compared`() {
        let marked = (Chapter.book + Chapter.manual).map {
            $0.text.components(separatedBy: "made from code:").count - 1
        }
        #expect(marked.reduce(0, +) == Self.parts.count)
    }

    @Test func `the book has a refusal for every status of a sender`() {
        // The other statuses are answers of plugins.
        let answers: Set<Status> = [
            .ok, .badAnswer, .badSetting, .failed, .unavailable, .unsupported,
        ]
        let told = Set(BookParts.refusalExamples.map(\.status))
        #expect(told == Set(Status.all.map(\.status)).subtracting(answers))
    }

    @Test func `the lifecycle diagram has every step to another state`() {
        let drawn = BookParts.diagram
        for row in LifecycleTable.rows where row.next != row.state && row.step != .fault {
            let count = LifecycleTable.rows.count {
                $0.step == row.step && $0.next != $0.state
            }
            #expect(drawn.components(separatedBy: " \(row.step.rawValue)").count - 1 == count)
        }
    }
}
