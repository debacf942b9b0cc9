import SessionTestSupport
import TestSupport
import Testing

extension IdentityTests {
    @Test func `bundled players record the same isolated and in the host's process`() throws {
        let media = try TestMedia()
        let session = try FileSession(
            """
            camera:
              plugin: Y4MFile
              settings: { path: "\(media.footage)" }
              pre-processors:
                - { plugin: Adjust, settings: { brightness: 0.2, mirror: true } }
                - { plugin: Watermark, settings: { path: "\(media.logo)", opacity: 0.5 } }
                - { plugin: Adjust, settings: { contrast: 1.2 } }
            microphone: { plugin: WaveFile, settings: { path: "\(media.voice)" } }
            share:
              plugin: Slides
              settings: { path: "\(media.slides)", seconds: 0.7 }
              audio: \(try FileSession.hostile("ShareAudio", "rate: 8000"))
            """, maximum: "320x180@30", duration: "4s", clock: "virtual",
            table: "[320x180@30, 160x90@30]",
            timeline: [
                "at: 500ms, set: \"camera.pre-processors[1].settings.opacity=0.9\"",
                "at: 1s, ceiling: 160x90@15", "at: 1s, do: mute", "at: 1300ms, do: unmute",
                "at: 1500ms, set: \"camera.pre-processors[0].settings.mirror=false\"",
                "at: 2s, ceiling: none", "at: 2s, do: pause share", "at: 2500ms, do: stop camera",
                "at: 2700ms, do: resume share", "at: 3s, do: start camera",
            ])
        try expectSame(session, times: Nightly.value(5, byDay: 2))
    }

    @Test
    func `filters of a turned share record the same isolated and in the host's process`() throws {
        let media = try TestMedia()
        func session(_ more: String) throws -> FileSession {
            try FileSession(
                """
                share: \(try FileSession.hostile("TurningShare", "", """
                    pre-processors: [{ plugin: Adjust, settings: { brightness: 0.2 } }, \
                    { plugin: Watermark, settings: { path: "\(media.logo)" }, required: true }\(more)]
                    """))
                """, maximum: "320x180@15", duration: "4s", clock: "virtual",
                timeline: [
                    "at: 500ms, set: \"share.pre-processors[0].settings.brightness=-0.2\"",
                    "at: 1500ms, share-ceiling: 160x160@15",
                ])
        }
        let following = try session("")
        try expectSame(following)
        let report = try following.report()
        let picture = try report.picture("share")
        #expect(picture.outputs.first?.pieces?.count == 4, "\(picture.outputs)")
        #expect(picture.unprocessed.total == 0)
        let told = try report.plugin("share.pre-processors[1]").offer?.revision ?? 0
        #expect(told > 4, "the shapes, and the ceiling")
        // One filter that takes frames of one size keeps the shape.
        let invert = try FileSession.hostile("Invert")
        let keeping = try session(", \(invert)")
        try expectSame(keeping)
        #expect(try keeping.report().picture("share").outputs.first?.pieces == nil)
    }

