import SessionTestSupport
import TestSupport
import Testing

/// Tests the control lines on a command's standard input.
@Suite(.ownThreads) struct ControlLineTests {
    /// Runs a session in real time with control lines on its standard input, shortly after it has started: a
    /// microphone that is muted before it has sent anything is not real.
    ///
    /// - Parameter duration: Long enough for a frame to be shown on a busy machine.
    func control(_ lines: String, duration: String = "8s") throws -> (
        session: FileSession, run: Finished
    ) {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Steady"))
            microphone: \(FileSession.bundled("Tone", "level: -12"))
            """, maximum: "160x90@30", duration: duration)
        let command = """
            (for i in $(seq 300); do grep -qs '"event":"started"' "$1" && break; sleep 0.1; done
             sleep 0.3; printf %s "$2") | "$0" run --control --json "$3" > "$1"
            status=$?; cat "$1"; exit $status
            """
        let run = try ChildProcess.run(
            "bash",
            ["-c", command, Checkout.greenroom, session.folder("events"), lines, session.file],
            environment: ["GREENROOM_PLUGIN_PATH": nil])
        return (session, run)
    }

    @Test func `control lines have the effect of a timeline`() throws {
        let (session, run) = try control("set camera.settings.tag=9\nmute\nceiling 80x45@15\n")
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let marks = try session.picture("camera").marks().compactMap(\.self)
        #expect(marks.suffix(10).allSatisfy { $0.tag == 9 && !$0.isSharp }, "\(run)")
        let sound = try session.sound("camera")
        #expect(sound.channels[0].suffix(24_000).allSatisfy { $0 == 0 }, "\(run)")
        #expect(try report.sound("microphone").muted > 24_000)
        let ceiling = try report.picture("camera").negotiation.last?.ceilings.first
        #expect(ceiling?.origin == "control line 3", "\(report)")
        let commands = try run.events.filter { $0.event == "commanded" }
        #expect(
            commands.map(\.origin) == (1...3).map { "control line \($0)" }, "\(run.text)")
    }
}
