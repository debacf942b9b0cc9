@testable import GreenroomNegotiation
import GreenroomModel
import GreenroomPluginInterface
import GreenroomMedia

@testable import GreenroomLifecycle

/// The generated parts of the authors' book, as Markdown.
enum BookParts {
    /// A row for each member of an event.
    static var members: String {
        table(["member", "what"], EventRecord.members.map { ["`\($0.name)`", $0.meaning] })
    }

    /// A row for each event.
    static var events: String {
        table(
            ["event", "level", "what has happened"],
            EventKind.allCases.map {
                ["`\($0.rawValue)`", $0.facts.level.rawValue, $0.facts.meaning]
            })
    }

    static var diagram: String {
        "```\n" + LifecycleDiagram.draw(LifecycleTable.rows) + "\n```"
    }

    /// A row for each state: its sender's answer, and the target of each step.
    static var lifecycle: String {
        let rows = LifecycleState.allCases.map { state in
            let steps = LifecycleTable.rows.filter { $0.state == state }.map { row in
                row.next == state
                    ? row.step.rawValue : "\(row.step.rawValue) → \(row.next.rawValue)"
            }
            return [
                state.rawValue, "`\(LifecycleTable.senderStatus(in: state))`",
                steps.isEmpty ? "none" : steps.joined(separator: ", "),
            ]
        }
        return table(["state", "a send answers", "steps"], rows)
    }

    /// A row for each rule that a send can break, with the host's message.
    static var refusals: String {
        table(
            ["status", "the host says, for example"],
            refusalExamples.map { refusal in
                let words = refusal.text.split(separator: ": ", maxSplits: 2).last ?? ""
                // Angle brackets and bars are Markdown syntax; the messages contain none.
                return ["`\(refusal.status)`", String(words)]
            })
    }

    static let refusalExamples: [Refusal] = {
        let rules: [(HostFunction, Refusal.Rule)] = [
            (.videoSend, .notStarted), (.videoSend, .stopped), (.videoSend, .gone),
            (.videoSend, .null), (.videoSend, .structTooSmall(size: 0, needed: 128)),
            (.audioSend, .misaligned),
            (.videoSend, .unknownFormat(99)), (.videoAcquire, .compressedLease),
            (.videoSend, .size(width: 0, height: 720)),
            (.videoSend, .planeCount(1, needed: 3)), (.videoSend, .planeWithoutData(plane: 1)),
            (.videoSend, .stride(plane: 0, stride: 640, needed: 853)),
            (.videoSend, .length(plane: 1, length: 102_240, needed: 102_480)),
            (.videoSend, .compressedLength(0, longest: 1_970_176)),
            (.audioSend, .blockLength(480, needed: 960)),
            (.videoSend, .rotation(45)), (.videoSend, .range(0)), (.videoSend, .matrix(0)),
            (.videoSend, .revision(3, newest: 2)), (.videoSend, .timestamp(-1)),
            (.videoCommit, .lease(7)),
            (.audioSend, .rate(4000)), (.audioSend, .channels(6)), (.audioSend, .emptyBlock),
            (.audioSend, .longBlock(frames: 480_000, longest: 4800)),
            (.videoSend, .data("the JPEG image is cut off: it has no end marker FF D9")),
            (.audioSend, .queueFull), (.videoAcquire, .noBuffer(limit: 8)),
            (.videoSend, .poolEmpty(limit: 24)),
        ]
        return rules.map { Refusal($0.1, in: $0.0) }
    }()

    /// The default rows for cameras.
    static var sizes: String {
        table(
            ["size", "most frames a second"],
            CapabilityTable.standard.rows.map { ["\($0.size)", "\($0.rate)"] })
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows)
            .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}
