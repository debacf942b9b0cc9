import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// The results of a session, for comparison with another run.
struct Recorded {
    /// The recording's files.
    var files: [String: [UInt8]]
    /// The report, without values that depend on the plugins' processes.
    var report: String
    /// The log lines about each plugin and by it, by role.
    var lines: [String: String]
    var run: Finished

    /// Runs a session.
    ///
    /// - Parameters:
    ///   - isolation: The session's `isolation`: `host` or `process`.
    ///   - keys: Other keys of the session file, as `--set` takes them.
    ///   - other: The folder of a second recording.
    init(
        _ session: FileSession, isolation: String, keys: [String] = [],
        andInto other: String? = nil,
        environment: [String: String?] = [:]
    ) throws {
        let second = other.map { ", {record: {folder: \($0), overwrite: true}}" } ?? ""
        let all =
            [
                "outputs=[{record: {folder: recording, overwrite: true}}\(second)]",
                "session.isolation=\(isolation)",
            ] + keys
        run = try session.run(all.flatMap { ["--set", $0] }, environment: environment)
        let recording = session.recording
        guard session.folder.has("recording/session.json") else { throw Failure("\(run)") }
        let names = try FileManager.default.contentsOfDirectory(atPath: recording)
        files = try Dictionary(
            uniqueKeysWithValues: names.filter { $0 != "session.json" }.map {
                ($0, try readFile("\(recording)/\($0)"))
            })
        report = try Self.withoutProcesses(try readFile("\(recording)/session.json"))
        let roles = try session.report().plugins.map(\.role)
        lines = Dictionary(
            uniqueKeysWithValues: roles.map { [run] in ($0, run.lines(of: $0)) })
    }

    /// Members that only isolated plugins have.
    private static let ofProcesses: Set = ["isolation", "process", "sandbox", "losses"]
    /// Members about memory, which differ if a filter has memory of its own.
    private static let ofMemory: Set = ["conversions", "bytesConverted"]

    private static func withoutProcesses(_ json: [UInt8]) throws -> String {
        guard
            var report = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any],
            let plugins = report["plugins"] as? [[String: Any]],
            let pictures = report["videoTracks"] as? [[String: Any]]
        else { throw Failure("the report is no object, or lacks plugins or pictures") }
        report["plugins"] = plugins.map { $0.filter { !ofProcesses.contains($0.key) } }
        if plugins.contains(where: { $0["kind"] as? String == "video pre-processor" }) {
            report["videoTracks"] = pictures.map { $0.filter { !ofMemory.contains($0.key) } }
        }
        let text = try JSONSerialization.data(
            withJSONObject: report, options: [.prettyPrinted, .sortedKeys])
        return String(decoding: text, as: UTF8.self)
    }

    /// Expects equal results of two runs.
    func expectSame(
        as other: Recorded, _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            run.exit == other.run.exit, "\(comment)\n\(run)\n\(other.run)",
            sourceLocation: sourceLocation)
        #expect(
            files.keys.sorted() == other.files.keys.sorted(), "\(comment)",
            sourceLocation: sourceLocation)
        for (file, bytes) in files {
            // Not compared by the macro, which would print everything.
            let isSame = other.files[file] == bytes
            #expect(
                isSame, "\(comment): \(file) differs\n\(other.run)", sourceLocation: sourceLocation)
        }
        let difference = Self.difference(report, other.report)
        #expect(
            difference.isEmpty, "\(comment): session.json differs:\n\(difference)\n\(other.run)",
            sourceLocation: sourceLocation)
    }

    private static func difference(_ one: String, _ other: String) -> String {
        let (one, other) = (one.split(separator: "\n"), other.split(separator: "\n"))
        return other.difference(from: one).map { change in
            switch change {
            case .insert(let offset, let line, _): "\(offset) +\(line)"
            case .remove(let offset, let line, _): "\(offset) -\(line)"
            }
        }.joined(separator: "\n")
    }
}
