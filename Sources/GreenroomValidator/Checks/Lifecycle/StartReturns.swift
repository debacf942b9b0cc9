import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let startReturns = Check(
        "lifecycle.start-returns", "start-send returns",
        proving: """
            start-send must return within its deadline, and must not send or wait for session time \
            from inside. "A plugin makes its own threads to produce frames": a plugin that sends \
            from inside start-send blocks its control thread, and hears of no new offer and no \
            changed setting.
            """
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
