import GreenroomMedia
import Testing

@testable import GreenroomNegotiation

@Suite struct ExplanationTests {
    private let second: Int64 = 1_000_000_000

    private func negotiator() -> Negotiator {
        var negotiator = Negotiator(
            rule: .rows, table: .standard,
            maximum: VideoCapability(width: 1280, height: 720, fps: 30))
        _ = negotiator.next(at: 0)
        negotiator.answered(.answered(.accept))
        negotiator.set(
            VideoCapability(width: 640, height: 360, fps: 15), kind: .outside,
            origin: "timeline[0]", at: 3 * second)
        _ = negotiator.next(at: 3 * second + 4_000_000)
        return negotiator
    }

    @Test func `a record names ceiling, origin, time and the source's answer`() {
        var negotiator = negotiator()
        negotiator.answered(.answered(.accept))
        negotiator.followed(revision: 2, frames: 3)
        let lines = negotiator.records.map { $0.explanation(role: "camera") }
        #expect(
            lines == [
                [
                    "camera: 1280x720@30 since 0.000 s (revision 1, initial)",
                    "  suggested was 1280x720@30; the source accepted",
                    "  ceiling 1280x720@30 by session.maximum since 0.000 s",
                ],
                [
                    "camera: 640x360@15 since 3.004 s (revision 2, ceiling-lowered)",
                    "  suggested was 640x360@15; the source accepted; it followed after 3 frames",
                    "  ceiling 640x360@15 by timeline[0] since 3.000 s",
                    "  1280x720@30 by session.maximum since 0.000 s does not bind",
                ],
            ])
    }

    @Test(arguments: [
        (Reply.answered(.accept), "accepted; no frame has followed yet"),
        (
            .answered(.counter(VideoCapability(width: 480, height: 270, fps: 10))),
            "countered with 480x270@10; no frame has followed yet"
        ),
        (
            .answered(.fixed(VideoCapability(width: 99, height: 98, fps: 10))),
            "makes exactly 99x98@10"
        ),
        (.ignored, "accepts no new offers and continues with 1280x720@30"),
        (.refused(.failed, "no"), "refused and continues with 1280x720@30"),
    ])
    func `every kind of reply has a text`(reply: Reply, words: String) {
        var negotiator = negotiator()
        #expect(
            negotiator.records.last?.explanation(role: "camera")[1].contains("not answered yet")
                == true)
        negotiator.answered(reply)
        let line = negotiator.records.last?.explanation(role: "camera")[1]
        #expect(line?.contains(words) == true, "\(line ?? "")")
        #expect(line?.contains("follow") == words.contains("follow"), "\(line ?? "")")
    }

    @Test func `a limit from the table is named`() {
        var negotiator = Negotiator(
            rule: .rows, table: .standard,
            maximum: VideoCapability(width: 3840, height: 2160, fps: 60))
        _ = negotiator.next(at: 0)
        negotiator.answered(.answered(.accept))
        let lines = negotiator.records.last?.explanation(role: "share") ?? []
        #expect(lines.contains { $0.contains("1920x1080@30 by the row of its size") }, "\(lines)")
    }
}
