import StageDecisions
import Testing

@Suite struct StageNamesTests {
    private let alone = StageNames(tracks: ["camera", "camera.desk"], hasParticipants: false)
    private let inCall = StageNames(tracks: ["camera"], hasParticipants: true)

    @Test(arguments: ["", "camera", "camera.desk"])
    func `a stage setting may name the session's tracks`(name: String) {
        #expect(alone.problem(of: name) == nil)
    }

    @Test(arguments: ["camera.x", "main", "share", "Ana", "share of Ana"])
    func `without a call, a name that is not a track is refused with the tracks`(name: String) {
        #expect(
            alone.problem(of: name)
                == "the stage has no \"\(name)\" to show. Write camera or camera.desk.")
    }

    @Test(arguments: [
        ("Ana", false), ("share of Ana", false), ("main", false), ("cameraman", false),
        ("camera.x", true), ("share", true), ("stage.wide", true),
    ])
    func `in a call, a participant may have any name except a track's`(name: String, isWrong: Bool)
    {
        let problem = inCall.problem(of: name)
        #expect((problem != nil) == isWrong)
        #expect(problem?.hasSuffix("Write camera or a participant's name.") ?? true)
    }

    @Test func `each line of the custom layout is checked, and an error names its line`() {
        let custom =
            "camera 0 0 50 50\ncamera.x 0 0 9 9\nno place\n\nspeaker 0 0 9 9\n"
            + "participant * 0 0 9 9\nparticipant Ana 0 0 9 9"
        #expect(alone.problems(in: "custom", custom).map(\.line) == [1, 6])
        #expect(inCall.problems(in: "custom", custom).map(\.line) == [1])
        #expect(alone.problems(in: "main", "x").map(\.line) == [nil])
        #expect(alone.problems(in: "inset", "camera").isEmpty)
        #expect(alone.problems(in: "name", "x").isEmpty)
    }
}
