import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let initializeOnly = Check(
        "lifecycle.initialize-only", "initialize without start-send",
        proving: """
            An instance that was initialized and never started must uninitialize and destroy \
            cleanly: a microphone that is never unmuted is never started, and "uninitialize comes \
            exactly once for each successful initialize".
            """
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
