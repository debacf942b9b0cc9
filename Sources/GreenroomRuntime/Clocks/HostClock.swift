import GreenroomMedia
import Synchronization

/// The clock for waits on code that may hang: deadlines of callbacks, watchdogs, retries and
/// intervals of reports.
///
/// All decisions of a session by real time use this value. The value is the machine's monotonic
/// clock, or a test's own time.
@usableFromInline package struct HostClock: Sendable {
    /// The time that a session on the virtual clock gives code that may hang, in nanoseconds: a slow
    /// machine only delays such a session.
    package static let virtualPatience = Limits.virtualCallbackDeadlineNanoseconds

    /// The test's time; nil for the machine's clock.
    @usableFromInline let manual: ManualTime?
    /// Whether this is the machine's clock.
    package var isReal: Bool { manual == nil }

    /// The machine's clock.
    @usableFromInline package static var real: HostClock { HostClock(manual: nil) }

    /// Creates a clock that stands still until its time is advanced.
    package init(_ time: ManualTime) { self.init(manual: time) }

    @usableFromInline init(manual: ManualTime?) { self.manual = manual }

    /// Monotonic nanoseconds.
    @usableFromInline package var now: Int64 { manual?.now ?? MonotonicClock.now }

    /// A time after now; saturates.
    package func deadline(after nanoseconds: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(nanoseconds)
        return overflow ? .max : sum
    }
}

/// The time of a test. The time changes only by ``advance(by:)``, which wakes the waiting threads.
@usableFromInline package final class ManualTime: Sendable {
    private struct Wait {
        var deadline: Int64
        var wake: @Sendable () -> Void
    }

    private struct State {
        var now: Int64
        var waits: [Int: Wait] = [:]
        var lastWait = 0
    }

    private let state: Mutex<State>

    /// - Parameter now: The first time, in nanoseconds; above 0, since 0 may mean never.
    package init(at now: Int64 = 1_000_000_000_000) { state = Mutex(State(now: now)) }

    /// The time, in nanoseconds.
    package var now: Int64 { state.withLock { $0.now } }

    /// The earliest deadline of a waiting thread; nil if no thread waits. [any]
    package var nextDeadline: Int64? {
        state.withLock { $0.waits.values.map(\.deadline).filter { $0 < .max }.min() }
    }

    /// Whether a thread waits until a time. [any]
    package func awaits(_ deadline: Int64) -> Bool {
        state.withLock { $0.waits.values.contains { $0.deadline == deadline } }
    }

    /// Advances the time, and wakes the threads whose deadline is reached. [any]
    ///
    /// - Parameter nanoseconds: Not negative.
    package func advance(by nanoseconds: Int64) {
        let due = state.withLock { state in
            state.now += max(nanoseconds, 0)
            return state.waits.values.filter { $0.deadline <= state.now }.map(\.wake)
        }
        // Outside the lock: the holder of a monitor's lock may begin a wait here.
        for wake in due { wake() }
    }

    /// Begins a wait: an advance to the deadline calls `wake`.
    ///
    /// - Returns: The wait's number; nil if the deadline has already been reached.
    func begin(until deadline: Int64, wake: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard deadline > state.now else { return nil }
            state.lastWait += 1
            state.waits[state.lastWait] = Wait(deadline: deadline, wake: wake)
            return state.lastWait
        }
    }

    func end(_ wait: Int) { state.withLock { $0.waits[wait] = nil } }
}
