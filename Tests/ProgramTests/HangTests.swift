import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests hanging callbacks of plugins in processes of their own, and of a session without an end.
@Suite(.ownThreads) struct HangTests {
    /// The limit for a session with a hanging callback after its duration: each phase of the end takes a
    /// callback deadline, and a busy machine takes longer. The plugins hang for ten minutes.
    private static let limit = Duration.seconds(20)

    private func expectOnTime(
        _ run: Finished, after duration: Duration, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(run.duration < duration + Self.limit, "\(run)", sourceLocation: sourceLocation)
    }

    /// Expects that hanging callbacks of a plugin were reported, each once.
    private func expectNamed(
        _ steps: [String], of role: String, _ run: Finished,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let named = try run.events("callback-hangs", of: role).map(\.step)
        #expect(named == steps, "\(run.text)", sourceLocation: sourceLocation)
    }

    /// Expects that the session continued without a plugin.
    private func expectDropped(
        _ role: String, _ run: Finished, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let dropped = try run.events("plugin-dropped", of: role)
        #expect(dropped.count == 1, "\(run.text)", sourceLocation: sourceLocation)
    }

    @Test func `an isolated plugin whose second start-send hangs is given up`() throws {
        let camera = try FileSession.hostile(
            "HangsAtSecondStart", "", "isolation: process, on-failure: off")
        let session = try FileSession(
            """
            camera: \(camera)
            share: \(try FileSession.hostile("Share"))
            """, duration: "6s", deadline: "2s",
            timeline: ["at: 300ms, do: stop camera", "at: 500ms, do: start camera"])
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        try expectNamed(["start-send"], of: "camera", run)
        #expect(try run.events("note", of: "camera").isEmpty, "\(run.text)")
        try expectDropped("camera", run)
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("camera").fault == "hangs in start-send")
        try session.expectUnharmed("share", run)
    }
}
