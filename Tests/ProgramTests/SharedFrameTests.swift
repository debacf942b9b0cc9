import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that outputs in processes of their own read the frames that others read, that they can't
/// change them, and that what one of them does costs it alone.
@Suite(.ownThreads) struct SharedFrameTests {
    /// What a taker does besides digesting frames.
    enum Deed: Int {
        case none, write, change, keep, crash, stall, hurry, hoard, leak
    }

    /// What the report says of an output.
    struct Entry: Decodable {
        struct Track: Decodable {
            struct Media: Decodable {
                var taken: Int
                var away: Int
                var noBuffer: Int
                var copied: Int?
            }
            var media: Media
        }
        var plugin: String
        var tracks: [Track]
        var values: [String: Double]

        var media: Track.Media? { tracks.first?.media }
        /// How many frames it got, and the digest of all of them.
        var content: [Double?] { [values["frames"], values["digest"]] }
    }

    static func taker(
        _ isolation: String, _ deed: Deed = .none, format: Int = 7, _ more: String = ""
    ) throws -> String {
        FileSession.library(
            try TestPlugins.taker(), "deed: \(deed.rawValue), format: \(format)",
            "isolation: \(isolation)\(more)")
    }

    struct Result {
        var run: Finished
        var outputs: [Entry]
        var report: Report
        var camera: Report.VideoReport
    }

    /// Runs a session of 2 s with a recording of another want and these outputs.
    ///
    /// - Parameter more: Other sections of the session file.
    func run(
        _ outputs: [String], _ more: String = "", maximum: String = "384x192@15",
        camera: String = FileSession.bundled("ColorBars"), deadline: String = "20s"
    ) throws -> Result {
        let session = try FileSession(
            "camera: \(camera)\n\(more)", maximum: maximum, duration: "2s",
            deadline: deadline, clock: "virtual", table: "[\(maximum)]",
            outputs: "[{ record: { folder: recording, size: 16x16 } }, "
                + outputs.joined(separator: ", ") + "]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.report()
        return Result(
            run: run, outputs: try Self.outputs(of: session).filter { $0.plugin == "Taker" },
            report: report, camera: try report.picture("camera"))
    }

    /// The output plugins in a session's report.
    static func outputs(of session: FileSession) throws -> [Entry] {
        let json = try JSONSerialization.jsonObject(
            with: Data(readFile(session.recording + "/session.json")))
        let entries = try #require((json as? [String: Any])?["outputPlugins"])
        return try JSONDecoder().decode(
            [Entry].self, from: JSONSerialization.data(withJSONObject: entries))
    }

    @Test func `equal requested formats cost one conversion and no copy`() throws {
        let none = try run([try Self.taker("host", format: 2)])
        let inHost = try run([Self.taker("host", format: 2), Self.taker("host")])
        let isolated = try run(
            [Self.taker("host", format: 2)] + (0..<3).map { _ in try Self.taker("process") })
        let frames = 30
        #expect(inHost.camera.conversions - none.camera.conversions == frames)
        #expect(isolated.camera.conversions == inHost.camera.conversions)
        #expect(
            isolated.camera.bytesConverted - none.camera.bytesConverted == frames * 384 * 192 * 4)
        #expect(isolated.camera.bytesConverted == inHost.camera.bytesConverted)
        let content = try #require(inHost.outputs.last?.content)
        #expect(content.first == Double(frames))
        for output in isolated.outputs.dropFirst() {
            #expect(output.content == content, "\(isolated.run)")
            #expect(output.media?.taken == frames && output.media?.copied == nil)
        }
    }

    @Test func `a frame can't be changed, whatever an output tries`() throws {
        let result = try run([Self.taker("process"), Self.taker("process", .change)])
        #expect(result.outputs[1].values["changed"] == 0, "\(result.run)")
        #expect(result.outputs[1].content == result.outputs[0].content, "\(result.run)")
        #expect(result.report.plugins.allSatisfy { $0.losses == nil }, "\(result.run)")
    }

    @Test(arguments: [
        ("crash", "", "killed by SIGABRT"), ("stall", "", "hangs in"),
        ("leak", ", memory-limit: 64 MB", "limit: 64 MB"),
    ])
    func `an output that crashes, hangs or leaks costs only itself`(
        name: String, key: String, evidence: String
    ) throws {
        let deed: Deed = name == "crash" ? .crash : name == "stall" ? .stall : .leak
        let alone = try run([Self.taker("host")])
        let result = try run(
            [Self.taker("process"), Self.taker("process", deed, key), Self.taker("host")],
            deadline: name == "stall" ? "3s" : "20s")
        let losses = try #require(
            result.report.plugin("outputs[2]").losses, "\(result.run)")
        #expect(losses.first?.evidence.contains(evidence) ?? false, "\(losses)\n\(result.run)")
        #expect(losses.first?.awaySeconds != nil, "it came back: \(result.run)")
        for output in [result.outputs[0], result.outputs[2]] {
            #expect(output.content == alone.outputs[0].content, "\(result.run)")
        }
        // It is no copy after a restart, either, but for what is shown meanwhile.
        #expect((result.outputs[1].media?.copied ?? 0) <= losses.count, "\(result.run)")
    }
}
