import RoomDecisions
import Testing

/// When a viewer gets the key frames that they ask for.
@Suite struct KeyFrameTests {
    /// The times at which key frames come while a viewer asks ten times a second.
    private func grants(
        _ rule: inout KeyFrameRule, from begin: Double, seconds: Double
    ) -> [Double] {
        (0..<Int(seconds * 10)).map { begin + Double($0) / 10 }.filter { rule.ask(at: $0) }
    }

    @Test func `the first key frame request is granted at once, repeated ones ever later`() {
        var rule = KeyFrameRule()
        let grants = grants(&rule, from: 100, seconds: 20).map { ($0 - 100).rounded() }
        #expect(grants == [0, 1, 3, 6, 9, 12, 15, 18], "\(grants)")
    }

    /// What a rule says to a viewer who does these things in this order.
    private enum Step {
        case ask(Double), look(Double), change(Double), getsKey
    }

    private func said(_ steps: Step..., by rule: inout KeyFrameRule) -> [Bool] {
        steps.compactMap { step in
            switch step {
            case .ask(let time): return rule.ask(at: time)
            case .look(let time): return rule.isDue(at: time)
            case .change(let time): return rule.change(at: time)
            case .getsKey:
                rule.satisfy()
                return nil
            }
        }
    }

    @Test func `a viewer who paused requests is granted a key frame at once again`() {
        var rule = KeyFrameRule()
        let before = grants(&rule, from: 0, seconds: 8).count
        #expect(before == 4)
        let after = said(.getsKey, .ask(19), .ask(19.5), .ask(20), by: &rule)
        #expect(after == [true, false, true])
    }

    @Test func `a waiting request is granted at its time, or dropped at the next key frame`() {
        var rule = KeyFrameRule()
        let kept = said(.ask(0), .ask(0.5), .look(0.9), .look(1), .look(9), by: &rule)
        #expect(kept == [true, false, false, true, false])
        let another = said(.ask(2), .getsKey, .look(100), by: &rule)
        #expect(another == [false, false])
    }

    @Test func `a few changes of streams are granted at once, and endless ones are limited`() {
        var rule = KeyFrameRule()
        let first = (0..<8).map { rule.change(at: Double($0) / 100) }
        #expect(!first.contains(false))
        let more = (0..<600).count { rule.change(at: 1 + Double($0) / 10) }
        #expect(more <= 60 / 2 + 60 / 3 + 6, "\(more)")
    }
}
