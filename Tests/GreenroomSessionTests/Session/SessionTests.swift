import GreenroomDecisions
import GreenroomLifecycle
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomOutputs
import TestSupport
import Testing

@testable import GreenroomSession

/// Sessions of fake plugins, from the first `create` to the report.
///
/// `ProgramTests` covers what only a process shows: exit codes, output, recorded files.
@Suite(.ownThreads) struct SessionTests {
    /// Expects a track without losses, with one frame for each period.
    private func expectUnharmed(
        _ result: InProcessSession.Result, _ track: String, frames: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let picture = try #require(result.picture(track), sourceLocation: sourceLocation)
        #expect(
            picture.refused.byName.allSatisfy { $0.key == "STOPPED" },
            sourceLocation: sourceLocation)
        #expect(picture.sent == picture.accepted + picture.refused.total)
        #expect(picture.outputs.map(\.frames) == [frames], sourceLocation: sourceLocation)
    }

    // MARK: Answers

    /// A camera's answer outside the offer, and words of the refusal.
    struct BadAnswer: CustomTestStringConvertible, Sendable {
        var kind: UInt32
        var width: UInt32 = 0
        var height: UInt32 = 0
        var fps: UInt32 = 0
        var words: [String]
        var testDescription: String { "\(kind): \(width)x\(height)@\(fps)" }
    }

    static let badAnswers = [
        BadAnswer(
            kind: 77, width: 320, height: 180, fps: 15, words: ["unknown kind of answer: 77"]),
        BadAnswer(
            kind: 2, width: 321, height: 180, fps: 15,
            words: ["321x180@15", "not in the offer (320x180@15, 212x160@15)"]),
        BadAnswer(kind: 2, width: 320, height: 180, fps: 16, words: ["320x180@16"]),
        BadAnswer(kind: 2, width: 1280, height: 720, fps: 15, words: ["1280x720@15"]),
        BadAnswer(kind: 2, words: ["rate 0/1"]),
        BadAnswer(
            kind: 1, width: 800, height: 600, fps: 15,
            words: ["800x600@15, which is not in the offer", "set kind to GR_ANSWER_COUNTER"]),
        BadAnswer(kind: 1, width: 320, height: 180, words: ["rate 0/1"]),
        BadAnswer(kind: 3, fps: 30, words: ["fixed size 0x0", "8192"]),
        BadAnswer(kind: 3, width: 8193, height: 180, fps: 30, words: ["8193x180"]),
        BadAnswer(kind: 3, width: 320, height: 180, words: ["rate 0/1"]),
        BadAnswer(
            kind: 3, width: 320, height: 180, fps: 100_000, words: ["rate 100000/1", "1000"]),
        BadAnswer(kind: 3, width: 1_073_741_824, height: 1, fps: 1, words: ["1073741824x1"]),
    ]

    @Test(arguments: badAnswers)
    func `an answer outside the offer is refused`(answer: BadAnswer) throws {
        let camera = FakeSource(
            .init(answer: (answer.kind, answer.width, answer.height, answer.fps)))
        let result = try InProcessSession(camera: camera.plan(.videoSource)).run()
        #expect(result.report.outcome == .badPlugin && result.report.failedPlugin == "camera")
        let failure = try #require(result.failures.first)
        #expect(failure.hasPrefix("camera: initialize BAD_ANSWER: "), "\(failure)")
        for word in answer.words { #expect(failure.contains(word), "\(failure)") }
    }

    @Test func `a share's answer above the session's maximum is refused`() throws {
        let share = FakeSource(.init(answer: (2, 322, 180, 15)))
        let result = try InProcessSession(share: share.plan(.shareSource)).run()
        let failure = try #require(result.failures.first)
        #expect(failure.hasPrefix("share: initialize BAD_ANSWER: "), "\(failure)")
        #expect(failure.contains("up to 320x180@15"), "\(failure)")
    }

    @Test func `answers within the offer are followed`() throws {
        // A smaller row; and a share's own size.
        let camera = FakeSource(.init(answer: (2, 212, 160, 5)))
        let share = FakeSource(.init(answer: (2, 111, 67, 10)))
        let result = try InProcessSession(
            camera: camera.plan(.videoSource), share: share.plan(.shareSource), milliseconds: 600
        ).run()
        #expect(result.report.outcome == .finished)
        #expect(result.plugin("camera")?.offer?.answer == .counter)
        #expect(result.plugin("camera")?.offer?.track == "212x160@5")
        #expect(result.picture("camera")?.capability == "212x160@5")
        #expect(result.picture("share")?.capability == "111x67@10")
        try expectUnharmed(result, "camera", frames: 3)
        try expectUnharmed(result, "share", frames: 6)
    }

    @Test
    func `a changed capability in an ACCEPT answer counts as a counter-offer, and the log says so`()
        throws
    {
        let camera = FakeSource(.init(answer: (1, 212, 160, 5)))
        let result = try InProcessSession(camera: camera.plan(.videoSource), milliseconds: 600)
            .run()
        #expect(result.plugin("camera")?.offer?.answer == .counter)
        #expect(result.picture("camera")?.capability == "212x160@5")
        try expectUnharmed(result, "camera", frames: 3)
        let notes = result.notes("camera")
        #expect(notes.count == 1, "\(notes)")
        #expect(notes[0].contains("212x160@5") && notes[0].contains("GR_ANSWER_COUNTER"))
    }

    @Test func `an ACCEPT answer without a capability accepts the suggestion`() throws {
        let camera = FakeSource(.init(answer: (1, 0, 0, 0)))
        let result = try InProcessSession(camera: camera.plan(.videoSource), milliseconds: 600)
            .run()
        #expect(result.plugin("camera")?.offer?.answer == .accept)
        #expect(result.notes("camera").isEmpty)
        try expectUnharmed(result, "camera", frames: 9)
    }

    @Test func `the host adapts to a fixed answer`() throws {
        // 1000x750 at 60 within 320x180 at 15: the aspect ratio stays.
        let camera = FakeSource(.init(answer: (3, 1000, 750, 60)))
        let result = try InProcessSession(camera: camera.plan(.videoSource), milliseconds: 600)
            .run()
        let offer = try #require(result.plugin("camera")?.offer)
        #expect(offer.source == "1000x750@60" && offer.track == "240x180@15")
        try expectUnharmed(result, "camera", frames: 9)
        // The source sends four times the agreed rate.
        #expect(try #require(result.picture("camera")).overRate > 0)
    }

    // MARK: Callbacks that fail

    static let steps = ["create", "initialize", "start-send"]

    @Test(arguments: steps, ["no lens", ""])
    func `a failed callback ends the session with its reason`(step: String, text: String) throws {
        let camera = FakeSource(.init(failing: (step, .unavailable, text)))
        let share = FakeSource()
        let result = try InProcessSession(
            camera: camera.plan(.videoSource), share: share.plan(.shareSource), milliseconds: 20_000
        ).run()
        let reason = text.isEmpty ? "\(step) returned it without a reason" : text
        #expect(result.failures == ["camera: \(step) UNAVAILABLE: \(reason)"])
        #expect(result.report.outcome == .pluginFailed && result.report.failedPlugin == "camera")
    }

    @Test(arguments: steps)
    func `a session continues without a plugin whose callback failed`(step: String) throws {
        let camera = FakeSource(.init(failing: (step, .unavailable, "no lens")))
        let share = FakeSource()
        let result = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: .off), share: share.plan(.shareSource),
            milliseconds: 400
        ).run()
        #expect(result.failures == ["camera: \(step) UNAVAILABLE: no lens"])
        #expect(result.dropped == ["camera"])
        #expect(result.report.outcome == .finished && result.report.failedPlugin == nil)
        // Each initialize has one uninitialize, each create one destroy.
        #expect(camera.calls["uninitialize"] == (step == "start-send" ? 1 : nil))
        #expect(camera.calls["destroy"] == (step == "create" ? nil : 1))
        #expect(camera.calls["stop-send"] == nil)
        try expectUnharmed(result, "share", frames: 6)
    }

    @Test(arguments: [
        (25, "BAD_SETTING"), (40, "FAILED"), (41, "UNAVAILABLE"), (42, "UNSUPPORTED"),
        (-12_345, "status -12345"), (77, "status 77"),
    ])
    func `every status of a plugin is reported by name`(status: Int32, name: String) throws {
        let camera = FakeSource(
            .init(failing: ("start-send", Status(rawValue: status), "no lens")))
        let result = try InProcessSession(camera: camera.plan(.videoSource)).run()
        #expect(result.failures == ["camera: start-send \(name): no lens"])
    }

    @Test(arguments: steps, [FailurePolicy.end, .off, .restart])
    func `a setting that a source can't use ends the start at once`(
        step: String, policy: FailurePolicy
    ) throws {
        let camera = FakeSource(.init(failing: (step, .badSetting, "lens is none: name one")))
        let share = FakeSource()
        let result = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: policy), share: share.plan(.shareSource),
            milliseconds: 20_000
        ).run()
        #expect(result.failures == ["camera: \(step) BAD_SETTING: lens is none: name one"])
        #expect(result.report.outcome == .badSetting && result.report.failedPlugin == "camera")
        #expect(result.plugin("camera")?.losses?.map(\.evidence) == ["lens is none: name one"])
        #expect(camera.calls["create"] == 1 && result.dropped.isEmpty)
        #expect(result.report.audioTracks.isEmpty && result.picture("share")?.accepted ?? 0 < 5)
    }

    // MARK: Giving up

    @Test func `a plugin that gives up ends the session`() throws {
        let camera = FakeSource(.init(frames: 15))
        let share = FakeSource()
        let result = try InProcessSession(
            camera: camera.plan(.videoSource), share: share.plan(.shareSource), milliseconds: 20_000
        ).run()
        #expect(result.report.outcome == .pluginFailed && result.report.failedPlugin == "camera")
        #expect(result.plugin("camera")?.gaveUp == "UNAVAILABLE: the camera was unplugged")
        #expect(result.picture("camera")?.accepted == 15)
    }

    @Test func `a session continues without a plugin that gave up`() throws {
        let camera = FakeSource(.init(frames: 3))
        let share = FakeSource()
        let result = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: .off), share: share.plan(.shareSource)
        ).run()
        #expect(result.dropped == ["camera"])
        // Both videos have the session's length: the camera's last frame stays.
        try expectUnharmed(result, "camera", frames: 12)
        try expectUnharmed(result, "share", frames: 12)
    }

    @Test func `a session fails when all its sources have failed`() throws {
        let camera = FakeSource(.init(frames: 2))
        let result = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: .off), milliseconds: 20_000
        ).run()
        #expect(result.report.outcome == .pluginFailed)
    }

    // MARK: Negotiation

    @Test(arguments: [true, false])
    func `a ceiling applies whether the plugin follows it or not`(follows: Bool) throws {
        let camera = FakeSource(.init(follows: follows))
        var session = try InProcessSession(camera: camera.plan(.videoSource), milliseconds: 2000)
        session.plan.configuration.table = [
            VideoCapability(width: 320, height: 180, fps: 15),
            VideoCapability(width: 160, height: 90, fps: 15),
        ]
        session.plan.configuration.timeline = [
            TimelineEntry(
                time: .milliseconds(500),
                command: .ceiling(.camera, VideoCapability(width: 160, height: 90, fps: 15)),
                origin: "test")
        ]
        let result = try session.run()
        let picture = try #require(result.picture("camera"))
        #expect(camera.calls["property-change"] == (follows ? 1 : nil))
        #expect(picture.negotiation.map(\.revision).count == 2)
        #expect(picture.negotiation.last?.answer == (follows ? .accept : .ignored))
        // The recording keeps its size and length.
        #expect(picture.capability == "320x180@15")
        try expectUnharmed(result, "camera", frames: 30)
    }

    @Test func `a warning names each raw recording and its disk space per hour`() throws {
        let camera = FakeSource().plan(.videoSource).configuration
        var configuration = SessionConfiguration(name: "talk")
        configuration.maximum = VideoCapability(width: 1280, height: 720, fps: 30)
        configuration.slots = [SessionSlot(.camera, camera)]
        let file = PluginConfiguration("Recorder", settings: ["file": .string("/r/talk.mkv")])
        configuration.outputs = [
            .record(folder: "/r/talk"), .plugin(file), .y4m(),
            .record(
                folder: "/r/small", video: VideoSinkWant(size: FrameSize(width: 320, height: 180))),
        ]
        let found = configuration.unencodedRecordings
        #expect(found.map(\.path) == ["outputs[0]", "outputs[3]"])
        #expect(
            found.first?.message
                == "the video is not encoded, and takes up to 149 GB an hour. Record to one file, such as "
                + "record: /r/talk.mkv.")
        #expect(found.last?.message.contains("9.3 GB an hour") == true, "\(found)")
        configuration.slots = []
        #expect(configuration.unencodedRecordings.isEmpty)
    }

    @Test func `equal sessions have equal reports`() throws {
        func report() throws -> [Int] {
            let camera = FakeSource(.init(frames: 20))
            let share = FakeSource(.init(answer: (2, 64, 36, 10)))
            let result = try InProcessSession(
                camera: camera.plan(.videoSource, onFailure: .off),
                share: share.plan(.shareSource), milliseconds: 3000
            ).run()
            return result.report.videoTracks.flatMap { picture in
                [picture.sent, picture.accepted, picture.carried]
                    + picture.outputs.flatMap { [$0.delivered, $0.repeated, $0.afterEnd] }
            }
        }
        let first = try report()
        #expect(try report() == first && first.count == 12)
    }
}
