import CFakeCamera
import PluginCamera
import GreenroomMedia
import GreenroomV4L2
import Testing

/// Tests of the decisions of V4L2Camera, without a camera.
@Suite struct CameraDecisionTests {
    // MARK: Modes

    private static func mode(_ letters: StaticString, _ text: String) -> CameraMode {
        let capability = VideoCapability(text) ?? VideoCapability(width: 1, height: 1, fps: 1)
        return CameraMode(
            code: CameraMode.code(letters), size: capability.size, rate: capability.rate)
    }

    private static let webcam = [
        mode("YUYV", "640x480@30"), mode("YUYV", "1280x720@10"), mode("MJPG", "1280x720@30"),
        mode("MJPG", "640x480@30"), mode("MJPG", "1920x1080@30"), mode("H264", "2560x1440@30"),
    ]

    @Test(arguments: [
        // The suggestion, the other rows; the mode, what the camera sends, whether it is in the offer.
        ("640x480@30", [], "YUYV 640x480@30", "640x480@30", true),
        ("1280x720@30", [], "MJPG 1280x720@30", "1280x720@30", true),
        ("1280x720@10", [], "YUYV 1280x720@10", "1280x720@10", true),
        ("1280x720@5", [], "YUYV 1280x720@10", "1280x720@5", true),
        ("960x540@30", ["1920x1080@30", "640x480@15"], "YUYV 640x480@30", "640x480@15", true),
        ("960x540@30", ["1920x1080@30"], "MJPG 1280x720@30", "1280x720@30", false),
        ("2560x1440@30", [], "H264 2560x1440@30", "2560x1440@30", true),
        ("3840x2160@30", [], "H264 2560x1440@30", "2560x1440@30", false),
    ])
    func `an offer gets the camera's nearest mode`(
        suggested: String, others: [String], mode: String, sent: String, isOffered: Bool
    ) throws {
        let suggested = try #require(VideoCapability(suggested))
        let supported = [suggested] + others.compactMap { VideoCapability($0) }
        let choice = try #require(
            CameraChoice(of: Self.webcam, for: suggested, supported: supported))
        let rate = try #require(choice.mode.rate)
        #expect("\(choice.mode.letters) \(choice.mode.size)@\(rate)" == mode)
        #expect("\(choice.capability)" == sent)
        #expect(choice.isOffered == isOffered)
    }

    @Test
    func `29.97 fps satisfies 30 fps, and a mode without a rate gets the wanted rate`() throws {
        let wanted = VideoCapability(width: 640, height: 480, fps: 30)
        let ntsc = CameraMode(
            code: CameraMode.code("NV12"), size: wanted.size,
            rate: FrameRate(numerator: 30_000, denominator: 1001))
        let fast = CameraMode(code: ntsc.code, size: wanted.size, rate: FrameRate(60))
        #expect(CameraChoice(of: [fast, ntsc], for: wanted, supported: [wanted])?.mode == ntsc)
        let silent = CameraMode(code: ntsc.code, size: wanted.size, rate: nil)
        let choice = CameraChoice(of: [silent], for: wanted, supported: [wanted])
        #expect(choice?.capability == wanted)
    }

    @Test
    func `H.264 is taken if no other format is fast enough, and unknown formats are reported`() {
        let wanted = VideoCapability(width: 1280, height: 720, fps: 30)
        let h264 = Self.mode("H264", "1280x720@30")
        let slow = Self.mode("YUYV", "1280x720@10")
        let fast = Self.mode("MJPG", "1280x720@30")
        func choice(_ modes: [CameraMode]) -> CameraMode? {
            CameraChoice(of: modes, for: wanted, supported: [wanted])?.mode
        }
        #expect(choice([h264]) == h264)
        #expect(choice([slow, h264]) == h264)
        #expect(choice([h264, fast]) == fast)
        let unknown = [Self.mode("HEVC", "1280x720@30")]
        #expect(choice(unknown) == nil)
        #expect(CameraEntry.noFormat(unknown).hasPrefix("the camera has only HEVC; it needs YUYV"))
        #expect(CameraEntry.noFormat([]) == "the camera lists no formats")
    }

    @Test func `all sizes of a camera's format are listed on one line`() {
        #expect(
            CameraEntry.lines(Self.webcam) == [
                "YUYV 640x480@30, 1280x720@10", "MJPG 1280x720@30, 640x480@30, 1920x1080@30",
                "H264 2560x1440@30",
            ])
    }

    // MARK: Cameras

    private static let cameras = [
        CameraEntry(path: "/dev/video0", name: "", problem: "denied"),
        CameraEntry(path: "/dev/video1", name: "HD Pro C920"),
        CameraEntry(path: "/dev/video2", name: "Document"),
    ]

    @Test(arguments: [
        ("/dev/x", "/dev/x"), ("", "/dev/video1"), ("c920", "/dev/video1"),
        ("docu", "/dev/video2"),
    ])
    func `a camera is found by its path or its name`(text: String, path: String) throws {
        #expect(try CameraEntry.find(text, in: Self.cameras) == path)
    }

    @Test func `an error about a missing camera lists the present ones`() {
        let failure = #expect(throws: CameraError.self) {
            _ = try CameraEntry.find("logi", in: Self.cameras)
        }
        #expect(
            failure?.description
                == "no camera is \"logi\". Cameras: \"/dev/video0\", \"HD Pro C920\", \"Document\"; "
                + "to list all: greenroom devices")
    }

    @Test(
        arguments: [
            // The setting, the lost camera's place, and who is there now: name, place and path.
            ("", "usb-1", [("Cam", "usb-1", "/dev/video2")], "/dev/video2"),
            ("cam", "usb-1", [("Cam", "usb-2", "/dev/video0")], "/dev/video0"),
            (
                "cam", "usb-1", [("Cam", "usb-2", "/dev/video0"), ("Cam", "usb-1", "/dev/video4")],
                "/dev/video4"
            ),
            ("", "usb-1", [("Other Cam", "usb-1", "/dev/video0")], nil),
            ("cam", "usb-1", [], nil),
            ("/dev/video0", "usb-1", [("Cam", "usb-1", "/dev/video2")], "/dev/video0"),
        ] as [(String, String, [(String, String, String)], String?)])
    func `a lost camera is found again by its name and place, and no other camera is taken`(
        text: String, place: String, there: [(name: String, place: String, path: String)],
        expected: String?
    ) {
        let lost = V4L2Device.Description(name: "Cam", driver: "uvcvideo", place: place)
        let cameras = there.map { CameraEntry(path: $0.path, name: $0.name, place: $0.place) }
        #expect((try? CameraEntry.findAgain(text, lost: lost, in: cameras)) == expected)
    }

    @Test func `a busy camera names the process that has it`() {
        let own = DeviceUser(process: 7, name: "greenroom")
        let other = DeviceUser(process: 42, name: "firefox")
        #expect(DeviceUser.text([own, other], own: 7).hasPrefix("in use by firefox (process 42)"))
        #expect(
            DeviceUser.text([own], own: 7).hasPrefix("in use by another plugin of this session"))
        #expect(DeviceUser.text([], own: 7).hasPrefix("in use by a program of another user"))
    }

    // MARK: Controls

    private static let focus = ControlRange(minimum: 0, maximum: 250, step: 5, standard: 0)
    private static let exposure = ControlRange(minimum: 3, maximum: 2047, step: 1, standard: 250)
    private static let menu = ControlRange(
        minimum: 0, maximum: 3, step: 1, standard: 3, choices: [1, 3])
    private static let flag = ControlRange(minimum: 0, maximum: 1, step: 1, standard: 1)

    private static func writes(
        _ control: CameraControl, _ value: Int, _ range: ControlRange?, _ automatic: ControlRange?
    ) -> [Int] {
        let plan = ControlPlan(control, to: value, range: range, automatic: automatic)
        #expect(plan.writes.isEmpty == (plan.refusal != nil))
        return plan.writes.map(\.value)
    }

    @Test func `a camera control's value turns its automatic off, and -1 turns it on`() {
        #expect(Self.writes(.focus, 30, Self.focus, Self.flag) == [0, 30])
        #expect(Self.writes(.focus, -1, Self.focus, Self.flag) == [1])
        #expect(Self.writes(.exposure, 100, Self.exposure, Self.menu) == [1, 100])
        #expect(Self.writes(.exposure, -1, Self.exposure, Self.menu) == [3])
        #expect(Self.writes(.zoom, 100, Self.exposure, nil) == [100])
        #expect(Self.writes(.zoom, -1, Self.exposure, nil) == [250])
    }

    @Test(arguments: [(251, "0 to 250 in steps of 5"), (7, "0 to 250 in steps of 5")])
    func `a value outside of the range is refused with the range`(value: Int, expected: String) {
        let plan = ControlPlan(.focus, to: value, range: Self.focus, automatic: Self.flag)
        #expect(plan.writes.isEmpty)
        #expect(
            plan.refusal == "focus: \(value) is not \(expected). The control stays as it is")
        let missing = ControlPlan(.zoom, to: value, range: nil, automatic: nil)
        #expect(missing.refusal == "zoom: this camera has no such control")
    }

    // MARK: Frames

    @Test(arguments: [
        (PixelFormat.yuy2, 8, 16, [0..<16]), (.yuy2, 12, 20, [0..<20]),
        (.nv12, 4, 12, [0..<8, 8..<12]),
        (.i420, 4, 12, [0..<8, 8..<10, 10..<12]), (.i420, 8, 24, [0..<12, 16..<18, 20..<22]),
        (.yuy2, 0, 16, [0..<16]),
    ])
    func `the planes of a camera's frame follow each other, including padding`(
        format: PixelFormat, stride: Int, count: Int, expected: [Range<Int>]
    ) {
        let size = FrameSize(width: 4, height: 2)
        let planes = CameraPlanes(
            format: format, size: size, strideBytes: stride, count: count)
        #expect(planes?.planes.map(\.bytes) == expected)
        let end = expected.last?.upperBound ?? 0
        #expect(
            CameraPlanes(format: format, size: size, strideBytes: stride, count: end - 1) == nil)
    }

    @Test
    func `rows that are too short and compressed images have no planes`() {
        let size = FrameSize(width: 4, height: 2)
        #expect(CameraPlanes(format: .yuy2, size: size, strideBytes: 7, count: 1000) == nil)
        #expect(CameraPlanes(format: .mjpeg, size: size, strideBytes: 0, count: 1000) == nil)
        #expect(CameraPlanes(format: .yuy2, size: size, strideBytes: .max, count: 1000) == nil)
    }

    @Test(
        arguments: [
            // The frame's time, now on its clock and now on the session's.
            (nil, 500, 70, 70), (400, 500, 1_000, 900), (600, 500, 70, 70),
            (1, 2_000_000_000, 70, 70), (0, 100, 50, 0), (Int64.min, Int64.max, 70, 70),
        ] as [(Int64?, Int64, Int64, Int64)])
    func `a camera's frame gets its capture time on the session's clock`(
        frame: Int64?, monotonicNow: Int64, now: Int64, expected: Int64
    ) {
        #expect(
            CameraTime.session(frame: frame, monotonicNow: monotonicNow, now: now) == expected)
    }
}
