import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

@Suite struct CallTests {
    private static let capability = VideoCapability(width: 6, height: 4, fps: 15)

    /// An initialized call, and its host as the plugin has it.
    private func session(isCall: Bool = true) throws -> (session: FakeSession, host: PluginHost) {
        let host = FakeHost()
        host.state.withLock { $0.call.isCall = isCall }
        let session = try FakeSession(
            "call", of: testEntry, settings: [("host", .integer(Int64(host.id)))], host: host)
        try #require(session.initializeOutput() == .ok)
        return (session, try #require(Kept.calls.withLock { $0[Int(host.id)] }))
    }

    private func log(_ session: FakeSession) -> [String] {
        session.host.state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    private func call(_ session: FakeSession) -> FakeCall {
        session.host.state.withLock { $0.call }
    }

    private func refusal(_ body: () throws(SendRefusal) -> Void) -> Status? {
        do throws(SendRefusal) {
            try body()
            return nil
        } catch {
            return error.status
        }
    }

    @Test func `a call has the extensions of a call and of an output`()
        throws
    {
        let descriptor = try #require(
            (0..<testEntry.pointee.plugin_count).compactMap { testEntry.pointee.descriptor($0) }
                .first { String(cString: $0.pointee.name) == "call" })
        #expect(descriptor.pointee.kind == UInt32(GR_KIND_CALL))
        let (session, _) = try session()
        #expect(session.extensionTable(GR_EXT_CALL) != nil)
        #expect(session.extensionTable(GR_EXT_OUTPUT) != nil)
        let output = try FakeSession("output", of: testEntry)
        #expect(output.extensionTable(GR_EXT_CALL) == nil)
    }

    // MARK: Participants

    @Test func `participants join and leave while the call sends`() throws {
        let (session, host) = try session()
        #expect(refusal { () throws(SendRefusal) in _ = try host.join("Ana") } == .notStarted)
        #expect(session.startSend() == .ok)
        let ana = try host.join("Ana")
        let ben = try host.join("Ben")
        #expect(ana.name == "Ana" && ana.number != 0 && ben.number != ana.number)
        #expect(call(session).participants == [ana.number: "Ana", ben.number: "Ben"])
        ana.leave()
        ana.leave()
        #expect(call(session).participants == [ben.number: "Ben"])
        #expect(call(session).log == ["joined Ana", "joined Ben", "left Ana"])
        session.stopSend()
        #expect(refusal { () throws(SendRefusal) in _ = try host.join("Ana") } == .stopped)
        session.uninitialize()
        #expect(refusal { () throws(SendRefusal) in _ = try host.join("Ana") } == .gone)
    }

    @Test func `an invalid name and a 65th participant are refused`()
        throws
    {
        let (session, host) = try session()
        #expect(session.startSend() == .ok)
        for name in ["", String(repeating: "a", count: 101)] {
            #expect(refusal { () throws(SendRefusal) in _ = try host.join(name) } == .badArgument)
        }
        for number in 1...64 { _ = try host.join("Guest \(number)") }
        do throws(SendRefusal) {
            _ = try host.join("Guest 65")
            Issue.record("the 65th has joined")
        } catch {
            #expect(error.status == .noBuffer && error.text.contains("joined"), "\(error)")
        }
    }

    @Test func `a host without the extension has no participants`() throws {
        let (session, host) = try session(isCall: false)
        #expect(session.startSend() == .ok)
        #expect(refusal { () throws(SendRefusal) in _ = try host.join("Ana") } == .unsupported)
    }

    // MARK: Tracks

    @Test func `each track has a separate sender with the revision of its offer`() throws {
        let (session, host) = try session()
        #expect(session.startSend() == .ok)
        let ana = try host.join("Ana")
        let camera = try ana.openCamera(upTo: Self.capability)
        let share = try ana.openShare(upTo: Self.capability)
        let microphone = try ana.openMicrophone()
        let shareAudio = try ana.openShareAudio()
        let ids = [camera.id, share.id, microphone.id, shareAudio.id]
        #expect(Set(ids).count == 4)
        let tracks = call(session).tracks
        #expect(ids.map { tracks[$0]?.kind } == [1, 3, 2, 4])
        #expect(ids.map { tracks[$0]?.participant } == Array(repeating: ana.number, count: 4))
        #expect(
            ids.map { tracks[$0]?.capability } == [Self.capability, Self.capability, nil, nil])

        var lease = try camera.sender.acquire(format: .i420, size: Self.capability.size)
        lease.fill(plane: 0, with: 16)
        lease.fill(plane: 1, with: 128)
        lease.fill(plane: 2, with: 128)
        try lease.commit(FrameInfo(ptsNanoseconds: 7))
        let samples: [Int16] = [1, -1, 2, -2]
        try microphone.sender.send(
            samples.span, format: AudioFormat(sampleRate: 48_000, channels: 2),
            ptsNanoseconds: 9, timeout: .none)
        let state = session.host.state.withLock { $0 }
        let frame = try #require(state.video.committed.first)
        #expect(frame.size == Self.capability.size && frame.info.ptsNanoseconds == 7)
        #expect(frame.info.offerRevision == UInt32(GR_TRACK_REVISION))
        #expect(state.blocks.map(\.samples) == [samples] && state.blocks.map(\.pts) == [9])
    }

