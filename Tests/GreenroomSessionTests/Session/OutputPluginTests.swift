import GreenroomDecisions
import Foundation
import GreenroomABI
import GreenroomAudio
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomVideo
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomSession

/// Output plugins in sessions on the virtual clock.
@Suite(.ownThreads) struct OutputPluginTests {
    /// A session of a second with an output plugin beside the recording.
    private func session(
        _ outputs: [FakeOutput], camera: FakeSource = FakeSource(),
        microphone: FakeMicrophone? = nil, onFailure: FailurePolicy = .off,
        selection: Set<SessionTrack>? = nil, milliseconds: Int64 = 1000
    ) throws -> InProcessSession {
        var session = try InProcessSession(
            camera: camera.plan(.videoSource), milliseconds: milliseconds)
        if let microphone {
            session.plan.slots.append(SessionSlot(.microphone, microphone.plan()))
        }
        for output in outputs {
            session.plan.outputs[session.plan.configuration.outputs.count] = output.plan(
                onFailure: onFailure)
            session.plan.configuration.outputs.append(
                SessionOutput(
                    PluginOutput(
                        PluginConfiguration("FakeOutput"),
                        selection: selection.map { TrackSelection(own: $0) })))
        }
        return session
    }

    @Test func `an output gets every period and every sample, in order, one call at a time`() throws
    {
        let output = FakeOutput()
        let result = try session([output], microphone: FakeMicrophone()).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(
            output.steps == ["create", "initialize"] + ["track", "track", "track"]
                + ["track", "track", "track"] + [
                    "start-send", "stop-send", "uninitialize", "destroy",
                ])
        // First the most that the session may have, then what was agreed.
        let camera = output.tracks.filter { $0.name == "camera" }.compactMap(\.capability)
        #expect(camera.map(\.description) == ["320x180@15", "320x180@15"])
        #expect(output.frames.map(\.index) == Array(0..<15))
        #expect(output.frames.allSatisfy { $0.periods == 1 && $0.content == 1 })
        #expect(Set(output.frames.map(\.luma)).count == 15)
        for track in [SessionTrack.own(.microphone), .mix] {
            #expect(output.audio(track).count == 48_000 * 2)
            #expect(output.blocks(track).allSatisfy { $0 == 480 })
        }
        #expect(!output.hasGap && !output.overlaps)
    }

