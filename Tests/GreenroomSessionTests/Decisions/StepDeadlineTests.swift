import GreenroomDecisions
import Testing

/// When a callback hangs: times in milliseconds, with a limit of 2 s.
@Suite struct StepDeadlineTests {
    private typealias Glance = StepDeadline.Glance

    private func milliseconds(_ verdict: StepDeadline.Verdict) -> Int64? {
        if case .waits(let until) = verdict { until / 1_000_000 } else { nil }
    }

    private func glance(
        taken: Int64? = nil, other: Int64? = nil, isSpared: Bool = false, media: Int64 = 0
    ) -> Glance {
        Glance(
            taken: taken.map { $0 * 1_000_000 }, other: other.map { $0 * 1_000_000 },
            isSpared: isSpared, media: media * 1_000_000)
    }

    private func look(_ glance: Glance, at now: Int64) -> Int64? {
        let deadline = StepDeadline(2_000_000_000, from: 0)
        return milliseconds(deadline.look(glance, at: now * 1_000_000))
    }

    private func lookAwaited(_ glance: Glance, at now: Int64) -> Int64? {
        var deadline = StepDeadline(2_000_000_000, from: 0)
        return milliseconds(
            deadline.lookAwaited(glance, at: now * 1_000_000, mediaLimit: 2_000_000_000))
    }

    @Test func `a callback's time limit counts from the callback's own start`() {
        #expect(look(glance(taken: 100), at: 100) == 2000)
        // It began 500 ms after the step.
        #expect(look(glance(taken: 1600), at: 2100) == 2500)
        #expect(look(glance(taken: 2000), at: 2500) == nil)
        #expect(lookAwaited(glance(taken: 100), at: 100) == 2000)
        #expect(lookAwaited(glance(taken: 1500), at: 2000) == 2500)
        #expect(lookAwaited(glance(taken: 2000), at: 2000) == nil)
    }

    @Test func `a plugin's process has ten more seconds to start`() {
        #expect(look(glance(taken: 0), at: 3000) == 5000)
        #expect(look(glance(taken: 0), at: 11_000) == 12_000)
        #expect(look(glance(taken: 0), at: 12_001) == nil)
    }

    @Test func `loading a script has its own limit until the session ends`() {
        var deadline = StepDeadline(2_000_000_000, loading: 60_000_000_000, from: 0)
        let loading = glance(taken: 0)
        #expect(milliseconds(deadline.look(loading, at: 71_000_000_000)) == 72_000)
        #expect(milliseconds(deadline.look(loading, at: 72_001_000_000)) == nil)
        deadline.endLoading(at: 20_000_000_000)
        #expect(
            milliseconds(deadline.lookAwaited(loading, at: 31_000_000_000, mediaLimit: .max))
                == 32_000)
        #expect(
            milliseconds(deadline.lookAwaited(loading, at: 32_000_000_000, mediaLimit: .max)) == nil
        )
    }

    @Test func `a step in the queue has no deadline unless the session waits for the step`() {
        #expect(look(glance(other: 60_000), at: 60_000) == 62_000)
        #expect(lookAwaited(glance(other: 1500), at: 1500) == 2000)
        #expect(lookAwaited(glance(other: 2000), at: 2000) == nil)
        #expect(lookAwaited(glance(taken: 0, media: 2000), at: 2000) == nil)
    }

    @Test func `a debugger suspends the deadline`() {
        #expect(look(glance(taken: 9000, isSpared: true), at: 9000) == 11_000)
        #expect(lookAwaited(glance(taken: 9000, isSpared: true), at: 9000) == 11_000)
    }

    @Test func `a deadline beyond all time never comes`() {
        let deadline = StepDeadline(.max, from: 10)
        #expect(deadline.look(Glance(taken: 5), at: 20) == .waits(until: .max))
    }
}
