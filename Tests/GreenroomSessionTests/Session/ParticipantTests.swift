import GreenroomModel
import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
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
        _ people: [(name: String, level: Int16, from: Int64)], unrecorded: Set<String> = [],
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
                                if unrecorded.contains(person.name) {
                                    _ = HostInterface.recording.pointee.set_recorded(
                                        call.handle, number, 0)
                                }
                                senders[index] =
                                    far.open(Int(GR_TRACK_MICROPHONE), of: number).track.sender
                            }
                            far.send(person.level, to: senders[index] ?? 0, milliseconds: time)
                        }
                    }
                }))
    }

    private let size = FrameSize(width: 64, height: 36)

    /// A far end with participants who each send ten frames a second from a time on.
    private func cameras(
        _ people: [(name: String, from: Int64)], until end: Int64 = 10_000
    ) -> FakeOutput {
        FakeOutput(
            .init(
                want: { _, want in want.is_wanted = 0 },
                farEnd: { [size] call in
                    let far = FarEnd(call)
                    var senders: [Int: UInt64] = [:]
                    for time in stride(from: Int64(0), to: end, by: 100) {
                        guard far.wait(milliseconds: time) == .ok else { return }
                        for (index, person) in people.enumerated() where person.from <= time {
                            if senders[index] == nil {
                                let number = far.join(person.name).number
                                senders[index] =
                                    far.open(
                                        Int(GR_TRACK_CAMERA), of: number,
                                        VideoCapability(size: size, rate: FrameRate(10))
                                    ).track.sender
                            }
                            far.sendFrame(
                                size, grey: UInt8(time / 100 % 200 + 20), to: senders[index] ?? 0,
                                milliseconds: time)
                        }
                    }
                    far.waitForEnd()
                }))
    }

    /// An output of participants' cameras, which are wanted complete.
    private func viewer(
        want: @escaping @Sendable (OutputTrack, inout gr_want) -> Void = { _, _ in },
        onVideo: @escaping @Sendable (FakeOutput, gr_output_frame) -> Void = { _, _ in }
    ) -> FakeOutput {
        FakeOutput(
            .init(
                want: { track, written in
                    let isCamera = track.participant != nil && track.capability != nil
                    written.is_wanted = isCamera ? 1 : 0
                    written.pace = UInt32(GR_PACE_COMPLETE)
                    want(track, &written)
                }, onVideo: onVideo))
    }

    private static let small = gr_capability(
        width: 32, height: 18, fps_numerator: 5, fps_denominator: 1)

    @Test func `a session that drains keeps its recording until the last guest leaves`() throws {
        let call = FakeOutput(
            .init(
                want: { _, want in want.is_wanted = 0 },
                farEnd: { call in
                    let far = FarEnd(call)
                    let ana = far.join("Ana").number
                    far.wait(milliseconds: 3000)
                    far.leave(ana)
                    far.waitForEnd()
                }))
        var session = try session(call, milliseconds: 60_000)
        session.plan.configuration.drainTimeout = .seconds(30)
        session.plan.configuration.timeline = [
            TimelineEntry(time: .seconds(1), command: .drain),
            TimelineEntry(time: .seconds(2), command: .drain),
        ]
        let result = try session.run()
        #expect(result.report.outcome == .finished)
        #expect(result.report.draining == true)
        #expect(result.notes("timeline") == ["the session is draining already"])
        // Ana leaves after 3 s, and could return for 5 s.
        let frames = try #require(result.picture("camera")?.account.total)
        #expect((8 * 15 - 1...8 * 15 + 2).contains(frames), "\(frames)")
    }

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

    @Test(
        arguments: [
            ("1280x720@30", "320x180@15"), ("640x480@10", "240x180@10"),
            ("64x36@10", "64x36@10"), ("720x1280@30", "180x320@15"), ("180x320@15", "180x320@15"),
        ])
    func `a participant's video is at most the session's maximum, turned for a portrait`(
        opened: String, capability: String
    ) throws {
        let opened = try #require(VideoCapability(opened))
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                let ana = far.join("Ana").number
                for kind in [GR_TRACK_CAMERA, GR_TRACK_SHARE] {
                    _ = far.open(Int(kind), of: ana, opened)
                }
                far.waitForEnd()
            }))
        _ = try session(call, output: output, milliseconds: 300).run()
        let tracks = output.tracks.filter { $0.participant != nil && $0.capability != nil }
        #expect(tracks.map { "\($0.capability?.description ?? "")" } == [capability, capability])
    }

    /// A call in which Ana joins after 100 ms, shows one grey frame, and closes her share.
    private var oneFrameOfAna: FakeOutput {
        let size = size
        return FakeOutput(
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
    }

    @Test func `outputs receive the tracks that open and close during a session`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let result = try session(oneFrameOfAna, output: output).run()
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

    @Test func `a participant's video is delayed, even of one who joins later`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        var session = try session(oneFrameOfAna, output: output)
        session.plan.configuration.timeline = [
            TimelineEntry(
                time: .zero, command: .delay(.participantVideo("Ana"), .milliseconds(200)))
        ]
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let share = try #require(output.tracks.first { $0.name == "ana-share" })
        let frames = output.frames.filter { $0.track == share.id }
        #expect(frames.filter { $0.luma == 77 }.map(\.index) == [1], "\(frames)")
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
        #expect(level("full-mix", output) == 8000)
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

    @Test func `an output leaves participants out by name, from the start and live`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let other = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        var session = try session(
            voices([("Ana", 1000, 0), ("Ben", 2000, 0)]), output: output,
            microphone: FakeMicrophone(), milliseconds: 3000)
        var configuration = PluginConfiguration("FakeOutput")
        configuration.except = ["Ana"]
        session.plan.configuration.outputs[1] = SessionOutput(PluginOutput(configuration))
        session.plan.outputs[session.plan.configuration.outputs.count] = other.plan()
        session.plan.configuration.outputs.append(
            SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        session.plan.configuration.timeline = [
            TimelineEntry(time: .seconds(1), command: .except(.output(1), ["Ben"])),
            TimelineEntry(time: .seconds(2), command: .except(.output(1), [])),
        ]
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        /// The most frequent sample of half a second, 0.4 s after each second begins.
        func levels(_ name: String, _ output: FakeOutput) -> [Int16?] {
            (0..<3).map { second in
                let start = Int(Double(second) * 96_000) + 38_400
                let samples = output.audio(name).dropFirst(start).prefix(48_000)
                return Dictionary(grouping: samples, by: \.self).max {
                    $0.value.count < $1.value.count
                }?.key
            }
        }
        #expect(levels("incoming", output) == [2000, 1000, 3000])
        #expect(levels("full-mix", output) == [7000, 6000, 8000])
        #expect(levels("full-mix", other) == [8000, 8000, 8000])
        // Their tracks end and open again; the tracks of others stay open.
        let names = output.openings.map { opening in
            let name = output.tracks.first { $0.id == opening.track }?.name ?? ""
            return (opening.isEnd ? "-" : "+") + name
        }.filter { $0.hasSuffix("-microphone") }
        #expect(
            names == [
                "+ben-microphone", "-ben-microphone", "+ana-microphone", "+ben-microphone",
            ], "\(names)")
        #expect(
            !output.tracks.prefix { $0.name != "ben-microphone" }.contains {
                $0.name.hasPrefix("ana")
            })
    }

    @Test func `a participant who is not recorded is missing only in recordings`() throws {
        let recorder = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let other = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        var session = try session(
            voices([("Ana", 1000, 0), ("Ben", 2000, 0)], unrecorded: ["Ana"]), output: recorder,
            microphone: FakeMicrophone())
        session.plan.outputs[1]?.descriptor.parameters = [
            Parameter(
                name: "recording", title: "", type: .boolean, unit: nil, defaultValue: true,
                bounds: nil, choices: [], isLive: true)
        ]
        session.plan.outputs[session.plan.configuration.outputs.count] = other.plan()
        session.plan.configuration.outputs.append(
            SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        func peak(_ name: String, _ output: FakeOutput) -> Int16? { output.audio(name).max() }
        #expect(peak("incoming", recorder) == 2000 && peak("full-mix", recorder) == 7000)
        #expect(peak("incoming", other) == 3000 && peak("ana-microphone", other) == 1000)
        // The mix for her, of the others, may be described before the call says that she is not recorded.
        #expect(!recorder.tracks.contains { ["ana-microphone", "ana-camera"].contains($0.name) })
        // The folder of the host has her neither.
        #expect(!FileManager.default.fileExists(atPath: result.recording + "/ana-microphone.wav"))
        #expect(FileManager.default.fileExists(atPath: result.recording + "/ben-microphone.wav"))
    }

    @Test func `gains of a source, a participant and an output change live`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let other = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        var session = try session(
            voices([("Ana", 1000, 0), ("Ben Jr", 2000, 0), ("Ana", 100, 2500)]), output: output,
            microphone: FakeMicrophone(), milliseconds: 4000)
        session.plan.outputs[session.plan.configuration.outputs.count] = other.plan()
        session.plan.configuration.outputs.append(
            SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        // A factor of 2 is 6.0206 dB.
        session.plan.configuration.timeline = [
            TimelineEntry(time: .seconds(1), command: .gain(.source(.microphone), decibels: -20)),
            TimelineEntry(
                time: .seconds(2), command: .gain(.participant("Ana"), decibels: 6.0206)),
            TimelineEntry(
                time: .seconds(3),
                command: .gain(.output(.output(1), track: "full-mix"), decibels: -20)),
            TimelineEntry(time: .seconds(3), command: .delay(.participant("Nobody"), .seconds(1))),
        ]
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        /// The most frequent sample of 0.15 s, 0.6 s after each second begins.
        func levels(_ name: String, _ output: FakeOutput) -> [Int16?] {
            (0..<4).map { second in
                let samples = output.audio(name).dropFirst(second * 96_000 + 57_600).prefix(14_400)
                return Dictionary(grouping: samples, by: \.self).max {
                    $0.value.count < $1.value.count
                }?.key
            }
        }
        #expect(levels("mix", other) == [5000, 500, 500, 500])
        #expect(levels("ana-microphone", other) == [1000, 1000, 2000, 2000])
        // The second Ana gets the level of her name.
        #expect(levels("full-mix", other) == [8000, 3500, 4700, 4700])
        #expect(levels("full-mix", output) == [8000, 3500, 4700, 470])
    }

    @Test func `only outputs that name the split mix get it, with the call on the right`() throws {
        for names in [false, true] {
            let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
            let result = try session(
                voices([("Ana", 1000, 0), ("Ben", 2000, 0)]), output: output,
                selection: names ? TrackSelection(own: [.split]) : nil,
                microphone: FakeMicrophone()
            ).run()
            #expect(result.report.outcome == .finished, "\(result.failures)")
            let samples = output.audio("split").suffix(40_000).dropLast(4_000)
            let pairs = zip(samples, samples.dropFirst()).enumerated().filter { $0.offset % 2 == 0 }
            let most = Dictionary(grouping: pairs, by: { [$0.element.0, $0.element.1] }).max {
                $0.value.count < $1.value.count
            }
            #expect(most?.key == (names ? [5000, 3000] : nil))
        }
    }

    @Test(arguments: [-200, 200] as [Int64])
    func `a participant's clock is followed, and no sample is cut or concealed`(ppm: Int64) throws {
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                let ana = far.join("Ana").number
                let sender = far.open(Int(GR_TRACK_MICROPHONE), of: ana).track.sender
                // Blocks of 10 ms of another computer's clock.
                for block in Int64(0)..<10_000 {
                    let time = block * 10_000_000 * 1_000_000 / (1_000_000 + ppm)
                    guard far.wait(nanoseconds: time) == .ok else { return }
                    far.send(1000, to: sender, nanoseconds: time)
                }
            }))
        let result = try session(call, hasCamera: false, milliseconds: 90_000).run()
        let track = try #require(result.report.participants?.first?.tracks.first)
        let audio = try #require(track.audio)
        #expect(abs(try #require(audio.driftPPM) - Double(ppm)) < 20, "\(audio)")
        #expect(audio.concealed == 0 && audio.cut == 0 && audio.account.missing == 0, "\(audio)")
        let frames = try readFile("\(result.recording)/ana-microphone.wav").count / 4
        #expect(abs(frames - 90 * 48_000) < 4800, "\(frames)")
    }

    @Test func `the mix of loud participants is limited and does not clip`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let people = (1...4).map { ("P\($0)", Int16(15_000), Int64(0)) }
        let result = try session(voices(people), output: output).run()
        #expect(result.report.outcome == .finished)
        let loud = output.audio("incoming").suffix(20_000)
        #expect(loud.allSatisfy { (32_000...32_767).contains($0) })
    }

    @Test func `a call learns which of its participants' tracks are requested`() throws {
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

    // MARK: What outputs say while they run

    @Test func `an output can change its requested format of a participant's track`() throws {
        let hasChanged = Mutex(false)
        let output = viewer(
            want: { _, want in
                guard hasChanged.withLock({ $0 }) else { return }
                (want.capability.width, want.capability.height) = (32, 18)
                want.format = UInt32(GR_FORMAT_NV12)
            },
            onVideo: { output, frame in
                guard frame.index == 4 else { return }
                hasChanged.withLock { $0 = true }
                #expect(HostInterface.output.pointee.wants_changed(output.handle) == 0)
            })
        let result = try session(
            cameras([("Ana", 0)]), output: output, hasCamera: false, milliseconds: 2000
        ).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let frames = output.frames
        // Each period once, from the start of the track to its end.
        #expect(frames.map(\.index) == Array(0..<20) && frames.allSatisfy { $0.periods == 1 })
        #expect(frames.map(\.luma) == (20..<40).map { UInt8($0) })
        let first = frames.prefix { $0.size == size }.count
        #expect((5...7).contains(first), "\(first)")
        let rest = frames.dropFirst(first)
        #expect(rest.allSatisfy { $0.size.width == 32 && $0.format == UInt32(GR_FORMAT_NV12) })
        #expect(!output.overlaps)
    }

    @Test func `an output can drop a participant's audio and request it again`() throws {
        let wants = Mutex(true)
        let output = FakeOutput(
            .init(
                want: { track, want in
                    switch track.name {
                    case "ana-microphone": want.is_wanted = wants.withLock { $0 } ? 1 : 0
                    default: want.is_wanted = track.name == "incoming" ? 1 : 0
                    }
                },
                onAudio: { output, block in
                    guard block.track == SessionTrack.incoming.id,
                        block.index == 24_000 || block.index == 48_000
                    else { return }
                    wants.withLock { $0.toggle() }
                    _ = HostInterface.output.pointee.wants_changed(output.handle)
                }))
        let result = try session(
            voices([("Ana", 1000, 0)]), output: output, hasCamera: false, milliseconds: 2000
        ).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(output.audio(.incoming).count == 2 * 96_000)
        // Half a second of both channels is left out.
        let missing = 2 * 96_000 - output.audio("ana-microphone").count
        #expect((40_000...56_000).contains(missing), "\(missing)")
    }

    @Test func `a ceiling on a participant's track lowers the demand to the call`() throws {
        let output = viewer(onVideo: { output, frame in
            let host = HostInterface.output.pointee
            var small = Self.small
            if frame.index == 5 {
                #expect(host.set_ceiling(output.handle, frame.track, &small, "a small window") == 0)
            }
            if frame.index == 10 {
                #expect(host.set_ceiling(output.handle, frame.track, nil, nil) == 0)
            }
        })
        let call = cameras([("Ana", 0)])
        var session = try session(call, output: output, hasCamera: false, milliseconds: 6000)
        session.plan.configuration.outputs.remove(at: 0)
        session.plan.outputs = [0: output.plan(), 1: call.plan()]
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let full = VideoCapability(size: size, rate: FrameRate(10))
        let small = VideoCapability(width: 32, height: 18, fps: 5)
        #expect(call.demands.map(\.capability) == [full, small, full])
        #expect(call.demands.allSatisfy { $0.isWanted })
        let records = result.events.compactMap { event -> NegotiationRecord? in
            guard case .renegotiated("ana-camera", let record) = event else { return nil }
            return record
        }
        #expect(records.map(\.reason) == [.ceilingLowered, .ceilingRaised])
        // A lower one at once, a higher one after three seconds without a change.
        #expect(records.map { Int($0.seconds) } == [0, 4])
        let lines = try #require(records.first).explanation(role: "ana-camera")
        #expect(lines.contains("  suggested was 32x18@5; outputs want no more from the call"))
        let reason = "  ceiling 32x18@5 by outputs[0] (FakeOutput): a small window since"
        #expect(lines.contains { $0.hasPrefix(reason) }, "\(lines)")
        let reported = result.report.participants?.first?.tracks.first?.video?.negotiation
        #expect(reported?.map(\.suggested) == ["64x36@10", "32x18@5", "64x36@10"])
        // The output gets its frames as it wants them.
        #expect(Set(output.frames.map(\.size)) == [size])
    }

    @Test func `an output's ceiling does not lower a participant's format in a recording`() throws {
        let output = viewer(onVideo: { output, frame in
            var small = Self.small
            guard frame.index == 0 else { return }
            _ = HostInterface.output.pointee.set_ceiling(output.handle, frame.track, &small, "")
        })
        let call = cameras([("Ana", 0)])
        _ = try session(call, output: output, hasCamera: false).run()
        #expect(call.demands.map(\.capability?.description) == ["64x36@10"])
    }

    @Test func `a restarted output hears of the tracks that were opened meanwhile`() throws {
        let holder = Mutex<FakeOutput?>(nil)
        let output = viewer(
            want: { _, want in
                let lives = holder.withLock { $0 }?.steps.filter { $0 == "create" }.count
                guard lives == 2 else { return }
                (want.capability.width, want.capability.height) = (32, 18)
            },
            onVideo: { output, frame in
                guard frame.index == 3, output.steps.filter({ $0 == "create" }).count == 1 else {
                    return
                }
                HostInterface.host.pointee.give_up(output.handle, Status.failed.rawValue, "broken")
            })
        holder.withLock { $0 = output }
        defer { holder.withLock { $0 = nil } }
        // It is back 500 ms after its loss.
        let call = cameras([("Ana", 0), ("Ben", 500), ("Cem", 2000)])
        var session = try session(call, output: output, hasCamera: false, milliseconds: 3000)
        session.plan.outputs[1] = output.plan(onFailure: .restart)
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(output.steps.filter { $0 == "create" }.count == 2)
        let cameras = output.tracks.filter { $0.capability != nil }.map(\.name)
        #expect(cameras == ["ana-camera", "ana-camera", "ben-camera", "cem-camera"])
        for name in ["ana-camera", "ben-camera", "cem-camera"] {
            let id = output.tracks.first { $0.name == name }?.id
            let last = output.frames.last { $0.track == id }
            #expect(last?.size == FrameSize(width: 32, height: 18), "\(name)")
        }
    }

    @Test(.nightly) func `an output that answers slowly for a new track delays no other output`()
        throws
    {
        let shown = Monitor(0)
        let sawFrames = Mutex<Bool?>(nil)
        let slow = viewer(want: { track, _ in
            guard track.participant != nil, track.capability != nil else { return }
            // Until the other output has frames of the participant, or the test fails.
            let deadline = MonotonicClock.deadline(after: 20_000_000_000)
            let saw: Bool? = shown.wait(until: deadline) { $0 >= 3 ? true : nil }
            sawFrames.withLock { $0 = saw ?? false }
        })
        let quick = viewer(onVideo: { _, _ in shown.change { $0 += 1 } })
        let call = cameras([("Ana", 0)])
        var session = try session(call, output: slow, hasCamera: false, milliseconds: 1500)
        session.plan.configuration.clock = .real
        session.plan.outputs[3] = quick.plan()
        session.plan.configuration.outputs.append(
            SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.dropped.isEmpty)
        #expect(sawFrames.withLock { $0 } == true)
        #expect(quick.frames.count >= 3 && !slow.overlaps)
    }

    @Test func `an output that answers slowly still receives all tracks, in order`() throws {
        let output = viewer(want: { track, _ in if track.participant != nil { usleep(2000) } })
        let size = size
        let isOver = Monitor(false)
        let call = FakeOutput(
            .init(
                want: { _, want in want.is_wanted = 0 },
                farEnd: { call in
                    let far = FarEnd(call)
                    far.wait(milliseconds: 100)
                    let senders = (0..<40).map { number in
                        far.open(
                            Int(GR_TRACK_CAMERA), of: far.join("Guest \(number)").number,
                            VideoCapability(size: size, rate: FrameRate(10))
                        ).track.sender
                    }
                    // Some end while others are still described, and all are described again.
                    for (index, sender) in senders.enumerated() {
                        usleep(2000)
                        far.close(sender)
                        if index % 10 == 5 {
                            _ = HostInterface.output.pointee.wants_changed(output.handle)
                        }
                    }
                    let deadline = MonotonicClock.deadline(after: 20_000_000_000)
                    while Set(output.ended).count < Set(output.cameras).count,
                        MonotonicClock.now < deadline
                    { usleep(1000) }
                    isOver.change { $0 = true }
                    far.waitForEnd()
                }))
        var session = try session(call, output: output, hasCamera: false, milliseconds: 2500)
        session.plan.configuration.clock = .real
        let result = try session.run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.dropped.isEmpty && isOver.withLock { $0 })
        let cameras = Set(output.cameras)
        #expect(!cameras.isEmpty && Set(output.ended) == cameras)
        #expect(output.ended.count == cameras.count)
        for camera in cameras {
            #expect(output.openings.last { $0.track == camera }?.isEnd == true)
        }
    }

    @Test func `a track that is closed at once is announced and ended without a frame`() throws {
        let output = viewer()
        let size = size
        let call = FakeOutput(
            .init(
                want: { _, want in want.is_wanted = 0 },
                farEnd: { call in
                    let far = FarEnd(call)
                    far.wait(milliseconds: 100)
                    let ana = far.join("Ana").number
                    let camera = far.open(
                        Int(GR_TRACK_CAMERA), of: ana,
                        VideoCapability(size: size, rate: FrameRate(10)))
                    far.close(camera.track.sender)
                    far.waitForEnd()
                }))
        let result = try session(call, output: output, hasCamera: false).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        let camera = output.tracks.filter { $0.name == "ana-camera" }.map(\.id)
        #expect(output.ended == camera && output.frames.isEmpty)
    }

    @Test func `the virtual clock does not wait for a call without its own thread`() throws {
        let camera = Mutex<UInt64>(0)
        let size = FrameSize(width: 320, height: 180)
        let call = FakeOutput(
            .init(
                isReactingCall: true,
                onVideo: { call, frame in
                    guard frame.track == SessionTrack.own(.camera).id else { return }
                    let far = FarEnd(call)
                    if frame.index == 0 {
                        let opened = far.open(
                            Int(GR_TRACK_CAMERA), of: far.join("Ana").number,
                            VideoCapability(size: size, rate: FrameRate(15)))
                        camera.withLock { $0 = opened.track.sender }
                    }
                    far.sendFrame(
                        size, grey: UInt8(20 + frame.index), to: camera.withLock { $0 },
                        milliseconds: 0)
                }))
        let result = try session(call).run()
        #expect(result.report.outcome == .finished, "\(result.failures)")
        #expect(result.notes("call").isEmpty)
        let echo = try #require(result.report.participants?.first?.tracks.first?.video)
        #expect(echo.accepted >= 14 && echo.accepted == call.frames.filter { $0.track == 1 }.count)
    }

    // MARK: The session file

    @Test func `an output may receive the mix-minus of one participant`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let selection = TrackSelection(participants: [.init(name: "Ben", kind: .mixMinus)])
        _ = try session(
            voices([("Ana", 1000, 0), ("Ben", 2000, 0)]), output: output, selection: selection
        ).run()
        #expect(Set(output.tracks.map(\.name)) == ["ben-mix-minus"])
        let samples = output.audio("ben-mix-minus").dropFirst(20_000).prefix(20_000)
        #expect(samples.count == 20_000 && samples.allSatisfy { $0 == 1000 })
    }

    @Test func `a session file chooses whose tracks an output gets`() throws {
        let output = FakeOutput(.init(want: { _, want in want.is_wanted = 1 }))
        let selection = TrackSelection(
            own: [.incoming], participants: [.init(name: "Ben", kind: .track(.microphone))])
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

    @Test func `participants' names become unique file names`() throws {
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                let long = String(repeating: "日", count: 33)
                // The second Zoë has a letter and a mark.
                for name in [
                    "Ana", "ana!", "../x", "Ana 2", "日本", "Zoë Müller", "zoe\u{308} müller",
                    "\u{202e}a",
                    "…", long,
                ] {
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
                "日本-microphone", "zoë-müller-microphone", "zoë-müller-2-microphone", "a-microphone",
                "participant-microphone", String(repeating: "日", count: 21) + "-microphone",
            ])
        let scalars = try #require(tracks)[6].unicodeScalars.count
        #expect(scalars == "zoë-müller-2-microphone".unicodeScalars.count, "normal form C")
    }

    @Test func `no advice is logged about the media of a participant`() throws {
        // 10 frames a second of a track with 30, without timestamps, and clipped audio with gaps.
        let size = size
        let call = FakeOutput(
            .init(farEnd: { call in
                let far = FarEnd(call)
                let ana = far.join("Ana").number
                let camera = far.open(
                    Int(GR_TRACK_CAMERA), of: ana,
                    VideoCapability(size: size, rate: FrameRate(30)))
                let microphone = far.open(Int(GR_TRACK_MICROPHONE), of: ana)
                for time in stride(from: Int64(0), to: 10_000, by: 10) {
                    guard far.wait(milliseconds: time) == .ok else { return }
                    if time % 50 != 0 {
                        far.send(
                            time % 20 == 0 ? .max : .min, to: microphone.track.sender,
                            milliseconds: time)
                    }
                    guard time % 100 == 0 else { continue }
                    // Every fifth is older than the one before.
                    far.sendFrame(
                        size, grey: 90, to: camera.track.sender,
                        milliseconds: time % 500 == 0 ? max(time - 1000, 0) : time)
                }
            }))
        let result = try session(call, milliseconds: 5000).run()
        for track in ["ana-camera", "ana-microphone"] {
            #expect(result.notes(track).isEmpty, "\(result.notes(track))")
        }
        let tracks = try #require(result.report.participants?.first?.tracks)
        let video = try #require(tracks.compactMap(\.video).first)
        // The report has the numbers; what a participant sends is as real as it comes.
        #expect(video.stamps.backward > 0)
        #expect(video.account.repeated == 0 && (video.account.realPercent ?? 0) > 90)
        let audio = try #require(tracks.compactMap(\.audio).first)
        #expect(audio.underfedPercent != nil && audio.clippedSamples > 0)
    }

    @Test func `a track that is opened again has a separate file`() throws {
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

    @Test func `a leased frame stays valid after its track closes, until it is returned`()
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

    @Test func `invalid calls about participants are refused, and valid ones still work`() throws {
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

    @Test func `a lost call ends its participants' tracks, and the session continues`() throws {
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

    @Test func `a session with participants is deterministic`() throws {
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

extension FakeOutput {
    /// The numbers of the participants' cameras that it was told of.
    fileprivate var cameras: [UInt32] {
        tracks.filter { $0.participant != nil && $0.capability != nil }.map(\.id)
    }
}
