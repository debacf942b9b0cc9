import Synchronization

/// The last lines of a process's output, for a crash report.
final class StderrTail: Sendable {
    private let tail = Mutex<[String]>([])

    /// Number of kept lines.
    private static let limit = 100

    /// The kept lines, oldest first.
    var lines: [String] { tail.withLock { $0 } }

    /// Adds a line.
    ///
    /// - Returns: Whether the line is part of a crash report. The host logs the report with the
    ///   loss.
    func append(_ line: String) -> Bool {
        tail.withLock { tail in
            tail.append(line)
            if tail.count > Self.limit { tail.removeFirst() }
            return tail.contains(where: CrashReport.isHeading)
        }
    }
}
