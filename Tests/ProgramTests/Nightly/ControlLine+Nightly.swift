import SessionTestSupport
import TestSupport
import Testing

extension ControlLineTests {
    @Test func `invalid control lines are reported by number, and change nothing`() throws {
        let lines = [
            "mutter", "ceiling", "ceiling 12", "ceiling 640x360", "set camera.settings.nope=1",
            "set camera.settings.tag=16", "set camera.settings.fps=5", "pause share", "set x=1",
            "\u{7}",
        ]
        let (session, run) = try control(lines.joined(separator: "\n") + "\n")
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        for number in 1...lines.count {
            let line = "control line \(number)"
            // The line can't be read, or has no effect.
            let told = try run.events.filter {
                $0.event == "control-error" && $0.origin == line
                    || $0.event == "note" && $0.role == line
            }
            #expect(told.count == 1, "\(told.count) of \(lines[number - 1]):\n\(run.text)")
        }
        #expect(try report.picture("camera").negotiation.count == 1)
        #expect(try report.sound("microphone").muted == 0)
        let marks = try session.picture("camera").marks().compactMap(\.self)
        #expect(!marks.isEmpty && marks.allSatisfy { $0.tag == 0 })
    }

    @Test func `a control line ends the session`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Steady"))", maximum: "160x90@30", duration: nil)
        // A session that sends leaves its recording.
        let log = session.folder("log")
        let command = """
            (for i in $(seq 300); do grep -qs sending '\(log)' && break; sleep 0.1; done
             sleep 1; echo stop) \
                | '\(Checkout.greenroom)' run --control '\(session.file)' 2> '\(log)'
            status=$?; cat '\(log)' >&2; exit $status
            """
        let run = try ChildProcess.run(
            "bash", ["-c", command], environment: ["GREENROOM_PLUGIN_PATH": nil])
        #expect(run.exit == .code(0), "\(run)")
        try session.expectTrueReport(run)
        let recording = try session.picture("camera")
        #expect(recording.frameCount > 0 && recording.trailingBytes == 0, "\(run)")
    }
}
