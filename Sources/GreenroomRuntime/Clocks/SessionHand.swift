/// A thread of the session's clock that holds the time until the test advances it.
package final class SessionHand: Sendable {
    private enum Phase: Equatable {
        /// The session starts, and time passes as it needs.
        case starting
        /// Time stands still.
        case holding
        /// Time passes until then.
        case advancing(to: Int64)
        /// The session ends, and time passes as it needs.
        case released

        /// The time at which time stands still again, on the clock; nil for never.
        var target: Int64? { if case .advancing(let target) = self { target } else { nil } }
    }

    private let phase = Monitor(Phase.starting)
    private let thread: HostThread

    package init(on clock: SessionClock) {
        let phase = phase
        thread = HostThread(name: "test", clock: clock) {
            while true {
                // In the phase `holding`, this thread waits without the clock. The clock stands
                // still until it returns.
                let current: Phase? = phase.wait(until: nil) { $0 == .holding ? nil : $0 }
                guard let current, current != .released else { return }
                let isOver: Bool? = clock.wait(
                    for: phase, until: current.target, yields: true
                ) { $0 == current ? nil : true }
                if isOver == nil { phase.change { if $0 == current { $0 = .holding } } }
            }
        }
    }

    /// Holds the time. [the session's thread, which time waits for]
    package func hold() { phase.change { if $0 == .starting { $0 = .holding } } }

    /// Lets time pass for good. [any]
    package func release() { phase.change { $0 = .released } }

    /// Waits until time has passed.
    ///
    /// - Returns: Whether time stands still again; false if it passes for good.
    package func advance(to target: Int64) -> Bool {
        phase.change { if $0 == .holding { $0 = .advancing(to: target) } }
        return phase.wait(until: nil) { phase in
            switch phase {
            case .holding: true
            case .released: false
            case .starting, .advancing: nil
            }
        } ?? false
    }
}
