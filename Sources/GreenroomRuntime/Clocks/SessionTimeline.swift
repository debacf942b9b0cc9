import GreenroomMedia
import Synchronization

/// The session's own time. Zero is the time at which all sources have been started.
package final class SessionTimeline: Sendable {
    /// ``Limits/playoutDelayNanoseconds``.
    package static let playoutDelay = Limits.playoutDelayNanoseconds

    private let start = Atomic<Int64>(.max)

    package init() {}

    /// The start on the session clock; `Int64.max` before it.
    package var epoch: Int64 { start.load(ordering: .acquiring) }

    /// Starts session time.
    package func begin(at epoch: Int64) { start.store(epoch, ordering: .releasing) }

    /// The session clock at a session time; nil before the start, or on overflow.
    package func moment(of time: Int64) -> Int64? {
        let epoch = epoch
        guard epoch != .max else { return nil }
        let (moment, overflow) = epoch.addingReportingOverflow(time)
        return overflow ? nil : moment
    }

    /// The session time at a session clock; far below zero before the start.
    package func time(of moment: Int64) -> Int64 {
        let (time, overflow) = moment.subtractingReportingOverflow(epoch)
        return overflow ? .min / 2 : time
    }
}
