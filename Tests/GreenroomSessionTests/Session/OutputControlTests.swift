import GreenroomModel
import Foundation
import GreenroomABI
import GreenroomAudio
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomSession

/// What output plugins tell the host while they run, in sessions on the virtual clock.
@Suite(.ownThreads) struct OutputControlTests {
    private static let small = gr_capability(
        width: 320, height: 180, fps_numerator: 15, fps_denominator: 1)
    private static let middle = gr_capability(
        width: 480, height: 270, fps_numerator: 15, fps_denominator: 1)

    /// A session of 640x360 at 15 frames a second with output plugins.
    ///
    /// - Parameter records: Whether there is a recording, too, which comes first.
    private func session(
        _ outputs: [FakeOutput], records: Bool = true, share: FakeSource? = nil,
        onFailure: FailurePolicy = .off, milliseconds: Int64
    ) throws -> InProcessSession {
        let camera = FakeSource(.init(follows: true))
        var session = try InProcessSession(
            camera: camera.plan(.videoSource), share: share?.plan(.shareSource),
            milliseconds: milliseconds)
        session.plan.configuration.maximum = VideoCapability(width: 640, height: 360, fps: 15)
        session.plan.slots.append(SessionSlot(.microphone, FakeMicrophone().plan()))
        if !records { session.plan.configuration.outputs = [] }
        for output in outputs {
            session.plan.outputs[session.plan.configuration.outputs.count] = output.plan(
                onFailure: onFailure)
            session.plan.configuration.outputs.append(
                SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        }
        return session
    }

    /// Frames of the camera alone, complete.
    private static let cameraAlone: @Sendable (OutputTrack, inout gr_want) -> Void = {
        track, want in
        want.is_wanted = track.name == "camera" ? 1 : 0
        want.pace = UInt32(GR_PACE_COMPLETE)
    }

    private static func setCeiling(
        _ output: FakeOutput, _ ceiling: gr_capability?, _ why: String? = nil, track: UInt32 = 1
    ) -> Int32 {
        let host = HostInterface.output.pointee
        guard var ceiling else { return host.set_ceiling(output.handle, track, nil, why) }
        return host.set_ceiling(output.handle, track, &ceiling, why)
    }

    private func entry(_ result: InProcessSession.Result, _ index: Int = 0) throws -> String {
        let entries = result.report.outputs.filter { $0.key == "outputPlugins" }
        return try entries[index].entry.jsonText()
    }

    /// The counters of each output of a track add up to the frames that it carried.
    private func expectSums(
        _ result: InProcessSession.Result, _ track: String = "camera",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let picture = try #require(result.picture(track))
        for output in picture.outputs {
            let lost = output.excess + output.queueFull + output.unconvertible + output.failed
            #expect(
                picture.carried == output.delivered + output.beforeStart + output.afterEnd
                    + output.unwanted
                    + lost + output.queued,
                "\(output)", sourceLocation: sourceLocation)
        }
    }

    // MARK: Ceilings

