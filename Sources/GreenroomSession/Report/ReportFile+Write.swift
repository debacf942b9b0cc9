internal import FoundationEssentials
import Glibc
import GreenroomOutputs
import GreenroomSystem
import GreenroomVideo
import SystemPackage

extension ReportFile {
    /// Writes a report, in place of the last one.
    func write(_ report: SessionReport) throws(OutputError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            var text = try encoder.encode(report)
            text.append(UInt8(ascii: "\n"))
            do {
                try FileDescriptor.writeWhole(path, text)
            } catch {
                // On a full disk the earlier one makes room. If it stayed, it would say for ever that
                // the session runs.
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
