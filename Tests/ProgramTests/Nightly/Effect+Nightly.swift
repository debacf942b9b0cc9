import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension EffectTests {
    @Test
    func `an effect is found by name and id, and an unknown one named with the package`()
        throws
    {
        for name in ["frei0r-glow", "frei0r.glow"] {
            let run = try Greenroom.start(
                ["plugin", "info", name, "--json"], environment: installed
            )
            .wait()
            let settings = try #require(try json(run.text)["settings"] as? [[String: Any]])
            #expect(settings.map { $0["name"] as? String } == ["blur"])
            #expect(settings.map { $0["default"] as? Double } == [0])
        }
        let session = try FileSession("camera: { plugin: frei0r-glowing }", duration: "1s")
        let run = try session.run([], environment: installed)
        #expect(run.exit != .code(0))
        #expect(run.standardError.contains("apt install frei0r-plugins"), "\(run)")
    }

    @Test func `an effect edits a session's frames through a change of size`() throws {
        func record(_ plugin: String) throws -> (frames: Int, bytes: [UInt8]) {
            let session = try FileSession(
                """
                camera:
                  plugin: ColorBars
                  settings: { counter: false }
                  pre-processors: [\(plugin)]
                """, maximum: "480x270@15", duration: "2s", clock: "virtual",
                timeline: ["at: 1s, ceiling: 320x180@15"], isolation: nil)
            let run = try session.run([], environment: installed)
            #expect(run.exit == .code(0), "\(run)")
            #expect(!run.standardError.contains("unprocessed"), "\(run)")
            return (
                try session.picture("camera").frameCount,
                try readFile("\(session.recording)/camera.y4m")
            )
        }
        let flip = "{ plugin: frei0r-flippo, settings: { x-axis: true } }"
        let first = try record(flip)
        #expect(first.frames == 30)
        // Not compared by the macro, which would print everything.
        let isSame = try record(flip).bytes == first.bytes
        #expect(isSame)
        let isEdited = try record("{ plugin: frei0r-flippo }").bytes != first.bytes
        #expect(isEdited)
    }

    @Test func `an effect that hangs starts only if the session file insists`() throws {
        let session = try FileSession(
            "camera: { plugin: ColorBars, pre-processors: [{ plugin: frei0r-curves }] }",
            duration: "1s", clock: "virtual", isolation: nil)
        let run = try session.run([], environment: installed)
        #expect(run.standardError.contains("start-anyway: true"), "\(run)")
    }
}
