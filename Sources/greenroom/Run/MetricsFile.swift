import Glibc
import GreenroomMetrics
import GreenroomSession
import GreenroomSystem
import Synchronization
import SystemPackage
import GreenroomOperate

/// A file with a session's report in the text format of Prometheus, for a collector of such files.
///
/// A new one replaces it as a whole every few seconds, and at the end of the session.
final class MetricsFile: Sendable {
    /// How often it is written, in milliseconds.
    private static let interval: Int32 = 5000
    /// Every user may read it: the collector is another user.
    private static let mode: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    private let path: String
    /// Whether the last one is written. Held while one is written.
    private let isOver = Mutex(false)

    /// Makes the file, still without numbers, before anything is started.
    ///
    /// - Throws: ``ExitError`` if it can't be written.
    init(path: String) throws(ExitError) {
        self.path = path
        if let problem = write("") { throw ExitError(.outputFailed, problem) }
    }

    /// Writes what a session has done so far, until ``finish(_:)``.
    func follow(_ session: Session, _ complain: @escaping @Sendable (String) -> Void) {
        DetachedThread { [self] in
            var lastProblem: String?
            while true {
                // Not a sleep: the virtual clock looks for those.
                poll(nil, 0, Self.interval)
                let (isOver, problem) = isOver.withLock { ($0, $0 ? nil : write(session)) }
                if isOver { return }
                if let problem, problem != lastProblem { complain("warning: metrics: \(problem)") }
                lastProblem = problem
            }
        }
    }

    /// Writes what a session has done in all.
    ///
    /// - Returns: Why it can't be written; nil if it was.
    func finish(_ session: Session) -> String? {
        isOver.withLock { isOver in
            isOver = true
            return write(session)
        }
    }

    private func write(_ session: Session) -> String? {
        session.reportText.flatMap(Metrics.init(report:)).flatMap { write($0.text) }
    }

    /// - Returns: The place, the rule and the cure if it can't be written.
    private func write(_ text: String) -> String? {
        do throws(FileError) {
            try FileDescriptor.writeWhole(path, text.utf8, mode: Self.mode)
            return nil
        } catch {
            return "\(path): \(error.rule); \(error.cure)."
        }
    }
}
