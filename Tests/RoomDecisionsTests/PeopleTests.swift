import RoomDecisions
import Testing

/// Tests the decisions about who speaks, and the way of text messages.
@Suite struct PeopleTests {
    /// Blocks of a person, 20 ms each, and the state of the rule after them.
    private struct Step {
        var level: Double?
        var person: UInt32
        var blocks: Int
        var speaking: [UInt32]
        var active: UInt32?
    }

    @Test func `a person speaks from the third loud block until 1 s of silence`() {
        var rule = SpeakerRule()
        var seconds = 0.0
        let steps = [
            // The rule ignores a click.
            Step(level: -10, person: 1, blocks: 2, speaking: [], active: nil),
            Step(level: -90, person: 1, blocks: 1, speaking: [], active: nil),
            Step(level: -20, person: 1, blocks: 3, speaking: [1], active: 1),
            // A person who interrupts is not the active speaker.
            Step(level: -5, person: 2, blocks: 3, speaking: [1, 2], active: 1),
            Step(level: -.infinity, person: 1, blocks: 20, speaking: [1, 2], active: 1),
            Step(level: -30, person: 2, blocks: 40, speaking: [2], active: 2),
            // The last speaker stays the active one.
            Step(level: nil, person: 2, blocks: 60, speaking: [], active: 2),
            Step(level: .nan, person: 3, blocks: 10, speaking: [], active: 2),
        ]
        for (index, step) in steps.enumerated() {
            for _ in 0..<step.blocks {
                seconds += 0.02
                let before = (rule.speaking, rule.active)
                let isNews =
                    step.level.map { rule.add($0, of: step.person, at: seconds) }
                    ?? rule.expire(at: seconds)
                #expect(isNews == (before != (rule.speaking, rule.active)), "\(index)")
            }
            #expect(rule.speaking == step.speaking, "\(index)")
            #expect(rule.active == step.active, "\(index)")
        }
        rule.remove(2)
        #expect(rule.active == nil)
    }

    @Test func `a silent person gives way to two who answer each other every 300 ms`() {
        var rule = SpeakerRule()
        for block in 0..<1000 {
            let seconds = Double(block) * 0.02
            let loud: UInt32 = block < 50 ? 3 : block / 15 % 2 == 0 ? 1 : 2
            for person: UInt32 in [1, 2, 3] {
                _ = rule.add(person == loud ? -20 : -80, of: person, at: seconds)
            }
            if block == 49 { #expect(rule.active == 3) }
            if block > 110 { #expect(rule.active == 1 || rule.active == 2, "\(seconds) s") }
        }
    }

    @Test(
        arguments: [
            ([Int16](repeating: 0, count: 960), -Double.infinity), ([], -Double.infinity),
            ([Int16](repeating: .min, count: 960), 0), ([3277, -3277], -20),
        ] as [([Int16], Double)])
    func `a level is RMS in dBFS`(samples: [Int16], level: Double) {
        let measured = SpeakerRule.level(of: samples.span)
        #expect(measured == level || abs(measured - level) < 0.01, "\(measured)")
    }

    @Test func `a message is shown to pages for 30 s`() throws {
        var relay = MessageRelay()
        try relay.add("one", from: "Ana", 3, at: 0)
        try relay.add("two", from: "Operator", nil, at: 20)
        #expect(relay.messages(after: 0).map(\.text) == ["one", "two"])
        #expect(relay.messages(after: 1).map(\.name) == ["Operator"])
        #expect(relay.messages(after: 2).isEmpty)
        // A number of an earlier room.
        #expect(relay.messages(after: 90).count == 2)
        relay.expire(at: 31)
        #expect(relay.messages(after: 0).map(\.text) == ["two"])
        relay.expire(at: 60)
        #expect(relay.messages(after: 0).isEmpty && relay.newest == 2)
        for index in 0..<500 { try relay.add("\(index)", from: "Ana", 3, at: 60) }
        #expect(relay.messages(after: 0).map(\.text) == (400..<500).map(String.init))
    }

    @Test(arguments: [
        ("a\u{1B}[2J\nb\u{202E}c\u{7}", "a[2J bc"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("<b>", "<b>"),
        ("a\u{2067}b\u{200F}c\u{200C}d", "abc\u{200C}d"),
        (String(repeating: "x", count: 500), String(repeating: "x", count: 500)),
        (String(repeating: "x", count: 501), nil), ("\u{200B} \n", nil),
        ("e" + String(repeating: "\u{301}", count: 2000), nil),
    ])
    func `a message is one line of at most 500 characters`(given: String, text: String?) {
        var relay = MessageRelay()
        if text == nil {
            #expect(throws: RequestError.self) {
                try relay.add(given, from: "Ana", 1, at: 0)
            }
        } else {
            #expect(throws: Never.self) { try relay.add(given, from: "Ana", 1, at: 0) }
        }
        #expect(relay.messages(after: 0).first?.text == text)
    }
}
