import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension CameraTests {
    @Test
    func `a session captures another session's frames in order, and at another size`() throws {
        let server = try PipeWireServer()
        let source = try FileSession(
            "camera: { plugin: ColorBars }", maximum: "640x360@30", duration: nil,
            outputs: "[{ plugin: VirtualCamera, settings: { name: Stage } }]")
        let run = try server.greenroom(source)
        defer { run.signal(SIGINT) }
        try server.waitForNode("Stage")
        let session = try FileSession(
            "camera: \(FileSession.bundled("V4L2Camera", "device: /dev/video0, zoom: 2"))",
            maximum: "640x360@30", duration: "3s")
        let capture = try server.start(
            "pw-v4l2", [Checkout.greenroom, "run", session.file]
        ).wait()
        #expect(capture.exit == .code(0), "\(capture)")
        #expect(capture.standardError.contains("camera: Stage: YU12 640x360"), "\(capture)")
        #expect(
            capture.standardError.contains("zoom: this camera has no such control"), "\(capture)")
        let film = try session.picture("camera")
        let indices = try (0..<film.frameCount).compactMap {
            BurntInCode(try film.frame($0))?.index
        }
        #expect(indices == indices.sorted())
        #expect(Set(indices).count >= 15, "\(indices)\n\(capture)")
    }

    @Test
    func `a PipeWire camera is captured, and a slate replaces it after its end`() throws {
        let server = try PipeWireServer()
        let source = try FileSession(
            "camera: { plugin: ColorBars }", maximum: "320x180@15", duration: nil,
            outputs: "[{ plugin: VirtualCamera, settings: { name: Stage } }]")
        let run = try server.greenroom(source)
        try server.waitForNode("Stage")
        let listed = try Greenroom.run("devices", environment: server.environment)
        #expect(
            listed.text.contains(
                """
                camera of PipeWire Stage: Stage
                  has I420 320x180@15
                  camera: { plugin: PipeWireCamera, settings: { camera: "Stage" } }

                """), "\(listed)")
        let stream = try FrameStream(
            ["PipeWireCamera", "--set", "camera=Stage", "--maximum", "320x180@15"],
            environment: server.environment)
        var indices: [Int] = []
        try stream.next("twenty frames") { frame in
            let luma = Array(frame.bytes.prefix(frame.width * frame.height))
            let image = YUVImage(width: frame.width, height: frame.height, y: luma, u: [], v: [])
            if let index = BurntInCode(image)?.index, index != indices.last {
                indices.append(index)
            }
            return indices.count == 20
        }
        #expect(indices == indices.sorted())
        run.signal(SIGINT)
        try stream.next("a slate") { $0.luma(2, 2) == 0x20 && $0.luma(317, 177) == 0x20 }
        let finished = stream.end()
        #expect(finished.text.contains("the camera is missing: "), "\(finished.text)")
    }

    @Test
    func `a camera that is unplugged has a slate, and is captured again when it is back`() throws {
        let server = try PipeWireServer()
        let source = try FileSession(
            "camera: { plugin: ColorBars }", maximum: "320x180@15", duration: nil,
            outputs: "[{ plugin: VirtualCamera, settings: { name: Stage } }]")
        let first = try server.greenroom(source)
        try server.waitForNode("Stage")
        let stream = try FrameStream(
            ["V4L2Camera", "--set", "device=/dev/video0", "--maximum", "320x180@15"],
            environment: server.environment.merging(["LD_PRELOAD": Self.preload]) { $1 })
        func isPicture(_ frame: StreamFrame) -> Bool {
            let luma = Array(frame.bytes.prefix(frame.width * frame.height))
            return BurntInCode(YUVImage(width: 320, height: 180, y: luma, u: [], v: [])) != nil
        }
        try stream.next("a picture", where: isPicture)
        first.signal(SIGINT)
        _ = first.wait()
        try stream.next("a slate") { $0.luma(2, 2) == 0x20 && $0.luma(317, 177) == 0x20 }
        let second = try server.greenroom(source)
        defer { second.signal(SIGINT) }
        try stream.next("a picture again", where: isPicture)
        let finished = stream.end()
        #expect(finished.text.contains("retrying every second"), "\(finished.text)")
        #expect(finished.text.contains("the camera is back"), "\(finished.text)")
    }

    @Test(arguments: ["yes", "no"])
    func `the user is asked for the camera through the desktop's portal`(answer: String) throws {
        let server = try PipeWireServer()
        let source = try FileSession(
            "camera: { plugin: ColorBars }", maximum: "320x180@15", duration: nil,
            outputs: "[{ plugin: VirtualCamera, settings: { name: Stage } }]")
        let run = try server.greenroom(source)
        defer { run.signal(SIGINT) }
        try server.waitForNode("Stage")
        let environment = server.environment.merging([
            "DBUS_SESSION_BUS_ADDRESS": server.bus
        ]) { $1 }
        let portal = try ChildProcess(
            "/usr/bin/python3", ["\(Checkout.root)/Tests/Screens/portal.py", "0", answer],
            environment: environment)
        try #require(portal.waitForOutput(containing: "ready"))
        let stream = try FrameStream(
            [
                "PipeWireCamera", "--set", "camera=Stage", "--set", "portal=true", "--maximum",
                "320x180@15",
            ], environment: environment)
        if answer == "yes" {
            try stream.next("a frame of the camera") { frame in
                let luma = Array(frame.bytes.prefix(frame.width * frame.height))
                return BurntInCode(YUVImage(width: 320, height: 180, y: luma, u: [], v: [])) != nil
            }
            _ = stream.end()
        } else {
            let finished = stream.program.wait()
            #expect(
                "\(finished)\(finished.text)".contains("the user denied the camera"), "\(finished)")
        }
        #expect(portal.outputSoFar.contains("camera"))
    }

    /// `pw-v4l2` without its script: the preview reads devices through PipeWire.
    private static let preload = "/usr/lib/x86_64-linux-gnu/pipewire-0.3/v4l2/libpw-v4l2.so"
}
