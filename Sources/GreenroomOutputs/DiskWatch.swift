package import GreenroomModel
package import GreenroomRuntime

/// Warns before a disk that the session records to is full.
///
/// The watch measures the free space, so it also detects writes of other programs.
struct DiskWatch {
    /// The times before the disk is full at which to warn, in seconds.
    static let warnings = [600.0, 60]
    /// The window for measuring the rate, in seconds. Encoders and caches write in bursts.
    private static let window = 60.0
    /// The shortest time for measuring the rate, in seconds.
    fileprivate static let shortestMeasure = 10.0

    fileprivate struct Disk {
        /// A folder on the disk, for messages.
        var folder: String
        /// The free bytes at each measured time.
        var looks: [(seconds: Double, free: Double)] = []
        /// The number of warnings so far.
        var warned = 0
    }

    private var disks: [UInt64: Disk] = [:]

    /// Measures the disks of folders.
    ///
    /// - Parameters:
    ///   - seconds: The session's time, in seconds.
    ///   - left: The remaining time of the session, in seconds; nil if it has no duration.
    ///   - space: Queries the disk of a folder.
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

    /// A time in the largest units that fit: `4 min 50 s`, `3 h 5 min`.
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
    /// The time until the disk is full at the recent rate, in seconds; nil if the disk is not
    /// filling or the rate is not yet known.
    fileprivate var secondsToFull: Double? {
        guard let first = looks.first, let last = looks.last,
            last.seconds - first.seconds >= DiskWatch.shortestMeasure, first.free > last.free
        else { return nil }
        return last.free * (last.seconds - first.seconds) / (first.free - last.free)
    }
}

/// Watches the disks of a running session, on a separate thread: querying a network disk may block.
package final class DiskWatcher: Sendable {
    private static let interval: Int64 = 5_000_000_000

    private let isOver = Monitor(false)

    /// - Parameters:
    ///   - folders: The folders that the session records to.
    ///   - duration: The session's duration; nil if none.
    ///   - clock: The session's clock.
    ///   - epoch: The session's start on the clock, in nanoseconds.
    package init(
        _ folders: [String], duration: Duration?, clock: SessionClock, epoch: Int64,
        events: SessionEvents
    ) {
        // On a virtual clock a warning cannot be in time, because the clock is as fast as the
        // machine.
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
