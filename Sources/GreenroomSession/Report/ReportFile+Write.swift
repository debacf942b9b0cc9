import Glibc
import GreenroomModel
import GreenroomOutputs
import GreenroomSystem
import GreenroomVideo
import SystemPackage

extension ReportFile {
    /// Writes a report over the previous report.
    func write(_ report: SessionReport) throws(OutputError) {
        // An output that has not begun may not have made the folder yet.
        guard isRecording || access(parentFolder(of: path), F_OK) == 0 else { return }
        do {
            let text = Array((try report.jsonText(isPretty: true) + "\n").utf8)
            do {
                try FileDescriptor.writeWhole(path, text)
            } catch {
                // On a full disk, removing the earlier report makes room. If the earlier report
                // stayed, it would claim that the session still runs.
                guard report.outcome != .running, unlink(path) == 0 else { throw error }
                try FileDescriptor.writeWhole(path, text)
            }
        } catch let error as FileError {
            throw OutputError(place: path, explanation: "\(error.rule); \(error.cure)")
        } catch {
            throw OutputError(place: path, explanation: "cannot write it: \(error)")
        }
    }
}
