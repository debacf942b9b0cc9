import GreenroomMedia
import GreenroomModel
import GreenroomSession
import Testing

@testable import GreenroomConfig
@testable import GreenroomLifecycle
@testable import GreenroomOutputs

/// Several cameras, microphones, shares and stages, and what recordings take of them.
@Suite struct NamedRoleTests {
    @Test func `a file may have an unnamed plugin and any number of named ones for each role`()
        throws
    {
        let file = try read(
            """
            cameras:
              desk: { plugin: A, settings: { x: 1 }, pre-processors: [{ plugin: F }] }
              room: { plugin: B }
            camera: { plugin: C }
            microphones: { desk: { plugin: M } }
            shares: { wall: { plugin: S, audio: { plugin: T } } }
            stages: { wide: { plugin: Stage } }
            """)
        #expect(
            file.configuration.slots.map(\.role.rawValue) == [
                "camera", "cameras.desk", "cameras.room", "microphones.desk", "shares.wall",
                "shares.wall.audio", "stages.wide",
            ])
        #expect(
            file.configuration.slots.map(\.role.trackName) == [
                "camera", "camera.desk", "camera.room", "microphone.desk", "share.wall",
                "share-audio.wall", "stage.wide",
            ])
        #expect(
            Set(file.configuration.slots.map(\.role.facts.trackID)).count
                == file.configuration.slots.count)
        #expect(
            file.configuration.slots[SessionRole.camera.named("desk", place: 1)]?.filters.count == 1
        )
        for role in file.configuration.slots.map(\.role) {
            #expect(SessionRole(rawValue: role.rawValue) == role)
            #expect(SessionTrack(name: role.trackName) == .own(role))
        }
    }

    @Test(arguments: [
        ("cameras: { 1st: { plugin: A } }", "not a name."),
        ("cameras: { a.b: { plugin: A } }", "not a name."),
        ("cameras: [{ plugin: A }]", "a section of cameras, each under a name"),
        ("cameras: {}", "has no cameras. Add one under its name, or remove the key."),
        ("camera: { plugin: A }\nstages:", "has no stages. Add one"),
        ("cameras: { desk: {} }", "needs one of the keys \"plugin\", \"connect\""),
        (
            "camera: { plugin: A }\noutputs: [{ plugin: P, tracks: [camera.desk] }]",
            "no camera.desk"
        ),
        ("camera: { plugin: A }\noutputs: [{ y4m: { track: camera.desk } }]", "no camera.desk"),
        ("camera: { plugin: A }\noutputs: [{ plugin: P, tracks: [stage] }]", "has no stage"),
        ("camera: { plugin: A }\ntimeline: [{ at: 1s, do: stop camera.desk }]", "no cameras.desk"),
        (
            "cameras: { desk: { plugin: A } }\ntimeline: [{ at: 1s, do: ceiling 640x360@15 }]",
            "no camera to limit. Write ceiling.desk, or remove the entry."
        ),
        (
            "cameras: { desk: { plugin: A }, room: { plugin: A } }\n"
                + "timeline: [{ at: 1s, do: stop camera }]",
            "no camera to stop. Write stop camera.desk or stop camera.room, or remove the entry."
        ),
        (
            "cameras: { desk: { plugin: A } }\ntimeline: [{ at: 1s, set: camera.settings.x=1 }]",
            "no camera to change. Write cameras.desk.settings.x, or remove the entry."
        ),
        (
            "camera: { plugin: A }\ntimeline: [{ at: 1s, do: ceilings 640x360@15 }]",
            "ceiling 640x360@15, share-ceiling 1280x720@5, stage-ceiling 1280x720@15, one of them "
                + "with a name, such as stop camera.desk, ceiling.desk 640x360@15"
        ),
        ("camera: { plugin: A }\noutputs: [{ record: { file: a.txt } }]", ".mkv, .webm, .mp4"),
    ])
    func `an invalid name of a role is reported with the rule`(yaml: String, message: String) {
        let told = faults(yaml)
        #expect(told.contains { $0.contains(message) }, "\(told)")
    }

    @Test(arguments: [
        "stop camera.desk", "start camera.desk", "mute microphone.desk", "unmute microphone.desk",
        "pause share.wall", "resume share.wall", "stop stage.wide", "start stage.wide",
        "ceiling.desk 640x360@15", "share-ceiling.wall none", "stage-ceiling.wide 640x360@15",
        "set cameras.desk.settings.x=1", "set cameras.desk.pre-processors[0].settings.x=1",
        "set shares.wall.audio.settings.x=1", "set stages.wide.settings.layout=grid",
    ])
    func `control lines and timelines accept a role's name`(line: String) throws {
        guard case .command(let command) = try ControlLine(line) else {
            Issue.record("\(line) is no command")
            return
        }
        #expect(command.line == line)
        #expect(command.target?.role?.name != nil)
        guard !line.hasPrefix("set ") else { return }
        let file = try read(
            """
            cameras: { desk: { plugin: A } }
            microphones: { desk: { plugin: M } }
            shares: { wall: { plugin: S } }
            stages: { wide: { plugin: Stage } }
            timeline: [{ at: 1s, do: \(line) }]
            """)
        #expect(file.configuration.timeline.map(\.command) == [command])
    }

    @Test(arguments: ["ceiling 640x360@15", "share-ceiling none", "stop camera", "mute"])
    func `a timeline accepts the text of a control line without a role's name`(line: String) throws
    {
        let file = try read(
            """
            camera: { plugin: A }
            microphone: { plugin: M }
            share: { plugin: S }
            timeline: [{ at: 1s, do: \(line) }]
            """)
        #expect(file.configuration.timeline.map(\.command.line) == [line])
    }

    // MARK: Recordings

    private let call = "camera: { plugin: A }\ncall: { plugin: C }\n"

    /// The tracks of a recording in one file; nil for all.
    private func selection(_ yaml: String) throws -> (tracks: Set<SessionTrack>?, hasStage: Bool) {
        let file = try read(yaml)
        let recording = file.configuration.outputs.compactMap { $0.output as? FileRecording }.first
        return (recording?.selection?.own, file.configuration.slots[.stage] != nil)
    }

    @Test
    func `a recording that names audio tracks and no mix keeps them as separate tracks`() throws {
        let sources = "camera: { plugin: A }\nmicrophones: { desk: { plugin: M } }\n"
        for (tracks, separate) in [
            ("[camera, microphone.desk]", true), ("[camera, mix]", false), ("[camera]", false),
        ] {
            let file = try read(
                sources + "outputs: [{ record: { file: a.mkv, tracks: \(tracks) } }]")
            let recording = try #require(file.configuration.outputs.first?.output as? FileRecording)
            let value = recording.plugin?.settings["audio-tracks"]
            #expect(value == (separate ? .string("separate") : nil), "\(tracks)")
        }
    }

    @Test func `a session with a call records the stage and the full mix in one file`() throws {
        let plain = try selection(call + "outputs: [{ record: call.mkv }]")
        #expect(plain.tracks == [.own(.stage), .fullMix] && plain.hasStage)
        let own = try selection(
            call + "stage: { plugin: Mine }\noutputs: [{ record: { file: call.mkv } }]")
        #expect(own.tracks == [.own(.stage), .fullMix] && own.hasStage)
        let set = try read(
            call + "outputs: [{ record: call.mkv }]\n"
                + "timeline: [{ at: 1s, set: stage.settings.layout=speaker }]")
        #expect(set.configuration.timeline.count == 1)
    }

    @Test func `a recording with files of participants also records the stage`() throws {
        let file = try read(call + "outputs: [{ record: { file: call.mkv, participants: files } }]")
        let recording = try #require(file.configuration.outputs.first?.output as? FileRecording)
        #expect(
            recording.selection
                == TrackSelection(
                    own: [.own(.stage), .fullMix], participants: [TrackSelection.Participants()]))
        #expect(file.configuration.slots[.stage] != nil)
    }

    @Test func `a recording uses the only stage, and must name one of several`() throws {
        let output = "outputs: [{ record: call.mkv }]"
        let wide = SessionRole.stage.named("wide", place: 1)
        let only = try selection(call + "stages: { wide: { plugin: Stage } }\n" + output)
        #expect(only.tracks == [.own(wide), .fullMix] && !only.hasStage)
        let stages = "stages: { wide: { plugin: Stage }, tall: { plugin: Stage } }\n"
        #expect(
            faults(call + stages + output).contains {
                $0.contains(
                    "the session has the stages stage.tall, stage.wide. Choose one: tracks: "
                        + "[stage.tall, full-mix].")
            })
        let beside = try selection(call + "stage: { plugin: Stage }\n" + stages + output)
        #expect(beside.tracks == [.own(.stage), .fullMix])
        let chosen = "outputs: [{ record: { file: a.mkv, tracks: [stage.wide] } }]"
        #expect(try selection(call + stages + chosen).tracks == [.own(wide)])
        let hidden = "outputs: [{ record: { file: a.mkv, tracks: [stage] } }]"
        #expect(
            faults(call + stages + hidden).contains { $0.contains("the session has no stage.") })
    }

    @Test func `recordings, outputs and stages can leave people out by name`() throws {
        let file = try read(
            call + """
                stage: { plugin: Stage, except: [Ben] }
                outputs:
                  - record: { file: call.mkv, except: [Ana] }
                  - record: { folder: raw, except: [Ana, "42"] }
                  - plugin: Stream
                    except: [Cy]
                """)
        let outputs = file.configuration.outputs.map(\.output).filter { !$0.isCall }
        #expect(outputs.map(\.except) == [["Ana"], ["Ana", "42"], ["Cy"]])
        #expect(outputs.map { $0.plugin?.except } == [["Ana"], nil, ["Cy"]])
        #expect(file.configuration.slots[.stage]?.plugin.except == ["Ben"])
    }

    @Test
    func `a recording of chosen tracks, without a call or in a folder adds no stage`() throws {
        let named = try selection(call + "outputs: [{ record: { file: a.mkv, tracks: [camera] } }]")
        #expect(named.tracks == [.own(.camera)] && !named.hasStage)
        let alone = try selection("camera: { plugin: A }\noutputs: [{ record: talk.mkv }]")
        #expect(alone.tracks == nil && !alone.hasStage)
        let folder = try selection(call + "outputs: [{ record: folder }]")
        #expect(folder.tracks == nil && !folder.hasStage)
    }
}
