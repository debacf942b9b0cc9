import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomSession

/// Calls, and the participants whom they bring, in sessions on the virtual clock.
@Suite(.ownThreads) struct ParticipantTests {
    /// A session with a call, and with an output plugin beside the recording.
    private func session(
        _ call: FakeOutput, output: FakeOutput? = nil, selection: TrackSelection? = nil,
        microphone: FakeMicrophone? = nil, hasCamera: Bool = true, milliseconds: Int64 = 1000
    ) throws -> InProcessSession {
        var session = try InProcessSession(
            camera: hasCamera ? FakeSource().plan(.videoSource) : nil, milliseconds: milliseconds)
        if let microphone {
            session.plan.slots.append(SessionSlot(.microphone, microphone.plan()))
        }
        if let output {
            session.plan.outputs[1] = output.plan()
            session.plan.configuration.outputs.append(
                SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"), selection: selection))
            )
        }
        session.plan.outputs[session.plan.configuration.outputs.count] = call.plan()
        session.plan.configuration.outputs.append(.call(PluginConfiguration("FakeCall")))
        return session
    }

    /// A far end with participants who each send a level from a time on.
    private func voices(
        _ people: [(name: String, level: Int16, from: Int64)],
        want: @escaping @Sendable (OutputTrack, inout gr_want) -> Void = { _, want in
            want.is_wanted = 1
        }
    ) -> FakeOutput {
        FakeOutput(
            .init(
                want: want,
                farEnd: { call in
                    let far = FarEnd(call)
                    var senders: [Int: UInt64] = [:]
                    for time in stride(from: Int64(0), to: 10_000, by: 10) {
                        guard far.wait(milliseconds: time) == .ok else { return }
                        for (index, person) in people.enumerated() where person.from <= time {
                            if senders[index] == nil {
                                let number = far.join(person.name).number
                                senders[index] =
                                    far.open(Int(GR_TRACK_MICROPHONE), of: number).track.sender
                            }
                            far.send(person.level, to: senders[index] ?? 0, milliseconds: time)
                        }
                    }
                }))
    }

    private let size = FrameSize(width: 64, height: 36)

