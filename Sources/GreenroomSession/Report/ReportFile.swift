internal import FoundationEssentials
import Glibc
import GreenroomSystem
import GreenroomVideo
import SystemPackage

/// `session.json` in a folder of recordings.
///
/// Written when the session starts, each second, and at the end. Each time a complete file replaces
/// the last one, so that readers never see a partial report.
struct ReportFile: Sendable {
    let path: String

    func write(_ report: SessionReport) throws(OutputError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let draft = "\(path).part"
        do {
            var text = try encoder.encode(report)
            text.append(UInt8(ascii: "\n"))
            try text.write(to: URL(filePath: draft))
        } catch {
            throw OutputError(place: draft, explanation: "can't be written: \(error)")
        }
        guard rename(draft, path) == 0 else {
            throw OutputError(
                place: path, explanation: "can't be written: \(Errno.last).")
        }
    }
}
