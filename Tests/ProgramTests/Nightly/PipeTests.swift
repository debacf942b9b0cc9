import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Statistics of real time: what a pipe's reader gets when.
@Suite(.ownThreads) struct PipeTests {
    /// Runs a session whose Y4M goes through a pipe into a Python program.
    private func piped(_ session: FileSession, into program: String) throws -> Finished {
        let script = try session.folder.write("read.py", program)
        let command =
            "set -o pipefail; '\(Checkout.greenroom)' run '\(session.file)' | python3 '\(script)'"
        return try ChildProcess.run(
            "bash", ["-c", command], environment: ["GREENROOM_PLUGIN_PATH": nil])
    }

    /// Prints the arrival time of each frame of 64x36, in milliseconds.
    private static let printTimes = """
        import sys, time
        stream = sys.stdin.buffer
        stream.readline()
        while stream.readline():
            stream.read(64 * 36 * 3 // 2)
            print(int(time.monotonic() * 1000))
        """

    /// The milliseconds between the frames at a pipe's reader: of the first of five runs with so many
    /// above 10 ms, or of the last one.
    ///
    /// - Parameter mayMiss: Whether one frame alone is real, which a busy machine may miss.
    private func gaps(
        of session: FileSession, count: Int, atLeast expected: Int, mayMiss: Bool
    ) throws -> [Int] {
        var gaps: [Int] = []
        for _ in 0..<5 where gaps.count(where: { $0 > 10 }) < expected {
            let run = try piped(session, into: Self.printTimes)
            if mayMiss, run.exit == .code(66) { continue }
            #expect(run.exit == .code(0), "\(run)")
            let times = run.text.split(separator: "\n").compactMap { Int($0) }
            #expect(times.count == count, "\(run)")
            gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        }
        return gaps
    }

    @Test(arguments: ["Burst", "Sleeper", "Still"])
    func `a pipe's reader gets frames evenly`(name: String) throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile(name))", maximum: "64x36@30", duration: "5s",
            outputs: "[{ y4m: \"-\" }]")
        // A burst of ten has one gap in ten; a busy machine joins some frames, at times too many.
        let gaps = try gaps(
            of: session, count: 150, atLeast: 60, mayMiss: name == "Still")
        #expect(gaps.count { $0 > 10 } >= 60, "\(gaps)")
    }

    @Test func `a silent share repeats its last frame`() throws {
        let session = try FileSession(
            "share: \(try FileSession.hostile("StillShare"))", maximum: "64x36@30", duration: "5s",
            outputs: "[{ y4m: { track: share } }]")
        let gaps = try gaps(of: session, count: 150, atLeast: 60, mayMiss: true)
        #expect(gaps.count { $0 > 10 } >= 60, "they are spread over the time: \(gaps)")
    }

    @Test func `a stalled reader affects neither other outputs nor the source`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Steady"))", maximum: "640x360@30", duration: "3s",
            outputs: "[{ y4m: \"-\" }, { record: recording }]")
        let run = try piped(
            session,
            into: """
                import sys, time
                sys.stdin.buffer.readline()
                sys.stdin.buffer.read(6 + 640 * 360 * 3 // 2)
                time.sleep(2.5)
                sys.stdin.buffer.read()
                """)
        #expect(run.exit == .code(0), "\(run)")
        let picture = try session.expectTrueReport(run).picture("camera")
        let (stalled, recorded) = (picture.outputs[0], picture.outputs[1])
        #expect(stalled.queueFull + stalled.excess > 30, "\(stalled)")
        // On a busy machine other outputs may lose frames too, for other reasons.
        #expect(
            recorded.queueFull * 4 <= stalled.queueFull + stalled.excess && recorded.periods == 90,
            "\(recorded)")
        #expect(recorded.delivered * 10 >= picture.carried * 8, "\(picture)")
        // A busy machine delays or drops frames before the outputs; it refuses none.
        #expect(picture.refused.keys.allSatisfy { $0 == "STOPPED" }, "\(picture.refused)")
    }
}
