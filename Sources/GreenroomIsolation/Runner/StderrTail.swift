import Synchronization

/// The last lines that a process wrote to its standard output and error, for a crash report.
final class StderrTail: Sendable {
    private let tail = Mutex<[String]>([])

    /// How many lines are kept.
    private static let limit = 100

    /// Oldest first.
    var lines: [String] { tail.withLock { $0 } }

    /// Adds a line.
    ///
    /// - Returns: Whether it belongs to a crash report, which the log gets with the loss.
    func append(_ line: String) -> Bool {
        tail.withLock { tail in
            tail.append(line)
            if tail.count > Self.limit { tail.removeFirst() }
            return tail.contains(where: CrashReport.isHeading)
        }
    }
}
