import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

@Suite struct OutputTests {
    private let size = FrameSize(width: 5, height: 3)

    private func session(
        _ name: String = "output", _ settings: [(String, Given)] = []
    ) throws -> FakeSession {
        let host = FakeHost()
        host.state.withLock { $0.output.isOutput = true }
        let session = try FakeSession(name, of: testEntry, settings: settings, host: host)
        try #require(session.initializeOutput() == .ok)
        return session
    }

    /// Takes the last lines of the log.
    private func log(_ session: FakeSession) -> [String] {
        session.host.state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    private func output(_ session: FakeSession) -> FakeOutput {
        session.host.state.withLock { $0.output }
    }

    /// A frame with one value in each plane.
    private func pixels(_ format: PixelFormat = .nv12) -> FakeFrame {
        let frame = FakeFrame(format, size, padding: 3)
        for (index, plane) in frame.planes.enumerated() {
            plane.initializeMemory(as: UInt8.self, repeating: UInt8(10 + index))
        }
        return frame
    }

    // MARK: Tracks

    @Test func `the host receives the formats that an output requests`() throws {
        let session = try session()
        let camera = try session.track(
            1, kind: 1, "camera", VideoCapability(width: 64, height: 36, fps: 30)
        )
        #expect(camera.status == .ok && camera.want.is_wanted == 1)
        #expect(camera.want.format == PixelFormat.nv12.rawValue)
        #expect(camera.want.fit == UInt32(GR_FIT_CROP))
        #expect(camera.want.pace == UInt32(GR_PACE_COMPLETE))
        #expect(camera.want.matrix == UInt32(GR_MATRIX_BT709))
        let capability = camera.want.capability
        #expect(capability.width == 5 && capability.height == 3)
        #expect(capability.fps_numerator == 30_000 && capability.fps_denominator == 1001)

        let share = try session.track(2, kind: 3, "share").want
        #expect(share.is_wanted == 1 && share.format == 1 && share.fit == 1 && share.pace == 1)
        #expect(share.matrix == 0 && share.capability.width == 0 && share.capability.height == 0)
        #expect(share.capability.fps_numerator == 0)

        let microphone = try session.track(3, kind: 2, "microphone").want
        #expect(microphone.is_wanted == 1 && microphone.sample_rate_hz == 16_000)
        #expect(microphone.channels == 1 && microphone.block_frames == 320)
        let mix = try session.track(4, kind: 5, "mix").want
        #expect(mix.is_wanted == 1 && mix.sample_rate_hz == 48_000)
        #expect(mix.channels == 2 && mix.block_frames == 480)
        #expect(
            log(session) == [
                "1 onTrack camera 64x36@30", "1 onTrack share -", "1 onTrack microphone -",
                "1 onTrack mix -",
            ])
    }

    @Test func `an output requests nothing of an unwanted track or of an unknown kind`()
        throws
    {
        let session = try session()
        for kind in [4, 11, 0, .max] as [UInt32] {
            let answer = try session.track(9, kind: kind, "any") { $1.is_wanted = 1 }
            #expect(answer.status == .ok && answer.want.is_wanted == 0, "kind \(kind)")
            #expect(try session.audio([1, 2], track: 9) == .badArgument)
        }
        #expect(log(session) == ["1 onTrack any -"])
    }