    @Test func `a participant's tracks are recorded from their opening to their end`() throws {
        let size = size
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                far.wait(milliseconds: 200)
                let ana = far.join("Ana").number
                let camera = far.open(
                    Int(GR_TRACK_CAMERA), of: ana, VideoCapability(size: size, rate: FrameRate(10)))
                let microphone = far.open(Int(GR_TRACK_MICROPHONE), of: ana)
                for time in stride(from: Int64(200), to: 700, by: 10) {
                    guard far.wait(milliseconds: time) == .ok else { return }
                    far.send(1000, to: microphone.track.sender, milliseconds: time)
                    guard time % 100 == 0 else { continue }
                    far.sendFrame(
                        size, grey: UInt8(time / 10), to: camera.track.sender, milliseconds: time)
                }
                far.wait(milliseconds: 700)
                far.leave(ana)
                far.waitForEnd()
            }))
        let session = try session(call)
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let video = try readFile(session.recorded("ana-camera.y4m"))
        // Five frames of I420, each after its line.
        let header = try #require(video.firstIndex(of: 10)) + 1
        #expect(video.count - header == 5 * (6 + 64 * 36 * 3 / 2))
        let audio = try readFile(session.recorded("ana-microphone.wav"))
        #expect(audio.count == 80 + 24_000 * 4)
        let ana = try #require(result.report.participants?.first)
        #expect(ana.name == "Ana" && ana.joinedSeconds == 0.2 && ana.leftSeconds == 0.7)
        #expect(ana.tracks.map(\.track) == ["ana-camera", "ana-microphone"])
        #expect(ana.tracks.allSatisfy { $0.beganSeconds == 0.2 && $0.endedSeconds == 0.7 })
        let camera = try #require(ana.tracks[0].video?.outputs.first)
        #expect(camera.delivered == 5 && camera.black == 0 && camera.repeated == 0)
        #expect(ana.tracks[1].audio?.played == 24_000 && ana.tracks[1].audio?.concealed == 0)
    }

    @Test func `outputs are told of tracks that come and go`() throws {
        let size = size
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                far.wait(milliseconds: 100)
                let ana = far.join("Ana").number
                let share = far.open(
                    Int(GR_TRACK_SHARE), of: ana, VideoCapability(size: size, rate: FrameRate(5)))
                far.sendFrame(size, grey: 77, to: share.track.sender, milliseconds: 100)
                far.wait(milliseconds: 500)
                far.close(share.track.sender)
                far.waitForEnd()
            }))
        let result = try session(call, output: output).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let share = try #require(output.tracks.first { $0.name == "ana-share" })
        #expect(share.participant?.name == "Ana" && share.kind == UInt32(GR_TRACK_SHARE))
        #expect(share.capability?.description == "64x36@5")
        let frames = output.frames.filter { $0.track == share.id }
        // Its own time: two periods of 200 ms, the second one a repeat.
        #expect(frames.map(\.index) == [0, 1] && frames.allSatisfy { $0.luma == 77 })
        #expect(output.ended == [share.id])
        #expect(!output.overlaps)
    }

    @Test func `each participant hears everybody but themselves`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let call = voices([("Ana", 1000, 0), ("Ben", 2000, 200)])
        let result = try session(call, output: output, microphone: FakeMicrophone()).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        /// What most of the samples of the last half second are.
        func level(_ name: String, _ plugin: FakeOutput) -> Int16? {
            let samples = plugin.audio(name).suffix(40_000).dropLast(4_000)
            return Dictionary(grouping: samples, by: \.self).max {
                $0.value.count < $1.value.count
            }?
            .key
        }
        #expect(level("mix", output) == 5000)
        #expect(level("incoming", output) == 3000)
        #expect(level("ana-mix-minus", call) == 7000)
        #expect(level("ben-mix-minus", call) == 6000)
        #expect(level("ana-microphone", output) == 1000)
        // Every sample from the opening to the end: Ben's came 200 ms later.
        #expect(output.audio("ana-microphone").count == 96_000)
        #expect(output.audio("ben-microphone").count == 96_000 * 8 / 10)
        #expect(call.audio("ana-mix-minus").count == 96_000)
        #expect(call.audio("ben-mix-minus").count == 96_000 * 8 / 10)
        #expect(!output.hasGap && !call.hasGap)
    }

    @Test func `loud participants are turned down, and not clipped`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let people = (1...4).map { ("P\($0)", Int16(15_000), Int64(0)) }
        let result = try session(voices(people), output: output).run()
        #expect(result.report.outcome == .finished)
        let loud = output.audio("incoming").suffix(20_000)
        #expect(loud.allSatisfy { (32_000...32_767).contains($0) })
    }

    @Test func `a call is told what of its participants is wanted`() throws {
        let size = size
        let output = FakeOutput(
            .init(want: { track, want in
                want.is_wanted = track.name == "ana-camera" ? 1 : 0
                want.capability = gr_capability(
                    width: 32, height: 18, fps_numerator: 5, fps_denominator: 1)
            }))
        let senders = Mutex<[UInt64]>([])
        let call = FakeOutput(
            .init(
                want: { _, want in want.is_wanted = 0 },
                farEnd: { call in
                    let far = FarEnd(call)
                    let capability = VideoCapability(size: size, rate: FrameRate(10))
                    for name in ["Ana", "Ben"] {
                        let number = far.join(name).number
                        let opened = far.open(Int(GR_TRACK_CAMERA), of: number, capability)
                        senders.withLock { $0.append(opened.track.sender) }
                    }
                    far.waitForEnd()
                }))
        var session = try session(call, output: output)
        session.plan.configuration.outputs.remove(at: 0)
        session.plan.outputs = [0: output.plan(), 1: call.plan()]
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let (ana, ben) = senders.withLock { ($0[0], $0[1]) }
        #expect(
            call.demands == [
                Demand(
                    sender: ana, isWanted: true,
                    capability: VideoCapability(width: 32, height: 18, fps: 5)),
                Demand(sender: ben, isWanted: false, capability: nil),
            ])
    }

    @Test func `a session file chooses whose tracks an output gets`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let selection = TrackSelection(
            own: [.incoming], participants: [.init(name: "Ben", kind: .microphone)])
        _ = try session(
            voices([("Ana", 1000, 0), ("Ben", 2000, 0)]), output: output, selection: selection
        ).run()
        #expect(Set(output.tracks.map(\.name)) == ["incoming", "ben-microphone"])
    }

    @Test func `a session may have a call and no source`() throws {
        let call = voices([("Ana", 1000, 0)])
        let result = try session(call, hasCamera: false).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.report.participants?.first?.tracks.first?.audio?.played == 48_000)
    }

    @Test func `names become files that no other has`() throws {
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                for name in ["Ana", "ana!", "../x", "Ana 2", "日本"] {
                    let number = far.join(name).number
                    _ = far.open(Int(GR_TRACK_MICROPHONE), of: number)
                }
                far.waitForEnd()
            }))
        let result = try session(call, milliseconds: 200).run()
        let tracks = result.report.participants?.flatMap { $0.tracks.map(\.track) }
        #expect(
            tracks == [
                "ana-microphone", "ana-2-microphone", "x-microphone", "ana-2-2-microphone",
                "participant-microphone",
            ])
    }

    @Test func `a track that is opened again has a file of its own`() throws {
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                let ana = far.join("Ana").number
                for time in [0, 50] as [Int64] {
                    far.wait(milliseconds: time)
                    let microphone = far.open(Int(GR_TRACK_MICROPHONE), of: ana)
                    far.send(1000, to: microphone.track.sender, milliseconds: time)
                    far.wait(milliseconds: time + 20)
                    far.close(microphone.track.sender)
                }
                far.waitForEnd()
            }))
        let session = try session(call, milliseconds: 300)
        let result = try session.run()
        let tracks = result.report.participants?.first?.tracks.map(\.track)
        #expect(tracks == ["ana-microphone", "ana-microphone-2"])
        for name in tracks ?? [] {
            #expect(try readFile(session.recorded("\(name).wav")).count == 80 + 960 * 4)
        }
    }

    @Test func `a frame that is drawn while its track is closed stays until it is given back`()
        throws
    {
        let statuses = Mutex<[Status]>([])
        let size = size
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                let video = HostInterface.video.pointee
                let ana = far.join("Ana").number
                let camera = far.open(
                    Int(GR_TRACK_CAMERA), of: ana, VideoCapability(size: size, rate: FrameRate(10)))
                var lease = gr_lease()
                lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
                let sender = camera.track.sender
                let acquired = video.acquire(
                    sender, UInt32(GR_FORMAT_I420), UInt32(size.width), UInt32(size.height), &lease)
                far.close(sender)
                far.wait(milliseconds: 150)
                // The session has forgotten the track by now; its frame is still the plugin's.
                let plane = lease.frame.planes.0
                plane.data?.update(repeating: 9, count: Int(plane.size_bytes))
                var info = lease.frame.info
                let first = video.commit(sender, lease.id, &info)
                let second = video.commit(sender, lease.id, &info)
                far.wait(milliseconds: 200)
                statuses.withLock {
                    $0 = [acquired, first, second].map { Status(rawValue: $0) }
                }
                far.waitForEnd()
            }))
        let result = try session(call, milliseconds: 300).run()
        #expect(result.report.outcome == .finished)
        #expect(statuses.withLock { $0 } == [.ok, .gone, .gone])
    }

    @Test func `wrong calls are refused, and nothing else is lost`() throws {
        let statuses = Mutex<[Status]>([])
        let size = size
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                var seen: [Status] = []
                seen.append(far.join("").status)
                seen.append(far.join(String(repeating: "x", count: 101)).status)
                let ana = far.join("Ana").number
                let microphone = far.open(Int(GR_TRACK_MICROPHONE), of: ana)
                seen.append(far.open(Int(GR_TRACK_MICROPHONE), of: ana).status)
                seen.append(far.open(Int(GR_TRACK_MIX), of: ana).status)
                seen.append(far.open(Int(GR_TRACK_CAMERA), of: ana + 1).status)
                seen.append(far.open(Int(GR_TRACK_CAMERA), of: ana).status)
                seen.append(far.leave(99))
                seen.append(far.close(microphone.track.sender + 1))
                seen.append(far.close(microphone.track.sender))
                seen.append(far.close(microphone.track.sender))
                seen.append(far.mute(true, microphone.track.sender))
                seen.append(far.send(1, to: microphone.track.sender, milliseconds: 0))
                for _ in 1..<64 { seen.append(far.join("Somebody").status) }
                seen.append(far.join("One too many").status)
                far.waitForEnd()
                seen.append(far.join("Too late").status)
                seen.append(
                    far.open(
                        Int(GR_TRACK_CAMERA), of: ana,
                        VideoCapability(size: size, rate: FrameRate(5))
                    ).status)
                let all = seen
                statuses.withLock { $0 = all }
            }))
        let result = try session(call, milliseconds: 300).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let seen = statuses.withLock { $0 }
        #expect(
            seen.prefix(8) == [
                .badArgument, .badArgument, .badArgument, .badArgument,
                .badSize, .badSize, .badArgument, .badArgument,
            ])
        #expect(seen.dropFirst(8).prefix(4) == [.ok, .badArgument, .badArgument, .gone])
        #expect(seen.dropFirst(12).prefix(63).allSatisfy { $0 == .ok })
        #expect(seen.suffix(3) == [.noBuffer, .stopped, .stopped])
        #expect(result.picture("camera")?.outputs.first?.frames == 5)
    }

    @Test func `a call that is lost takes its participants along, and nothing else`() throws {
        let lost = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                let ana = far.join("Ana").number
                let microphone = far.open(Int(GR_TRACK_MICROPHONE), of: ana)
                for time in stride(from: Int64(0), to: 300, by: 10) {
                    guard far.wait(milliseconds: time) == .ok else { return }
                    far.send(1000, to: microphone.track.sender, milliseconds: time)
                }
                HostInterface.host.pointee.give_up(
                    call.handle, Status.failed.rawValue, "the network is gone")
            }))
        let result = try session(lost).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.dropped == ["call"])
        #expect(result.picture("camera")?.outputs.first?.frames == 15)
        let ana = try #require(result.report.participants?.first)
        #expect(ana.leftSeconds != nil && ana.tracks.first?.endedSeconds != nil)
    }

    @Test func `sessions with participants are the same each time`() throws {
        func run() throws -> [[Int16]] {
            let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
            let call = voices([("Ana", 1000, 30), ("Ben", 2000, 330)])
            _ = try session(call, output: output, microphone: FakeMicrophone()).run()
            return ["incoming", "ana-microphone", "ben-microphone"].map { output.audio($0) }
                + ["ana-mix-minus", "ben-mix-minus"].map { call.audio($0) }
        }
        let first = try run()
        #expect(try run() == first)
    }
}
