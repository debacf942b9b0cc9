import SessionTestSupport
import TestSupport
import Testing

/// Tests that isolation changes nothing: on the virtual clock a session of isolated plugins
/// produces the same bytes as in the host's process, each time.
@Suite(.ownThreads) struct IdentityTests {
    /// Records a session once in the host's process and several times isolated, and compares.
    private func expectSame(
        _ session: TestSession, times: Int = Nightly.value(2, byDay: 1),
        isolatedKeys: [String] = [],
        environment: [String: String?] = [:], exit: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let inHost = try Recorded(session, isolation: "host", environment: environment)
        #expect(inHost.run.exit == .code(exit), "\(inHost.run)", sourceLocation: sourceLocation)
        #expect(
            inHost.files.values.allSatisfy { $0.count > 100 }, "\(inHost.run)",
            sourceLocation: sourceLocation)
        for time in 1...times {
            let isolated = try Recorded(
                session, isolation: "process", keys: isolatedKeys, environment: environment)
            inHost.expectSame(as: isolated, "time \(time)", sourceLocation: sourceLocation)
        }
    }

    // MARK: - Bundled plugins

    @Test(.nightly) func `bundled plugins that play files`() throws {
        let media = try TestMedia()
        let session = try TestSession(
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
              audio: \(try TestSession.hostile("ShareAudio", "rate: 8000"))
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

    @Test(.nightly) func `filters of a share that is turned follow it`() throws {
        let media = try TestMedia()
        func session(_ more: String) throws -> TestSession {
            try TestSession(
                """
                share: \(try TestSession.hostile("TurningShare", "", """
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
        let invert = try TestSession.hostile("Invert")
        let keeping = try session(", \(invert)")
        try expectSame(keeping)
        #expect(try keeping.report().picture("share").outputs.first?.pieces == nil)
    }

    @Test func `bundled plugins that generate media`() throws {
        let session = try TestSession(
            """
            camera: \(TestSession.bundled("ColorBars", "format: bgra, range: full", """
                pre-processors: [{ plugin: Adjust, settings: { saturation: 0.5 } }]
                """))
            microphone: \(TestSession.bundled("Tone", "rate: 44100"))
            """, maximum: "320x180@30", duration: "6s", clock: "virtual",
            table: "[320x180@30, 160x90@30]",
            timeline: [
                "at: 500ms, set: camera.settings.pattern=grey",
                "at: 700ms, set: microphone.settings.frequency=1000",
                "at: 1s, ceiling: 160x90@15", "at: 3s, ceiling: none",
                "at: 3s, set: camera.settings.ball=false", "at: 4s, do: mute",
            ])
        try expectSame(session, times: Nightly.value(5, byDay: 2))
    }

    @Test(.nightly) func `a microphone of ALSA`() throws {
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
        let session = try TestSession(
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

    // MARK: - Every way to send

    /// Two combinations in each session, as camera and as share.
    static let formats = [
        "i420", "nv12", "nv21", "yuy2", "uyvy", "bgra", "rgba", "bgrx", "rgbx",
        "rgb24", "i010", "p010",
    ]

    @Test(.nightly, arguments: Nightly.pairs(formats, ["borrowed", "leased"]))
    func `frames of every format`(format: String, way: String) throws {
        let settings = "answer: fixed, fps: 15, format: \(format), way: \(way)"
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Answers", "\(settings), width: 161, height: 91, padding: 7, rotation: 90"))
            share: \(try TestSession.hostile(
                "ShareAnswers", "\(settings), width: 97, height: 120, range: full, matrix: bt709"))
            """, duration: "400ms", clock: "virtual")
        try expectSame(session)
    }

    @Test(.nightly) func `JPEG frames`() throws {
        let media = try TestMedia()
        let settings = """
            answer: fixed, fps: 15, format: mjpeg, width: 160, height: 90, range: full, \
            image: "\(media.photo)"
            """
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Answers", settings))", duration: "1s",
            clock: "virtual")
        try expectSame(session)
    }

    @Test(.nightly, arguments: [8000, 11025, 22050, 44100, 48000, 96000, 192_000])
    func `audio of every rate`(rate: Int) throws {
        let session = try TestSession(
            """
            microphone: \(try TestSession.hostile("Mic", "rate: \(rate), channels: 1"))
            share: \(try TestSession.hostile("StillShare", "", """
                audio: \(try TestSession.hostile("BeepShareAudio", "rate: \(rate), ppm: 300"))
                """))
            """, maximum: "64x36@30", duration: "2s", clock: "virtual")
        try expectSame(session)
    }

    // MARK: - Plugins that break rules

    static let wild = [
        "Burst", "Stall", "Sleeper", "ShapeShifter", "Follows", "FollowsLate", "CountersOutside",
        "RefusesChange", "Limited", "Still", "FlashCamera", "LeaseLeak", "BadFrames", "BadLeases",
        "SendBeforeStart", "AsksForTheUnknown", "WaitInCallback", "GivesUp",
    ]

    @Test(.nightly, arguments: wild)
    func `irregular cameras`(name: String) throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(name, "", "on-failure: off"))
            microphone: \(try TestSession.hostile("Overfeeds"))
            share: \(try TestSession.hostile("SteadyShare", "fps: 120", """
                audio: \(try TestSession.hostile("BeepShareAudio", "stamps: wall, ppm: -400"))
                """))
            """, maximum: "160x90@30", duration: "2s", clock: "virtual",
            timeline: ["at: 700ms, ceiling: 80x45@15", "at: 1s, set: camera.settings.tag=7"])
        try expectSame(session)
    }

    @Test(
        .nightly,
        arguments: [
            "Underfeeds", "WholeFile", "TenSecondsAtOnce", "ShortLast", "BadBlocks",
            "ImpatientMic", "SendAudioBeforeStart",
        ])
    func `irregular microphones`(name: String) throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Steady"))
            microphone: \(try TestSession.hostile(name))
            """, maximum: "64x36@30", duration: "2s", clock: "virtual")
        // The whole file is one block, which is refused: nothing of the track is real.
        try expectSame(session, exit: name == "WholeFile" ? 66 : 0)
    }

    @Test(.nightly) func `irregular filters`() throws {
        let filters = try ["FilterFails", "Invert", "FilterScribbles", "Invert"].map {
            try TestSession.hostile($0)
        }
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Steady", "", "pre-processors: [\(filters.joined(separator: ", "))]"))
            """, maximum: "160x90@30", duration: "3s", clock: "virtual",
            timeline: ["at: 1s, ceiling: 80x45@15"])
        try expectSame(session)
    }

    // MARK: - Reports

    /// Plugins that break rules, with their faults.
    static let offenders = [
        "camera: BadFrames", "camera: BadLeases", "camera: SendBeforeStart",
        "camera: AsksForTheUnknown", "camera: WaitInCallback", "camera: LeaseAcrossStop",
        "camera: GivesUp", "camera: AnswersNothing", "camera: SendAfterStop",
        "camera: SendWhenGone",
        "microphone: BadBlocks", "microphone: ImpatientMic", "microphone: SendAudioBeforeStart",
        "microphone: SendAudioAfterStop",
    ]

    /// Those with threads that sleep in real time.
    private static let sleepers: Set = [
        "camera: SendAfterStop", "camera: SendWhenGone",
    ]

    @Test(arguments: offenders)
    func `every answer and every refusal is the same`(offender: String) throws {
        let parts = offender.split(separator: " ")
        let session = try TestSession(
            """
            \(parts[0]) \(try TestSession.hostile(String(parts[1]), "", "on-failure: off"))
            share: \(try TestSession.hostile("Share"))
            """, duration: Self.sleepers.contains(offender) ? "3s" : "700ms",
            clock: Self.sleepers.contains(offender) ? nil : "virtual")
        let role = String(parts[0].dropLast())
        func told(_ isolation: String) throws -> [String] {
            let recorded = try Recorded(session, isolation: isolation)
            #expect(recorded.run.exit == .code(0), "\(recorded.run)")
            try session.expectTrueReport(recorded.run)
            try session.expectUnharmed("share", recorded.run)
            // The count, and which thread comes first, depend on timing.
            // Only an isolated plugin identifies calls to an ended sender. Whether a thread that sends
            // all the time has another turn after the end depends on timing, too.
            let counted = [
                "good-frame", "good-block", "blocks ", "refused: ",
                "uses an ended or unknown sender", "no frame accepted", "sending again",
                "send-all-the-time 3 GONE",
            ]
            return recorded.run.lines(of: role).split(separator: "\n").map(String.init).filter {
                line in !counted.contains { line.contains($0) }
            }.sorted()
        }
        let inHost = try told("host")
        #expect(!inHost.isEmpty)
        let isolated = try told("process")
        #expect(isolated == inHost)
    }

    private func expectSameFailure(_ session: TestSession) throws {
        let overwriting = "outputs=[{record: {folder: recording, overwrite: true}}]"
        let inHost = try session.run("--set", overwriting, "--set", "session.isolation=host")
        let isolated = try session.run("--set", overwriting, "--set", "session.isolation=process")
        #expect(isolated.exit == inHost.exit && inHost.exit == .code(69), "\(inHost)\n\(isolated)")
        #expect(isolated.lines(of: "camera") == inHost.lines(of: "camera"))
    }

    @Test(.nightly, arguments: ["create", "initialize", "start-send"], ["no lens", ""])
    func `a failed callback is reported equally`(place: String, text: String) throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Fails", "where: \(place), text: '\(text)'", "on-failure: end"))
            """)
        try expectSameFailure(session)
    }

    @Test(.nightly, arguments: InstanceFault.all)
    func `an instance that breaks a rule is refused equally`(fault: InstanceFault) throws {
        let plugin = TestSession.library(
            try TestPlugins.malformed(fault.name), "", "on-failure: end")
        let session = try TestSession("camera: \(plugin)")
        try expectSameFailure(session)
    }

    @Test(.nightly, arguments: ["long", "not-utf8", "lines", "level"])
    func `a plugin's log is equal`(chatter: String) throws {
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Chatter", "chatter: \(chatter)"))",
            duration: "300ms", clock: "virtual")
        let inHost = try Recorded(session, isolation: "host")
        let isolated = try Recorded(session, isolation: "process")
        inHost.expectSame(as: isolated)
        #expect(isolated.lines == inHost.lines)
    }
}
