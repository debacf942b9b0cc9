import GreenroomHarness
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    static let giveUp = Check(
        "lifecycle.give-up", "give_up is final", of: .senders,
        rule: "After give_up, a source sends nothing and does not call it again.",
        why: """
            "The source can't continue and sends nothing more": the host has already \
            replaced the source.
            """,
        measured: """
            A source that gives up within its first three seconds. Four sends already \
            begun are tolerated; the source must then stop and end normally.
            """,
        fix: "End the sending thread after the call."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        try fixture.wait(seconds: 3)
        try fixture.end()
        let calls = fixture.record.calls
        guard let first = calls.firstIndex(where: { $0.request == .giveUp }) else {
            return .passed("has not given up")
        }
        let later = calls[(first + 1)...]
        if later.contains(where: { $0.request == .giveUp }) {
            return .failed(
                "called give_up \(later.count { $0.request == .giveUp } + 1) times: once is for "
                    + "good")
        }
        let sent = later.count { $0.isSend && $0.status == .ok }
        guard sent <= 4 else {
            return .failed(
                "made \(sent) calls of its sender after give_up: end its threads then, or don't "
                    + "give up")
        }
        return .passed()
    }
}
