package import GreenroomModel

/// The end of a session in which some plugins fail in each life, according to the decisions that the session makes.
package struct StartForecast {
    /// A failure in one of a plugin's first steps.
    package struct Failure: Sendable {
        package var step: LifecycleStep
        package var failure: PluginFailure

        package init(_ step: LifecycleStep, _ failure: PluginFailure) {
            self.step = step
            self.failure = failure
        }
    }

    /// The outcome; nil for a session without a duration that continues until it is stopped.
    package let outcome: SessionOutcome?
    /// The plugins that have no life at the end, or when nothing more happens.
    package let absent: Set<Int>

    /// - Parameters:
    ///   - plugins: All plugins, by number.
    ///   - failures: The failures, by the plugin's number.
    ///   - hasOtherOutputs: Whether the session has outputs that are not plugins. They do not fail.
    ///   - duration: The session's duration, in nanoseconds; nil if none.
    package init(
        _ plugins: [Int: PluginEntry.Facts], failures: [Int: Failure], hasOtherOutputs: Bool,
        duration: Int64?
    ) {
        var simulation = Simulation(plugins, failures)
        simulation.run(until: duration ?? .max, hasOtherOutputs: hasOtherOutputs)
        let absent = simulation.absent
        self.absent = absent
        let atEnd = SessionOutcome.finished.after(
            losingEveryOutput: !hasOtherOutputs && simulation.hasLostOutputs(absent))
        outcome = simulation.end?.outcome ?? (duration == nil ? nil : atEnd)
    }
}

/// A session whose steps return at once.
private struct Simulation {
    private let failures: [Int: StartForecast.Failure]
    private var state: SessionState
    private var now: Int64 = 0
    /// The results of steps that have begun.
    private var results: [SessionState.Event] = []
    private(set) var end: SessionEnd?

    init(_ plugins: [Int: PluginEntry.Facts], _ failures: [Int: StartForecast.Failure]) {
        self.failures = failures
        state = SessionState(plugins, at: 0)
        for (number, facts) in plugins where facts.connects { handle(.listens(number)) }
    }

    var absent: Set<Int> {
        Set(
            state.plugins.filter { !$1.facts.connects && ($1.state.isAway || $1.state.hasLeft) }
                .keys)
    }

    /// Whether there were outputs, and all are among some plugins.
    func hasLostOutputs(_ lost: Set<Int>) -> Bool {
        let outputs = state.plugins.filter { $1.facts.takesTracks && !$1.facts.isSource }.keys
        return !outputs.isEmpty && outputs.allSatisfy(lost.contains)
    }

    mutating func run(until duration: Int64, hasOtherOutputs: Bool) {
        while end == nil {
            if !results.isEmpty {
                handle(results.removeFirst())
                continue
            }
            let left = Set(state.plugins.filter { $1.state.hasLeft }.keys)
            handle(
                .settled(
                    SessionEnd.Causes(
                        hasLostEveryOutput: !state.phase.isBeforeOutputs && !hasOtherOutputs
                            && hasLostOutputs(left))))
            guard end == nil else { return }
            if state.phase == .starting(.open) {
                handle(.opened(true))
            } else if state.phase.isStarting {
                handle(.quiet)
            } else if let next = state.next, next < duration {
                now = max(now, next)
                handle(.timer)
            } else {
                return
            }
        }
    }

    private mutating func handle(_ event: SessionState.Event) {
        for effect in state.handle(event, at: now) {
            switch effect {
            case .begin(let step, let plugin):
                if let failure = failures[plugin], failure.step == step {
                    results.append(.lost(plugin, failure.failure))
                } else {
                    results.append(.done(step, plugin))
                }
            case .end(let end): self.end = end
            case .prepare, .perform, .giveUp, .rest, .expectFrames, .leave, .set, .remember,
                .show, .send:
                break
            }
        }
    }
}