    @Test
    func `a request of the wrong medium, a thrown error and short structs are refused`() throws {
        let confused = try session("output", [("fault", .choice("confused"))])
        #expect(try confused.track(1, kind: 1, "camera").status == .badAnswer)
        #expect(try confused.track(2, kind: 5, "mix").status == .badAnswer)
        #expect(
            confused.host.state.withLock { $0.errors } == [
                "the track 'camera' has video, but the plugin wants audio of it",
                "the track 'mix' has audio, but the plugin wants video of it",
            ])
        let failing = try session("output", [("fault", .choice("track"))])
        #expect(try failing.track(1, kind: 1, "camera").status == .unavailable)
        #expect(failing.host.state.withLock { $0.errors } == ["no room"])
        let fine = try session()
        #expect(
            try fine.track(1, kind: 1, "camera") { track, _ in track.struct_size = 36 }.status
                == .badArgument)
        #expect(
            try fine.track(1, kind: 1, "camera") { _, want in want.struct_size = 52 }.status
                == .badArgument)
        #expect(log(fine).isEmpty)
    }

    // MARK: Frames and blocks

    @Test func `frames and blocks reach the plugin whole, between start and stop`() throws {
        let session = try session()
        _ = try session.track(7, kind: 1, "camera")
        _ = try session.track(8, kind: 5, "mix")
        let pixels = pixels()
        defer { pixels.free() }
        #expect(session.startSend() == .ok)
        let lent = LentFrame(track: 7, id: 40, content: 2, periods: 3, index: 12, pts: 400)
        #expect(try session.video(lent, pixels) == .ok)
        #expect(try session.audio([5, 6, -7, -8], track: 8, index: 96, pts: 2) == .ok)
        session.stopSend()
        session.uninitialize()
        // 5x3 of 10; 3x2 pairs of 11: the padding of 0 to 255 bytes is not read.
        #expect(
            log(session).dropFirst(2) == [
                "1 onStart",
                "1 onVideo camera nv12 5x3 bt601 repeated 3 from 12 at 400: [150, 132]",
                "1 onAudio mix 48000 x 2 2 from 96 at 2: 5 to -8", "1 onStop",
            ])
        #expect(output(session).reports == ["frames 12.0", "load 0.5"])
    }

    @Test func `an invalid description of a frame or block is refused before it is read`() throws {
        let session = try session()
        _ = try session.track(1, kind: 1, "camera")
        _ = try session.track(2, kind: 5, "mix")
        let pixels = pixels()
        defer { pixels.free() }
        #expect(session.startSend() == .ok)
        _ = log(session)
        let edits: [(inout gr_output_frame) -> Void] = [
            { $0.struct_size = 152 }, { $0.track = 2 }, { $0.track = 3 }, { $0.periods = 0 },
            { $0.index = -1 }, { $0.frame.width = 0 }, { $0.frame.height = 8193 },
            { $0.frame.format = 11 }, { $0.frame.format = 99 }, { $0.frame.plane_count = 3 },
            { $0.frame.planes.0.data = nil }, { $0.frame.planes.1.stride_bytes = 5 },
            { $0.frame.planes.0.size_bytes = 20 }, { $0.frame.planes.1.stride_bytes = .max },
        ]
        for (index, edit) in edits.enumerated() {
            #expect(try session.video(LentFrame(), pixels, edit: edit) == .badArgument, "\(index)")
        }
        let blocks: [(inout gr_output_block) -> Void] = [
            { $0.struct_size = 48 }, { $0.track = 1 }, { $0.track = 3 }, { $0.index = -1 },
            { $0.block.channels = 3 }, { $0.block.channels = .max },
            { $0.block.sample_rate_hz = 7999 }, { $0.block.samples = nil },
            { $0.block.frame_count = 0 }, { $0.block.frame_count = .max },
            { $0.block.size_bytes = 7 },
        ]
        for (index, edit) in blocks.enumerated() {
            let status = try session.audio([1, 2, 3, 4], track: 2, edit: edit)
            #expect(status == .badArgument, "\(index)")
        }
        #expect(log(session).isEmpty)
        // Content of a later version is worth showing.
        #expect(try session.video(LentFrame(content: 9), pixels) == .ok)
        #expect(log(session).first?.contains(" new 1 ") == true)
    }

    @Test func `errors become statuses, and their text is logged once in a row`() throws {
        for (fault, status, text) in [
            ("frame", Status.badData, "torn"), ("block", .failed, ""),
        ] {
            let session = try session("output", [("fault", .choice(fault))])
            _ = try session.track(1, kind: 1, "camera")
            _ = try session.track(2, kind: 5, "mix")
            let pixels = pixels()
            defer { pixels.free() }
            #expect(session.startSend() == .ok)
            _ = log(session)
            for _ in 0..<3 {
                let got =
                    fault == "frame"
                    ? try session.video(LentFrame(), pixels) : try session.audio([1, 2], track: 2)
                #expect(got == status)
            }
            #expect(log(session) == (text.isEmpty ? [] : ["3 \(text)"]))
        }
        let session = try session("output", [("fault", .choice("start"))])
        #expect(session.startSend() == .failed)
        #expect(session.host.state.withLock { $0.errors } == ["the disk is full"])
    }

    // MARK: Kept frames

    @Test func `a kept frame is read after the callback, and released once`() throws {
        let session = try session("output", [("keeps", .boolean(true))])
        _ = try session.track(1, kind: 1, "camera")
        let pixels = pixels()
        defer { pixels.free() }
        #expect(session.startSend() == .ok)
        #expect(try session.video(LentFrame(id: 21, index: 0), pixels) == .ok)
        #expect(output(session).kept == [21] && output(session).released.isEmpty)
        _ = log(session)
        #expect(try session.video(LentFrame(id: 22, index: 1), pixels) == .ok)
        #expect(log(session).last == "1 kept 0: [150, 132]")
        #expect(output(session).kept == [22] && output(session).released == [21])
        session.stopSend()
        _ = log(session)
        session.uninitialize()
        #expect(log(session) == ["1 kept 1: [0, 0] 0 0"], "it is not readable any more")
        #expect(output(session).kept.isEmpty && output(session).released == [21, 22])
        session.destroy()
        #expect(output(session).released == [21, 22])
    }

    @Test func `a frame can be kept once, and a refused frame is not kept`() throws {
        let twice = try session(
            "output", [("keeps", .boolean(true)), ("fault", .choice("keeps-twice"))])
        _ = try twice.track(1, kind: 1, "camera")
        let pixels = pixels()
        defer { pixels.free() }
        #expect(twice.startSend() == .ok)
        #expect(try twice.video(LentFrame(id: 5), pixels) == .badLease)
        twice.uninitialize()
        #expect(output(twice).released == [5])

        let full = try session("output", [("keeps", .boolean(true))])
        _ = try full.track(1, kind: 1, "camera")
        full.host.state.withLock { $0.output.keepRefusals = [.noBuffer] }
        #expect(full.startSend() == .ok)
        #expect(try full.video(LentFrame(id: 6), pixels) == .noBuffer)
        #expect(log(full).last == "3 keep (NO_BUFFER)")
        full.uninitialize()
        #expect(output(full).released.isEmpty)
    }

    @Test func `a host without the extension keeps no frame`() throws {
        let session = try FakeSession(
            "output", of: testEntry, settings: [("keeps", .boolean(true))])
        #expect(session.initializeOutput() == .ok)
        _ = try session.track(1, kind: 1, "camera")
        let pixels = pixels()
        defer { pixels.free() }
        #expect(session.startSend() == .ok)
        #expect(try session.video(LentFrame(), pixels) == .unsupported)
        session.stopSend()
        #expect(output(session).reports.isEmpty)
    }

    @Test func `an output reports its ceiling, its requested format and its state to the host`()
        throws
    {
        let session = try session("output", [("fault", .choice("tells"))])
        _ = try session.track(7, kind: 1, "camera")
        #expect(session.startSend() == .ok)
        #expect(
            output(session).told == [
                "state 1: nothing", "state 3: no route", "ceiling 7 64x36@7/1: slow",
                "ceiling 7 none: fast", "wants",
            ])
        #expect(log(session).last == #"1 ["OK", "OK", "OK", "OK", "OK"]"#)
        session.stopSend()

        let other = try FakeSession(
            "output", of: testEntry, settings: [("fault", .choice("tells"))])
        #expect(other.initializeOutput() == .ok)
        _ = try other.track(7, kind: 1, "camera")
        #expect(other.startSend() == .ok)
        let unsupported =
            #"1 [\#([String](repeating: #""UNSUPPORTED""#, count: 5).joined(separator: ", "))]"#
        #expect(log(other).last == unsupported)
        other.stopSend()
    }

    @Test func `frames of a track arrive until its requested format is withdrawn`() throws {
        let session = try session()
        let pixels = pixels()
        defer { pixels.free() }
        _ = try session.track(1, kind: 4, "share-audio")
        #expect(session.startSend() == .ok)
        // It has never wanted that.
        #expect(try session.audio([1, 2], track: 1) == .badArgument)
        _ = try session.track(2, kind: 5, "mix")
        _ = try session.track(2, kind: 4, "share-audio")
        #expect(try session.audio([1, 2], track: 2) == .ok)
        session.stopSend()
    }

    // MARK: Speakers

    @Test func `a speaker gets each position's blocks in the callback of that position`() throws {
        let session = try session("speaker")
        #expect(try session.track(1, kind: 5, "mix").want.is_wanted == 0)
        #expect(try session.track(2, kind: 1, "camera").want.is_wanted == 0)
        for (id, kind) in [(3, 2), (4, 4)] as [(UInt32, UInt32)] {
            let want = try session.track(id, kind: kind, "any").want
            #expect(want.is_wanted == 1 && want.sample_rate_hz == 22_050)
            #expect(want.channels == 1 && want.block_frames == 441)
        }
        #expect(session.startSend() == .ok)
        let format = AudioFormat(sampleRate: 22_050, channels: 1)
        #expect(try session.audio([1], format, track: 3) == .ok)
        #expect(try session.audio([1, 2], format, track: 4) == .unavailable)
        #expect(try session.audio([1], format, track: 1) == .badArgument)
        session.stopSend()
        #expect(
            log(session) == [
                "1 onStart", "1 one-way 1", "1 shared 2", "3 the cable is out", "1 onStop",
            ])
    }

    @Test(arguments: [[6], []])
    func `a speaker starts in a session whose participants may bring its audio`(kinds: [UInt32])
        throws
    {
        let session = try session("speaker")
        for kind in kinds {
            let want = try session.track(kind, kind: kind, "incoming").want
            #expect(want.is_wanted == 0)
        }
        #expect(session.startSend() == .ok)
    }

    @Test func `a speaker in a session without its audio does not start`() throws {
        let session = try session("speaker")
        _ = try session.track(1, kind: 5, "mix")
        #expect(session.startSend() == .unavailable)
        #expect(
            session.host.state.withLock { $0.errors } == [
                "the speaker requests none of the offered tracks; add the source of one to "
                    + "the session file, and name the track in 'tracks' if the output has that key; "
                    + "for participants' tracks name 'incoming' there as well"
            ])
    }
}