    @Test func `a ceiling lowers the offer at once, and the offer rises when it is lifted`() throws
    {
        let output = FakeOutput(
            .init(
                want: Self.cameraAlone,
                onVideo: { output, frame in
                    if frame.index == 15 {
                        #expect(Self.setCeiling(output, Self.small, "a slow\u{1b} disk") == 0)
                    }
                    if frame.index == 30 { #expect(Self.setCeiling(output, nil) == 0) }
                }))
        let result = try session([output], records: false, milliseconds: 7000).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let records = try #require(result.picture("camera")?.negotiation)
        #expect(records.map(\.suggested) == ["640x360@15", "320x180@15", "640x360@15"])
        #expect(records.map(\.reason) == [.initial, .ceilingLowered, .ceilingRaised])
        let binding = try #require(records[1].ceilings.first)
        #expect(binding.origin == "outputs[0] (FakeOutput): a slow\u{fffd} disk")
        #expect(binding.limit == "320x180@15" && binding.binds)
        #expect((0.99...1.2).contains(records[1].seconds))
        // Two seconds, and three without a change.
        #expect((4.99...5.3).contains(records[2].seconds))
        // The output gets its frames as it wants them.
        #expect(Set(output.frames.map(\.size)) == [FrameSize(width: 640, height: 360)])
        #expect(output.frames.map(\.index) == Array(0..<105))
    }

    @Test func `an output that requests a track later gets the track's full format`() throws {
        let isWatched = Mutex(false)
        // As a live room: what it wants has the size of the track.
        let room = FakeOutput(
            .init(
                want: { track, want in
                    want.is_wanted =
                        track.name == "mix" || track.name == "camera" && isWatched.withLock { $0 }
                        ? 1 : 0
                    want.pace = UInt32(GR_PACE_COMPLETE)
                    if let size = track.capability?.size {
                        want.capability.width = UInt32(size.width)
                        want.capability.height = UInt32(size.height)
                    }
                },
                onAudio: { output, block in
                    guard block.index == 48_000 else { return }
                    isWatched.withLock { $0 = true }
                    #expect(HostInterface.output.pointee.wants_changed(output.handle) == 0)
                }))
        var session = try session([room], records: false, milliseconds: 6000)
        let size = FrameSize(width: 320, height: 180)
        session.plan.configuration.outputs.append(
            .record(folder: session.recordingFolder, video: VideoSinkWant(size: size)))
        let result = try session.run()
        let records = try #require(result.picture("camera")?.negotiation)
        #expect(records.map(\.suggested) == ["320x180@15", "640x360@15"])
        // A second, and three without a change.
        #expect((3.99...4.3).contains(try #require(records.last).seconds))
        #expect(Set(room.frames.map(\.size)) == [FrameSize(width: 640, height: 360)])
        let recorded = try #require(
            result.picture("camera")?.outputs.first { $0.size == "320x180" })
        #expect(recorded.frames == 90)
    }

    @Test func `an output's ceiling does not lower the quality of a recording`() throws {
        let output = FakeOutput(
            .init(
                want: Self.cameraAlone,
                onVideo: { output, frame in
                    if frame.index == 5 { _ = Self.setCeiling(output, Self.small, "small") }
                }))
        let result = try session([output], milliseconds: 2000).run()
        #expect(result.picture("camera")?.negotiation.count == 1)
        #expect(
            try entry(result).contains(#""ceiling":{"limit":"320x180@15","reason":"small"}"#))
    }

    @Test func `the output with the highest ceiling limits the offer, and is named`() throws {
        let large = FakeOutput(
            .init(
                want: Self.cameraAlone,
                onVideo: { output, frame in
                    if frame.index == 5 { _ = Self.setCeiling(output, Self.middle, "large") }
                    if frame.index == 30 { _ = Self.setCeiling(output, Self.small, "large") }
                }))
        let small = FakeOutput(
            .init(
                want: Self.cameraAlone,
                onVideo: { output, frame in
                    if frame.index == 0 { _ = Self.setCeiling(output, Self.small, "small") }
                }))
        let result = try session([large, small], records: false, milliseconds: 3000).run()
        let records = try #require(result.picture("camera")?.negotiation)
        #expect(records.map(\.suggested) == ["640x360@15", "480x270@15", "320x180@15"])
        #expect(
            records.dropFirst().compactMap(\.ceilings.first?.origin) == [
                "outputs[0] (FakeOutput): large", "outputs[0] (FakeOutput): large",
            ])
    }

    @Test func `a ceiling from before the session limits the first offer`() throws {
        let isSet = Mutex(false)
        let holder = Mutex<FakeOutput?>(nil)
        let output = FakeOutput(
            .init(want: { track, want in
                Self.cameraAlone(track, &want)
                guard track.name == "mix", let output = holder.withLock({ $0 }) else { return }
                let status = Self.setCeiling(output, Self.small, "slow")
                isSet.withLock { $0 = status == 0 }
            }))
        holder.withLock { $0 = output }
        let result = try session([output], records: false, milliseconds: 1000).run()
        holder.withLock { $0 = nil }
        #expect(isSet.withLock { $0 })
        #expect(result.picture("camera")?.negotiation.map(\.suggested) == ["320x180@15"])
    }

