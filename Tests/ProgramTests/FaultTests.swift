import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that the crash of an isolated plugin affects only that plugin: it is detected, reported
/// with evidence and restarted, and all other video and audio is unchanged.
///
/// On the virtual clock the files of the others are identical to those of a session without faults.
@Suite(.ownThreads) struct FaultTests {
    /// A fault, and words of its evidence.
    struct Fault: CustomTestStringConvertible, Sendable {
        var name: String
        var words: [String]
        var testDescription: String { name }

        init(_ name: String, _ words: String...) {
            self.name = name
            self.words = words
        }
    }

    /// A camera that fails in its second second, with a share, its audio and a microphone
    /// beside it.
    ///
    /// - Parameters:
    ///   - settings: The camera's.
    ///   - more: Other keys of the camera.
    static func session(
        _ settings: String, _ more: String = "", clock: String = "virtual",
        timeline: [String] = [], duration: String = "4s"
    ) throws -> FileSession {
        // A process may take long to end on a busy machine: only faults that do not end it are about the
        // deadline.
        let ends = [
            "segv", "bus", "fpe", "abort", "exit", "quit", "overflow", "kill", "unmap",
            "free-lease",
        ].contains { settings.hasPrefix("fault: \($0)") }
        return try FileSession(
            """
            camera: \(try FileSession.hostile("Faulty", "frames: 30, \(settings)", more))
            microphone: \(try FileSession.hostile("Mic"))
            share: \(try FileSession.hostile("SteadyShare", "way: leased", """
                audio: \(try FileSession.hostile("ShareAudio", "rate: 22050"))
                """))
            """, maximum: "160x90@30", duration: duration, deadline: ends ? "20s" : "2s",
            clock: clock, timeline: timeline, isolation: "process")
    }

    /// The files of the others without faults.
    private static let undisturbed = Result { () -> [String: [UInt8]] in
        let recorded = try Recorded(
            FaultTests.session("fault: none"), isolation: "process")
        guard recorded.run.exit == .code(0) else { throw Failure("\(recorded.run)") }
        return recorded.files
    }

    /// Expects that nothing but the camera was affected.
    func expectOthersUndisturbed(
        _ recorded: Recorded, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (file, bytes) in try Self.undisturbed.get() where file != "camera.y4m" {
            let isSame = recorded.files[file] == bytes
            #expect(isSame, "\(file)\n\(recorded.run)", sourceLocation: sourceLocation)
        }
    }

    /// Faults that end the process, at a frame.
    static let ends = [
        Fault("segv", "killed by SIGSEGV", "hostile.so("), Fault("bus", "killed by SIGBUS"),
        Fault("fpe", "killed by SIGFPE"),
        Fault("abort", "killed by SIGABRT", "last output: the lens cap is on", "hostile.so("),
        Fault("exit", "exited with status 3"), Fault("quit", "exited with status 0"),
        Fault("overflow", "killed by SIGSEGV"), Fault("kill", "killed by SIGKILL"),
        Fault("stop", "has not answered", "stopped (SIGSTOP)"),
        Fault("unmap", "killed by SIGSEGV"),
        Fault("free-lease", "killed by SIGABRT", "free(): invalid pointer"),
        Fault("leak", "limit: 256 MB", "memory-limit"),
        Fault("page-tables", "limit: 256 MB", "memory-limit"),
        Fault("garbage", "invalid message"), Fault("nonsense", "message"),
    ]

    // MARK: - Policies

    @Test func `a session continues without a lost plugin`() throws {
        let session = try Self.session("fault: segv", "on-failure: off")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        let losses = try report.plugin("camera").losses ?? []
        #expect(losses.map(\.policy) == ["off"] && losses.allSatisfy { $0.awaySeconds == nil })
        #expect(try report.plugin("camera").state == "faulted")
        try expectOthersUndisturbed(recorded)
        // The last frame, and after a second a slate.
        let marks = try session.picture("camera").marks()
        let shown = marks.prefix { $0 != nil }
        #expect(shown.count < 70 && marks.dropFirst(shown.count).allSatisfy { $0 == nil })
        #expect((29...32).contains(Cadence(shown.compactMap(\.self)).periods.last ?? 0))
    }

    @Test func `a session ends with a lost plugin, with on-failure: end`() throws {
        let session = try Self.session("fault: segv", "on-failure: end")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(69), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        #expect(report.outcome == "plugin-failed" && report.failedPlugin == "camera")
        let losses = try report.plugin("camera").losses ?? []
        #expect(losses.map(\.policy) == ["end"], "\(recorded.run)")
        #expect(try session.picture("camera").frameCount < 60)
    }

    // MARK: - Other kinds

    static let crashes = [
        Fault("segv", "SIGSEGV"), Fault("abort", "SIGABRT"), Fault("stop", "SIGSTOP"),
        Fault("garbage", "message"),
    ]

    @Test(
        arguments: crashes.filter { $0.name != "stop" } + [
            // No deadline of video is as long as the detection of a stopped process.
            Fault("stop", "process"), Fault("hang", "process"),
        ])
    func `video continues unedited without a filter, until it returns`(fault: Fault) throws {
        let filter = try FileSession.hostile("FaultyFilter", "frames: 15")
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Camera", "fps: 30", "pre-processors: [\(filter)]"))
            microphone: \(try FileSession.hostile("Mic"))
            """, maximum: "64x36@30", duration: "5s",
            deadline: ["stop", "hang"].contains(fault.name) ? "2s" : "20s", clock: "virtual",
            timeline: [
                "at: 1s, set: \"camera.pre-processors[0].settings.fault=\(fault.name)\"",
                "at: 1200ms, set: \"camera.pre-processors[0].settings.fault=none\"",
            ], isolation: "process")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        let losses = try report.plugin("camera.pre-processors[0]").losses ?? []
        #expect(losses.count == 1 && losses[0].awaySeconds != nil, "\(recorded.run)")
        for word in fault.words {
            #expect(losses.first?.evidence.contains(word) ?? false, "\(recorded.run)")
        }
        // Inverted, upright, inverted again; every frame is there.
        let picture = try session.picture("camera")
        #expect(picture.frameCount == 150)
        let upright = Quarters().expected[0].y
        let edits = try (0..<150).map { index -> Bool? in
            let luma = try picture.frame(index)[0, 0].y
            if abs(luma - upright) <= 2 { return false }
            return abs(luma - (255 - upright)) <= 2 ? true : nil
        }
        #expect(edits.allSatisfy { $0 != nil })
        #expect(
            edits[0...28].allSatisfy { $0 == true } && edits[34...44].allSatisfy { $0 == false })
        #expect(edits[60...].allSatisfy { $0 == true }, "\(edits)")
        let counters = try report.picture("camera")
        #expect(counters.outputs[0].repeated <= 3, "\(counters)")
        let sound = try session.sound("camera")
        #expect(
            Tone.breaks(
                in: Array(sound.channels[0].dropFirst(48)), frequency: 440, rate: 48_000,
                tolerance: 3
            ).isEmpty)
    }
}
