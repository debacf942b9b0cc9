import Foundation
import TestSupport
import Testing

/// Tests of the bundled call `LoopbackCall`.
@Suite(.ownThreads) struct LoopbackCallTests {
    private func session(
        _ script: String, _ outputs: String, camera: String = "", duration: String = "2s",
        more: String = ""
    ) throws -> TestSession {
        try TestSession(
            """
            camera: { plugin: ColorBars }
            microphone: { plugin: Tone }
            call: { plugin: LoopbackCall, settings: { script: "\(script)" }\(more) }
            """, maximum: "1280x720@30", duration: duration, clock: "virtual", outputs: outputs)
    }

    @Test func `what a connection bears becomes a ceiling, and a recording keeps its quality`()
        throws
    {
        let session = try session(
            "Ana 0s bears=600@2s-4s; Ben 0s bears=90000@1s", "[{ record: recording }]",
            duration: "12s")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let camera = try session.picture("camera")
        #expect(camera.width == 1280 && camera.frameCount == 360, "\(run)")
        let report = try session.report()
        #expect(try report.picture("camera").negotiation.count == 1, "its offer stays")
    }

    @Test func `without a large output the camera follows: down at once, up later`() throws {
        let session = try session(
            "Ana 0s bears=600@2s-4s", "[{ record: { folder: recording, size: 320x180, fps: 15 } }]",
            duration: "12s")
        let run = try session.run("--explain")
        #expect(run.exit == .code(0), "\(run)")
        let offers = try session.report().picture("camera").negotiation
        #expect(offers.compactMap(\.source) == ["1280x720@30", "640x360@30", "1280x720@30"])
        #expect(run.standardError.contains("Ana bears 600 kbit/s"), "\(run)")
        #expect(run.standardError.contains("1280x720@30"), "\(run)")
    }

    @Test func `video that shows nothing has no part of what a connection bears`() throws {
        for (timeline, ceilings) in [
            ([], ["640x360@30", "640x360@30"]),
            (["at: 2s, do: stop camera"], ["640x360@30", "960x540@30"]),
        ] as [([String], [String])] {
            let session = try TestSession(
                """
                camera: { plugin: ColorBars }
                share: \(try TestSession.hostile("Share"))
                call: { plugin: LoopbackCall, settings: { script: "Ana 0s bears=1300@1s" } }
                """, maximum: "1280x720@30", duration: "4s", clock: "virtual", timeline: timeline)
            let run = try session.run()
            #expect(run.exit == .code(0), "\(run)")
            let json = try JSONSerialization.jsonObject(
                with: Data(readFile(session.recording + "/session.json")))
            let plugins = (json as? [String: Any])?["outputPlugins"] as? [[String: Any]]
            let tracks = try #require(plugins?.first?["tracks"] as? [[String: Any]])
            let limits = ["camera", "share"].map { name in
                let track = tracks.first { $0["track"] as? String == name }
                return (track?["ceiling"] as? [String: Any])?["limit"] as? String
            }
            #expect(limits == ceilings, "\(run)")
        }
    }

    @Test func `a call whose participants have left follows demand`() throws {
        let run = try Greenroom.run(
            "validate", "LoopbackCall", "--only", "call.demand", "--set",
            "script=Ana 0s-2s camera microphone")
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test func `a SpeakerFile writes what one participant is to hear`() throws {
        let session = try session(
            "Ana 0s-1s microphone=550; Ben 0s microphone=660",
            """
            [{ plugin: SpeakerFile, settings: { path: ana.wav, position: mix-minus, channels: 1 },
               tracks: ["participant Ana mix-minus"] },
             { record: recording }]
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let heard = try WAVRecording(session.folder("ana.wav"))
        // From about its answer on, until she has left.
        #expect((40_000...48_000).contains(heard.frameCount), "\(heard.frameCount)")
        // The session's tone and Ben's, and not hers.
        let samples = heard.channels[0]
        let tones = [550.0, 660].map { frequency in
            var (sine, cosine) = (0.0, 0.0)
            for (index, sample) in samples[9600..<38_400].enumerated() {
                let phase = 2 * .pi * frequency * Double(index) / 48_000
                sine += Double(sample) * sin(phase)
                cosine += Double(sample) * cos(phase)
            }
            return (sine * sine + cosine * cosine).squareRoot() / 14_400
        }
        #expect(tones[0] < 100 && tones[1] > 2000, "\(tones)")
    }

    @Test func `a mute without an end is to the end`() throws {
        let session = try session("Ana 0s microphone mute=1s", "[{ record: recording }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let samples = try session.sound("ana-microphone").channels[0]
        #expect(samples[24_000..<43_200].contains { $0 != 0 })
        #expect(samples[57_600...].allSatisfy { $0 == 0 })
    }

    @Test(arguments: [
        ("Ana 0s bears=500", "bears=500 is no bit rate of 1 to 1000000 kbit/s with its time"),
        ("Ana 0s bears=0@1s", "Write bears=500@4s-8s, or bears=500@4s to the end"),
        ("Ana 0s mute=", "has no times. Write mute=3s-4s, or mute=3s to the end."),
    ])
    func `a wrong word is an error with its cure`(script: String, text: String) throws {
        let run = try session(script, "[{ record: recording }]").run()
        #expect(run.exit != .code(0) || run.standardError.contains("continues without"), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
    }

    @Test func `audio of a participant that nobody takes is not missing`() throws {
        let session = try session(
            "Ana 0s camera microphone", "[{ plugin: FrameFolder, settings: { folder: f } }]",
            more: ", tracks: [camera]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(
            run.standardError.contains("track ana-microphone: stopped or paused all the time"),
            "\(run)")
    }
}
