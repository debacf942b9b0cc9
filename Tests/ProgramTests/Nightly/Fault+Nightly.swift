import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension FaultTests {
    @Test(arguments: ends)
    func `a failed source is restarted, and the other tracks miss nothing`(fault: Fault) throws {
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

    @Test(arguments: Nightly.pairs(nuisances, ["borrowed", "leased"]))
    func `the other tracks miss nothing, whatever a source does`(name: String, way: String) throws {
        let session = try Self.session("fault: \(name), once: 1, way: \(way)")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        #expect(report.outcome == "finished")
        try expectOthersUndisturbed(recorded)
        #expect(try session.picture("camera").frameCount == 120)
    }

    @Test(arguments: Nightly.pairs(formats, ["borrowed", "leased"]))
    func `frames that a source writes during their conversion harm no other track`(
        format: String, way: String
    ) throws {
        guard format != "mjpeg" || way == "borrowed" else { return }
        let media = try TestMedia()
        let settings = """
            answer: fixed, fps: 30, width: 160, height: 90, range: full, format: \(format), \
            way: \(way), image: "\(media.photo)"
            """
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Spoiled", settings))
            microphone: \(try FileSession.hostile("Mic"))
            share: \(try FileSession.hostile("SteadyShare", "way: leased", """
                audio: \(try FileSession.hostile("ShareAudio", "rate: 22050"))
                """))
            """, maximum: "160x90@30", duration: "4s", clock: "virtual", isolation: "process")
        let recorded = try Recorded(session, isolation: "process")
        #expect(recorded.run.exit == .code(0), "\(recorded.run)")
        let report = try session.expectTrueReport(recorded.run)
        #expect(report.plugins.allSatisfy { $0.losses == nil }, "\(recorded.run)")
        try expectOthersUndisturbed(recorded)
        #expect(try session.picture("camera").frameCount == 120)
    }

    @Test(arguments: Nightly.list(floods) { floodsByDay.contains($0.name) })
    func `a flood is detected, and ended`(fault: Fault) throws {
        func flood() throws -> (FileSession, Recorded, Report) {
            let session = try Self.session(
                "fault: \(fault.name), once: 1", clock: "real", duration: "12s")
            let recorded = try Recorded(session, isolation: "process")
            #expect(recorded.run.exit == .code(0), "\(recorded.run)")
            return (session, recorded, try session.expectTrueReport(recorded.run))
        }
        var (session, recorded, report) = try flood()
        // On a busy machine, the host may end the plugin for its silent video before the flood does.
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

    @Test(
        arguments: ["create", "initialize", "start-send"],
        [Fault("segv", "SIGSEGV"), Fault("exit", "status 3"), Fault("hang")])
    func `a plugin that fails before it sends is dropped`(place: String, fault: Fault) throws {
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
        arguments: ["stop-send", "uninitialize", "destroy"],
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

    @Test(arguments: [Fault("segv", "SIGSEGV"), Fault("hang", "property-change")])
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

    @Test func `a setting that waits behind a hanging callback applies to the next life`()
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

    @Test func `a repeatedly lost plugin is restarted with increasing delays, then not`()
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

    @Test(arguments: crashes)
    func `a failed microphone is silent, and returns`(fault: Fault) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Steady"))
            microphone: \(try FileSession.hostile("FaultyMic", "frames: 50"))
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

    @Test func `a plugin that takes all processors is reported and gets idle priority`()
        throws
    {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Faulty", "frames: 5, fault: take-processors"))
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
        // The warning names the plugin because of its many threads, which get less than all processors.
        #expect(try #require(Double(named.1)) > 0.1 * #require(Double(named.2)))
        // The microphone lost audio, but did not cause it.
        let after = try #require(run.standardError.ranges(of: "scheduling lowered").first)
        #expect(
            !run.standardError[after.upperBound...].split(separator: "\n").contains {
                $0.hasPrefix("microphone: sends") || $0.hasPrefix("microphone: audio arrives")
            }, "\(run)")
    }

    /// Each of them takes no more of the processors than its half.
    @Test
    func
        `two plugins that use all processors are both named, and run only when others do not need them`()
        throws
    {
        let faults = "frames: 5, fault: take-processors"
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Faulty", faults))
            share: \(try FileSession.hostile("FaultyShare", faults))
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

    @Test
    func `a plugin that uses up the user's descriptors keeps no other from its start`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Faulty", "frames: 5, fault: hoard-descriptors"))
            microphone: \(try FileSession.hostile("FaultyMic"))
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

    /// Faults that the process survives, at least on some machines, and that affect nothing else.
    static let nuisances = [
        "spin", "scribble", "spoil-frames", "crowd", "descriptors", "die-calling", "close-all",
        "close-socket", "shut-socket", "fork", "break-in", "fill-shared",
    ]

    /// By day one of each layout in memory: planar, semi-planar, packed, 10-bit, compressed.
    static let formats = Nightly.list(IdentityTests.formats + ["mjpeg"]) {
        ["i420", "nv12", "bgra", "p010", "mjpeg"].contains($0)
    }

    static let floods = [
        Fault("flood-frames", "frames/s, limit: 300/s"),
        Fault("flood-log", "lines/s, limit: 5000/s"),
        Fault("flood-output"), Fault("flood-line"), Fault("fill-frames"),
        Fault("open-channels"),
    ]

    /// By day one of messages, one of lines and one of memory: each takes 7 s of real time.
    private static let floodsByDay = ["flood-frames", "flood-log", "fill-frames"]

    private static func allThreadsWaitForOthers(_ process: pid_t) -> Bool {
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"))
        let idle: Int32 = 5  // SCHED_IDLE
        return threads?.isEmpty == false
            && (threads ?? []).compactMap { pid_t($0) }.allSatisfy {
                sched_getscheduler($0) == idle
            }
    }
}
