import GreenroomSession

extension Catalogue {
    static let destroyAtOnce = Check(
        "lifecycle.destroy-at-once", "destroy without initialize",
        proving: """
            An instance that was created and never initialized can be destroyed, three times in a \
            process that then lets another instance live. plugin.h calls destroy "[control & created \
            or uninitialized]": a session that can't be made destroys what it has created so far.
            """
    ) { examination throws(Verdict) in
        let first = try examination.fixture()
        let benches = [first] + (1...3).map { examination.fixture(beside: first, number: $0) }
        for fixture in benches.dropLast() {
            try fixture.create()
            let end = fixture.make("destroy")
            guard end == .done else {
                let verdict = fixture.verdict(on: "destroy after create", end)
                return end == .hangs ? verdict.unless("lifecycle.callbacks-in-time") : verdict
            }
        }
        guard let last = benches.last else { return .passed() }
        try last.start()
        try last.wait(seconds: 0.2)
        try last.end()
        return .passed()
    }
}
