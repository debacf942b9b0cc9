import GreenroomSystem
import Synchronization
import SystemPackage

/// The file of a session's journal, one JSON object per line.
final class JournalFile: Sendable {
    private let path: String
    /// The file; nil after a failed write.
    private let file: Mutex<FileDescriptor?>

    /// Creates the file. An existing file stays, because it may be the session file.
    ///
    /// - Throws: ``ExitError`` if the file cannot be written.
    init(path: String) throws(ExitError) {
        self.path = path
        do throws(FileError) {
            file = Mutex(try FileDescriptor.output(path, replaces: false))
        } catch {
            throw ExitError(
                .outputFailed, "journal: \(path): \(error.rule); \(error.cure).")
        }
    }

    /// Appends a line.
    ///
    /// - Returns: The first problem; nil if the line was written, or an earlier write failed.
    func add(_ line: String) -> String? {
        file.withLock { file in
            guard let open = file else { return nil }
            do {
                try open.writeAll((line + "\n").utf8)
                return nil
            } catch {
                file = nil
                try? open.close()
                return "warning: journal: \(path): \(error); the journal ends here"
            }
        }
    }
}
