import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let startReturns = Check(
        "lifecycle.start-returns", "start-send returns",
        rule: "start-send returns at once. It neither sends nor waits for session time.",
        why: """
            A plugin that sends inside start-send blocks its control thread, and learns of \
            no new offer and no changed setting: "A plugin makes its own threads to \
            produce frames".
            """,
        measured: "The deadline of start-send, and every call from inside it.",
        fix: "Start a thread, and return."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        try fixture.initialize()
        switch fixture.make(.startSend) {
        case .done: return .passed()
        case .hangs where fixture.accepted > 0, .pumps:
            return .failed(
                "start-send sends or waits inside and has not returned: start a thread "
                    + "for that, and return")
        case .hangs:
            return .failed(
                "start-send has not returned after 2 s: do slow work on a thread")
        case let end: return fixture.ordinary(.startSend, end)
        }
    }
}
