package import CV4L2
internal import Glibc
package import GreenroomMedia

/// The reason why a camera can't be used.
package struct CameraError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        case failed
        /// Another program has the camera.
        case busy
        case notACamera
    }

    package var code: Code
    /// With the path and the fix.
    package var description: String

    package init(_ description: String, code: Code = .failed) {
        (self.code, self.description) = (code, description)
    }
}

/// A camera of Video4Linux. One thread at a time.
package struct V4L2Device: ~Copyable {
    /// The name, driver and place that a device reports.
    package struct Description: Equatable, Sendable {
        package var name: String
        package var driver: String
        package var place: String

        package init(name: String, driver: String, place: String) {
            (self.name, self.driver, self.place) = (name, driver, place)
        }
    }

    /// The frames of a camera that runs.
    package struct Stream: Equatable, Sendable {
        /// Bytes from a row of the first plane to the next.
        package var strideBytes: Int
        /// Nil if the camera does not say.
        package var rate: FrameRate?
        package var color: ColorSpace
    }

    /// A frame in the camera's memory.
    package struct Frame: Sendable {
        /// The number of frames since the start, those included that were lost.
        package var sequence: UInt32
        /// On the monotonic clock; nil if the camera does not say.
        package var monotonicNanoseconds: Int64?
    }

    package let path: String
    private var camera: greenroom_v4l2_camera

    /// Opens a camera.
    package init(_ path: String) throws(CameraError) {
        self.path = path
        var camera = greenroom_v4l2_camera()
        guard greenroom_v4l2_open_camera(&camera, path) == 0 else {
            throw Self.failure(path, "cannot open", errno)
        }
        self.camera = camera
    }

    /// A device whose requests are answered by a test. It closes the descriptor.
    package init(_ path: String, _ camera: greenroom_v4l2_camera) {
        (self.path, self.camera) = (path, camera)
    }

    deinit {
        var camera = camera
        if camera.buffer_count > 0 { greenroom_v4l2_stop(&camera) }
        close(camera.descriptor)
    }

    /// Readable when a frame is there.
    package var descriptor: Int32 { camera.descriptor }

    // MARK: Abilities

    /// Reads what the device says of itself.
    package mutating func description() throws(CameraError) -> Description {
        var result = greenroom_v4l2_description()
        let status = greenroom_v4l2_describe(&camera, &result)
        guard status == 0 else { throw failure(status, errno) }
        return Description(
            name: Self.text(of: result.name), driver: Self.text(of: result.driver),
            place: Self.text(of: result.place))
    }

    private static func text<Letters>(of letters: Letters) -> String {
        withUnsafeBytes(of: letters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The longest list of modes.
    private static let mostModes = 32_768

    /// Its formats, sizes and rates, in its order.
    package mutating func modes() -> [CameraMode] {
        var list: [greenroom_v4l2_mode] = []
        var count = 0
        // A list that is full may lack modes; one of vivid has 2500.
        repeat {
            list = Array(repeating: greenroom_v4l2_mode(), count: max(list.count * 4, 512))
            count = Int(greenroom_v4l2_modes(&camera, &list, Int32(clamping: list.count)))
        } while count == list.count && count < Self.mostModes
        return list.prefix(count).map { mode in
            CameraMode(
                code: mode.format,
                size: FrameSize(width: Int(mode.width), height: Int(mode.height)),
                rate: FrameRate(
                    numerator: mode.rate_numerator, denominator: mode.rate_denominator))
        }
    }

    /// The range of a control; nil without it.
    package mutating func range(of control: CameraControl) -> ControlRange? {
        range(ofNumber: control.number)
    }

    private mutating func range(ofNumber number: Int) -> ControlRange? {
        var result = greenroom_v4l2_control()
        guard greenroom_v4l2_read_control(&camera, Int32(number), &result) == 0 else { return nil }
        return ControlRange(
            minimum: Int(result.minimum), maximum: Int(result.maximum), step: Int(result.step),
            standard: Int(result.standard),
            choices: (0..<32).filter { result.choices >> UInt32($0) & 1 == 1 })
    }

    /// Sets a control.
    ///
    /// - Parameter value: ``ControlPlan/automatic``, or a value of its range.
    /// - Returns: Why it stays as it is; nil if it is set.
    package mutating func set(_ control: CameraControl, to value: Int) -> String? {
        let plan = ControlPlan(
            control, to: value, range: range(of: control),
            automatic: control.automatic.flatMap { range(ofNumber: $0) })
        for write in plan.writes {
            guard
                greenroom_v4l2_write_control(
                    &camera, Int32(write.control), Int32(clamping: write.value)) == 0
            else {
                return "\(control.rawValue): the camera refuses \(value): "
                    + String(cString: strerror(errno))
            }
        }
        return plan.refusal
    }

    // MARK: Frames

    /// Starts to capture.
    package mutating func start(_ mode: CameraMode) throws(CameraError) -> Stream {
        var stream = greenroom_v4l2_stream()
        let status = greenroom_v4l2_start(
            &camera,
            greenroom_v4l2_mode(
                format: mode.code, width: UInt32(clamping: mode.size.width),
                height: UInt32(clamping: mode.size.height),
                rate_numerator: mode.rate?.numerator ?? 0,
                rate_denominator: mode.rate?.denominator ?? 0), &stream)
        guard status == 0 else { throw failure(status, errno) }
        return Stream(
            strideBytes: Int(stream.stride),
            rate: FrameRate(
                numerator: stream.rate_numerator, denominator: stream.rate_denominator),
            color: ColorSpace(
                range: stream.is_full_range != 0 ? .full : .limited,
                matrix: stream.is_bt709 != 0 ? .bt709 : .bt601))
    }

    /// Takes a frame, hands over its bytes and returns them to the camera.
    ///
    /// - Returns: nil if there is none yet, or it was damaged on its way.
    package mutating func take(
        _ body: (Span<UInt8>, Frame) throws -> Void
    ) throws -> Bool {
        var frame = greenroom_v4l2_frame()
        let status = greenroom_v4l2_take(&camera, &frame)
        guard status >= 0 else { throw failure(status, errno) }
        guard status > 0 else { return false }
        var result: Result<Void, any Error> = .success(())
        if frame.is_damaged == 0, let bytes = frame.bytes, frame.count > 0 {
            let buffer = UnsafeBufferPointer(start: bytes, count: frame.count)
            result = Result {
                try body(
                    buffer.span,
                    Frame(
                        sequence: frame.sequence,
                        monotonicNanoseconds: frame.monotonic_ns > 0 ? frame.monotonic_ns : nil))
            }
        }
        guard greenroom_v4l2_return(&camera, frame.buffer) == 0 else {
            throw failure(Int32(GREENROOM_V4L2_REFUSED), errno)
        }
        try result.get()
        return true
    }

    /// Stops to capture.
    package mutating func stop() { greenroom_v4l2_stop(&camera) }

    // MARK: Failures

    private func failure(_ status: Int32, _ error: Int32) -> CameraError {
        let text =
            switch Int(status) {
            case GREENROOM_V4L2_NOT_A_DEVICE: "not a video device; name a camera"
            case GREENROOM_V4L2_NO_CAMERA:
                "not a camera: it captures no video. 'greenroom devices' lists the cameras"
            case GREENROOM_V4L2_MULTIPLANAR:
                "captures only in several planes, which V4L2Camera does not read; use PipeWireCamera"
            case GREENROOM_V4L2_OTHER_FORMAT: "does not accept a format that it lists"
            case GREENROOM_V4L2_NO_BUFFERS: "has no memory for its frames"
            default: "failed"
            }
        var failure = Self.failure(path, text, error)
        if [GREENROOM_V4L2_NOT_A_DEVICE, GREENROOM_V4L2_NO_CAMERA].contains(Int(status)) {
            failure.code = .notACamera
        }
        return failure
    }

    private static func failure(_ path: String, _ text: String, _ error: Int32) -> CameraError {
        switch error {
        case 0, ENOTTY: CameraError("\(path): \(text)")
        case EBUSY: CameraError("\(path): \(DeviceUser.text(of: path))", code: .busy)
        case EACCES, EPERM:
            CameraError(
                "\(path): \(text): permission denied. Add the user to the group video: "
                    + "usermod --append --groups video USER")
        case ENOENT: CameraError("\(path): no such camera")
        case ENODEV, ENXIO: CameraError("\(path): the camera was unplugged")
        default: CameraError("\(path): \(text): \(String(cString: strerror(error)))")
        }
    }
}
