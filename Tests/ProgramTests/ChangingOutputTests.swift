import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// An output in Swift that changes what it wants and what it can use while it runs.
@Suite(.ownThreads) struct ChangingOutputTests {
    /// What the report says of the output.
    private struct Entry: Decodable, Equatable {
        struct Track: Decodable, Equatable {
            struct Ceiling: Decodable, Equatable {
                var limit: String
                var reason: String
            }
            struct Media: Decodable, Equatable {
                var taken: Int
                var away: Int
            }
            var track: String
            var want: String
            var ceiling: Ceiling?
            var media: Media
        }
        var state: String?
        var text: String?
        var tracks: [Track]
        var values: [String: Double]
    }

    private func run(isolation: String) throws -> (
        entry: Entry, run: Finished, session: FileSession
    ) {
        let output = FileSession.library(
            try TestPlugins.changing(), "", "isolation: \(isolation)")
        let session = try FileSession(
            """
            camera: \(FileSession.bundled("ColorBars"))
            microphone: \(FileSession.bundled("Tone"))
            """, duration: "6s", clock: "virtual",
            outputs: "[{ record: recording }, \(output)]")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let report = try JSONDecoder().decode(
            [String: [Entry]].self,
            from: try Self.part("outputPlugins", of: session.recording + "/session.json"))
        return (try #require(report["outputPlugins"]?.first), run, session)
    }

    /// One key of a JSON file.
    private static func part(_ key: String, of path: String) throws -> Data {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let all = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try JSONSerialization.data(withJSONObject: [key: try #require(all[key])])
    }

    @Test func `a changing output gets the same media isolated and in the host's process`() throws {
        let inHost = try run(isolation: "host")
        let isolated = try run(isolation: "process")
        #expect(inHost.entry == isolated.entry)
        #expect(inHost.entry.state == "lost" && inHost.entry.text == "it is over")
        #expect(try #require(inHost.entry.values["turns"]) >= 3, "\(inHost.entry)")
        for (_, run, session) in [inHost, isolated] {
            let report = try session.expectTrueReport(run)
            let picture = try report.picture("camera")
            // The recording misses nothing, and the camera keeps its size.
            #expect(picture.outputs.first?.delivered == 90)
            #expect(picture.negotiation.count == 1)
            for state in ["live", "connecting", "lost"] {
                #expect(
                    run.text.contains(#""event":"output-state""#)
                        && run.text.contains(#""state":"\#(state)""#), "\(run)")
            }
        }
    }
}
