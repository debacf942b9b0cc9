import Synchronization

/// The session's own time, which is zero at the moment when all its sources have been started.
package final class SessionTimeline: Sendable {
    /// How far behind the session's time mixed sound and scheduled video are played, in
    /// nanoseconds: a block or frame that is sent in time, or a little late, is there by then.
    package static let playoutDelay: Int64 = 100_000_000

    private let start = Atomic<Int64>(.max)

    package init() {}

    /// When it began, on the session clock; the end of time before it has.
    package var epoch: Int64 { start.load(ordering: .acquiring) }

    /// Begins it.
    package func begin(at epoch: Int64) { start.store(epoch, ordering: .releasing) }

    /// The moment of a time, on the session clock; nil if it has not begun, or never comes.
    package func moment(of time: Int64) -> Int64? {
        let epoch = epoch
        guard epoch != .max else { return nil }
        let (moment, overflow) = epoch.addingReportingOverflow(time)
        return overflow ? nil : moment
    }

    /// The time of a moment on the session clock; long before zero if it has not begun.
    package func time(of moment: Int64) -> Int64 {
        let (time, overflow) = moment.subtractingReportingOverflow(epoch)
        return overflow ? .min / 2 : time
    }
}
