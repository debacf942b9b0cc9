import GreenroomDecisions
import GreenroomModel
import GreenroomMedia
import GreenroomNegotiation
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomSession

/// How much of a session was real: told as it happens, in the report and in its outcome.
@Suite(.ownThreads) struct RealTests {
    private func session(
        camera: SourcePlan? = nil, share: SourcePlan? = nil, microphone: SourcePlan? = nil,
        milliseconds: Int64 = 4000, deadline: Int64 = 30_000
    ) throws -> InProcessSession {
        var session = try InProcessSession(
            camera: camera, share: share, milliseconds: milliseconds)
        session.plan.configuration.callbackDeadline = .milliseconds(deadline)
        if let microphone { session.plan.slots.append(SessionSlot(.microphone, microphone)) }
        return session
    }

    /// Expects that the recordings show as many frames of each kind as the accounts have.
    private func expectShown(
        _ result: InProcessSession.Result, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for picture in result.report.videoTracks {
            let account = picture.account
            for output in picture.outputs where output.rate == "15" {
                #expect(account.slate == output.slate, sourceLocation: sourceLocation)
                let frames =
                    account.real + (account.late ?? 0) + (account.unedited ?? 0)
                    + (account.repeated ?? 0)
                #expect(
                    frames + account.missing + account.stopped
                        == output.delivered + output.repeated + output.black,
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `a source that sends as agreed is 100 % real`() throws {
        var session = try session(
            camera: FakeSource().plan(.videoSource), share: FakeSource().plan(.shareSource),
            microphone: FakeMicrophone().plan())
        session.plan.configuration.minimumRealPercent = 99
        let result = try session.run()
        #expect(result.report.outcome == .finished && result.report.notReal == nil)
        #expect(result.report.accounts.count == 3)
        for (role, account) in result.report.accounts {
            #expect(account.realPercent == 100, "\(role): \(account)")
        }
        #expect(result.report.videoTracks.map(\.account.real) == [60, 60])
        #expect(result.silent.isEmpty)
        expectShown(result)
    }

    @Test(arguments: [-3000, -1500, -1000, -300, -100, 0, 100, 300, 1500, 3000] as [Int64])
    func `the account of a track counts the same frames as its recording`(
        leadMilliseconds: Int64
    ) throws {
        let camera = FakeSource(.init(lead: leadMilliseconds * 1_000_000))
        let result = try session(camera: camera.plan(.videoSource), milliseconds: 6000).run()
        let picture = try #require(result.picture("camera"))
        let (account, output) = (picture.account, try #require(picture.outputs.first))
        #expect(account.missing == output.black && account.slate == output.slate)
        #expect(account.real + (account.late ?? 0) == output.delivered, "\(account)")
        #expect(account.repeated == output.repeated, "\(account)")
        #expect(output.rate == "15" && account.total >= 90)
    }

    @Test func `an interrupted session also reports the sources that were not real`() throws {
        let camera = FakeSource(.init(silent: 0..<10_000))
        let report = try session(camera: camera.plan(.videoSource), milliseconds: 20_000)
            .run(stoppingAfter: { if case .sourceSilent = $0 { true } else { false } }).report
        #expect(report.outcome == .interrupted && report.notReal == ["camera"])
    }

    @Test
    func `the account of an interrupted session has a period for each recorded frame`() throws {
        // Its frames belong to half a second later, and the share falls silent.
        let early = try session(
            camera: FakeSource(.init(lead: 500_000_000)).plan(.videoSource),
            share: FakeSource(.init(silent: 0..<10_000)).plan(.shareSource),
            microphone: FakeMicrophone().plan(), milliseconds: 20_000
        ).run(stoppingAfter: { if case .sourceSilent = $0 { true } else { false } })
        #expect(early.report.outcome == .interrupted)
        let totals = early.report.videoTracks.map(\.account.total)
        #expect(Set(totals).count == 1, "\(totals)")
        #expect(early.report.audioTracks.map { $0.account.total / 3200 } == [totals[0]])
        // It ends when its stop-send has not returned for the deadline, long after its recording.
        var spinning = try session(
            camera: FakeSource(.init(loop: .deaf)).plan(.videoSource), deadline: 2000)
        spinning.plan.configuration.clock = .real
        let late = try spinning.run(
            stoppingAfter: { if case .started = $0 { true } else { false } })
        #expect(late.report.outcome == .interrupted && !late.hangs.isEmpty, "\(late.events)")
    }

    @Test(arguments: [FailurePolicy.end, .off, .restart])
    func `a camera that stops sending is reported, has a slate, and fails by its policy`(
        policy: FailurePolicy
    ) throws {
        // From its second second on; two seconds of grace after the first of silence.
        let camera = FakeSource(.init(silent: 15..<10_000))
        let result = try session(
            camera: camera.plan(.videoSource, onFailure: policy),
            share: FakeSource().plan(.shareSource), milliseconds: 7500, deadline: 2000
        ).run()
        expectShown(result)
        #expect(result.silent.first == "camera")
        let account = try #require(result.picture("camera")?.account)
        // Told within a second, and shown then.
        #expect((account.repeated ?? 0) > 0 && (account.repeated ?? 0) <= 16 * 2, "\(account)")
        #expect((account.slate ?? 0) >= 15, "\(account)")
        let loss = try #require(result.plugin("camera")?.losses?.first)
        #expect(
            loss.policy == policy && loss.evidence == "no frame accepted for 2.9 s",
            "\(loss)")
        #expect((3.8...4.0).contains(loss.seconds), "\(loss)")
        switch policy {
        case .end: #expect(result.report.outcome == .pluginFailed)
        case .off: #expect(result.dropped == ["camera"] && result.report.outcome == .finished)
        case .restart:
            #expect(camera.calls["start-send"] == 2 && result.report.outcome == .finished)
            #expect(result.silent == ["camera", "camera"])
        }
    }

    @Test func `a camera with the lowest possible rate never counts as silent`() throws {
        let rate = try #require(FrameRate(numerator: 1, denominator: .max))
        var silence = SourceSilence()
        for now in [0, 1 << 40, Int64.max] {
            let finding = silence.look(
                at: 0, accepted: 1, promise: .frames(within: rate.dueNanoseconds(ofFrame: 3)),
                deadline: 2_000_000_000, now: now)
            #expect(finding == nil)
        }
    }

    @Test func `the silence of an excused source counts from the first check afterwards`() {
        var silence = SourceSilence()
        func look(_ accepted: Int, at now: Int64) -> SourceSilence.Finding? {
            silence.look(
                at: 0, accepted: accepted, newest: 1_000_000_000,
                promise: .frames(within: 100_000_000), deadline: 2_000_000_000, now: now)
        }
        #expect(look(15, at: 1_000_000_000) == nil)
        silence.excuse(0)
        #expect(look(15, at: 5_000_000_000) == nil)
        let next = silence.next ?? 0
        #expect(
            next > 5_000_000_000
                && look(15, at: next) == .silent(next - 5_000_000_000, isFirst: false))
    }

    @Test func `a camera that sends again is reported, and its slate disappears`() throws {
        let camera = FakeSource(.init(silent: 15..<45))
        let result = try session(camera: camera.plan(.videoSource)).run()
        expectShown(result)
        #expect(result.silent == ["camera"] && result.sends == ["camera"])
        let account = try #require(result.picture("camera")?.account)
        #expect(account.real == 30 && account.total == 60, "\(account)")
        #expect(account.realPercent == 50 && result.report.outcome == .finished)
        #expect("\(account)".hasPrefix("50 % real; "), "\(account)")
    }

    @Test(arguments: [FakeSource(.init(silent: 0..<75)), FakeSource(.init(silent: 0..<120))])
    func `a source has start-deadline for its first frame, and a slate meanwhile`(
        camera: FakeSource
    ) throws {
        var plan = camera.plan(.videoSource, onFailure: .off)
        plan.configuration.startDeadline = .seconds(6)
        let result = try session(
            camera: plan, share: FakeSource().plan(.shareSource), milliseconds: 8000,
            deadline: 500
        ).run()
        #expect(result.silent == ["camera"])
        let isLate = !result.dropped.isEmpty
        // Five seconds are within the time, and eight are not.
        #expect(isLate == (result.sends == []))
        let account = try #require(result.picture("camera")?.account)
        #expect(account.kinds == 120, "\(account)")
        if isLate {
            let loss = try #require(result.plugin("camera")?.losses?.first)
            #expect((5.9...6.2).contains(loss.seconds), "\(loss)")
            #expect((account.slate ?? 0) >= 15 * 7, "\(account)")
        } else {
            #expect(account.real == 45, "\(account)")
            #expect((account.slate ?? 0) >= 15 * 4 - 1, "\(account)")
        }
    }

    @Test func `a source whose frames are all refused is reported with the last refusal`() throws {
        let result = try session(
            camera: FakeSource(.init(tilted: 0..<10_000)).plan(.videoSource, onFailure: .off),
            microphone: FakeMicrophone(.init(hasThreeChannels: true)).plan(onFailure: .off),
            deadline: 500
        ).run()
        let texts = result.events.compactMap { event -> String? in
            if case .sourceSilent(_, _, let text) = event { text } else { nil }
        }
        #expect(texts.count == 2)
        for text in texts { #expect(text.contains("since it was started: "), "\(text)") }
        #expect(
            texts.contains {
                $0.contains(
                    " were refused with BAD_ROTATION; showing a slate. The last one: ")
                    && $0.contains("Use 0, 90, 180 or 270 degrees clockwise.")
            }, "\(texts)")
        #expect(
            texts.contains {
                $0.contains(" were refused with BAD_CHANNELS; playing silence. ")
                    && $0.contains("Mix down to stereo.")
            }, "\(texts)")
        let evidence = result.plugin("camera")?.losses?.first?.evidence ?? ""
        #expect(
            evidence.hasPrefix("no frame accepted for 1.4 s: ")
                && evidence.hasSuffix(" were refused with BAD_ROTATION"), "\(evidence)")
    }

