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
    private static func session(
        _ settings: String, _ more: String = "", clock: String = "virtual",
        timeline: [String] = [], duration: String = "4s"
    ) throws -> TestSession {
        // A process may take long to end on a busy machine: only faults that do not end it are about the
        // deadline.
        let ends = [
            "segv", "bus", "fpe", "abort", "exit", "quit", "overflow", "kill", "unmap",
            "free-lease",
        ].contains { settings.hasPrefix("fault: \($0)") }
        return try TestSession(
            """
            camera: \(try TestSession.hostile("Faulty", "frames: 30, \(settings)", more))
            microphone: \(try TestSession.hostile("Mic"))
            share: \(try TestSession.hostile("SteadyShare", "way: leased", """
                audio: \(try TestSession.hostile("ShareAudio", "rate: 22050"))
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
    private func expectOthersUndisturbed(
        _ recorded: Recorded, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (file, bytes) in try Self.undisturbed.get() where file != "camera.y4m" {
            let isSame = recorded.files[file] == bytes
            #expect(isSame, "\(file)\n\(recorded.run)", sourceLocation: sourceLocation)
        }
    }

    /// Expects one loss of the camera, of that evidence, after which it was started again and came
    /// back.
    private func expectOneLoss(
        _ report: Report, _ fault: Fault, _ run: Finished,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let losses = try report.plugin("camera").losses ?? []
        #expect(losses.count == 1, "\(run)", sourceLocation: sourceLocation)
        let loss = try #require(losses.first, "\(run)", sourceLocation: sourceLocation)
        for word in fault.words {
            #expect(loss.evidence.contains(word), "\(run)", sourceLocation: sourceLocation)
        }
        #expect(loss.policy == "restart", sourceLocation: sourceLocation)
        #expect(
            (loss.awaySeconds ?? 0) >= 0.5, "it came back:\n\(run)", sourceLocation: sourceLocation)
        let lines = run.lines(of: "camera")
        #expect(
            lines.contains("camera: lost: \(loss.evidence)")
                || loss.evidence.hasPrefix("hangs in ") && lines.contains("has not returned"),
            "\(run)", sourceLocation: sourceLocation)
        #expect(report.outcome == "finished", "\(run)", sourceLocation: sourceLocation)
        for plugin in report.plugins where plugin.role != "camera" {
            #expect(plugin.losses == nil, "\(plugin.role)\n\(run)", sourceLocation: sourceLocation)
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

    @Test(.nightly, arguments: ends)
    func `a failed source returns, and the others miss nothing`(fault: Fault) throws {
        let session = try Self.session(
            "fault: \(fault.name), once: 1", timeline: ["at: 500ms, set: camera.settings.tag=5"])
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        try expectOneLoss(report, fault, recorded.run)
        try expectOthersUndisturbed(recorded)

        // 4 s at 30 frames a second; the last frame before the fault stays for 0.5 s.
        let picture = try session.picture("camera")
        let marks = try picture.marks().compactMap(\.self)
        #expect(picture.frameCount == 120 && marks.count == 120, "no slate, and no black")
        let first = marks.prefix { $0.revision == 1 }
        let second = marks.dropFirst(first.count)
        let before = Cadence(first)
        #expect(before.shown.map(\.number) == Array(0...(before.shown.last?.number ?? 0)))
        #expect(before.periods.dropLast().allSatisfy { $0 == 1 }, "\(before)")
        #expect((15...16).contains(before.periods.last ?? 0), "\(before)\n\(recorded.run)")
        // A new life counts from 0, was made a new offer, and has its setting as it was.
        #expect(second.allSatisfy { $0.revision > 1 && $0.tag == 5 }, "\(recorded.run)")
        let after = Cadence(second)
        #expect((0...1).contains(after.shown.first?.number ?? -1), "\(after)")
        #expect(after.steps.allSatisfy { $0 == 1 } && after.periods.allSatisfy { $0 == 1 })
        let output = try #require(try report.picture("camera").outputs.first)
        #expect(output.repeated == (before.periods.last ?? 0) - 1, "\(output)")
    }

    /// Faults that the process survives, at least on some machines, and that affect nothing else.
    static let nuisances = [
        "spin", "scribble", "spoil-frames", "crowd", "descriptors", "die-calling", "close-all",
        "close-socket", "shut-socket", "fork", "break-in", "fill-shared",
    ]

    @Test(.nightly, arguments: Nightly.pairs(nuisances, ["borrowed", "leased"]))
    func `the others miss nothing, whatever a source does`(name: String, way: String) throws {
        let session = try Self.session("fault: \(name), once: 1, way: \(way)")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        #expect(report.outcome == "finished")
        try expectOthersUndisturbed(recorded)
        #expect(try session.picture("camera").frameCount == 120)
    }

    /// By day one of each layout in memory: planar, semi-planar, packed, 10-bit, compressed.
    static let formats = Nightly.list(IdentityTests.formats + ["mjpeg"]) {
        ["i420", "nv12", "bgra", "p010", "mjpeg"].contains($0)
    }

    @Test(.nightly, arguments: Nightly.pairs(formats, ["borrowed", "leased"]))
    func `frames written during their conversion harm nothing else`(
        format: String, way: String
    ) throws {
        guard format != "mjpeg" || way == "borrowed" else { return }
        let media = try TestMedia()
        let settings = """
            answer: fixed, fps: 30, width: 160, height: 90, range: full, format: \(format), \
            way: \(way), image: "\(media.photo)"
            """
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Spoiled", settings))
            microphone: \(try TestSession.hostile("Mic"))
            share: \(try TestSession.hostile("SteadyShare", "way: leased", """
                audio: \(try TestSession.hostile("ShareAudio", "rate: 22050"))
                """))
            """, maximum: "160x90@30", duration: "4s", clock: "virtual", isolation: "process")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        #expect(report.plugins.allSatisfy { $0.losses == nil }, "\(recorded.run)")
        try expectOthersUndisturbed(recorded)
        #expect(try session.picture("camera").frameCount == 120)
    }

    // MARK: - Floods

    static let floods = [
        Fault("flood-frames", "frames/s, limit: 300/s"),
        Fault("flood-log", "lines/s, limit: 5000/s"),
        Fault("flood-output"), Fault("flood-line"), Fault("fill-frames"),
        Fault("open-channels"),
    ]

    /// By day one of messages, one of lines and one of memory: each takes 7 s of real time.
    private static let floodsByDay = ["flood-frames", "flood-log", "fill-frames"]

    @Test(.nightly, arguments: Nightly.list(floods) { floodsByDay.contains($0.name) })
    func `a flood is detected, and ended`(fault: Fault) throws {
        func flood() throws -> (TestSession, Recorded, Report) {
            let session = try Self.session(
                "fault: \(fault.name), once: 1", clock: "real", duration: "12s")
            let recorded = try Recorded(session, isolation: "process")
            #expect(recorded.run.exit == .code(0), "\(recorded.run)")
            return (session, recorded, try session.expectTrueReport(recorded.run))
        }
        var (session, recorded, report) = try flood()
        // On a machine that is too busy for a flood the silence of its video ends it first.
        for _ in 0..<5
        where try report.plugin("camera").losses?.first?.evidence.hasPrefix("no frame") ?? false {
            (session, recorded, report) = try flood()
        }
        try expectOneLoss(report, fault, recorded.run)
        let picture = try session.picture("camera")
        #expect(picture.frameCount == 360)
        #expect(try picture.marks().last??.revision ?? 0 > 1, "\(recorded.run)")
        let share = try report.picture("share")
        #expect(share.refused.allSatisfy { $0.key == "STOPPED" }, "\(share)")
        #expect(try session.picture("share").frameCount == 360)
        #expect(recorded.run.standardError.utf8.count < 1 << 20, "what it says is cut")
    }

    // MARK: - Callbacks

    @Test(
        .nightly, arguments: ["create", "initialize", "start-send"],
        [Fault("segv", "SIGSEGV"), Fault("exit", "status 3"), Fault("hang")])
    func `a plugin that never sends is dropped`(place: String, fault: Fault) throws {
        let session = try Self.session("fault: \(fault.name), where: \(place)", "on-failure: off")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        let plugin = try report.plugin("camera")
        #expect(plugin.state == "faulted", "\(recorded.run)")
        let lines = recorded.run.lines(of: "camera")
        #expect(lines.contains(place), "\(recorded.run)")
        for word in fault.words { #expect(lines.contains(word), "\(recorded.run)") }
        #expect(lines.contains("the session continues without it"), "\(recorded.run)")
        #expect(!lines.contains("started again"), "\(recorded.run)")
        try expectOthersUndisturbed(recorded)
    }

    @Test(
        .nightly, arguments: ["stop-send", "uninitialize", "destroy"],
        [Fault("segv", "SIGSEGV"), Fault("exit", "status 3"), Fault("hang", "has not returned")])
    func `a plugin that fails at the end does not harm the recording`(place: String, fault: Fault)
        throws
    {
        let session = try Self.session("fault: \(fault.name), where: \(place)")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        #expect(report.outcome == "finished")
        let lines = recorded.run.lines(of: "camera")
        for word in fault.words + [place] { #expect(lines.contains(word), "\(recorded.run)") }
        #expect(!lines.contains("started again"), "the session is over:\n\(recorded.run)")
        try expectOthersUndisturbed(recorded)
        #expect(try session.picture("camera").marks().compactMap(\.self).count == 120)
    }

    @Test(.nightly, arguments: [Fault("segv", "SIGSEGV"), Fault("hang", "property-change")])
    func `a source that fails in property-change returns`(fault: Fault) throws {
        let session = try Self.session(
            "fault: \(fault.name), where: property-change, once: 1",
            timeline: ["at: 1s, ceiling: 80x44@15"])
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        try expectOneLoss(report, fault, recorded.run)
        try expectOthersUndisturbed(recorded)
        // It returns to the currently possible size.
        #expect(try report.plugin("camera").offer?.suggested == "80x44@15", "\(recorded.run)")
    }

    @Test(.nightly) func `a setting that waits behind a hanging callback is the next life's`()
        throws
    {
        let session = try Self.session(
            "fault: hang, where: property-change, once: 1", clock: "real",
            timeline: ["at: 500ms, ceiling: 80x44@15", "at: 1s, set: camera.settings.tag=5"],
            duration: "10s")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let marks = try session.picture("camera").marks().compactMap(\.self)
        let second = marks.filter { $0.revision > 1 }
        #expect(!second.isEmpty && second.allSatisfy { $0.tag == 5 }, "\(run)")
    }

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

    @Test(.nightly) func `a repeatedly lost plugin is restarted with increasing delays, then not`()
        throws
    {
        let session = try Self.session("fault: segv", duration: "30s")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        let losses = try report.plugin("camera").losses ?? []
        #expect(losses.map(\.policy) == Array(repeating: "restart", count: 5) + ["off"])
        let away = losses.compactMap(\.awaySeconds)
        #expect(away.count == 5)
        for (seconds, expected) in zip(away, [0.5, 1, 2, 4, 8]) {
            #expect(abs(seconds - expected) < 0.2, "\(away)")
        }
        #expect(try report.plugin("camera").state == "faulted")
        // A slate while it is away for more than a second, and after it is lost; the frames of each
        // instance.
        let marks = try session.picture("camera").marks()
        #expect(marks.count == 900)
        #expect(Set(marks.compactMap { $0?.revision }).count == 6, "six lives")
        #expect(marks.last == .some(nil), "a slate at the end")
    }

    // MARK: - Other kinds

    static let crashes = [
        Fault("segv", "SIGSEGV"), Fault("abort", "SIGABRT"), Fault("stop", "SIGSTOP"),
        Fault("garbage", "message"),
    ]

    @Test(.nightly, arguments: crashes)
    func `a failed microphone is silent, and returns`(fault: Fault) throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Steady"))
            microphone: \(try TestSession.hostile("FaultyMic", "frames: 50"))
            """, maximum: "64x36@30", duration: "5s", clock: "virtual",
            timeline: [
                "at: 1s, set: microphone.settings.fault=\(fault.name)",
                "at: 1200ms, set: microphone.settings.fault=none",
            ], isolation: "process")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        let losses = try report.plugin("microphone").losses ?? []
        #expect(losses.count == 1 && losses[0].awaySeconds != nil, "\(recorded.run)")
        for word in fault.words { #expect(losses.first?.evidence.contains(word) ?? false) }
        let cadence = Cadence(try session.picture("camera").marks().compactMap(\.self))
        #expect(cadence.shown.count == 150 && cadence.steps.allSatisfy { $0 == 1 })
        // A tone for a second, silence for half a second, and the tone again.
        let sound = try session.sound("camera")
        #expect(sound.frameCount == 5 * 48_000)
        let loudness = (0..<50).map { tenth in
            Tone.loudness(of: sound.channels[0][tenth * 4_800..<(tenth + 1) * 4_800])
        }
        #expect(loudness[1...8].allSatisfy { $0 > 1000 }, "\(loudness)")
        #expect(loudness.filter { $0 == 0 }.count >= 3, "\(loudness)")
        #expect(loudness[12...14].allSatisfy { $0 == 0 }, "\(loudness)")
        #expect(loudness[22...].allSatisfy { $0 > 1000 }, "\(loudness)")
    }

    @Test(.nightly) func `a plugin that takes all processors is named, and waits for all others`()
        throws
    {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Faulty", "frames: 5, fault: take-processors"))
            microphone: { plugin: Tone, isolation: host }
            """, maximum: "64x36@30", duration: nil, isolation: "process")
        let child = try session.start()
        #expect(
            child.waitForErrors(
                containing: "scheduling lowered to idle priority"),
            "\(child.errorsSoFar)")
        func heard() throws -> Report.Audio {
            let status = try Greenroom.run("status", "session.\(child.id)", "--json")
            return try Report(session.folder.write("status.json", status.text)).sound("microphone")
        }
        func lost(_ then: Report.Audio, _ now: Report.Audio) -> Int {
            now.idle + now.concealed - then.idle - then.concealed
        }
        let runner = try #require(Runners.all(ofHost: child.id).first)
        #expect(Self.allThreadsWaitForOthers(runner))
        // From now on it waits: what went before that does not count. Other tests take processors, too:
        // of some parts of the session one is good.
        var then = try heard()
        sleep(3)
        var sound = try heard()
        for _ in 0..<5 where sound.played - then.played <= 9 * max(1, lost(then, sound)) {
            then = sound
            sleep(3)
            sound = try heard()
        }
        #expect(sound.played - then.played > 9 * lost(then, sound), "\(then), then \(sound)")
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        let named = try #require(
            run.lines(of: "camera").firstMatch(
                of: /uses ([0-9.]+) of ([0-9]+) processors with 6[0-9] threads/), "\(run)")
        // Beside other busy processes it is named for its many threads, and gets less.
        #expect(try #require(Double(named.1)) > 0.1 * #require(Double(named.2)))
        // Who has lost audio is not who is to blame.
        let after = try #require(run.standardError.ranges(of: "scheduling lowered").first)
        #expect(
            !run.standardError[after.upperBound...].split(separator: "\n").contains {
                $0.hasPrefix("microphone: sends") || $0.hasPrefix("microphone: audio arrives")
            }, "\(run)")
    }

    /// Each of them takes no more of the processors than its half.
    @Test(.nightly)
    func
        `two plugins that use all processors are both named, and run only when others do not need them`()
        throws
    {
        let faults = "frames: 5, fault: take-processors"
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Faulty", faults))
            share: \(try TestSession.hostile("FaultyShare", faults))
            microphone: { plugin: Tone, isolation: host }
            """, maximum: "64x36@30", duration: nil, isolation: "process")
        let child = try session.start()
        func isNamed(_ role: Substring) -> Bool {
            child.errorsSoFar.split(separator: "\n").contains {
                $0.contains("\(role): warning: the process uses") && $0.contains("idle priority")
            }
        }
        let areNamed = waitUntil { isNamed("camera") && isNamed("share") }
        #expect(areNamed, "\(child.errorsSoFar)")
        let runners = Runners.all(ofHost: child.id)
        #expect(runners.count == 2 && runners.allSatisfy(Self.allThreadsWaitForOthers))
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
    }

    private static func allThreadsWaitForOthers(_ process: pid_t) -> Bool {
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"))
        let idle: Int32 = 5  // SCHED_IDLE
        return threads?.isEmpty == false
            && (threads ?? []).compactMap { pid_t($0) }.allSatisfy {
                sched_getscheduler($0) == idle
            }
    }

    @Test(.nightly)
    func `a plugin that uses up the user's descriptors keeps no other from its start`() throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Faulty", "frames: 5, fault: hoard-descriptors"))
            microphone: \(try TestSession.hostile("FaultyMic"))
            """, maximum: "64x36@30", duration: "3s", clock: "virtual",
            timeline: [
                "at: 1s, set: microphone.settings.fault=segv",
                "at: 1200ms, set: microphone.settings.fault=none",
            ], isolation: "process")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        #expect(recorded.run.lines(of: "camera").contains(/hoards [0-9]{3}/), "\(recorded.run)")
        let losses = try session.report().plugin("microphone").losses ?? []
        #expect(losses.count == 1 && losses[0].awaySeconds != nil, "\(recorded.run)")
    }

    @Test(
        arguments: crashes.filter { $0.name != "stop" } + [
            // No deadline of video is as long as the detection of a stopped process.
            Fault("stop", "process"), Fault("hang", "process"),
        ])
    func `video continues unedited without a filter, until it returns`(fault: Fault) throws {
        let filter = try TestSession.hostile("FaultyFilter", "frames: 15")
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Camera", "fps: 30", "pre-processors: [\(filter)]"))
            microphone: \(try TestSession.hostile("Mic"))
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