    @Test func `an output gets the format, size, rate and blocks that it wants`() throws {
        let output = FakeOutput(
            .init(want: { track, want in
                want.is_wanted = track.name == "microphone" ? 0 : 1
                want.format = UInt32(GR_FORMAT_NV12)
                want.capability = gr_capability(
                    width: 100, height: 100, fps_numerator: 5, fps_denominator: 1)
                want.pace = UInt32(GR_PACE_COMPLETE)
                (want.sample_rate_hz, want.channels, want.block_frames) = (22_050, 1, 441)
            }))
        let result = try session([output], microphone: FakeMicrophone()).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(output.frames.map(\.index) == Array(0..<5))
        #expect(
            output.frames.allSatisfy {
                $0.format == UInt32(GR_FORMAT_NV12) && $0.size == FrameSize(width: 100, height: 100)
            })
        #expect(output.audio(.own(.microphone)).isEmpty)
        // Not one sample more or less than a second has.
        #expect(output.audio(.mix).count == 22_050)
        #expect(output.blocks(.mix) == [Int](repeating: 441, count: 50))
        // The microphone's level, once its filter has settled.
        #expect(output.audio(.mix)[4000..<20_000].allSatisfy { abs(Int($0) - 5000) < 50 })
    }

    @Test func `a stopped camera is black, and a lost one a slate`() throws {
        let output = FakeOutput()
        var stopping = try session([output], milliseconds: 3000)
        stopping.stopCamera(milliseconds: 1000, until: 2000)
        _ = try stopping.run()
        let contents = output.frames.map(\.content)
        #expect(contents.first == UInt32(GR_CONTENT_NEW) && contents.last == UInt32(GR_CONTENT_NEW))
        #expect(contents.contains(UInt32(GR_CONTENT_BLACK)))
        #expect(output.frames.reduce(0) { $0 + $1.periods } == 45)

        let other = FakeOutput()
        let leaving = FakeSource(.init(frames: 5))
        var lost = try session([other], milliseconds: 3000)
        lost.plan.slots = [SessionSlot(.camera, leaving.plan(.videoSource, onFailure: .off))]
        lost.plan.slots.append(SessionSlot(.microphone, FakeMicrophone().plan()))
        _ = try lost.run()
        #expect(other.frames.last?.content == UInt32(GR_CONTENT_SLATE))
    }

    @Test func `an output may keep eight frames, and gives each back once`() throws {
        let kept = Mutex<[UInt64]>([])
        let statuses = Mutex<[Int32]>([])
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                let host = HostInterface.output.pointee
                let status = host.keep(output.handle, frame.id)
                statuses.withLock { $0.append(status) }
                if status == 0 { kept.withLock { $0.append(frame.id) } }
                // A frame that is not in hand.
                statuses.withLock { $0.append(host.keep(output.handle, frame.id + 7)) }
                guard frame.index == 10 else { return }
                let first = kept.withLock { $0.removeFirst() }
                statuses.withLock {
                    $0.append(host.release(output.handle, first))
                    $0.append(host.release(output.handle, first))
                }
            }))
        let result = try session([output]).run()
        #expect(result.report.outcome == .finished)
        let keeps = statuses.withLock { $0 }
        let noBuffer = Status.noBuffer.rawValue
        let badLease = Status.badLease.rawValue
        let expected: [Int32] =
            (0..<15).flatMap { index -> [Int32] in
                let mine: Int32 = index < 8 || index == 11 ? 0 : noBuffer
                return [mine, badLease] + (index == 10 ? [0, badLease] : [])
            }
        #expect(keeps == expected)
        // The frames that it keeps cost no other output any.
        #expect(result.picture("camera")?.outputs.map(\.delivered) == [15, 15])
    }

    @Test func `equal requested formats of isolated outputs share a conversion and its memory`()
        throws
    {
        let allocator = FakeAllocator()
        let digests = Mutex<[Set<UInt>]>([[], [], []])
        let outputs = (0..<3).map { number in
            FakeOutput(
                .init(
                    want: { track, want in
                        want.is_wanted = 1
                        want.pace = UInt32(GR_PACE_COMPLETE)
                        want.format = UInt32(GR_FORMAT_NV12)
                    },
                    onVideo: { _, frame in
                        let address = UInt(bitPattern: frame.frame.planes.0.data)
                        digests.withLock { _ = $0[number].insert(address) }
                    }, allocator: number < 2 ? allocator : nil))
        }
        let result = try session(outputs).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let camera = try #require(result.picture("camera"))
        #expect(camera.conversions == 15)
        // That of the recording needs none.
        #expect(camera.bytesConverted == 15 * 320 * 180 * 3 / 2)
        #expect(outputs.allSatisfy { $0.frames.count == 15 && $0.unreadable == 0 })
        #expect(Set(outputs.map(\.frames)).count == 1)
        // All three get the same memory: a block or two of it.
        let addresses = digests.withLock { $0 }
        #expect(addresses[0].count <= 16 && allocator.made <= 2)
        #expect(addresses[0] == addresses[1] && addresses[0] == addresses[2])
    }

    @Test func `requests with the track's size and without a size share a conversion`() throws {
        let outputs = [false, true].map { isNamed in
            FakeOutput(
                .init(want: { _, want in
                    want.is_wanted = 1
                    want.pace = UInt32(GR_PACE_COMPLETE)
                    want.format = UInt32(GR_FORMAT_NV12)
                    if isNamed { (want.capability.width, want.capability.height) = (320, 180) }
                }))
        }
        let result = try session(outputs).run()
        #expect(result.picture("camera")?.conversions == 15, "\(result.failures)")
        #expect(outputs.allSatisfy { $0.frames.count == 15 })
    }

    @Test func `frames that a lost isolated output kept are freed`() throws {
        let allocator = FakeAllocator()
        let inUse = Mutex<[Int]>([])
        let output = FakeOutput(
            .init(
                hangingFrame: 20,
                onVideo: { output, frame in
                    if frame.index < 20 {
                        _ = HostInterface.output.pointee.keep(output.handle, frame.id)
                    }
                    inUse.withLock { $0.append(allocator.inUse) }
                }, allocator: allocator))
        var plan = try session([output], onFailure: .restart, milliseconds: 6000)
        plan.plan.configuration.callbackDeadline = .seconds(1)
        let result = try plan.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.plugin("outputs[1]")?.losses?.count == 1)
        #expect(output.unreadable == 0 && output.lateKeep == .gone)
        // Those that it kept at first, and none at last: those in its queue.
        let counts = inUse.withLock { $0 }
        #expect(counts.prefix(20).max() ?? 0 >= 8, "\(counts)")
        #expect(try #require(counts.last) <= VideoBranch.mostFramesInUse, "\(counts)")
        #expect(result.picture("camera")?.outputs.map(\.delivered) == [90, 90])
        #expect(allocator.inUse == 0)
    }

    @Test func `without memory an isolated output loses only its frames`() throws {
        let output = FakeOutput(.init(allocator: FakeAllocator(limit: 0)))
        let other = FakeOutput()
        let result = try session([output, other]).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(output.frames.isEmpty && other.frames.count == 15)
        let entry = try #require(result.report.outputs.first { $0.key == "outputPlugins" })
        #expect(try entry.entry.jsonText().contains(#""noBuffer":15"#))
    }

    @Test
    func
        `black, slates and the first frame of a requested format are copied for an isolated output`()
        throws
    {
        let outputs = [FakeOutput(.init(allocator: FakeAllocator())), FakeOutput()]
        var stopping = try session(outputs, milliseconds: 3000)
        stopping.stopCamera(milliseconds: 1000, until: 2000)
        let result = try stopping.run()
        #expect(outputs[0].frames == outputs[1].frames && outputs[0].unreadable == 0)
        #expect(outputs[0].frames.contains { $0.content == UInt32(GR_CONTENT_BLACK) })
        let entries = result.report.outputs.filter { $0.key == "outputPlugins" }
        #expect(try entries[0].entry.jsonText().contains(#""copied":1"#))
        #expect(try !entries[1].entry.jsonText().contains("copied"))
    }

    @Test func `frames that an output refuses are counted, and later frames still arrive`() throws {
        let output = FakeOutput(.init(status: { $0 % 3 == 0 ? .failed : .ok }))
        let result = try session([output]).run()
        #expect(result.report.outcome == .finished)
        #expect(output.frames.count == 15)
        let entry = try #require(result.report.outputs.first { $0.key == "outputPlugins" })
        let report = try entry.entry.jsonText()
        #expect(
            report.contains(#""taken":10"#) && report.contains(#""refused":{"FAILED":5}"#),
            "\(report)")
        #expect(entry.summary.first?.contains("10 taken, 5 refused by it") == true)
    }

    @Test(arguments: ["create", "initialize", "track", "start-send"])
    func `an output that fails costs only itself`(step: String) throws {
        let output = FakeOutput(.init(failing: (step, .unavailable)))
        let result = try session([output]).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.failures.count == 1 && result.failures[0].hasPrefix("outputs[1]: \(step) "))
        #expect(result.dropped == ["outputs[1]"])
        #expect(result.picture("camera")?.outputs.first?.delivered == 15)
        #expect(output.frames.isEmpty)
    }

    // MARK: The last output

    /// A session whose only outputs are plugins.
    private func withoutRecording(
        _ outputs: [FakeOutput], onFailure: FailurePolicy = .off, milliseconds: Int64 = 1000
    ) throws -> InProcessSession {
        var session = try session(outputs, onFailure: onFailure, milliseconds: milliseconds)
        session.plan.configuration.outputs.removeFirst()
        session.plan.outputs = Dictionary(
            uniqueKeysWithValues: session.plan.outputs.map { ($0 - 1, $1) })
        return session
    }

    @Test(
        arguments: ["create", "initialize", "track", "start-send"],
        [FailurePolicy.off, .restart])
    func `a session whose only output never starts fails with the output's reason`(
        step: String, policy: FailurePolicy
    ) throws {
        let output = FakeOutput(.init(failing: (step, .unavailable)))
        // Before it would have been lost too often to be started again.
        let result = try withoutRecording([output], onFailure: policy, milliseconds: 2000).run()
        #expect(result.report.outcome == .outputsFailed, "\(result.failures)")
        #expect(result.report.summary.contains("every output failed"))
        let line = result.report.summary.first { $0.hasPrefix("outputs[0] (FakeOutput) failed") }
        #expect(line?.hasSuffix("with no result: \(step) returned it without a reason") == true)
        #expect(result.dropped.isEmpty == (policy == .restart))
    }

    @Test func `a failed output that requests no track still counts as failed`() throws {
        let output = FakeOutput(
            .init(want: { _, want in want.is_wanted = 0 }, failing: ("start-send", .unavailable)))
        #expect(try withoutRecording([output]).run().report.outcome == .outputsFailed)
    }

    @Test func `a session finishes normally if one of two outputs works`() throws {
        let outputs = [FakeOutput(.init(failing: ("start-send", .unavailable))), FakeOutput()]
        #expect(try withoutRecording(outputs).run().report.outcome == .finished)
    }

    @Test func `an output that refuses everything has failed at the end`() throws {
        let refusing = FakeOutput(.init(status: { _ in .failed }))
        let result = try withoutRecording([refusing]).run()
        #expect(result.report.outcome == .outputsFailed)
        let once = FakeOutput(.init(status: { $0 == 3 ? .ok : .failed }))
        #expect(try withoutRecording([once]).run().report.outcome == .finished)
    }

    @Test func `an output that has lost its destination has failed at the end`() throws {
        for (state, outcome) in [(3, SessionReport.Outcome.outputsFailed), (2, .finished)] {
            let output = FakeOutput(
                .init(onVideo: { output, frame in
                    let functions = HostInterface.output.pointee
                    guard frame.index == 3 else { return }
                    _ = functions.state(output.handle, 3, "no route")
                    _ = functions.state(output.handle, UInt32(state), "so it is")
                }))
            let result = try withoutRecording([output]).run()
            #expect(result.report.outcome == outcome, "\(result.report.summary)")
        }
    }

    @Test func `a session whose only output ends in order has not failed`() throws {
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 5 else { return }
                HostInterface.host.pointee.give_up(output.handle, Status.ok.rawValue, "it is full")
            }))
        #expect(try withoutRecording([output]).run().report.outcome == .finished)
    }

    @Test func `an output that gives up while it stops counts as failed`() throws {
        let output = FakeOutput(.init(endsWith: .failed))
        let result = try withoutRecording([output]).run()
        #expect(result.report.outcome == .outputsFailed)
        #expect(
            result.report.summary.contains {
                $0.hasPrefix("outputs[0] (FakeOutput) failed at 1.0 s, and its result ends there")
            }, "\(result.report.summary)")
    }

    // MARK: Settings

    @Test(
        arguments: ["create", "initialize", "track", "start-send"],
        [FailurePolicy.off, .restart, .end])
    func `a setting that an output can't use ends the start at once`(
        step: String, policy: FailurePolicy
    ) throws {
        let output = FakeOutput(.init(failing: (step, .badSetting)))
        let result = try session([output], onFailure: policy).run()
        #expect(result.report.outcome == .badSetting && result.report.failedPlugin == "outputs[1]")
        #expect(result.failures.count == 1 && output.steps.filter { $0 == "create" }.count == 1)
        #expect(result.dropped.isEmpty)
        #expect(
            result.report.summary.contains(
                "the session did not start: outputs[1] has a wrong setting"))
    }

    @Test func `a setting that a restarted plugin can't use causes no further restart`() throws {
        let output = FakeOutput(
            .init(
                failingLater: ("start-send", .badSetting),
                onVideo: { output, frame in
                    guard frame.index == 5 else { return }
                    HostInterface.host.pointee.give_up(
                        output.handle, Status.failed.rawValue, "it is torn")
                }))
        let result = try session([output], onFailure: .restart, milliseconds: 4000).run()
        #expect(result.report.outcome == .finished)
        #expect(output.steps.filter { $0 == "create" }.count == 2, "\(output.steps)")
        #expect(result.dropped == ["outputs[1]"])
        #expect(
            result.notes("outputs[1]").contains(
                "cannot use its settings; not restarting"))
    }

    @Test func `the failure of an output names the request that cannot be met`() throws {
        let output = FakeOutput(
            .init(want: { track, want in
                want.is_wanted = 1
                want.format = UInt32(GR_FORMAT_MJPEG)
            }))
        let result = try session([output]).run()
        let failure = try #require(result.failures.first)
        #expect(failure.contains("outputs[1]: track BAD_ANSWER"), "\(failure)")
        #expect(failure.contains("the track camera: format is 11"), "\(failure)")
    }

    @Test func `an output that hangs is given up, and the recording misses nothing`() throws {
        let output = FakeOutput(.init(hangingFrame: 4))
        var plan = try session([output])
        plan.plan.configuration.callbackDeadline = .seconds(1)
        let result = try plan.run()
        #expect(result.report.outcome == .finished)
        #expect(result.hangs == ["outputs[1]: media"])
        #expect(result.dropped == ["outputs[1]"])
        #expect(result.picture("camera")?.outputs.first?.delivered == 15)
        #expect(output.frames.count == 4)
    }

    @Test func `an output that hangs is restarted and receives frames again`() throws {
        let output = FakeOutput(.init(hangingFrame: 4))
        var plan = try session([output], onFailure: .restart, milliseconds: 4000)
        plan.plan.configuration.callbackDeadline = .seconds(1)
        let result = try plan.run()
        #expect(result.report.outcome == .finished)
        #expect(output.steps.filter { $0 == "create" }.count == 2)
        #expect(output.steps.suffix(3) == ["stop-send", "uninitialize", "destroy"])
        #expect(output.frames.last?.index == 59)
        let losses = result.plugin("outputs[1]")?.losses
        #expect(losses?.count == 1 && losses?.first?.awaySeconds != nil)
    }

    @Test func `an output whose callback never returns does not block the session's end`() throws {
        let output = FakeOutput(.init(hangingFrame: 4, hangsForGood: true))
        defer { output.free() }
        var plan = try session([output], milliseconds: 2000)
        plan.plan.configuration.callbackDeadline = .seconds(1)
        let result = try plan.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.dropped == ["outputs[1]"])
        let outputs = try #require(result.picture("camera")?.outputs)
        #expect(outputs.map(\.delivered) == [30, 4])
        #expect(outputs[1].failure != nil)
    }

    @Test func `an output that never returns and should restart does not block the end`()
        throws
    {
        let output = FakeOutput(.init(hangingFrame: 4, hangsForGood: true))
        defer { output.free() }
        var plan = try session([output], onFailure: .restart, milliseconds: 4000)
        plan.plan.configuration.callbackDeadline = .seconds(1)
        let result = try plan.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let outputs = try #require(result.picture("camera")?.outputs)
        #expect(outputs.map(\.delivered) == [60, 4])
        #expect(outputs[1].failure == "hangs in a call of the host's process")
    }

    @Test func `an output that ends in order is stopped and not dropped`() throws {
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 5 else { return }
                HostInterface.host.pointee.give_up(output.handle, Status.ok.rawValue, "it is full")
            }))
        let result = try session([output]).run()
        #expect(result.report.outcome == .finished && result.dropped.isEmpty)
        #expect(output.steps.suffix(3) == ["stop-send", "uninitialize", "destroy"])
        #expect((6...10).contains(output.frames.count))
        #expect(result.picture("camera")?.outputs.map(\.failure) == [nil, nil])
    }

    @Test func `unknown statuses of an output are counted together as OTHER`() throws {
        let output = FakeOutput(.init(status: { Status(rawValue: Int32(1000 + $0)) }))
        let result = try session([output]).run()
        let entry = try #require(result.report.outputs.first { $0.key == "outputPlugins" })
        #expect(try entry.entry.jsonText().contains(#""refused":{"OTHER":15}"#))
    }

    @Test func `the largest requested format limits the offer to a source`() throws {
        let output = FakeOutput(
            .init(want: { track, want in
                want.is_wanted = 1
                want.capability = gr_capability(
                    width: 212, height: 160, fps_numerator: 5, fps_denominator: 1)
            }))
        var alone = try session([output])
        alone.plan.configuration.outputs.removeFirst()
        alone.plan.outputs = [0: output.plan()]
        let result = try alone.run()
        #expect(result.picture("camera")?.capability == "212x160@5")
    }

    @Test func `an output learns of the tracks that the session file names`() throws {
        let output = FakeOutput()
        let result = try session(
            [output], microphone: FakeMicrophone(), selection: [.mix]
        ).run()
        #expect(result.report.outcome == .finished)
        #expect(Set(output.tracks.map(\.name)) == ["mix"] && output.frames.isEmpty)
        #expect(output.audio(.mix).count == 96_000)
    }

    @Test func `values that an output reports are in the session's report`() throws {
        let refused = Mutex<[Int32]>([])
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                let host = HostInterface.output.pointee
                let statuses = [
                    host.report(output.handle, "frames", Double(frame.index)),
                    host.report(output.handle, "No", 1), host.report(output.handle, "nan", .nan),
                ]
                refused.withLock { $0 = statuses }
            }))
        let result = try session([output]).run()
        let entry = try #require(result.report.outputs.first { $0.key == "outputPlugins" })
        #expect(try entry.entry.jsonText().contains(#""values":{"frames":14}"#))
        let bad = Status.badArgument.rawValue
        #expect(refused.withLock { $0 } == [0, bad, bad])
    }

    @Test func `a session with output plugins is deterministic`() throws {
        func run() throws -> ([FakeOutput.Frame], [Int16]) {
            let output = FakeOutput(.init(want: { track, want in want.is_wanted = 1 }))
            _ = try session([output], microphone: FakeMicrophone()).run()
            return (output.frames, output.audio(.mix))
        }
        let (first, second) = (try run(), try run())
        #expect(first.0 == second.0 && first.1 == second.1)
    }
}
