import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Audio filters in sessions of the real programs.
@Suite(.ownThreads) struct AudioFilterTests {
    let installed: [String: String?] = ["LADSPA_PATH": "/usr/lib/ladspa"]

    /// The recorded microphone.
    func record(_ filters: String, timeline: [String] = []) throws -> [UInt8] {
        let session = try FileSession(
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

    @Test func `an audio filter has the same result isolated and in the host's process`() throws {
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
}
