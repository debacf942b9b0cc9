import GreenroomSession

extension Catalogue {
    static let startReturns = Check(
        "lifecycle.start-returns", "start-send returns",
        proving: """
            start-send returns within its deadline, and has not sent or waited for session time \
            from inside until then. "A plugin makes its own threads to produce frames": one that \
            sends from inside of start-send and returns at the end blocks its control thread, so \
            that it hears of no new offer and no changed setting.
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
