import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomSession

/// Audio filters in sessions on the virtual clock.
@Suite(.ownThreads) struct AudioFilterTests {
    /// A session with a microphone that is silent for 50 ms, and with a share whose audio has no filter.
    private func session(_ filters: [SourcePlan]) throws -> InProcessSession {
        var session = try InProcessSession(
            share: FakeSource().plan(.shareSource), milliseconds: 805)
        session.plan.slots += [
            SessionSlot(
                .microphone, FakeMicrophone(.init(silent: 30..<35)).plan(), filters: filters),
            SessionSlot(.shareAudio, FakeMicrophone().plan(.shareAudioSource)),
        ]
        return session
    }

    private func samples(_ name: String, of result: InProcessSession.Result) throws -> [Int16] {
        let bytes = try Data(contentsOf: URL(filePath: "\(result.recording)/\(name).wav"))
        return bytes.dropFirst(80).withUnsafeBytes { bytes in
            (0..<(bytes.count / 2)).map {
                bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)
            }
        }
    }

    @Test(arguments: [0, 336, 480, 5000])
    func `tracks stay in step with a filter that delays audio`(delay: Int) throws {
        let plain = try session([]).run()
        let filter = FakeAudioFilter(.init(editing: AudioEditing(delayFrames: delay)))
        let result = try session([filter.plan()]).run()
        for name in ["camera", "share"] {
            let expected = try samples(name, of: plain)
            #expect(expected.count == 2 * 805 * 48)
            let found = try samples(name, of: result)
            #expect(found == expected, "\(name)")
        }
        let audio = try #require(result.report.audioTracks.first { $0.role == "microphone" })
        let filters = try #require(audio.filters)
        #expect(filters.edited >= 81 && filters.refused + filters.overdue + filters.lost == 0)
        #expect(result.report.audioTracks.first { $0.role == "share.audio" }?.filters == nil)
        #expect(
            result.plugin("microphone.pre-processors[0]")?.callbacks["process"]?.calls
                == filter.edits)
    }

    @Test func `filters edit in the order of the session file`() throws {
        let filters = [3, 7].map { FakeAudioFilter(.init(factor: $0)) }
        let result = try session(filters.map { $0.plan() }).run()
        // 5000 times 21, in 16 bits.
        let expected = 5000 &* Int16(3) &* 7
        #expect(
            try samples("camera", of: result).dropFirst(9600).prefix(4800).allSatisfy {
                $0 == expected
            })
    }

    @Test func `a filter of a named microphone edits its audio, and no other`() throws {
        let filter = FakeAudioFilter(.init(factor: 2))
        var session = try session([])
        session.plan.slots.append(
            SessionSlot(
                SessionRole.microphone.named("desk", place: 1), FakeMicrophone().plan(),
                filters: [filter.plan()]))
        let result = try session.run()
        #expect(filter.edits > 70)
        func filters(_ role: String) -> Int? {
            result.report.audioTracks.first { $0.role == role }?.filters?.edited
        }
        #expect(try #require(filters("microphones.desk")) >= 70 && filters("microphone") == nil)
    }

    @Test(arguments: [false, true])
    func `blocks that a filter refuses are reported and counted`(isRequired: Bool) throws {
        let filter = FakeAudioFilter(.init(factor: 2, refusing: 10..<13))
        let result = try session([filter.plan(isRequired: isRequired)]).run()
        let played = try samples("camera", of: result)
        let block = played[(12 * 960)..<(13 * 960)]
        #expect(block.allSatisfy { $0 == (isRequired ? 0 : 5000) })
        #expect(played[(9 * 960)..<(10 * 960)].allSatisfy { $0 == 10_000 })
        let filters = try #require(result.report.audioTracks.first?.filters)
        #expect((filters.refused, filters.silenced) == (3, isRequired ? 3 : 0))
        let notes = result.notes("microphone.pre-processors[0]")
        #expect(notes.first?.hasPrefix("refused a block (FAILED)") == true, "\(notes)")
        #expect(
            result.report.summary.contains(
                "microphone: 30 ms \(isRequired ? "silent" : "unedited") because of a filter"),
            "\(result.report.summary)")
    }

    @Test(arguments: ["create", "initialize", "start-send"])
    func `the session continues without a filter that can't start`(step: String) throws {
        let filter = FakeAudioFilter(.init(factor: 2, failing: (step, .failed)))
        let result = try session([filter.plan()]).run()
        #expect(result.dropped == ["microphone.pre-processors[0]"])
        #expect(try samples("camera", of: result).max() == 5000)
        let silent = try session([filter.plan(isRequired: true)]).run()
        #expect(try samples("camera", of: silent).allSatisfy { $0 == 0 })
    }

    // MARK: Participants

    /// A far end with two voices after another, the second one after the first has left.
    private func call() -> FakeOutput {
        FakeOutput(
            .init(
                want: { track, want in want.is_wanted = 1 },
                farEnd: { call in
                    let far = FarEnd(call)
                    for (name, level, from) in [
                        ("Ana", Int16(1000), Int64(100)), ("Ben", 400, 600),
                    ] {
                        far.wait(milliseconds: from)
                        let number = far.join(name).number
                        let sender = far.open(Int(GR_TRACK_MICROPHONE), of: number).track.sender
                        for time in stride(from: from, to: from + 200, by: 10) {
                            guard far.wait(milliseconds: time) == .ok else { return }
                            far.send(level, to: sender, milliseconds: time)
                        }
                        far.close(sender)
                        far.leave(number)
                    }
                    far.waitForEnd()
                }))
    }

    @Test func `each participant's audio passes through separate filters`()
        throws
    {
        let filter = FakeAudioFilter(.init(editing: AudioEditing(delayFrames: 336), factor: 3))
        var session = try session([])
        session.plan.outputs[1] = call().plan()
        session.plan.configuration.duration = .milliseconds(1500)
        session.plan.configuration.outputs.append(.call(PluginConfiguration("FakeCall")))
        session.plan.callFilters = [filter.plan()]
        let result = try session.run()
        #expect(try samples("ana-microphone", of: result).max() == 3000)
        #expect(try samples("ben-microphone", of: result).max() == 1200)
        #expect(try samples("camera", of: result).max() == 5000)
        #expect(filter.made == 1 && filter.starts == 3)
        let tracks = try #require(result.report.participants).flatMap(\.tracks)
        #expect(tracks.count == 2 && tracks.allSatisfy { ($0.audio?.filters?.edited ?? 0) >= 20 })
    }

    @Test func `a filter that requests the incoming audio of a call gets that audio`() throws {
        let filter = FakeAudioFilter(.init(editing: AudioEditing(takesReference: true)))
        var session = try session([filter.plan()])
        session.plan.outputs[1] = call().plan()
        session.plan.configuration.outputs.append(.call(PluginConfiguration("FakeCall")))
        _ = try session.run()
        #expect(filter.hasReference && filter.loudestReference == 1000)

        let alone = FakeAudioFilter(.init(editing: AudioEditing(takesReference: true)))
        _ = try self.session([alone.plan()]).run()
        #expect(!alone.hasReference && alone.edits > 70)
    }
}
