import CFakeCamera
import GreenroomMedia
import GreenroomV4L2
import Testing

/// Tests of V4L2Device with a camera that a table answers for.
@Suite struct V4L2DeviceTests {
    /// The camera's state, at a place that does not move.
    private final class Fake {
        let state = UnsafeMutablePointer<fake_camera>.allocate(capacity: 1)

        deinit { state.deallocate() }

        func device(_ change: (inout fake_camera) -> Void = { _ in }) -> V4L2Device {
            let descriptor = fake_camera_open(state)
            change(&state.pointee)
            return V4L2Device("/dev/fake", fake_camera_handle(state, descriptor))
        }
    }

    @Test func `a camera's modes and controls are those of its tables`() throws {
        let fake = Fake()
        var device = fake.device()
        let description = try device.description()
        #expect(description.name == "Fake camera" && description.driver == "fake")
        #expect(
            CameraEntry.lines(device.modes()) == [
                "YUYV 640x480@30, 1280x720@10", "MJPG 1280x720@30", "H264 1920x1080@30",
            ])
        #expect(
            device.range(of: .focus)
                == ControlRange(minimum: 0, maximum: 250, step: 5, standard: 0))
        #expect(device.range(of: .zoom) == nil)
        #expect(device.set(.exposure, to: 100) == nil)
        #expect(fake.state.pointee.controls.2 == 100 && fake.state.pointee.controls.3 == 1)
        #expect(device.set(.exposure, to: ControlPlan.automatic) == nil)
        #expect(fake.state.pointee.controls.3 == 3)
        #expect(device.set(.focus, to: 251)?.contains("0 to 250 in steps of 5") == true)
    }

    @Test func `a range of sizes is listed as the usual sizes within the range`() {
        let fake = Fake()
        var device = fake.device()
        fake.state.pointee.has_stepwise_sizes = 1
        #expect(
            CameraEntry.lines(device.modes())[0]
                == "YUYV 1280x720@60, 960x540@60, 640x360@60, 320x180@60")
        #expect(device.modes().filter { $0.size.width == 320 }.count == 6)
    }

    @Test func `all modes of a camera with hundreds of modes are listed`() {
        let fake = Fake()
        var device = fake.device { $0.has_many_sizes = 1 }
        let modes = device.modes()
        #expect(modes.count == 601)
        #expect(modes.last?.letters == "H264" && modes.last?.size.width == 3200)
    }

    @Test func `a camera that cannot be read has a reason, and other devices are no cameras`() {
        let fake = Fake()
        #expect(throws: Never.self) { try CameraEntry(fake.device()) }
        let planes = #expect(throws: CameraError.self) {
            try CameraEntry(fake.device { $0.is_multiplanar = 1 })
        }
        #expect(planes?.code == .failed)
        let output = #expect(throws: CameraError.self) {
            try CameraEntry(fake.device { $0.is_no_camera = 1 })
        }
        #expect(output?.code == .notACamera)
    }

    @Test
    func `frames arrive in order, damaged ones are skipped, and buffers are returned`()
        throws
    {
        let fake = Fake()
        var device = fake.device()
        let mode = device.modes()[0]
        let stream = try device.start(mode)
        #expect(stream.strideBytes == 1280)
        #expect(stream.rate == FrameRate(30))
        #expect(stream.color == ColorSpace(range: .full, matrix: .bt709))
        var seen: [String] = []
        #expect(try !device.take { _, _ in })
        fake.state.pointee.frames_ready = 6
        while try device.take({ bytes, frame in
            seen.append("\(frame.sequence) \(bytes[0]) \(bytes.count)")
            #expect(frame.monotonicNanoseconds == 1_000_000_000 + Int64(frame.sequence) * 1000)
        }) {}
        #expect(seen == ["0 0 16", "1 1 16", "3 3 16", "4 0 16", "5 1 16"])
        #expect(fake.state.pointee.buffers_queued == 4)
        device.stop()
        #expect(fake.state.pointee.is_streaming == 0)
        // Another format at once.
        let other = device.modes()[3]
        _ = try device.start(other)
        #expect(fake.state.pointee.width == UInt32(other.size.width))
    }

    @Test func `an unplugged, a busy and a multi-planar camera are reported`() throws {
        let fake = Fake()
        var device = fake.device()
        let mode = device.modes()[0]
        _ = try device.start(mode)
        fake.state.pointee.is_gone = 1
        let gone = #expect(throws: CameraError.self) { _ = try device.take { _, _ in } }
        #expect(gone?.description == "/dev/fake: the camera was unplugged")
        device.stop()
        fake.state.pointee.is_busy = 1
        let busy = #expect(throws: CameraError.self) { _ = try device.start(mode) }
        #expect(busy?.code == .busy)
        #expect(busy?.description.hasPrefix("/dev/fake: in use by ") == true)
        fake.state.pointee.is_multiplanar = 1
        let strange = #expect(throws: CameraError.self) { _ = try device.description() }
        #expect(strange?.description.contains("several planes") == true)
    }

    @Test func `a camera that is back after an unplug is started with the mode that it had`() throws
    {
        let fake = Fake()
        let mode = try Self.lose(fake)
        var again = fake.device()
        _ = try again.start(mode)
        fake.state.pointee.frames_ready = 2
        var sequence: [UInt32] = []
        while try again.take({ sequence.append($1.sequence) }) {}
        #expect(sequence == [0, 1])
        #expect(fake.state.pointee.format == mode.code)
        #expect(fake.state.pointee.width == UInt32(mode.size.width))
    }

    /// Starts a camera in one of its modes and unplugs it. Returns the mode; the device is closed.
    private static func lose(_ fake: Fake) throws -> CameraMode {
        var device = fake.device()
        let mode = device.modes()[2]
        _ = try device.start(mode)
        fake.state.pointee.is_gone = 1
        #expect(throws: CameraError("/dev/fake: the camera was unplugged")) {
            _ = try device.take { _, _ in }
        }
        return mode
    }

    @Test func `a device that is not a camera and a missing device are refused`() throws {
        let failure = #expect(throws: CameraError.self) {
            var device = try V4L2Device("/dev/null")
            _ = try device.description()
        }
        #expect(failure?.description == "/dev/null: not a video device; name a camera")
        #expect(throws: CameraError("/dev/video999: no such camera")) {
            _ = try V4L2Device("/dev/video999")
        }
    }
}
