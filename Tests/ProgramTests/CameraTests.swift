import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests of V4L2Camera with a device that PipeWire makes: `pw-v4l2` needs no module of the kernel.
@Suite(.ownThreads) struct CameraTests {
    @Test func `a camera that is missing is reported with the fix`() throws {
        let session = try FileSession(
            "camera: \(FileSession.bundled("V4L2Camera", "device: /dev/video99"))")
        let run = try session.run()
        #expect(run.exit != .code(0))
        #expect(run.standardError.contains("/dev/video99: no such camera"), "\(run)")
    }

    @Test(arguments: [
        // A program in place of pw-dump, and a part of the output.
        ("exit 127", "no cameras of PipeWire: pw-dump is missing; install it with: apt install"),
        ("exit 255", "no cameras of PipeWire: PipeWire does not run for this user; start it"),
        ("echo '{'", "no cameras of PipeWire: cannot read pw-dump's list"),
        ("echo '[1, null, { \"info\": 2 }]'", "no cameras of PipeWire: no device or program"),
        (
            #"""
            printf %s '[{ "info": { "props": { "media.class": "Video/Source", "node.name": "a\u001b[2Jb" },
                "params": { "EnumFormat": [7, { "mediaSubtype": "raw", "format": { "default": "GRAY8" },
                    "size": { "default": { "width": 640, "height": 480 } } }] } } }]'
            """#, "  not usable: PipeWireCamera reads I420, NV12"
        ),
    ])
    func `PipeWire's list is checked, and missing parts are reported with the fix`(
        program: String, expected: String
    ) throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("text", "#!/bin/sh\n\(program)\n")
        // Another test's child may hold a file that this process writes: it could not be executed.
        let copy = try ChildProcess.run("install", ["-m", "755", text, folder("pw-dump")])
        #expect(copy.exit == .code(0), "\(copy)")
        let run = try Greenroom.run(
            "devices", environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
        #expect(run.exit == .code(0) && run.text.contains(expected), "\(run)")
        #expect(!run.text.contains("\u{1B}"))
    }

    @Test func `cameras, effects and voices are listed with their lines, or what is missing`()
        throws
    {
        let people = try Greenroom.run("devices")
        #expect(people.exit == .code(0), "\(people)")
        let lines = people.text.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("camera /dev/video") || $0.hasPrefix("no camera: ") })
        #expect(lines.contains("voice en-us: English (America)"))
        #expect(lines.contains("  microphone: { plugin: Speech, settings: { voice: \"en-us\" } }"))
        #expect(lines.contains { $0.hasPrefix("  pre-processors: [{ plugin: \"frei0r-") })
        let programs = try Greenroom.run("devices", "--json")
        let json = try JSONSerialization.jsonObject(with: Data(programs.standardOutput))
        let object = try #require(json as? [String: Any])
        #expect(object["cameras"] is [Any])
        let voices = try #require(object["voices"] as? [[String: String]])
        #expect(
            voices.contains {
                $0["language"] == "en-us"
                    && $0["line"]
                        == "microphone: { plugin: Speech, settings: { voice: \"en-us\" } }"
            })
        let effects = try #require(object["effects"] as? [[String: String]])
        #expect(effects.contains { $0["name"]?.hasPrefix("frei0r-") == true })
    }
}
