import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomSession

/// Composers, and several cameras, in sessions on the virtual clock.
@Suite(.ownThreads) struct ComposerTests {
    /// A session of a second with a camera and a composer.
    private func session(
        _ composer: FakeComposer, outputs: [FakeOutput] = [], call: FakeOutput? = nil,
        records: Bool = true, onFailure: FailurePolicy = .off, milliseconds: Int64 = 1000
    ) throws -> InProcessSession {
        var session = try InProcessSession(
            camera: FakeSource(.init(follows: true)).plan(.videoSource),
            milliseconds: milliseconds)
        session.plan.slots.append(
            SessionSlot(.stage, composer.plan(onFailure: onFailure)))
        if !records { session.plan.configuration.outputs = [] }
        for output in outputs {
            session.plan.outputs[session.plan.configuration.outputs.count] = output.plan()
            session.plan.configuration.outputs.append(
                .plugin(PluginConfiguration("FakeOutput")))
        }
        if let call {
            session.plan.outputs[session.plan.configuration.outputs.count] = call.plan()
            session.plan.configuration.outputs.append(.call(PluginConfiguration("FakeCall")))
        }
        return session
    }

    @Test func `a composer sends the track stage, and receives the other tracks`() throws {
        let composer = FakeComposer()
        let result = try session(composer).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(Set(composer.output.tracks.map(\.name)) == ["camera"])
        #expect(composer.output.frames.map(\.index) == Array(0..<15))
        #expect(!composer.output.overlaps)
        let stage = try #require(result.picture("stage"))
        #expect(stage.account.real == 15 && stage.account.total == 15)
        let frames = try Y4MFrames(result.recording + "/stage.y4m")
        #expect(frames.count == 15)
        #expect(result.plugin("stage")?.kind == "composer")
    }

    @Test func `a composer does not start while no output requests its video`() throws {
        let composer = FakeComposer()
        let output = FakeOutput(
            .init(want: { track, want in want.is_wanted = track.name == "camera" ? 1 : 0 }))
        let result = try session(composer, outputs: [output], records: false).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(output.tracks.contains { $0.name == "stage" && $0.kind == 9 })
        #expect(!composer.output.steps.contains("start-send"))
        #expect(composer.output.frames.isEmpty)
        let stage = try #require(result.picture("stage"))
        #expect(stage.account.realPercent == nil, "it owes nothing")
    }

    @Test func `a composer starts when an output wants its video, and stops when none does`()
        throws
    {
        let wanted = Mutex(false)
        let composer = FakeComposer()
        let output = FakeOutput(
            .init(
                want: { track, want in
                    want.is_wanted =
                        track.name == "camera" || wanted.withLock { $0 } ? 1 : 0
                    want.pace = UInt32(GR_PACE_COMPLETE)
                },
                onVideo: { output, frame in
                    guard frame.track == 1, [15, 45].contains(frame.index) else { return }
                    wanted.withLock { $0.toggle() }
                    #expect(HostInterface.output.pointee.wants_changed(output.handle) == 0)
                }))
        let result = try session(
            composer, outputs: [output], records: false, milliseconds: 4000
        ).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(
            composer.source.calls["start-send"] == 1 && composer.source.calls["stop-send"] == 1)
        let stage = output.frames.filter { $0.track == 9 }
        let new = stage.filter { $0.content == UInt32(GR_CONTENT_NEW) }
        // From its start a second in, to its stop two seconds later.
        #expect((28...34).contains(new.count), "\(new.count)")
        let taken = composer.output.frames.reduce(0) { $0 + $1.periods }
        #expect((28...34).contains(taken), "\(taken)")
        #expect((result.picture("stage")?.account.realPercent ?? 0) > 90)
    }

    @Test
    func
        `a composer's requested format limits the offer to a camera while an output uses its video`()
        throws
    {
        let small: @Sendable (OutputTrack, inout gr_want) -> Void = { _, want in
            want.is_wanted = 1
            want.capability = gr_capability(
                width: 160, height: 90, fps_numerator: 5, fps_denominator: 1)
        }
        for isTaken in [true, false] {
            let composer = FakeComposer(FakeOutput(.init(want: small)))
            let output = FakeOutput(
                .init(want: { track, want in
                    want.is_wanted = isTaken && track.name == "stage" ? 1 : 0
                }))
            var session = try session(composer, outputs: [output], records: false)
            session.plan.configuration.table = [
                VideoCapability(width: 320, height: 180, fps: 15),
                VideoCapability(width: 160, height: 90, fps: 15),
            ]
            let result = try session.run()
            let records = try #require(result.picture("camera")?.negotiation)
            #expect(records.first?.suggested == (isTaken ? "160x90@5" : "320x180@15"))
        }
    }

