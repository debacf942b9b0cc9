import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension LoopbackCallTests {
    @Test
    func `the bandwidth of a connection becomes a ceiling, and a recording keeps its quality`()
        throws
    {
        let session = try session(
            "Ana 0s bandwidth=600@2s-4s; Ben 0s bandwidth=90000@1s", "[{ record: recording }]",
            duration: "12s")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let camera = try session.picture("camera")
        #expect(camera.width == 1280 && camera.frameCount == 360, "\(run)")
        let report = try session.report()
        #expect(try report.picture("camera").negotiation.count == 1, "its offer stays")
    }

    @Test func `without a large output the camera follows a connection's bandwidth`()
        throws
    {
        let session = try session(
            "Ana 0s bandwidth=600@2s-4s",
            "[{ record: { folder: recording, size: 320x180, fps: 15 } }]",
            duration: "12s")
        let run = try session.run("--explain")
        #expect(run.exit == .code(0), "\(run)")
        let offers = try session.report().picture("camera").negotiation
        #expect(offers.compactMap(\.source) == ["1280x720@30", "640x360@30", "1280x720@30"])
        #expect(run.standardError.contains("Ana's connection carries 600 kbit/s"), "\(run)")
        #expect(run.standardError.contains("1280x720@30"), "\(run)")
    }

    @Test func `a stopped camera leaves its bandwidth of a connection to the share`()
        throws
    {
        for (timeline, ceilings) in [
            ([], ["640x360@30", "640x360@30"]),
            (["at: 2s, do: stop camera"], ["640x360@30", "960x540@30"]),
        ] as [([String], [String])] {
            let session = try FileSession(
                """
                camera: { plugin: ColorBars }
                share: \(try FileSession.hostile("Share"))
                call: { plugin: LoopbackCall, settings: { script: "Ana 0s bandwidth=1300@1s" } }
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

    @Test func `LoopbackCall passes the check of demand after its participants left`() throws {
        let run = try Greenroom.run(
            "validate", "LoopbackCall", "--only", "call.demand", "--set",
            "script=Ana 0s-2s camera microphone")
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test func `a FrameFolder writes images of the present participants`() throws {
        let session = try session(
            "Ana 0s-1s camera=320x180@10; Ben 1s share=160x90@5",
            """
            [{ plugin: FrameFolder, settings: { folder: all, track: participants, every: 5 } },
             { plugin: FrameFolder, settings: { folder: ben, track: participants, every: 5 },
               tracks: ["participant Ben"] }]
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let images = try ["all", "ben"].map {
            try FileManager.default.contentsOfDirectory(atPath: session.folder($0)).sorted()
        }
        #expect(
            images == [
                ["ana-camera-000000.png", "ana-camera-000005.png", "ben-share-000000.png"],
                ["ben-share-000000.png"],
            ], "\(run)")
    }

    @Test func `a call in a separate process makes the same tracks and mixes`() throws {
        let session = try session(
            "Ana 0s-1500ms camera=160x90@10 microphone=550; "
                + "Ben 500ms share=160x90@5 microphone=660 mute=1s-1500ms", "[]")
        let mixes = ["incoming", "mix-minus"]
        let runs = try ["host", "process"].map { isolation in
            let grant = isolation == "process" ? "allow: { write: [.] }," : ""
            let speakers = mixes.map { position in
                let tracks = position == "incoming" ? position : "participant Ana mix-minus"
                return """
                    { plugin: SpeakerFile, \(grant) tracks: ["\(tracks)"],
                      settings: { path: \(position).wav, position: \(position) } }
                    """
            }
            let record = "{ record: { folder: recording, overwrite: true, size: 160x90 } }"
            let recorded = try Recorded(
                session, isolation: isolation,
                keys: ["outputs=[\(([record] + speakers).joined(separator: ", "))]"])
            return (
                recorded,
                mixes: try mixes.map { try WAVRecording(session.folder("\($0).wav")).channels[0] }
            )
        }
        #expect(runs[0].0.run.exit == .code(0), "\(runs[0].0.run)")
        #expect(runs[0].0.files.count == 6, "\(runs[0].0.files.keys.sorted())")
        // Not compared by the macro, which would print everything.
        for (file, bytes) in runs[0].0.files {
            let isSame = runs[1].0.files[file] == bytes
            #expect(isSame, "\(file) differs\n\(runs[1].0.run)")
        }
        for (position, (one, other)) in zip(mixes, zip(runs[0].mixes, runs[1].mixes)) {
            let isSame = one == other
            #expect(isSame && one.contains { $0 != 0 }, "\(position)")
        }
    }

    @Test(arguments: ["ana-camera.y4m", "ana-microphone.wav"])
    func `a recording that lacks a participant's track is incomplete`(file: String) throws {
        let session = try session(
            "Ana 0s camera=160x90@5 microphone=550", "[{ record: recording }]")
        mkdir(session.recording, 0o700)
        try session.folder.write("recording/\(file)", "another's")
        let run = try session.run()
        #expect(run.exit == .code(74), "\(run)")
        #expect(try session.report().outcome == "outputs-failed", "\(run)")
        #expect(try readFile("\(session.recording)/\(file)") == Array("another's".utf8))
    }

    @Test func `programs receive an event when a participant joins or leaves`() throws {
        let session = try session(
            "Ana 0s-1s microphone mute=300ms-500ms", "[{ record: recording }]")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let names = try run.events.map(\.event).filter {
            $0.hasPrefix("participant-") || $0.hasPrefix("track-")
        }
        #expect(
            names == [
                "participant-joined", "track-opened", "track-muted", "track-unmuted",
                "track-closed", "participant-left",
            ], "\(run)")
    }

    @Test
    func `an output gets the tracks of its rule, of the session and of participants`() throws {
        let session = try session(
            "Ana 0s camera=160x90@5 microphone; Ben 500ms share=160x90@5",
            """
            [{ plugin: Taker, tracks: [microphone, incoming, "participant *"] }, { record: recording }]
            """.replacing("Taker", with: "\"\(try TestPlugins.taker())\""))
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let output = try #require(
            try session.report().outputPlugins?.first { $0.plugin == "Taker" }, "\(run)")
        #expect(output.tracks.map(\.track) == ["ana-camera"], "\(run)")
    }

    @Test func `a mute without an end lasts until the end of the session`() throws {
        let session = try session("Ana 0s microphone mute=1s", "[{ record: recording }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let samples = try session.sound("ana-microphone").channels[0]
        #expect(samples[24_000..<43_200].contains { $0 != 0 })
        #expect(samples[57_600...].allSatisfy { $0 == 0 })
    }

    @Test(
        arguments: [
            (
                "Ana 0s bandwidth=500",
                "bandwidth=500 is not a bit rate of 1 to 1000000 kbit/s with its time"
            ),
            ("Ana 0s bandwidth=0@1s", "Write bandwidth=500@4s-8s, or bandwidth=500@4s to the end"),
            ("Ana 0s mute=", "has no times. Write mute=3s-4s, or mute=3s to the end."),
        ])
    func `a wrong word in the script is an error with its fix`(script: String, text: String) throws
    {
        let run = try session(script, "[{ record: recording }]").run()
        #expect(run.exit != .code(0) || run.standardError.contains("continues without"), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
    }

    @Test func `a participant's audio that no output requests does not count as missing`() throws {
        let session = try session(
            "Ana 0s camera microphone", "[{ plugin: FrameFolder, settings: { folder: f } }]",
            more: ", tracks: [camera]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(
            run.standardError.contains(
                "track ana-microphone: stopped, paused or disconnected throughout"),
            "\(run)")
    }
}