    @Test func `a ceiling of an output ends when the output is lost`() throws {
        let isSet = Mutex(false)
        let output = FakeOutput(
            .init(
                want: Self.cameraAlone, hangingFrame: 20,
                onVideo: { output, frame in
                    guard !isSet.withLock({ $0 }) else { return }
                    isSet.withLock { $0 = true }
                    _ = Self.setCeiling(output, Self.small, "slow")
                }))
        var plan = try session([output], records: false, onFailure: .restart, milliseconds: 8000)
        plan.plan.configuration.callbackDeadline = .seconds(1)
        let result = try plan.run()
        #expect(output.steps.filter { $0 == "create" }.count == 2)
        let records = try #require(result.picture("camera")?.negotiation)
        #expect(records.map(\.suggested) == ["640x360@15", "320x180@15", "640x360@15"])
        #expect(!(try entry(result)).contains("ceiling"))
    }

    @Test func `invalid ceilings, tracks and states of an output are refused`() throws {
        let statuses = Mutex<[Int32]>([])
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                let host = HostInterface.output.pointee
                let legal = gr_capability(
                    width: 1, height: 1, fps_numerator: 1, fps_denominator: 1)
                var capabilities = [gr_capability(), legal, legal, legal, legal]
                capabilities[1].width = .max
                capabilities[2].height = 0
                capabilities[3].fps_denominator = 0
                capabilities[4].fps_numerator = 1001
                var all = capabilities.map { Self.setCeiling(output, $0, "why") }
                all.append(Self.setCeiling(output, legal, "why", track: 99))
                all.append(Self.setCeiling(output, nil, track: 0))
                // A microphone.
                all.append(Self.setCeiling(output, legal, "why", track: 2))
                all.append(Self.setCeiling(output, legal))
                all += [0, 4, .max].map { host.state(output.handle, $0, nil) }
                all.append(Self.setCeiling(output, nil))
                statuses.withLock { $0 = all }
            }))
        let result = try session([output], milliseconds: 1000).run()
        #expect(result.report.outcome == .finished)
        let bad = Status.badArgument.rawValue
        #expect(statuses.withLock { $0 } == [Int32](repeating: bad, count: 12) + [0])
        // After its life.
        let host = HostInterface.output.pointee
        let gone = Status.gone.rawValue
        #expect(Self.setCeiling(output, nil) == gone)
        #expect(host.wants_changed(output.handle) == gone)
        #expect(host.state(output.handle, 2, "live") == gone)
    }

    @Test func `a refusal names the rule and the fix`() {
        let texts = [
            Refusal(.unknownTrack(9), in: .setCeiling).text,
            Refusal(.audioTrack(2), in: .setCeiling).text,
            Refusal(
                .ceiling(width: 0, height: 9, numerator: 30, denominator: 1), in: .setCeiling
            ).text,
            Refusal(.outputState(7), in: .outputState).text,
        ]
        #expect(
            texts == [
                "BAD_ARGUMENT: output.set_ceiling: track 9 was not described to this output. Pass "
                    + "the id that track brought.",
                "BAD_ARGUMENT: output.set_ceiling: track 2 has audio, but ceilings are for video. "
                    + "Pass the id of a video track.",
                "BAD_ARGUMENT: output.set_ceiling: the ceiling is 0x9@30/1; each side must be 1 to "
                    + "8192, and the rate above 0 and at most 1000. Pass a possible size and rate, "
                    + "or NULL to lift the ceiling.",
                "BAD_ARGUMENT: output.state: state 7 is unknown. Use one of GR_OUTPUT_....",
            ])
    }

    // MARK: State

    @Test func `the state of an output is reported once, and is in the report`() throws {
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                let host = HostInterface.output.pointee
                switch frame.index {
                case 0: _ = host.state(output.handle, 1, nil)
                case 1...8: _ = host.state(output.handle, 2, "to \u{7}\(0)")
                default:
                    let long = String(repeating: "é", count: 300)
                    _ = host.state(output.handle, 3, long)
                }
            }))
        let result = try session([output], milliseconds: 1000).run()
        let states = result.events.compactMap { event -> String? in
            guard case .outputState(let role, _, _) = event else { return nil }
            #expect(role == "outputs[1]")
            return event.line
        }
        let cut = String(repeating: "é", count: 100)
        #expect(
            states == [
                "outputs[1]: connecting", "outputs[1]: live: to \u{fffd}0",
                "outputs[1]: lost: \(cut)",
            ])
        #expect(try entry(result).contains(#""state":"lost""#))
        #expect(result.report.summary.contains("outputs[1] (FakeOutput): lost: \(cut)"))
    }

    @Test func `a flood of output states is reported only in part, and costs no frame`() throws {
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                let host = HostInterface.output.pointee
                for number in 0..<200 {
                    _ = host.state(output.handle, UInt32(1 + number % 3), "\(number)")
                    _ = host.wants_changed(output.handle)
                    _ = Self.setCeiling(
                        output, number % 2 == 0 ? Self.small : Self.middle, "\(number)")
                }
            }))
        let result = try session([output], milliseconds: 1000).run()
        #expect(result.report.outcome == .finished)
        let states = result.events.filter { if case .outputState = $0 { true } else { false } }
        #expect(states.count < 1500)
        #expect(output.frames.map(\.index) == Array(0..<15))
        // Twice at first, and four times a second for each of three tracks.
        #expect(output.tracks.count <= 3 * (2 + 5))
        #expect(result.picture("camera")?.outputs.first?.delivered == 15)
    }

    // MARK: Wants

    /// An output that wants something else once it has got a frame.
    private func changing(
        at index: Int64, _ first: gr_capability = gr_capability(), to second: gr_capability,
        pace: Int = GR_PACE_COMPLETE
    ) -> FakeOutput {
        let hasChanged = Mutex(false)
        return FakeOutput(
            .init(
                want: { track, want in
                    want.is_wanted = track.name == "camera" ? 1 : 0
                    want.pace = UInt32(pace)
                    want.capability = hasChanged.withLock { $0 } ? second : first
                    want.format = UInt32(
                        hasChanged.withLock { $0 } ? GR_FORMAT_NV12 : GR_FORMAT_I420)
                },
                onVideo: { output, frame in
                    guard frame.index == index, !hasChanged.withLock({ $0 }) else { return }
                    hasChanged.withLock { $0 = true }
                    #expect(HostInterface.output.pointee.wants_changed(output.handle) == 0)
                }))
    }

    @Test(arguments: [GR_PACE_COMPLETE, GR_PACE_LIVE])
    func `a new size at the same rate continues with the next frame`(pace: Int) throws {
        var half = Self.small
        (half.fps_numerator, half.fps_denominator) = (0, 0)
        let output = changing(at: 5, to: half, pace: pace)
        let result = try session([output], milliseconds: 2000).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let frames = output.frames
        #expect(frames.map(\.index) == Array(0..<30) && frames.allSatisfy { $0.periods == 1 })
        let sizes = frames.map(\.size)
        let first = sizes.prefix { $0 == FrameSize(width: 640, height: 360) }.count
        // A live output has a few frames in its queue.
        #expect((6...8).contains(first), "\(first)")
        #expect(sizes.dropFirst(first).allSatisfy { $0 == FrameSize(width: 320, height: 180) })
        #expect(frames.dropFirst(first).allSatisfy { $0.format == UInt32(GR_FORMAT_NV12) })
        // Each frame of the source once.
        #expect(frames.allSatisfy { $0.content == UInt32(GR_CONTENT_NEW) })
        #expect(Set(frames.map(\.luma)).count == 30)
        let outputs = try #require(result.picture("camera")?.outputs)
        #expect(outputs.map(\.delivered) == [30, 30] && outputs[1].size == "320x180")
        #expect(outputs.map(\.repeated) == [0, 0])
        try expectSums(result)
        #expect(!output.overlaps)
    }

    @Test func `periods of a new frame rate count from the start of the session`() throws {
        let slow = gr_capability(width: 64, height: 36, fps_numerator: 5, fps_denominator: 1)
        let output = changing(at: 10, to: slow)
        let result = try session([output], milliseconds: 3000).run()
        let (old, new) = (
            output.frames.filter { $0.size.width == 640 },
            output.frames.filter { $0.size.width == 64 }
        )
        // Eleven periods of 1/15 s, and then those of 1/5 s that begin later.
        #expect(old.map(\.index) == Array(0..<11))
        #expect(new.map(\.index) == Array(4..<15))
        try expectSums(result)
        #expect(result.picture("camera")?.outputs.first?.delivered == 45)
    }

    @Test func `outputs that change to equal requested formats share a conversion`() throws {
        let tiny = gr_capability(width: 64, height: 36, fps_numerator: 15, fps_denominator: 1)
        let result = try session(
            [changing(at: 2, to: tiny), changing(at: 2, to: tiny)], milliseconds: 2000
        ).run()
        // The recording takes the frames as they are; the two change within the same frame or two.
        let conversions = try #require(result.picture("camera")?.conversions)
        #expect((26...31).contains(conversions), "\(conversions)")
        try expectSums(result)
    }

    @Test func `an output can drop a track and request it again`() throws {
        let isWanted = Mutex(false)
        let output = FakeOutput(
            .init(
                want: { track, want in
                    switch track.name {
                    case "camera": want.is_wanted = isWanted.withLock { $0 } ? 1 : 0
                    default: want.is_wanted = track.name == "mix" ? 1 : 0
                    }
                    want.pace = UInt32(GR_PACE_COMPLETE)
                },
                onAudio: { output, block in
                    // Each half second.
                    guard block.index % 24_000 == 0, block.index > 0 else { return }
                    isWanted.withLock { $0.toggle() }
                    #expect(HostInterface.output.pointee.wants_changed(output.handle) == 0)
                }))
        let result = try session([output], milliseconds: 2900).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let frames = output.frames
        // The audio is 100 ms behind.
        for (range, some) in [(0..<9, false), (10..<16, true), (18..<24, false), (25..<31, true)] {
            let indices = frames.map(\.index).filter { range.contains(Int($0)) }
            #expect(indices == (some ? range.map(Int64.init) : []), "\(range): \(indices)")
        }
        #expect(frames.allSatisfy { $0.periods == 1 && $0.content == 1 })
        let outputs = try #require(result.picture("camera")?.outputs)
        #expect(outputs.count == 2 && outputs[1].unwanted > 15)
        // Half a second without a want is no interval between frames.
        #expect(outputs[1].departure.count > 10 && outputs[1].departure.maximumMilliseconds < 400)
        #expect(outputs[0].delivered == 44 || outputs[0].delivered == 43)
        try expectSums(result)
        #expect(output.audio(.mix).count == 48_000 * 2 * 29 / 10 && !output.hasGap)
    }

    @Test func `a still share is shown as soon as an output requests it`() throws {
        let isWanted = Mutex(false)
        let output = FakeOutput(
            .init(
                want: { track, want in
                    switch track.name {
                    case "share": want.is_wanted = isWanted.withLock { $0 } ? 1 : 0
                    default: want.is_wanted = track.name == "mix" ? 1 : 0
                    }
                },
                onAudio: { output, block in
                    guard block.index == 48_000 else { return }
                    isWanted.withLock { $0 = true }
                    _ = HostInterface.output.pointee.wants_changed(output.handle)
                }))
        let share = FakeSource(.init(silent: 3..<1000))
        let result = try session([output], share: share, milliseconds: 2000).run()
        let frames = output.frames
        #expect(frames.count > 8)
        #expect(frames.first?.content == UInt32(GR_CONTENT_NEW))
        #expect(frames.dropFirst().allSatisfy { $0.content == UInt32(GR_CONTENT_REPEATED) })
        #expect(Set(frames.map(\.luma)).count == 1 && frames.first?.luma != 16)
        let counts = try #require(result.picture("share")?.outputs.last)
        #expect(counts.delivered == 0 && counts.repeated == frames.count && counts.unwanted == 3)
        try expectSums(result, "share")
    }

    @Test func `a new block length applies between two samples without a gap`() throws {
        let frames = Mutex(480)
        let output = FakeOutput(
            .init(
                want: { track, want in
                    want.is_wanted = track.name == "mix" ? 1 : 0
                    want.block_frames = UInt32(frames.withLock { $0 })
                },
                onAudio: { output, block in
                    guard block.index == 24_000 else { return }
                    frames.withLock { $0 = 700 }
                    _ = HostInterface.output.pointee.wants_changed(output.handle)
                }))
        let result = try session([output], milliseconds: 1000).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(output.audio(.mix).count == 48_000 * 2 && !output.hasGap)
        let blocks = output.blocks(.mix)
        #expect(blocks.contains(480) && blocks.contains(700) && !output.overlaps)
    }

    @Test func `audio of another rate counts its samples from the start of the session`() throws {
        let rate = Mutex<UInt32>(48_000)
        let places = Mutex<[UInt32: [Int64]]>([:])
        let output = FakeOutput(
            .init(
                want: { track, want in
                    want.is_wanted = track.name == "mix" ? 1 : 0
                    want.sample_rate_hz = rate.withLock { $0 }
                    want.block_frames = rate.withLock { $0 } / 100
                },
                onAudio: { output, block in
                    places.withLock {
                        $0[block.block.sample_rate_hz, default: []] += [
                            block.index, block.index + Int64(block.block.frame_count),
                        ]
                    }
                    guard block.index == 24_000, block.block.sample_rate_hz == 48_000 else {
                        return
                    }
                    rate.withLock { $0 = 16_000 }
                    _ = HostInterface.output.pointee.wants_changed(output.handle)
                }))
        _ = try session([output], milliseconds: 1000).run()
        let (old, new) = places.withLock { ($0[48_000] ?? [], $0[16_000] ?? []) }
        let change = try #require(old.last)
        #expect(old.first == 0 && (24_000...25_000).contains(change))
        #expect(new.first == change / 3 && new.last == 16_000)
    }

    @Test func `an output that restarts gets its requested formats again`() throws {
        let output = Mutex<FakeOutput?>(nil)
        let fake = FakeOutput(
            .init(
                want: { track, want in
                    let lives = output.withLock { $0 }?.steps.filter { $0 == "create" }.count
                    want.is_wanted = track.name == "camera" ? 1 : 0
                    want.pace = UInt32(GR_PACE_COMPLETE)
                    if lives == 2 { want.capability = Self.small }
                }, hangingFrame: 4))
        output.withLock { $0 = fake }
        var plan = try session([fake], onFailure: .restart, milliseconds: 4000)
        plan.plan.configuration.callbackDeadline = .seconds(1)
        let result = try plan.run()
        output.withLock { $0 = nil }
        #expect(result.report.outcome == .finished)
        #expect(fake.frames.prefix(4).allSatisfy { $0.size.width == 640 })
        #expect(fake.frames.suffix(10).allSatisfy { $0.size.width == 320 })
        #expect(fake.frames.last?.index == 59)
        try expectSums(result)
    }

    @Test func `a request that cannot be met makes a running output fail`() throws {
        let hasChanged = Mutex(false)
        let output = FakeOutput(
            .init(
                want: { track, want in
                    want.is_wanted = 1
                    if hasChanged.withLock({ $0 }) { want.format = UInt32(GR_FORMAT_MJPEG) }
                },
                onVideo: { output, frame in
                    hasChanged.withLock { $0 = true }
                    _ = HostInterface.output.pointee.wants_changed(output.handle)
                }))
        let result = try session([output], milliseconds: 1000).run()
        #expect(result.report.outcome == .finished)
        #expect(result.dropped == ["outputs[1]"])
        let failure = try #require(result.failures.first)
        #expect(failure.contains("track BAD_ANSWER") && failure.contains("format is 11"))
        #expect(result.picture("camera")?.outputs.first?.delivered == 15)
    }

    @Test func `a session whose outputs change their requests is deterministic`() throws {
        func run() throws -> ([FakeOutput.Frame], [Int16]) {
            let turns = Mutex(0)
            let output = FakeOutput(
                .init(
                    want: { track, want in
                        let turn = turns.withLock { $0 }
                        want.is_wanted = turn % 3 == 2 && track.name == "camera" ? 0 : 1
                        want.pace = UInt32(turn % 2 == 0 ? GR_PACE_LIVE : GR_PACE_COMPLETE)
                        want.capability = turn % 2 == 0 ? Self.small : Self.middle
                        want.capability.fps_numerator = UInt32(5 + turn * 7 % 23)
                        want.block_frames = UInt32(480 + turn * 37)
                    },
                    onAudio: { output, block in
                        guard block.index / 14_400 > turns.withLock({ $0 }) else { return }
                        turns.withLock { $0 += 1 }
                        _ = HostInterface.output.pointee.wants_changed(output.handle)
                        _ = Self.setCeiling(output, Self.small, "turn")
                    }))
            let result = try session([output], milliseconds: 6000).run()
            #expect(result.report.outcome == .finished, "\(result.failures)")
            try expectSums(result)
            return (output.frames, output.audio(.mix))
        }
        let first = try run()
        for _ in 0..<3 {
            let next = try run()
            let difference = zip(first.0, next.0).first { $0 != $1 }
            #expect(first.0 == next.0, "\(first.0.count) \(next.0.count) \(difference as Any)")
            #expect(first.1 == next.1)
        }
        #expect(first.1.count == 48_000 * 2 * 6)
    }
}
