import GreenroomHost
import Synchronization

/// What a check has done with a plugin so far, for whoever has to say where it was when its time
/// was over. [any]
final class Course: Sendable {
    private struct Follower: Sendable {
        weak var bench: Bench?
    }

    private struct State {
        var followers: [Follower] = []
        /// What the lives took that are over.
        var past = Rehearsal.Spent()
    }

    private let state = Mutex(State())

    /// Takes note of a life that begins.
    func follow(_ bench: Bench) {
        state.withLock { $0.followers.append(Follower(bench: bench)) }
    }

    /// Takes note of what a life took that is over.
    func add(_ spent: Rehearsal.Spent) { state.withLock { $0.past += spent } }

    /// The verdict on a check that has not come to one.
    func verdict(afterSeconds seconds: Double) -> Verdict {
        let (benches, past) = state.withLock { ($0.followers.compactMap(\.bench), $0.past) }
        let spent = benches.reduce(into: past) { $0 += $1.rehearsal.spent }
        let begin = "it did not end within \(Int(seconds)) s: "
        let sofar = spent.text
        for bench in benches {
            guard let (name, nanoseconds) = bench.rehearsal.runningCallback else { continue }
            let verdict = Verdict(
                outcome: .timedOut,
                text: begin + "\(name) has been going on for \(Self.seconds(nanoseconds)) s"
                    + (sofar.isEmpty ? "" : ", and \(sofar)"))
            return nanoseconds > 2_000_000_000
                ? verdict.unless(bench.check(naming: name, .hangs)) : verdict
        }
        return Verdict(
            outcome: .timedOut,
            text: begin + "no call of the plugin is going on"
                + (sofar.isEmpty ? ", and none was made" : ", and \(sofar)"))
    }

    fileprivate static func seconds(_ nanoseconds: Int64) -> String {
        decimal(Double(nanoseconds) / 1e9, 1)
    }
}

extension Rehearsal.Spent {
    /// In words; empty for no steps.
    fileprivate var text: String {
        guard let longest else { return "" }
        let calls = "\(steps) call\(steps == 1 ? "" : "s") before"
        return "\(calls) took \(Course.seconds(nanoseconds)) s, the longest "
            + "\(Course.seconds(longest.nanoseconds)) s (\(longest.name))"
    }
}
