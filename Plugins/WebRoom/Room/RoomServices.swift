import Dispatch
import GreenroomPlugin
import Synchronization

/// The services that all parts of the room share.
final class RoomServices: Sendable {
    let host: PluginHost
    let clock: RoomClock
    let network: RoomNetwork

    private let queue = DispatchQueue(label: "room")
    private let adapting = DispatchQueue(label: "room-adapts")
    private let counts = Mutex<[String: Int]>([:])
    private let decoded = Atomic(0)

    init(host: PluginHost, network: RoomNetwork) {
        (self.host, self.network) = (host, network)
        clock = RoomClock(now: host.nowNanoseconds)
    }

    /// Runs a task that may block, such as stopping a pipeline.
    func later(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Runs a task that decides which streams viewers get. The tasks run one at a time.
    func soon(_ body: @escaping @Sendable () -> Void) { adapting.async(execute: body) }

    /// Waits until all that is done.
    func finish() {
        adapting.sync {}
        queue.sync {}
    }

    /// Counts one more, for the report.
    func count(_ name: String) {
        let count = counts.withLock { counts in
            counts[name, default: 0] += 1
            return counts[name, default: 0]
        }
        host.report(name, count)
    }

    /// Reports a number that has changed: each report wakes the host.
    func report(_ name: String, _ number: Int) {
        let before = counts.withLock { $0.updateValue(number, forKey: name) }
        if before != number { host.report(name, number) }
    }

    /// Counts a guest's frame that is decoded.
    func countDecoded() { decoded.add(1, ordering: .relaxed) }

    /// Reports how many of the guests' frames were decoded: too many to report each.
    func reportDecoded() { report("guests-frames-decoded", decoded.load(ordering: .relaxed)) }
}
