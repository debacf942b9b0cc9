import SessionTestSupport
import TestSupport
import Testing

/// Tests that isolation changes nothing: on the virtual clock a session of isolated plugins
/// produces the same bytes as in the host's process, each time.
@Suite(.ownThreads) struct IdentityTests {
    /// Records a session once in the host's process and several times isolated, and compares.
    func expectSame(
        _ session: FileSession, times: Int = Nightly.value(2, byDay: 1),
        isolatedKeys: [String] = [],
        environment: [String: String?] = [:], exit: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let inHost = try Recorded(session, isolation: "host", environment: environment)
        #expect(inHost.run.exit == .code(exit), "\(inHost.run)", sourceLocation: sourceLocation)
        #expect(
            inHost.files.values.allSatisfy { $0.count > 100 }, "\(inHost.run)",
            sourceLocation: sourceLocation)
        for time in 1...times {
            let isolated = try Recorded(
                session, isolation: "process", keys: isolatedKeys, environment: environment)
            inHost.expectSame(as: isolated, "time \(time)", sourceLocation: sourceLocation)
        }
    }

    // MARK: - Bundled plugins

    @Test func `bundled generators record the same isolated and in the host's process`() throws {
        let session = try FileSession(
            """
            camera: \(FileSession.bundled("ColorBars", "format: bgra, range: full", """
                pre-processors: [{ plugin: Adjust, settings: { saturation: 0.5 } }]
                """))
            microphone: \(FileSession.bundled("Tone", "rate: 44100"))
            """, maximum: "320x180@30", duration: "6s", clock: "virtual",
            table: "[320x180@30, 160x90@30]",
            timeline: [
                "at: 500ms, set: camera.settings.pattern=grey",
                "at: 700ms, set: microphone.settings.frequency=1000",
                "at: 1s, ceiling: 160x90@15", "at: 3s, ceiling: none",
                "at: 3s, set: camera.settings.ball=false", "at: 4s, do: mute",
            ])
        try expectSame(session, times: Nightly.value(5, byDay: 2))
    }

    // MARK: - Reports

    /// Plugins that break rules, with their faults.
    static let offenders = [
        "camera: BadFrames", "camera: BadLeases", "camera: SendBeforeStart",
        "camera: AsksForTheUnknown", "camera: WaitInCallback", "camera: LeaseAcrossStop",
        "camera: GivesUp", "camera: SendAfterStop",
        "camera: SendWhenGone",
        "microphone: BadBlocks", "microphone: ImpatientMic", "microphone: SendAudioBeforeStart",
        "microphone: SendAudioAfterStop",
    ]

    /// Those with threads that sleep in real time.
    private static let sleepers: Set = [
        "camera: SendAfterStop", "camera: SendWhenGone",
    ]

    @Test(arguments: offenders)
    func `answers and refusals are the same isolated and in the host's process`(offender: String)
        throws
    {
        let parts = offender.split(separator: " ")
        let session = try FileSession(
            """
            \(parts[0]) \(try FileSession.hostile(String(parts[1]), "", "on-failure: off"))
            share: \(try FileSession.hostile("Share"))
            """, duration: Self.sleepers.contains(offender) ? "3s" : "700ms",
            clock: Self.sleepers.contains(offender) ? nil : "virtual")
        let role = String(parts[0].dropLast())
        func told(_ isolation: String) throws -> [String] {
            let recorded = try Recorded(session, isolation: isolation)
            #expect(recorded.run.exit == .code(0), "\(recorded.run)")
            try session.expectTrueReport(recorded.run)
            try session.expectUnharmed("share", recorded.run)
            // The count, and which thread comes first, depend on timing.
            // Only an isolated plugin identifies calls to an ended sender. Whether a thread that sends
            // all the time has another turn after the end depends on timing, too.
            let counted = [
                "good-frame", "good-block", "blocks ", "refused: ",
                "uses an ended or unknown sender", "no frame accepted", "sending again",
                "send-all-the-time 3 GONE",
            ]
            return recorded.run.lines(of: role).split(separator: "\n").map(String.init).filter {
                line in !counted.contains { line.contains($0) }
            }.sorted()
        }
        let inHost = try told("host")
        #expect(!inHost.isEmpty)
        let isolated = try told("process")
        #expect(isolated == inHost)
    }
}