    @Test func `an ALSA microphone records the same isolated and in the host's process`() throws {
        // A card that is always ready is paced by the session only.
        let media = try TestMedia()
        let configuration = try ALSAConfiguration(
            """
            </usr/share/alsa/alsa.conf>
            pcm.voice {
                type file
                slave.pcm { type null }
                file /dev/null
                infile "\(media.voice)"
                format raw
            }
            """)
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            microphone:
              plugin: AlsaMicrophone
              settings: { device: voice, channels: 1 }
            """, maximum: "160x90@30", duration: "2s", clock: "virtual")
        try expectSame(
            session, times: Nightly.value(5, byDay: 2),
            isolatedKeys: [
                "microphone.allow={read: [\(configuration.path), \"\(media.voice)\"]}"
            ], environment: ["ALSA_CONFIG_PATH": configuration.path])
    }

    @Test(arguments: Nightly.pairs(formats, ["borrowed", "leased"]))
    func `frames of every format are the same isolated and in the host's process`(
        format: String, way: String
    ) throws {
        let settings = "answer: fixed, fps: 15, format: \(format), way: \(way)"
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(
                "Answers", "\(settings), width: 161, height: 91, padding: 7, rotation: 90"))
            share: \(try FileSession.hostile(
                "ShareAnswers", "\(settings), width: 97, height: 120, range: full, matrix: bt709"))
            """, duration: "400ms", clock: "virtual")
        try expectSame(session)
    }

    @Test func `JPEG frames are the same isolated and in the host's process`() throws {
        let media = try TestMedia()
        let settings = """
            answer: fixed, fps: 15, format: mjpeg, width: 160, height: 90, range: full, \
            image: "\(media.photo)"
            """
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Answers", settings))", duration: "1s",
            clock: "virtual")
        try expectSame(session)
    }

    @Test(arguments: [8000, 11025, 22050, 44100, 48000, 96000, 192_000])
    func `audio of every rate is the same isolated and in the host's process`(rate: Int) throws {
        let session = try FileSession(
            """
            microphone: \(try FileSession.hostile("Mic", "rate: \(rate), channels: 1"))
            share: \(try FileSession.hostile("StillShare", "", """
                audio: \(try FileSession.hostile("BeepShareAudio", "rate: \(rate), ppm: 300"))
                """))
            """, maximum: "64x36@30", duration: "2s", clock: "virtual")
        try expectSame(session)
    }

    @Test(arguments: wild)
    func `irregular cameras record the same isolated and in the host's process`(name: String) throws
    {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(name, "", "on-failure: off"))
            microphone: \(try FileSession.hostile("Overfeeds"))
            share: \(try FileSession.hostile("SteadyShare", "fps: 120", """
                audio: \(try FileSession.hostile("BeepShareAudio", "stamps: wall, ppm: -400"))
                """))
            """, maximum: "160x90@30", duration: "2s", clock: "virtual",
            timeline: ["at: 700ms, ceiling: 80x45@15", "at: 1s, set: camera.settings.tag=7"])
        try expectSame(session)
    }

    @Test(
        arguments: [
            "Underfeeds", "WholeFile", "TenSecondsAtOnce", "ShortLast", "BadBlocks",
            "ImpatientMic", "SendAudioBeforeStart",
        ])
    func `irregular microphones record the same isolated and in the host's process`(name: String)
        throws
    {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Steady"))
            microphone: \(try FileSession.hostile(name))
            """, maximum: "64x36@30", duration: "2s", clock: "virtual")
        // The whole file is one block, which is refused: nothing of the track is real.
        try expectSame(session, exit: name == "WholeFile" ? 66 : 0)
    }

    @Test func `irregular filters record the same isolated and in the host's process`() throws {
        let filters = try ["FilterFails", "Invert", "FilterScribbles", "Invert"].map {
            try FileSession.hostile($0)
        }
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(
                "Steady", "", "pre-processors: [\(filters.joined(separator: ", "))]"))
            """, maximum: "160x90@30", duration: "3s", clock: "virtual",
            timeline: ["at: 1s, ceiling: 80x45@15"])
        try expectSame(session)
    }

    @Test(arguments: ["create", "initialize", "start-send"], ["no lens", ""])
    func `a failed callback is reported the same isolated and in the host's process`(
        place: String, text: String
    ) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(
                "Fails", "where: \(place), text: '\(text)'", "on-failure: end"))
            """)
        try expectSameFailure(session)
    }

    @Test(arguments: InstanceFault.all)
    func `a broken instance is refused the same isolated and in the host's process`(
        fault: InstanceFault
    ) throws {
        let plugin = FileSession.library(
            try TestPlugins.malformed(fault.name), "", "on-failure: end")
        let session = try FileSession("camera: \(plugin)")
        try expectSameFailure(session, code: 65)
    }

    @Test(arguments: ["long", "not-utf8", "lines", "level"])
    func `a plugin's log is the same isolated and in the host's process`(chatter: String) throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Chatter", "chatter: \(chatter)"))",
            duration: "300ms", clock: "virtual")
        let inHost = try Recorded(session, isolation: "host")
        let isolated = try Recorded(session, isolation: "process")
        inHost.expectSame(as: isolated)
        #expect(isolated.lines == inHost.lines)
    }

    /// Two combinations in each session, as camera and as share.
    static let formats = [
        "i420", "nv12", "nv21", "yuy2", "uyvy", "bgra", "rgba", "bgrx", "rgbx",
        "rgb24", "i010", "p010",
    ]

    static let wild = [
        "Burst", "Stall", "Sleeper", "ShapeShifter", "Follows", "FollowsLate", "CountersOutside",
        "RefusesChange", "Limited", "Still", "FlashCamera", "LeaseLeak", "BadFrames", "BadLeases",
        "SendBeforeStart", "AsksForTheUnknown", "WaitInCallback", "GivesUp",
    ]

    private func expectSameFailure(_ session: FileSession, code: Int32 = 69) throws {
        let overwriting = "outputs=[{record: {folder: recording, overwrite: true}}]"
        let inHost = try session.run("--set", overwriting, "--set", "session.isolation=host")
        let isolated = try session.run("--set", overwriting, "--set", "session.isolation=process")
        #expect(
            isolated.exit == inHost.exit && inHost.exit == .code(code), "\(inHost)\n\(isolated)")
        #expect(isolated.lines(of: "camera") == inHost.lines(of: "camera"))
    }
}
