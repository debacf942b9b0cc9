import GreenroomABI
import GreenroomPlugin
import Synchronization
import TestSupport
import Testing

/// Runs the real shared library as far as it goes without PipeWire. `VirtualDeviceTests` has one.
@Suite struct VirtualCameraTests {
    private func session(_ settings: [(String, Given)] = []) throws -> FakeSession {
        let host = FakeHost()
        host.state.withLock { $0.output.isOutput = true }
        let session = try FakeSession(
            "VirtualCamera", of: bundledEntry("VirtualCamera"), settings: settings, host: host)
        try #require(session.initializeOutput() == .ok)
        return session
    }

    @Test(arguments: [
        ("1280x720@30", "1280x720@30"), ("858x480@30", "856x480@30"), ("212x160@15", "208x160@15"),
        ("641x361@30", "640x360@30"), ("64x48@1", "64x48@4"), ("1x1@30", "8x2@30"),
    ])
    func `the camera has the track's size, rounded to rows that every program can read`(
        track: String, camera: String
    ) throws {
        let own = try #require(VideoCapability(track))
        let (status, want) = try session().track(1, kind: 1, "camera", own)
        #expect(status == .ok && want.is_wanted == 1)
        #expect(want.format == PixelFormat.i420.rawValue && want.pace == UInt32(GR_PACE_LIVE))
        let wanted = try #require(VideoCapability(camera))
        #expect(want.capability.width == wanted.size.width)
        #expect(want.capability.height == wanted.size.height)
        #expect(want.capability.fps_numerator == wanted.rate.numerator)
        #expect(want.fit == UInt32(GR_FIT_CROP) && want.matrix == ColorMatrix.bt601.rawValue)
    }

    @Test func `settings fix size, rate and track`() throws {
        let session = try session([
            ("width", .integer(640)), ("height", .integer(480)), ("fps", .integer(15)),
            ("track", .choice("share")),
        ])
        #expect(try session.track(1, kind: 1, "camera").want.is_wanted == 0)
        let want = try session.track(
            2, kind: 3, "share", VideoCapability(width: 1920, height: 1080, fps: 30)
        ).want
        #expect(want.is_wanted == 1 && want.fit == UInt32(GR_FIT_LETTERBOX))
        #expect(want.capability.width == 640 && want.capability.height == 480)
        #expect(want.capability.fps_numerator == 15)
    }

    @Test(
        arguments: [
            ([("width", .integer(640))], "width and height belong together: set both, or none"),
            (
                [("width", .integer(642)), ("height", .integer(480))],
                "642x480: other programs need a width that is a multiple of 8 and an even height"
            ),
            ([("name", .text(""))], "name is empty, but other programs show it: write a name"),
        ] as [([(String, Given)], String)])
    func `wrong settings are refused with the fix`(
        settings: [(String, Given)], text: String
    ) throws {
        let host = FakeHost()
        #expect(throws: FakeHost.Refusal.self) {
            try FakeSession(
                "VirtualCamera", of: bundledEntry("VirtualCamera"), settings: settings, host: host)
        }
        #expect(host.state.withLock { $0.errors } == [text])
    }

    @Test func `a device that takes no video is refused with the fix`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("file", "no device")
        for (path, text) in [
            (folder("none"), "cannot open the device: No such file or directory; load "),
            (file, "not a video device; name a v4l2loopback device, such as /dev/video10"),
            ("/dev/null", "not a video device; name a v4l2loopback device, such as /dev/video10"),
        ] {
            let session = try session([("device", .text(path))])
            let own = VideoCapability(width: 64, height: 48, fps: 30)
            #expect(try session.track(1, kind: 1, "camera", own).want.is_wanted == 1)
            #expect(session.startSend() == .unavailable)
            let errors = session.host.state.withLock { $0.errors }
            #expect(errors.count == 1)
            #expect(errors.first?.hasPrefix("\(path): \(text)") == true, "\(errors)")
        }
    }

    @Test func `a session without the track is refused with the fix`() throws {
        let session = try session()
        #expect(session.startSend() == .unavailable)
        #expect(
            session.host.state.withLock { $0.errors }
                == ["the session has no camera; add one, or choose another 'track'"])
    }
}