    @Test func `a composer learns of all participants, even without a track that it requests`()
        throws
    {
        let composer = FakeComposer(
            FakeOutput(.init(want: { _, want in want.is_wanted = 0 })))
        let call = FakeOutput(
            .init(
                want: { _, want in want.is_wanted = 0 },
                farEnd: { call in
                    let far = FarEnd(call)
                    far.wait(milliseconds: 200)
                    let ana = far.join("Ana").number
                    far.wait(milliseconds: 600)
                    far.leave(ana)
                    far.waitForEnd()
                }))
        let result = try session(composer, call: call).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let mix = try #require(composer.output.tracks.first { $0.participant?.name == "Ana" })
        #expect(mix.kind == UInt32(GR_TRACK_MIX_MINUS))
        #expect(composer.output.ended == [mix.id])
        // A call learns of the stage only if it names it.
        #expect(!call.tracks.contains { $0.name == "stage" })
    }

    @Test func `a composer that fails affects only its own track`() throws {
        let composer = FakeComposer(source: FakeSource(.init(frames: 5)))
        let result = try session(composer, milliseconds: 3000).run()
        #expect(result.report.outcome == .outputsFailed || result.report.outcome == .finished)
        #expect(result.dropped == ["stage"])
        #expect(result.picture("camera")?.account.real == 45)
    }

    @Test func `a command stops the composer, and starts it again`() throws {
        let composer = FakeComposer()
        var session = try session(composer, milliseconds: 3000)
        session.plan.configuration.timeline = [
            TimelineEntry(time: .seconds(1), command: .stop(.stage), origin: "test"),
            TimelineEntry(time: .seconds(2), command: .start(.stage), origin: "test"),
        ]
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(composer.source.calls["start-send"] == 2)
        #expect((result.picture("stage")?.account.stopped ?? 0) >= 14)
        let taken = composer.output.frames.reduce(0) { $0 + $1.periods }
        #expect((28...34).contains(taken), "\(taken)")
    }

    // MARK: Several cameras

    @Test func `each camera has its own track, account and commands`() throws {
        let desk = SessionRole.camera.named("desk", place: 1)
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), milliseconds: 2000)
        session.plan.slots.append(
            SessionSlot(desk, FakeSource(.init(answer: (3, 64, 36, 5))).plan(.videoSource)))
        session.plan.slots.append(SessionSlot(.microphone, FakeMicrophone().plan()))
        session.plan.slots.append(
            SessionSlot(
                SessionRole.microphone.named("desk", place: 1), FakeMicrophone().plan()))
        let output = FakeOutput()
        session.plan.outputs[1] = output.plan()
        session.plan.configuration.outputs.append(.plugin(PluginConfiguration("FakeOutput")))
        session.plan.configuration.timeline = [
            TimelineEntry(time: .seconds(1), command: .stop(desk), origin: "test")
        ]
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(
            Set(output.tracks.map(\.name))
                == ["camera", "camera.desk", "microphone", "microphone.desk", "mix"])
        #expect(Set(output.tracks.map(\.id)).count == 5)
        #expect(Set(output.tracks.filter { $0.name.hasPrefix("camera") }.map(\.kind)) == [1])
        #expect(result.picture("camera")?.account.stopped == 0)
        #expect((result.picture("camera.desk")?.account.stopped ?? 0) >= 4)
        #expect(result.plugin("cameras.desk") != nil)
        for (name, frames, size) in [("camera", 30, 320), ("camera.desk", 10, 64)] {
            let recorded = try Y4MFrames("\(result.recording)/\(name).y4m")
            #expect(recorded.count == frames && recorded.width == size, "\(name)")
        }
    }
}

/// The header of a Y4M file, and the number of its frames.
private struct Y4MFrames {
    var width: Int
    var count: Int

    init(_ path: String) throws {
        let bytes = try readFile(path)
        let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
        let header = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        func number(_ letter: String) -> Int {
            header.first { $0.hasPrefix(letter) }.flatMap { Int($0.dropFirst()) } ?? 0
        }
        width = number("W")
        let frame = width * number("H") * 3 / 2 + 6
        count = (bytes.count - end - 1) / max(frame, 1)
    }
}
