import GreenroomConversion
import GreenroomMedia
import Synchronization

/// One run of a plan: makes the plugins, drives them through their lives, moves what they
/// send to the outputs, and tells what happened to all of it.
///
/// Threads: ``run()`` once, on a thread that may block; ``stop()`` and ``snapshot`` on any.
public final class Session: Sendable {
    private struct Control {
        var isStopRequested = false
        /// Commands that wait, in order.
        var commands: [(SessionCommand, String)] = []
        /// Changes with everything that the watch has to look at.
        var changes = 0
    }

    /// How often the report is brought up to date while the session runs.
    private static let reportNanoseconds: Int64 = 5_000_000_000

    private let plan: SessionPlan
    private let events: SessionEvents
    private let clock = SessionClock()
    private let control = Monitor(Control())
    private let parts = Mutex<SessionParts?>(nil)

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - plan: What to run.
    ///   - handler: Gets every event, on any thread, several at once; it must not wait long.
    public init(plan: SessionPlan, events handler: @escaping @Sendable (SessionEvent) -> Void) {
        self.plan = plan
        let control = control
        events = SessionEvents { event in
            handler(event)
            switch event {
            case .pluginGaveUp, .callbackHangs: control.change { $0.changes += 1 }
            default: break
            }
        }
    }

    /// Asks the session to end in order. [any]
    public func stop() {
        control.change { $0.isStopRequested = true }
    }

    /// Has a command carried out, when those before it have been. [any]
    ///
    /// - Parameter origin: Who asks for it, in a few words.
    public func perform(_ command: SessionCommand, origin: String) {
        control.change { $0.commands.append((command, origin)) }
    }

    /// How it stands; nil before the sources are started. [any]
    public var snapshot: SessionSnapshot? {
        parts.withLock { $0 }.map { SessionSnapshot(of: $0, at: clock.now) }
    }

    /// Runs from the first plugin's `create` to the last output's end.
    ///
    /// - Returns: What happened, whatever it was.
    /// - Throws: ``OutputError`` when an output can't be opened; then nothing was recorded, and
    ///   every plugin that was made has been ended.
    public func run() throws -> SessionReport {
        var cast = Cast(
            plan: plan, clock: clock, events: events,
            deadline: plan.callbackDeadlineNanoseconds)
        defer { events.send(.ended) }
        cast.make()
        if !isStopRequested { cast.initialize() }
        guard !isStopRequested else {
            events.send(.stopping(reason: "it was asked to"))
            cast.end()
            return report(cast, nil, outcome: .interrupted)
        }
        guard cast.failedRole == nil, !cast.sources.isEmpty else {
            cast.end()
            return report(cast, nil, outcome: .pluginFailed(role: cast.failedRole))
        }
        let parts: SessionParts
        do {
            parts = try SessionParts(
                cast: cast, plan: plan, clock: clock, events: events)
        } catch {
            cast.end()
            throw error
        }
        cast.startFilters()
        parts.start()
        cast.startSources()
        parts.begin(at: clock.now)
        self.parts.withLock { $0 = parts }
        events.send(.started)
        write(report(cast, parts, outcome: nil), to: parts)
        let outcome = watch(&cast, parts)
        let end = min(clock.now - parts.epoch, plan.durationNanoseconds ?? .max)
        // A stop-send may take its time; the recordings end with the session's.
        parts.finishSound(at: end)
        cast.stopSources()
        parts.finish(at: end)
        cast.end()
        parts.finishOutputs()
        let report = report(cast, parts, outcome: outcome)
        write(report, to: parts)
        return report
    }

    private var isStopRequested: Bool { control.withLock { $0.isStopRequested } }

    /// Waits for the end: the duration, a request, a failure that ends the session, or the end
    /// of every source.
    private func watch(_ cast: inout Cast, _ parts: SessionParts) -> SessionOutcome {
        let end = plan.durationNanoseconds.map { parts.epoch + $0 }
        var seen = -1
        var nextReport = clock.now + Self.reportNanoseconds
        while true {
            cast.dropLost()
            cast.watchPumps()
            if clock.now >= nextReport {
                write(report(cast, parts, outcome: nil), to: parts)
                nextReport = clock.now + Self.reportNanoseconds
            }
            if let role = cast.failedRole {
                events.send(.stopping(reason: "\(role) failed"))
                return .pluginFailed(role: role)
            }
            if cast.sources.isEmpty {
                events.send(.stopping(reason: "every source has ended"))
                return cast.wasDropped ? .pluginFailed(role: nil) : .finished
            }
            if parts.hasLostEveryOutput {
                events.send(.stopping(reason: "every output has failed"))
                return .finished
            }
            let now = clock.now
            if let end, now >= end {
                events.send(.stopping(reason: "the duration is over"))
                return .finished
            }
            let check = min(end ?? .max, now + 100_000_000)
            let wake: Control? = control.wait(until: check) { control in
                control.isStopRequested || control.changes != seen ? control : nil
            }
            if let wake {
                seen = wake.changes
                if wake.isStopRequested {
                    events.send(.stopping(reason: "it was asked to"))
                    return .interrupted
                }
            }
        }
    }

    private func write(_ report: SessionReport, to parts: SessionParts) {
        for file in parts.reports {
            do throws(OutputError) {
                try file.write(report)
            } catch {
                events.send(.outputFailed(output: error.place, reason: error.explanation))
            }
        }
    }

    private func report(
        _ cast: Cast, _ parts: SessionParts?, outcome: SessionOutcome?
    ) -> SessionReport {
        SessionReport(plan: plan, instances: cast.everyone, parts: parts, outcome: outcome)
    }
}

/// How a session ended.
public enum SessionOutcome: Equatable, Sendable {
    /// As planned: the duration is over, or every source came to its end.
    case finished
    /// On request.
    case interrupted
    /// A plugin failed whose failure ends the session, or all of them did (nil).
    case pluginFailed(role: String?)
}
