import GreenroomDecisions
import Testing

@Suite struct SessionDrainTests {
    /// The numbers of guests by second, and the second and the reason of the end.
    @Test(
        arguments: [
            ([0], 0, "drained: no guests"),
            // A guest who reloads the page within 5 s keeps the session.
            ([2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0], 10, "drained: the last guest left"),
            // The call's restart ends nothing.
            (
                [1, nil, nil, nil, nil, nil, nil, nil, 1, 0, 0, 0, 0, 0, 0], 14,
                "drained: the last guest left"
            ),
            (Array(repeating: 1, count: 30), 20, "drain-timeout is over"),
            ([nil] + Array(repeating: nil, count: 30), 20, "drain-timeout is over"),
        ] as [([Int?], Int64, String)])
    func `a draining session ends when its last guest leaves, or at the timeout`(
        guests: [Int?], second: Int64, text: String
    ) {
        var drain = SessionDrain(until: 20_000_000_000)
        for (index, count) in guests.enumerated() {
            let now = Int64(index) * 1_000_000_000
            guard let end = drain.follow(guests: count, at: now) else {
                #expect(drain.due > now)
                continue
            }
            #expect(Int64(index) == second)
            #expect(end == SessionEnd(text, .finished))
            return
        }
        Issue.record("the session never ends")
    }
}
