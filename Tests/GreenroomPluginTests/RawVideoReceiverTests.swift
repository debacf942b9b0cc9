import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

@Suite struct RawVideoReceiverTests {
    private let size = FrameSize(width: 5, height: 3)

    private func session() throws -> FakeSession {
        let host = FakeHost()
        host.state.withLock { $0.output.isOutput = true }
        let session = try FakeSession("receiver", of: testEntry, host: host)
        try #require(session.initializeOutput() == .ok)
        return session
    }

    private func log(_ session: FakeSession) -> [String] {
        session.host.state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    private func pixels() -> FakeFrame {
        let frame = FakeFrame(.nv12, size, padding: 3)
        for plane in frame.planes { plane.initializeMemory(as: UInt8.self, repeating: 10) }
        return frame
    }

    @Test func `a receiver subscribes only to video, in the resolution that it chooses`() throws {
        let session = try session()
        let own = try session.track(1, kind: 1, "camera").want
        #expect(own.is_wanted == 1 && own.capability.width == 0)
        for kind in [2, 4, 5, 6, 7] as [UInt32] {
            #expect(try session.track(2, kind: kind, "audio").want.is_wanted == 0)
        }
        #expect(try session.track(3, kind: 3, "share").want.is_wanted == 0)
        #expect(session.startSend() == .ok)
        let camera = try session.track(20, kind: 1, "ana-camera", participant: 4).want
        #expect(camera.is_wanted == 1 && camera.format == PixelFormat.nv12.rawValue)
        #expect(camera.capability.width == 5 && camera.capability.height == 3)
        #expect(try session.track(21, kind: 3, "ana-share", participant: 4).status == .unsupported)
        #expect(session.host.state.withLock { $0.errors } == ["no share, please"])
        #expect(
            log(session) == [
                "1 subscription to camera", "1 subscription to share", "1 onStart",
                "1 subscription to ana-camera", "1 subscription to ana-share",
            ])
    }

    @Test func `a track is on while its source sends, and only the source's frames arrive`() throws
    {
        let session = try session()
        _ = try session.track(1, kind: 1, "camera")
        #expect(session.startSend() == .ok)
        _ = try session.track(20, kind: 1, "ana-camera", participant: 4)
        _ = log(session)
        let pixels = pixels()
        defer { pixels.free() }
        let contents = [
            GR_CONTENT_BLACK, GR_CONTENT_NEW, GR_CONTENT_REPEATED, GR_CONTENT_BLACK,
            GR_CONTENT_SLATE, GR_CONTENT_REPEATED, GR_CONTENT_SLATE, GR_CONTENT_NEW,
        ]
        for (index, content) in contents.enumerated() {
            let frame = LentFrame(
                track: 20, id: UInt64(index + 1), content: UInt32(content), index: Int64(index))
            #expect(try session.video(frame, pixels) == .ok)
        }
        #expect(
            log(session) == [
                "1 ana-camera is on", "1 frame 1 of ana-camera: new 10",
                "1 frame 2 of ana-camera: repeated 10", "1 ana-camera is off",
                "1 ana-camera is on", "1 frame 5 of ana-camera: repeated 10",
                "1 ana-camera is off", "1 ana-camera is on", "1 frame 7 of ana-camera: new 10",
            ])
        // Each track has a status of its own.
        #expect(try session.video(LentFrame(track: 1, id: 30), pixels) == .ok)
        try session.gone(20)
        #expect(
            log(session) == [
                "1 camera is on", "1 frame 0 of camera: new 10", "1 ana-camera is off",
            ])
        session.stopSend()
        session.uninitialize()
        #expect(log(session) == ["1 onStop", "1 onUninitialized"])
    }

    @Test func `a restarted receiver is notified again that a track is on`() throws {
        let session = try session()
        _ = try session.track(1, kind: 1, "camera")
        let pixels = pixels()
        defer { pixels.free() }
        for _ in 0..<2 {
            #expect(session.startSend() == .ok)
            _ = log(session)
            #expect(try session.video(LentFrame(), pixels) == .ok)
            #expect(log(session) == ["1 camera is on", "1 frame 0 of camera: new 10"])
            session.stopSend()
        }
    }

    @Test func `an error of a receiver refuses the frame with its status`() throws {
        let session = try session()
        _ = try session.track(1, kind: 1, "camera")
        let pixels = pixels()
        defer { pixels.free() }
        #expect(session.startSend() == .ok)
        _ = log(session)
        #expect(try session.video(LentFrame(index: 100), pixels) == .badData)
        #expect(log(session) == ["1 camera is on", "3 torn"])
    }
}
