import GreenroomSession

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
        switch fixture.make("start-send") {
        case .done: return .passed()
        case .hangs where fixture.accepted > 0, .pumps:
            return .failed(
                "start-send has sent or waited from inside, and not returned: begin a thread "
                    + "there that does it, and return")
        case .hangs:
            return .failed(
                "start-send has not returned after 2 s: begin a thread for what takes long")
        case let end: return fixture.ordinary("start-send", end)
        }
    }
}
