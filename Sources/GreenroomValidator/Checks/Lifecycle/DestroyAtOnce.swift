import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let destroyAtOnce = Check(
        "lifecycle.destroy-at-once", "destroy without initialize",
        rule: "An instance that was never initialized can be destroyed.",
        why: """
            A session that fails to start destroys what it has created: "[control & \
            created or uninitialized]".
            """,
        measured: """
            Three instances are created and destroyed; another one then works in the same \
            process.
            """,
        fix: "Release in destroy only what create made."
    ) { examination throws(Verdict) in
        let first = try examination.fixture()
        let fixtures = [first] + (1...3).map { examination.fixture(beside: first, number: $0) }
        for fixture in fixtures.dropLast() {
            try fixture.create()
            let end = fixture.make(.destroy)
            guard end == .done else {
                let verdict = fixture.verdict(on: "destroy after create", end)
                return end == .hangs ? verdict.unless("lifecycle.callbacks-in-time") : verdict
            }
        }
        guard let last = fixtures.last else { return .passed() }
        try last.start()
        try last.wait(seconds: 0.2)
        try last.end()
        return .passed()
    }
}
