import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle
import Synchronization

/// The progress of a check, to report where it was at its timeout. [any]
final class CheckProgress: Sendable {
    private struct Follower: Sendable {
        weak var fixture: Fixture?
    }

    private struct State {
        var followers: [Follower] = []
        /// The time of ended runs.
        var past = PluginHarness.Spent()
        var refusals: [String] = []
        var hanging: Set<LifecycleStep> = []
    }

    private let state = Mutex(State())

    /// Records the start of a run.
    func follow(_ fixture: Fixture) {
        state.withLock { $0.followers.append(Follower(fixture: fixture)) }
    }

    /// Records the time of an ended run.
    func add(_ spent: PluginHarness.Spent) { state.withLock { $0.past += spent } }

    /// Takes note of a step that did not return in time.
    func add(hanging step: LifecycleStep) { state.withLock { _ = $0.hanging.insert(step) } }

    /// The steps that did not return in time.
    var hanging: Set<LifecycleStep> { state.withLock { $0.hanging } }

    /// Limit of different refusals to keep: a plugin can produce any number.
    private static let mostRefusals = 100

    /// Takes note of something that the sandbox refused.
    func add(refusal: String) {
        state.withLock { state in
            guard state.refusals.count < Self.mostRefusals, !state.refusals.contains(refusal) else {
                return
            }
            state.refusals.append(refusal)
        }
    }

    /// The accesses that the sandbox denied in all lives, each once.
    var refusals: [String] { state.withLock { $0.refusals } }

    /// The verdict on a check that has none yet.
    func verdict(afterSeconds seconds: Double) -> Verdict {
        let (fixtures, past) = state.withLock { ($0.followers.compactMap(\.fixture), $0.past) }
        let spent = fixtures.reduce(into: past) { $0 += $1.pluginHarness.spent }
        let begin = "did not end within \(Int(seconds)) s: "
        let sofar = spent.text
        for fixture in fixtures {
            guard let (step, nanoseconds) = fixture.pluginHarness.runningCallback else { continue }
            let verdict = Verdict(
                outcome: .timedOut,
                text: begin
                    + "\(step.rawValue) has been running for \(Self.seconds(nanoseconds)) s"
                    + (sofar.isEmpty ? "" : ", and \(sofar)"))
            return nanoseconds > 2_000_000_000
                ? verdict.unless(fixture.check(naming: step, .hangs)) : verdict
        }
        return Verdict(
            outcome: .timedOut,
            text: begin + "no call of the plugin is running"
                + (sofar.isEmpty ? ", and none was created" : ", and \(sofar)"))
    }

    fileprivate static func seconds(_ nanoseconds: Int64) -> String {
        decimal(Double(nanoseconds) / 1e9, 1)
    }
}

extension PluginHarness.Spent {
    /// The steps as text; empty if none.
    fileprivate var text: String {
        guard let longest else { return "" }
        let calls = "\(steps) call\(steps == 1 ? "" : "s") before"
        return "\(calls) took \(CheckProgress.seconds(nanoseconds)) s, the longest "
            + "\(CheckProgress.seconds(longest.nanoseconds)) s (\(longest.step.rawValue))"
    }
}
