import Glibc
import GreenroomMetrics
import GreenroomSession
import GreenroomSystem
import SystemPackage

/// A file with a session's report in the text format of Prometheus, for a collector of such files.
///
/// A new one replaces it as a whole every few seconds, and at the end of the session.
struct MetricsFile: Sendable {
    /// How often it is written.
    static let seconds = 5

    /// Everybody may read it: the collector is another user.
    private static let mode: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    let path: String

    /// Makes the file, still without numbers, before anything is started.
    ///
    /// - Throws: ``Failure`` if it can't be written.
    init(path: String) throws(Failure) {
        self.path = path
        if let problem = write("") { throw Failure(.outputFailed, "\(path): \(problem)") }
    }

    /// Writes what a session has done so far, for as long as the process lives.
    func follow(_ session: Session, _ complain: @escaping @Sendable (String) -> Void) {
        Thread {
            var lastProblem: String?
            while true {
                // Not a sleep: the virtual clock looks for those.
                poll(nil, 0, Int32(Self.seconds * 1000))
                let problem = write(session)
                if let problem, problem != lastProblem {
                    complain("warning: metrics: \(path): \(problem)")
                }
                lastProblem = problem
            }
        }
    }

    /// Writes what a session has done so far.
    ///
    /// - Returns: Why it can't be written; nil if it was.
    @discardableResult
    func write(_ session: Session) -> String? {
        guard let report = session.reportText, let metrics = Metrics(report: report) else {
            return nil
        }
        return write(metrics.text)
    }

    private func write(_ text: String) -> String? {
        do throws(OutputFileError) {
            try FileDescriptor.writeWhole(path, text.utf8, mode: Self.mode)
            return nil
        } catch {
            return "it \(error.rule); \(error.cure)."
        }
    }
}