    @Test func `a participant cannot open two tracks of a kind, or a track after leaving`()
        throws
    {
        let (session, host) = try session()
        #expect(session.startSend() == .ok)
        let ana = try host.join("Ana")
        let microphone = try ana.openMicrophone()
        #expect(refusal { () throws(SendRefusal) in _ = try ana.openMicrophone() } == .badArgument)
        microphone.close()
        _ = try ana.openMicrophone()
        ana.leave()
        #expect(
            refusal { () throws(SendRefusal) in
                _ = try ana.openCamera(upTo: Self.capability)
            } == .badArgument)
    }

    @Test func `a closed track refuses audio, and the other tracks continue`() throws {
        let (session, host) = try session()
        #expect(session.startSend() == .ok)
        let ana = try host.join("Ana")
        let ben = try host.join("Ben")
        let tracks = try [ana, ana, ben].enumerated().map { index, person in
            index == 1
                ? try person.openShareAudio() : try person.openMicrophone()
        }
        func send(_ track: CallAudioTrack) -> Status? {
            refusal { () throws(SendRefusal) in
                try track.sender.send(
                    [Int16](repeating: 0, count: 480).span,
                    format: AudioFormat(sampleRate: 48_000, channels: 1), timeout: .none)
            }
        }
        #expect(tracks.map(send) == [nil, nil, nil])
        tracks[0].setMuted(true)
        tracks[0].setMuted(false)
        tracks[0].close()
        #expect(tracks.map(send) == [.gone, nil, nil])
        // Neither does anything to a track that is closed.
        tracks[0].setMuted(true)
        tracks[0].close()
        ana.leave()
        #expect(tracks.map(send) == [.gone, .gone, nil])
        #expect(
            call(session).log == [
                "joined Ana", "joined Ben", "muted 2 1", "muted 2 0", "closed 2", "left Ana",
            ])
        session.stopSend()
        #expect(send(tracks[2]) == .stopped)
    }

    @Test func `a track that the host opens without its functions is refused`() throws {
        let (session, host) = try session()
        session.host.state.withLock { $0.call.opensWithoutFunctions = true }
        #expect(session.startSend() == .ok)
        let ana = try host.join("Ana")
        #expect(refusal { () throws(SendRefusal) in _ = try ana.openMicrophone() } == .unsupported)
        #expect(
            refusal { () throws(SendRefusal) in
                _ = try ana.openCamera(upTo: Self.capability)
            } == .unsupported)
    }

    // MARK: What comes to the plugin

    @Test func `demands reach the call, and have a size only if video is wanted`() throws {
        let (session, _) = try session()
        #expect(session.startSend() == .ok)
        _ = log(session)
        try session.demand(5 << 32, Self.capability)
        try session.demand(6 << 32)
        try session.demand(5 << 32, Self.capability, isWanted: false)
        try session.demand(7 << 32, structSize: 24)
        #expect(
            log(session) == [
                "1 onDemand 5 true 6x4@15", "1 onDemand 6 true -", "1 onDemand 5 false -",
            ])
    }

    @Test func `a call receives each participant's mix-minus until the participant leaves`() throws
    {
        let (session, host) = try session()
        #expect(try session.track(1, kind: 1, "camera").want.is_wanted == 0)
        #expect(session.startSend() == .ok)
        let ana = try host.join("Ana")
        let mix = try session.track(
            20, kind: UInt32(GR_TRACK_MIX_MINUS), "ana-mix-minus", participant: ana.number)
        #expect(mix.want.is_wanted == 1 && mix.want.sample_rate_hz == 48_000)
        _ = try session.track(21, kind: 1, "ana-camera", participant: ana.number)
        #expect(try session.audio([1, 2, 3, 4], track: 20) == .ok)
        ana.leave()
        try session.gone(20)
        // It was not wanted.
        try session.gone(21)
        #expect(try session.audio([1, 2], track: 20) == .badArgument)
        session.stopSend()
        session.uninitialize()
        #expect(
            log(session) == [
                "1 onTrack camera of the session", "1 onStart", "1 onTrack ana-mix-minus of Ana",
                "1 onTrack ana-camera of Ana", "1 onAudio 2 for Ana",
                "1 onTrackEnded ana-mix-minus", "1 onStop", "1 onUninitialized",
            ])
    }
}
