package import GreenroomEvents
import GreenroomModel
package import GreenroomRuntime

/// Says in time when a disk that is recorded to will be full.
///
/// It looks at what is left, and so sees whatever fills the disk, also what is not the session's.
struct DiskWatch {
    /// From this time before the disk is full there are warnings, in seconds.
    static let warnings = [600.0, 60]
    /// How far back the rate is measured, in seconds: encoders and caches write in bursts.
    private static let window = 60.0
    /// After how long it is known.
    fileprivate static let shortestMeasure = 10.0

    fileprivate struct Disk {
        /// A folder on it, for messages.
        var folder: String
        /// When what was free.
        var looks: [(seconds: Double, free: Double)] = []
        /// How many warnings there were.
        var warned = 0
    }

    private var disks: [UInt64: Disk] = [:]

    /// Looks at the disks of folders.
    ///
    /// - Parameters:
    ///   - seconds: The session's time.
    ///   - left: What is left of the session; nil for one without a duration.
    ///   - space: Asks for the disk of a folder.
    /// - Returns: Warnings, each with its folder.
    mutating func look(
        at folders: [String], seconds: Double, left: Double?,
        space: (String) -> DiskSpace? = DiskSpace.init(of:)
    ) -> [(folder: String, text: String)] {
        var found: [(folder: String, text: String)] = []
        var seen: Set<UInt64> = []
        for folder in folders {
            guard let space = space(folder), seen.insert(space.device).inserted else { continue }
            var disk = disks[space.device] ?? Disk(folder: folder)
            disk.looks.append((seconds, space.freeBytes))
            disk.looks.removeAll { $0.seconds < seconds - Self.window }
            if disk.secondsToFull ?? .infinity > 2 * Self.warnings[0] { disk.warned = 0 }
            if let rest = disk.secondsToFull, rest < left ?? .infinity,
                disk.warned < Self.warnings.count, rest < Self.warnings[disk.warned]
            {
                disk.warned = Self.warnings.count { rest < $0 }
                found.append(
                    (
                        disk.folder,
                        "the disk is full in \(Self.words(ofSeconds: rest)) at the current rate; "
                            + "\(DiskUse.words(ofBytes: space.freeBytes)) are free. Free some space, or "
                            + "stop the session."
                    ))
            }
            disks[space.device] = disk
        }
        return found
    }

    /// In the largest units that fit: `4 min 50 s`, `3 h 5 min`.
    static func words(ofSeconds seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e9))
        let (minutes, rest) = whole.quotientAndRemainder(dividingBy: 60)
        let (hours, minutesRest) = minutes.quotientAndRemainder(dividingBy: 60)
        return switch (hours, minutes) {
        case (0, 0): "\(rest) s"
        case (0, _): rest == 0 ? "\(minutes) min" : "\(minutes) min \(rest) s"
        default: minutesRest == 0 ? "\(hours) h" : "\(hours) h \(minutesRest) min"
        }
    }
}

extension DiskWatch.Disk {
    /// When it will be full, if it is filled as in the last time; nil if it is not filled, or that is
    /// not known yet.
    fileprivate var secondsToFull: Double? {
        guard let first = looks.first, let last = looks.last,
            last.seconds - first.seconds >= DiskWatch.shortestMeasure, first.free > last.free
        else { return nil }
        return last.free * (last.seconds - first.seconds) / (first.free - last.free)
    }
}

/// Watches the disks of a running session, on a thread of its own: a network's disk may block a thread
/// that asks.
package final class DiskWatcher: Sendable {
    private static let interval: Int64 = 5_000_000_000

    private let isOver = Monitor(false)

    /// - Parameters:
    ///   - folders: What is recorded to.
    ///   - duration: The session's; nil for one without.
    ///   - clock: The session's.
    ///   - epoch: Its beginning on that clock.
    package init(
        _ folders: [String], duration: Duration?, clock: SessionClock, epoch: Int64,
        events: SessionEvents
    ) {
        // A virtual clock is as fast as the machine: nothing can be said in time.
        guard !folders.isEmpty, !clock.isVirtual else { return }
        let isOver = isOver
        _ = HostThread(name: "disk") {
            var watch = DiskWatch()
            while true {
                let now = clock.now - epoch
                let left = duration.map { Double($0.nanoseconds - now) / 1e9 }
                for (folder, text) in watch.look(
                    at: folders, seconds: Double(now) / 1e9, left: left)
                {
                    events.send(.disk(folder: folder, text: text, isLow: true))
                }
                let deadline = clock.host.deadline(after: Self.interval)
                if isOver.wait(until: deadline, on: clock.host, for: { $0 ? true : nil }) != nil {
                    return
                }
            }
        }
    }

    /// Ends the watch.
    package func end() { isOver.change { $0 = true } }
}
