import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension AudioFilterTests {
    @Test func `noise is suppressed in a separate process as in the host's`() throws {
        let own = try record("{ plugin: NoiseSuppression, isolation: process }")
        let host = try record("{ plugin: NoiseSuppression }")
        let isSame = own == host
        #expect(isSame)
    }

    @Test func `an effect of LADSPA is found by its name and id, and edits a microphone`()
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

    @Test func `an unknown effect of LADSPA is named with the package`() throws {
        let session = try FileSession(
            "microphone: { plugin: Tone, pre-processors: [{ plugin: ladspa-nothing }] }",
            duration: "1s", clock: "virtual", isolation: nil)
        let run = try session.run([], environment: installed)
        #expect(run.standardError.contains("apt install swh-plugins"), "\(run)")
    }

    @Test func `a filter of video under a microphone is refused with its place`() throws {
        let session = try FileSession(
            "microphone: { plugin: Tone, pre-processors: [{ plugin: Adjust }] }",
            duration: "1s", clock: "virtual")
        let run = try session.run([])
        #expect(
            run.standardError.contains(
                "needs an audio pre-processor, and Adjust is a video pre-processor, which goes "
                    + "under \"pre-processors\" of camera or share"), "\(run)")
    }
}
