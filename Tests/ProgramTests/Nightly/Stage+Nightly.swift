import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension StageTests {
    @Test(arguments: ["grid", "speaker", "share"])
    func `a call is recorded as one composed video with the full mix`(layout: String) throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            microphone: { plugin: Tone }
            call:
              plugin: LoopbackCall
              settings:
                script: "Ana 0s-2s camera microphone=550; Ben 1s microphone=660 share=320x180@5"
            stage: { plugin: Stage, settings: { layout: \(layout), name: Host } }
            """, maximum: "640x360@30", duration: "3s", clock: "virtual",
            outputs: "[{ record: call.mkv }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let file = try RecordedFile(session.folder("call.mkv"))
        #expect(file.streams.map(\.name) == ["stage", "full-mix"], "\(run)")
        #expect(abs((file.duration ?? 0) - 3) < 0.1)
        let names = try FileManager.default.contentsOfDirectory(atPath: session.folder.path)
        #expect(names.filter { $0.hasSuffix(".mkv") } == ["call.mkv"])
    }

    @Test func `recording a call adds a stage if the file has none`() throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            call: { plugin: LoopbackCall, settings: { script: "Ana 0s camera microphone" } }
            """, maximum: "640x360@30", duration: "1s", clock: "virtual",
            outputs: "[{ record: call.mkv }]")
        let check = try Greenroom.run("check", session.file)
        #expect(check.text.contains("Stage"), "\(check)")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(
            try RecordedFile(session.folder("call.mkv")).streams.map(\.name)
                == ["stage", "full-mix"], "\(run)")
    }

    @Test func `a command that names a track that is not there is refused`() throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            stage: { plugin: Stage, settings: { layout: pip } }
            """, clock: "virtual", timeline: ["at: 1s, set: stage.settings.main=camera.x"])
        let check = try Greenroom.run("check", session.file)
        #expect(check.exit != .code(0), "\(check)")
        #expect(
            check.standardError.contains(
                "timeline[0]: stage.settings.main: the stage has no \"camera.x\" to show"),
            "\(check)")
    }

    @Test func `participants can have separate files beside the stage`() throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            microphone: { plugin: Tone }
            call: { plugin: LoopbackCall, settings: { script: "Ana 0s camera microphone" } }
            """, maximum: "640x360@30", duration: "1s", clock: "virtual",
            outputs: "[{ record: { file: call.mkv, participants: files } }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let names = try FileManager.default.contentsOfDirectory(atPath: session.folder.path)
        #expect(
            names.filter { $0.hasSuffix(".mkv") }.sorted()
                == ["call-ana-camera.mkv", "call-ana-microphone.mkv", "call.mkv"])
        #expect(
            try RecordedFile(session.folder("call.mkv")).streams.map(\.name)
                == ["stage", "full-mix"], "\(run)")
    }
}