    @Test func `the report of a silent source gives a known reason instead of advice`() throws {
        let result = try session(
            camera: FakeSource(.init(silent: 5..<10_000, hindrance: "Its process is stopped."))
                .plan(.videoSource)
        ).run()
        let texts = result.events.compactMap { event -> String? in
            if case .sourceSilent(_, _, let text) = event { text } else { nil }
        }
        #expect(
            texts == ["no frame accepted for 0.9 s; showing a slate. Its process is stopped."],
            "\(texts)")
    }

    @Test func `a source that is lost inside start-send returns when its next life sends`()
        throws
    {
        let camera = FakeSource(.init(loop: .flooding))
        let result = try session(
            camera: camera.plan(.videoSource, onFailure: .restart),
            share: FakeSource().plan(.shareSource)
        ).run()
        let losses = result.plugin("camera")?.losses ?? []
        #expect(losses.map(\.evidence) == ["sends 900 frames/s, limit: 300/s"], "\(losses)")
        let returns = result.events.compactMap { event -> Double? in
            if case .pluginReturned("camera", let seconds) = event { seconds } else { nil }
        }
        #expect(returns.count == 1 && returns[0] >= 0.5, "\(returns)")
        #expect(camera.calls["create"] == 2 && result.report.outcome == .finished)
    }

    @Test func `refusals before accepted frames are not reported again`() throws {
        // The 5th to 10th are refused, and from the 30th on nothing is sent.
        let camera = FakeSource(.init(silent: 30..<10_000, tilted: 5..<10))
        let result = try session(camera: camera.plan(.videoSource)).run()
        let texts = result.events.compactMap { event -> String? in
            if case .sourceSilent(_, _, let text) = event { text } else { nil }
        }
        #expect(texts.count == 1 && !texts[0].contains("refused"), "\(texts)")
    }

    @Test func `a share that is paused before its first frame counts as stopped`() throws {
        let paused = try session(
            share: FakeSource(.init(paused: 0..<10_000)).plan(.shareSource)
        ).run()
        expectShown(paused)
        #expect(paused.silent.isEmpty && paused.report.outcome == .finished)
        let account = try #require(paused.report.accounts["share"])
        #expect(account.missing <= 1 && account.stopped >= 59, "\(account)")
        let resumed = try session(
            share: FakeSource(.init(paused: 0..<30)).plan(.shareSource)
        ).run()
        expectShown(resumed)
        let later = try #require(resumed.report.accounts["share"])
        #expect(later.stopped >= 29 && later.real == 30, "\(later)")
    }

    @Test(arguments: [nil, 70, 85])
    func `audio with gaps for 10 s is reported, depending on minimum-real`(minimum: Int?)
        throws
    {
        // From 10 s to 20 s every fifth block is missing.
        var session = try session(
            camera: FakeSource().plan(.videoSource),
            microphone: FakeMicrophone(
                .init(leavingOut: {
                    (1000..<2000).contains($0) && $0 % 5 == 0
                })
            ).plan(), milliseconds: 31_000)
        session.plan.configuration.minimumRealPercent = minimum
        let result = try session.run()
        let notes = result.notes.filter { $0.contains("of the last 10 s, ") }
        switch minimum {
        case 70: #expect(notes.isEmpty, "\(notes)")
        case nil:
            #expect(notes.count == 2 && notes[0].hasSuffix("% concealed"), "\(notes)")
        default:
            #expect(notes.count == 2, "\(notes)")
            #expect(notes.first?.hasSuffix(", less than minimum-real, 85 %") == true, "\(notes)")
        }
        #expect(notes.allSatisfy { $0.hasPrefix("microphone: ") }, "\(notes)")
    }

    @Test
    func `a camera with gaps for 10 s is reported, and so is its recovery`()
        throws
    {
        // After 10 s, for 20 s, every fifth frame is missing.
        let camera = FakeSource(.init(leavingOut: { (150..<450).contains($0) && $0 % 5 == 0 }))
        let result = try session(camera: camera.plan(.videoSource), milliseconds: 50_000).run()
        expectShown(result)
        #expect(
            result.notes.filter { $0.hasPrefix("camera: of the last 10 s, ") } == [
                "camera: of the last 10 s, 80 % real; 20 % repeated",
                "camera: of the last 10 s, 100 % real",
            ], "\(result.notes)")
        #expect(result.silent.isEmpty)
    }

    @Test(arguments: [
        (40, SessionReport.Outcome.finished), (50, .finished), (51, .notReal), (0, .finished),
    ])
    func `only a source below minimum-real makes the session not real`(
        percent: Int, outcome: SessionReport.Outcome
    ) throws {
        let camera = FakeSource(.init(silent: 15..<45))
        var session = try session(camera: camera.plan(.videoSource))
        session.plan.configuration.minimumRealPercent = percent
        let report = try session.run().report
        #expect(report.outcome == outcome)
        #expect(report.notReal == (outcome == .finished ? nil : ["camera"]))
    }

    @Test func `a microphone that never sends is reported, and none of its audio is real`() throws {
        let microphone = FakeMicrophone(.init(silent: 0..<10_000))
        let result = try session(
            camera: FakeSource().plan(.videoSource), microphone: microphone.plan()
        ).run()
        expectShown(result)
        #expect(result.silent == ["microphone"])
        #expect(result.report.outcome == .notReal && result.report.notReal == ["microphone"])
        let account = try #require(result.report.accounts["microphone"])
        #expect(account.missing == account.total && account.realPercent == 0, "\(account)")
    }

    @Test func `a microphone that never sends fails, and one that pauses is only reported`() throws
    {
        let never = try session(
            camera: FakeSource().plan(.videoSource),
            microphone: FakeMicrophone(.init(silent: 0..<10_000)).plan(), deadline: 1000
        ).run()
        #expect(never.report.outcome == .pluginFailed)
        #expect(never.report.failedPlugin == "microphone")
        let pausing = try session(
            camera: FakeSource().plan(.videoSource),
            microphone: FakeMicrophone(.init(silent: 100..<350)).plan(), milliseconds: 6000,
            deadline: 500
        ).run()
        expectShown(pausing)
        #expect(pausing.silent == ["microphone"] && pausing.sends == ["microphone"])
        #expect(pausing.report.outcome == .finished)
        let account = try #require(pausing.report.accounts["microphone"])
        #expect(account.concealed == 250 * 480, "\(account)")
    }

    @Test func `audio that is 2 % short is concealed and reported`() throws {
        let result = try session(
            camera: FakeSource().plan(.videoSource),
            microphone: FakeMicrophone(.init(interval: 10_200_000)).plan(), milliseconds: 30_000
        ).run()
        expectShown(result)
        let sound = try #require(result.report.audioTracks.first)
        #expect(sound.idle < 4800 && sound.concealed > 48_000 * 30 / 100, "\(sound)")
        #expect((sound.underfedPercent ?? 0) > 1, "\(sound)")
        #expect(
            result.notes.contains {
                $0.hasPrefix("microphone: sends ") && $0.contains("less audio than real time")
            }, "\(result.notes)")
    }

    @Test
    func `a share that never sends is reported, and a share that stands still is real`() throws {
        let silent = try session(
            camera: FakeSource().plan(.videoSource),
            share: FakeSource(.init(silent: 0..<10_000)).plan(.shareSource)
        ).run()
        expectShown(silent)
        #expect(silent.silent == ["share"] && silent.report.notReal == ["share"])
        #expect((silent.picture("share")?.account.slate ?? 0) >= 44)
        let resting = try session(
            share: FakeSource(.init(silent: 1..<10_000)).plan(.shareSource)
        ).run()
        expectShown(resting)
        #expect(resting.silent.isEmpty && resting.report.outcome == .finished)
        #expect(resting.report.accounts["share"]?.realPercent == 100)
    }

    @Test(arguments: [PluginKind.videoSource, .shareSource])
    func `a source that reports nothing new repeats its frame and is not silent`(
        kind: PluginKind
    ) throws {
        let plan = FakeSource(.init(held: 15..<75)).plan(kind)
        let result =
            try kind == .videoSource
            ? session(camera: plan, milliseconds: 6000).run()
            : session(share: plan, milliseconds: 6000).run()
        expectShown(result)
        #expect(result.silent.isEmpty && result.dropped.isEmpty)
        #expect(result.report.plugins.allSatisfy { $0.losses == nil })
        let account = try #require(result.report.accounts.first?.value)
        #expect(account.slate == 0 && account.missing <= 1, "\(account)")
        let repeated = account.repeated ?? 0
        let total = account.real + repeated
        #expect(total >= 89 && abs(repeated - total * 60 / 90) <= 2, "\(account)")
    }

    @Test(arguments: [true, false])
    func `missing audio of a paused share is not a loss, and audio that comes is played`(
        isQuiet: Bool
    ) throws {
        // From 1 s to 4.07 s; the audio is back after 4 s.
        var session = try session(
            share: FakeSource(.init(silent: 15..<61, paused: 15..<61)).plan(.shareSource),
            milliseconds: 6000)
        let audio = FakeMicrophone(.init(silent: isQuiet ? 100..<400 : 0..<0))
        session.plan.slots.append(SessionSlot(.shareAudio, audio.plan(.shareAudioSource)))
        let result = try session.run()
        expectShown(result)
        #expect(result.silent.isEmpty && result.report.outcome == .finished)
        let sound = try #require(result.report.audioTracks.first)
        #expect(sound.concealed == 0 && sound.underfedPercent == nil, "\(sound)")
        // The share pauses a nanosecond before the block.
        #expect(abs(sound.muted - (isQuiet ? 144_000 : 0)) <= 1, "\(sound)")
        #expect(sound.account.realPercent == 100 && sound.account.stopped == sound.muted)
        // But for the level of what it sends.
        #expect(result.notes.allSatisfy { $0.contains("full scale") }, "\(result.notes)")
    }

    @Test func `audio that is missing after a pause is reported again`() throws {
        var session = try session(
            share: FakeSource(.init(silent: 15..<30, paused: 15..<30)).plan(.shareSource),
            milliseconds: 6000)
        let audio = FakeMicrophone(.init(silent: 100..<400))
        session.plan.slots.append(SessionSlot(.shareAudio, audio.plan(.shareAudioSource)))
        let result = try session.run()
        expectShown(result)
        #expect(result.silent == ["share.audio"] && result.sends == ["share.audio"])
        let sound = try #require(result.report.audioTracks.first)
        #expect(abs(sound.muted - 48_000) <= 1 && abs(sound.concealed - 96_000) <= 1, "\(sound)")
    }

    @Test func `a source whose initialize always fails shows a slate, and is not real`() throws {
        let camera = FakeSource(.init(failing: ("initialize", .unavailable, "no lens")))
        let result = try session(
            camera: camera.plan(.videoSource, onFailure: .restart),
            share: FakeSource().plan(.shareSource), milliseconds: 30_000
        ).run()
        expectShown(result)
        #expect(result.failures.count == 6 && result.dropped == ["camera"])
        #expect(result.report.outcome == .notReal && result.report.notReal == ["camera"])
        #expect(result.report.accounts["share"]?.realPercent == 100)
    }

    @Test
    func `an optional source that fails makes a session not real only if no other is real`() throws
    {
        let failing = FakeSource.Script(failing: ("initialize", .unavailable, "no lens"))
        let one = try session(
            camera: FakeSource(failing).plan(.videoSource, onFailure: .off),
            share: FakeSource().plan(.shareSource)
        ).run()
        #expect(one.report.outcome == .finished)
        let none = try session(
            camera: FakeSource(failing).plan(.videoSource, onFailure: .off),
            share: FakeSource(.init(silent: 0..<10_000)).plan(.shareSource, onFailure: .off)
        ).run()
        #expect(none.report.outcome == .notReal && none.report.notReal == ["camera", "share"])
    }

    @Test func `frames of a camera count as missing from its start on`() throws {
        // Each of its lives begins with ten frames that it leaves out.
        var session = try session(
            camera: FakeSource(.init(silent: 0..<10)).plan(.videoSource), milliseconds: 5000)
        session.stopCamera(milliseconds: 2000, until: 3000)
        let result = try session.run()
        expectShown(result)
        let account = try #require(result.report.accounts["camera"])
        #expect((14...16).contains(account.stopped), "\(account)")
        // Its second life first shows the last frame of the first one.
        #expect((9...11).contains(account.missing), "\(account)")
        #expect((9...11).contains(account.repeated ?? 0), "\(account)")
    }

    @Test(arguments: [(video: true, audio: false), (false, true), (true, true), (false, false)])
    func `a broadcast without audio or video counts that medium as stopped`(
        has: (video: Bool, audio: Bool)
    ) throws {
        var session = try session(
            share: FakeSource(.init(arrivals: FakeListener(hasPeer: has.video)))
                .plan(.shareSource, onFailure: .off))
        session.plan.slots.append(
            SessionSlot(
                .shareAudio,
                FakeMicrophone(.init(arrivals: FakeListener(hasPeer: has.audio)))
                    .plan(.shareAudioSource, onFailure: .off)))
        let result = try session.run()
        for (role, isThere) in [("share", has.video), ("share.audio", has.audio)] {
            let account = try #require(result.report.accounts[role])
            #expect(account.realPercent.map { $0 > 80 } == (isThere ? true : nil), "\(account)")
            #expect(isThere || account.stopped == account.total, "\(account)")
            #expect(
                result.notes.contains("\(role): connected") == isThere, "\(result.notes)")
        }
        #expect(result.report.notReal == (has.video || has.audio ? nil : ["share"]))
        let returns = result.events.filter { if case .pluginReturned = $0 { true } else { false } }
        #expect(returns.isEmpty, "\(returns)")
    }

    @Test func `a source counts as stopped after a stop or its end`() throws {
        var session = try session(
            camera: FakeSource().plan(.videoSource),
            microphone: FakeMicrophone(.init(blocks: 100)).plan())
        session.plan.configuration.timeline = [
            TimelineEntry(time: .seconds(1), command: .stop(.camera), origin: "test")
        ]
        let result = try session.run()
        expectShown(result)
        #expect(result.silent.isEmpty && result.report.outcome == .finished)
        let camera = try #require(result.report.accounts["camera"])
        #expect((43...45).contains(camera.stopped), "\(camera)")
        #expect(camera.realPercent == 100, "\(camera)")
        let microphone = try #require(result.report.accounts["microphone"])
        #expect(microphone.real == 48_000 && microphone.concealed == 0, "\(microphone)")
        #expect(microphone.stopped > 140_000, "\(microphone)")
    }
}

extension InProcessSession.Result {
    /// The sources that were told to be silent, in order.
    fileprivate var silent: [String] {
        events.compactMap { event -> String? in
            if case .sourceSilent(let role, _, _) = event { role } else { nil }
        }
    }

    /// The sources that were told to send again.
    fileprivate var sends: [String] {
        events.compactMap { event -> String? in
            if case .sourceSends(let role, _) = event { role } else { nil }
        }
    }

    /// What was noted, as `ROLE: TEXT`.
    fileprivate var notes: [String] {
        events.compactMap { event -> String? in
            if case .note(let role, let text) = event { "\(role): \(text)" } else { nil }
        }
    }
}
