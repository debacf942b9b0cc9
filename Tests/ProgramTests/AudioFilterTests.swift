import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Audio filters in sessions of the real programs.
@Suite(.ownThreads) struct AudioFilterTests {
    private let installed: [String: String?] = ["LADSPA_PATH": "/usr/lib/ladspa"]

    /// The recorded microphone.
    private func record(_ filters: String, timeline: [String] = []) throws -> [UInt8] {
        let session = try TestSession(
            """
            microphone:
              plugin: Tone
              settings: { frequency: 500 }
              pre-processors: [\(filters)]
            """, duration: "2s", clock: "virtual", timeline: timeline, isolation: nil)
        let run = try session.run([], environment: installed)
        #expect(run.exit == .code(0), "\(run)")
        #expect(!run.standardError.contains("unedited"), "\(run)")
        return try readFile("\(session.recording)/camera.wav")
    }

    @Test func `a filter edits the same in the host's process and in its own`() throws {
        let change = ["at: 1s, set: 'microphone.pre-processors[0].settings.level=-6'"]
        let settings = "plugin: Gain, settings: { level: 3 }"
        let own = try record("{ \(settings), isolation: process }", timeline: change)
        let host = try record("{ \(settings), isolation: host }", timeline: change)
        // Not compared by the macro, which would print everything.
        let isSame = own == host
        #expect(isSame)
        let isEdited = try record("{ plugin: Gain }") != host
        #expect(isEdited)
    }

    @Test(.nightly) func `noise is suppressed in a separate process as in the host's`() throws {
        let own = try record("{ plugin: NoiseSuppression, isolation: process }")
        let host = try record("{ plugin: NoiseSuppression }")
        let isSame = own == host
        #expect(isSame)
    }

    @Test(.nightly) func `an effect of LADSPA is found by its name and id, and edits a microphone`()
        throws
    {
        for name in ["ladspa-amp-stereo", "ladspa.amp-stereo"] {
            let run = try Greenroom.start(
                ["plugin", "info", name, "--json"], environment: installed
            )
            .wait()
            let info = try #require(
                try JSONSerialization.jsonObject(with: Data(run.text.utf8)) as? [String: Any],
                "\(run)")
            let settings = try #require(info["settings"] as? [[String: Any]])
            #expect(settings.map { $0["name"] as? String } == ["gain"])
        }
        let twice = try record("{ plugin: ladspa-amp-stereo, settings: { gain: 0.5 } }")
        let once = try record("{ plugin: ladspa-amp-stereo }")
        let isEdited = once != twice
        #expect(isEdited && once.count == twice.count)
        let plain = try record("")
        let isSame = once == plain
        #expect(isSame)
    }

    @Test(.nightly) func `an unknown effect of LADSPA is named with the package`() throws {
        let session = try TestSession(
            "microphone: { plugin: Tone, pre-processors: [{ plugin: ladspa-nothing }] }",
            duration: "1s", clock: "virtual", isolation: nil)
        let run = try session.run([], environment: installed)
        #expect(run.standardError.contains("apt install swh-plugins"), "\(run)")
    }

    @Test(.nightly) func `a filter of video under a microphone is refused with its place`() throws {
        let session = try TestSession(
            "microphone: { plugin: Tone, pre-processors: [{ plugin: Adjust }] }",
            duration: "1s", clock: "virtual")
        let run = try session.run([])
        #expect(
            run.standardError.contains(
                "needs an audio pre-processor, and Adjust is a video pre-processor, which goes "
                    + "under \"pre-processors\" of camera or share"), "\(run)")
    }
}
