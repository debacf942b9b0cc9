import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let initializeOnly = Check(
        "lifecycle.initialize-only", "initialize without start-send",
        rule: "An instance that never started can be uninitialized and destroyed.",
        why: """
            A microphone that is never unmuted is never started: "uninitialize comes \
            exactly once for each successful initialize".
            """,
        measured: "create, initialize, uninitialize, destroy, without start-send.",
        fix: "Let uninitialize check what exists before it releases it."
    ) { examination throws(Verdict) in
        let first = try examination.fixture()
        for fixture in [first, examination.fixture(beside: first, number: 1)] {
            try fixture.create()
            try fixture.initialize()
            try fixture.wait(seconds: 0.2)
            for step in [LifecycleStep.uninitialize, .destroy] {
                let end = fixture.make(step)
                guard end != .done else { continue }
                let verdict = fixture.verdict(on: "\(step) without a start", end)
                return end == .hangs ? verdict.unless("lifecycle.callbacks-in-time") : verdict
            }
        }
        return .passed()
    }
}
