package import GreenroomRuntime
import Synchronization

/// The clock of one harness, or of several side by side. Whoever makes it leads: on a virtual
/// clock time stands still but for when that thread waits.
package final class HarnessClock: Sendable {
    let session: SessionClock
    private let offTheClock = Mutex<Set<Int>>([])

    package init(_ kind: ClockKind) {
        session = SessionClock(kind)
        session.lead()
        session.watch { [self] number, _ in offTheClock.withLock { _ = $0.insert(number) } }
    }

    package var isVirtual: Bool { session.isVirtual }

    /// The time, in nanoseconds.
    package var now: Int64 { session.now }

    /// Whether a plugin's threads were seen to wait on something else than this clock, so that on a
    /// virtual one what they do is another thing each time.
    package func isStray(_ number: Int = 0) -> Bool { offTheClock.withLock { $0.contains(number) } }

    /// Lets time pass on a thread that makes a call of a plugin's, as if it took the plugin so long.
    ///
    /// - Parameter isOver: Becomes true when no more time is to pass, as before a step that waits
    ///   for the plugin's threads.
    package func pass(nanoseconds: Int64, unless isOver: Monitor<Bool>, number: Int = 0) {
        let _: Void? = session.wait(
            for: isOver, until: now + nanoseconds, as: .plugin(number)
        ) { $0 ? () : nil }
    }

    /// Ends the calling thread's lead, and the clock.
    package func leave() {
        session.leave()
        session.close()
    }

    func watch(_ number: Int) { offTheClock.withLock { _ = $0.remove(number) } }
}
