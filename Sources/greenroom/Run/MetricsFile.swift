import Glibc
import RoomAccess
import GreenroomSession
import GreenroomSystem
import Synchronization
import SystemPackage
import GreenroomOperate

/// A file with a session's report in the text format of Prometheus, for a collector of such files.
///
/// A complete new file replaces the file every few seconds, and at the end of the session.
final class MetricsFile: Sendable {
    /// The interval between writes, in milliseconds.
    private static let interval: Int32 = 5000
    /// The file's mode. Every user may read the file, because the collector runs as another user.
    private static let mode: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    private let path: String
    /// Whether the last file is written. Locked while a file is written.
    private let isOver = Mutex(false)

    /// Creates the file without numbers, before the session starts.
    ///
    /// - Throws: ``ExitError`` if the file cannot be written.
    init(path: String) throws(ExitError) {
        self.path = path
        if let problem = write("") { throw ExitError(.outputFailed, problem) }
    }

    /// Writes the session's report so far at each interval, until ``finish(_:)``.
    func follow(_ session: Session, _ complain: @escaping @Sendable (String) -> Void) {
        DetachedThread { [self] in
            var lastProblem: String?
            while true {
                // Do not sleep: the virtual clock detects sleeping threads.
                poll(nil, 0, Self.interval)
                let (isOver, problem) = isOver.withLock { ($0, $0 ? nil : write(session)) }
                if isOver { return }
                if let problem, problem != lastProblem { complain("warning: metrics: \(problem)") }
                lastProblem = problem
            }
        }
    }

    /// Writes the session's final report.
    ///
    /// - Returns: The reason that the file cannot be written; nil if it was written.
    func finish(_ session: Session) -> String? {
        isOver.withLock { isOver in
            isOver = true
            return write(session)
        }
    }

    private func write(_ session: Session) -> String? {
        session.reportText.flatMap(Metrics.init(report:)).flatMap { write($0.text) }
    }

    /// - Returns: The place, the rule and the fix if the file cannot be written; nil if it was
    ///   written.
    private func write(_ text: String) -> String? {
        do throws(FileError) {
            try FileDescriptor.writeWhole(path, text.utf8, mode: Self.mode)
            return nil
        } catch {
            return "\(path): \(error.rule); \(error.cure)."
        }
    }
}
