import SessionTestSupport
import TestSupport
import Testing

/// `zoom_receive.hpp` and `zoom_meeting.hpp`: the receivers of `Samples/VendorStyle/cpp`, with two people of
/// whom one leaves. A process has one app of Zoom's at a time.
@Suite(.ownThreads, .serialized) struct ZoomReceiverTests {
    private func session(_ outputs: String...) throws -> FileSession {
        let library = try TestPlugins.zoomReceivers()
        return try FileSession(
            """
            camera: { plugin: ColorBars }
            call:
              plugin: LoopbackCall
              settings:
                script: |
                  Ana 0s-2s camera=640x360@15 microphone=440
                  Ben 1s share=1280x720@5 share-audio=330
            """, maximum: "640x360@15", duration: "3s", clock: "virtual",
            outputs: "["
                + outputs.map { "{ plugin: \"\(library)#\($0)\" }" }.joined(separator: ", ") + "]")
    }

    @Test func `a Video SDK app gets users, their video and the three kinds of audio`() throws {
        let run = try session("VideoRecorder").run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let lines = try run.events("log", of: "outputs[0]").map(\.text)
        #expect(
            lines == [
                "people: joined;+Ana;+Ben;-Ana;left;",
                "video: Ana on;Ben on;Ana off;",
                // 90, 180, 360 lines and so on are the largest that the app gets.
                "frames: Ana 30 of 320x180;Ben 10 of 320x180;",
                // 32000 Hz: 3 s of everybody's sum, 2 s of Ana.
                "samples: mixed 96000;speaker 96000;Ana 64000;",
                // The luma of a frame that was kept after its callback.
                "kept: 110",
            ], "\(run.text)")
    }

    @Test func `a Meeting SDK app enters the meeting, renders a user and hears everybody`() throws {
        let run = try session("MeetingRecorder").run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let lines = try run.events("log", of: "outputs[0]").map(\.text)
        #expect(
            lines == [
                // Connecting, in the meeting, allowed to record, and ended.
                "people: 1;3;granted;+Ana;+Ben;-Ana;7;",
                "video: on;off;destroyed;",
                // 720 lines were asked for: the SDK does not enlarge.
                "frames: renderer 30 of 640x360;",
                "samples: mixed 96000;speaker 0;Ana 64000;Ben's share 64000;share 64000;",
                "kept: 0",
            ], "\(run.text)")
    }

    @Test func `a second app in a process is refused with a fix`() throws {
        let run = try session("VideoRecorder", "MeetingRecorder").run("--json")
        // Outputs initialize at the same time, so either can be the second.
        let failures = try ["outputs[0]", "outputs[1]"].flatMap {
            try run.events("step-failed", of: $0)
        }
        let failure = try #require(failures.first, "\(run.text)")
        #expect(failures.count == 1, "\(run.text)")
        #expect(failure.status == "UNAVAILABLE" && failure.step == "initialize", "\(run.text)")
        #expect(failure.text?.contains("set isolation: process") == true, "\(run.text)")
    }
}
