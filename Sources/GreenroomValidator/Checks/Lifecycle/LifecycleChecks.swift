import GreenroomHost

extension Catalogue {
    static let lifecycleChecks: [Check] = [wholeLife]

    /// What all others build on.
    private static let wholeLife = Check(
        "lifecycle.whole-life", "a whole life, step by step",
        proving: """
            create, initialize, start-send, half a second of sending, stop-send, uninitialize and \
            destroy, each answered with GR_STATUS_OK and within its deadline. A source has sent \
            something by then. This is the order that plugin.h promises and every session keeps.
            """
    ) { examination throws(Verdict) in
        let bench = try examination.bench()
        try bench.create()
        for (name, step) in bench.steps {
            switch step() {
            case .done: continue
            case .pumps:
                throw .failed("\(name) sends from inside and does not return: begin a thread there")
            case let end: throw try bench.verdict(on: name, end)
            }
        }
        return .passed()
    }
}
