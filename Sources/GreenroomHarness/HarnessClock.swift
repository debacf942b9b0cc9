package import GreenroomModel
package import GreenroomRuntime
import Synchronization

/// The clock of one or several harnesses. The thread that creates it leads: a virtual clock
/// advances only while that thread waits.
package final class HarnessClock: Sendable {
    let session: SessionClock
    private let offTheClock = Mutex<Set<Int>>([])

    package init(_ kind: ClockKind) {
        session = SessionClock(isVirtual: kind == .virtual)
        session.lead()
        session.watch { [self] number, _ in offTheClock.withLock { _ = $0.insert(number) } }
    }

    package var isVirtual: Bool { session.isVirtual }

    /// The time, in nanoseconds.
    package var now: Int64 { session.now }

    /// Whether a plugin's threads wait on something other than this clock. On a virtual clock the
    /// plugin's behaviour then differs between runs.
    package func isOffClock(_ number: Int = 0) -> Bool {
        offTheClock.withLock { $0.contains(number) }
    }

    /// Advances session time on a thread that calls a plugin, as if the call took that long.
    ///
    /// - Parameter isOver: Ends the wait when true, for example before a step that waits for the
    ///   plugin's threads.
    package func pass(nanoseconds: Int64, unless isOver: Monitor<Bool>, number: Int = 0) {
        let _: Void? = session.wait(
            for: isOver, until: now + nanoseconds, as: .plugin(number)
        ) { $0 ? () : nil }
    }

    /// Ends the clock and the calling thread's lead.
    package func leave() {
        session.leave()
        session.close()
    }

    func watch(_ number: Int) { offTheClock.withLock { _ = $0.remove(number) } }
}
