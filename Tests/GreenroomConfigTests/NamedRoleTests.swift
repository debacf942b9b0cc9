import GreenroomMedia
import GreenroomModel
import GreenroomSession
import Testing

@testable import GreenroomConfig
@testable import GreenroomLifecycle
@testable import GreenroomOutputs

/// Several cameras, microphones, shares and stages, and what recordings take of them.
@Suite struct NamedRoleTests {
    @Test func `a file has any number of each role, in its order, beside the one without a name`()
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
        ("cameras: [{ plugin: A }]", "a section of cameras, each under its name"),
        ("cameras: { desk: {} }", "needs the key \"plugin\""),
        ("shares: { wall: { broadcast: s.sock } }", "needs the key \"plugin\""),
        (
            "camera: { plugin: A }\noutputs: [{ plugin: P, tracks: [camera.desk] }]",
            "no camera.desk"
        ),
        ("camera: { plugin: A }\noutputs: [{ y4m: { track: camera.desk } }]", "no camera.desk"),
        ("camera: { plugin: A }\noutputs: [{ plugin: P, tracks: [stage] }]", "has no stage"),
        ("camera: { plugin: A }\ntimeline: [{ at: 1s, do: stop camera.desk }]", "no cameras.desk"),
        ("camera: { plugin: A }\noutputs: [{ record: { file: a.txt } }]", ".mkv, .webm, .mp4"),
    ])
    func `a wrong name is told`(yaml: String, message: String) {
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
    func `commands name a role's name, as lines and in timelines`(line: String) throws {
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

    // MARK: Recordings

    private let call = "camera: { plugin: A }\ncall: { plugin: C }\n"

    /// The tracks of a recording in one file; nil for all.
    private func selection(_ yaml: String) throws -> (tracks: Set<SessionTrack>?, hasStage: Bool) {
        let file = try read(yaml)
        let recording = file.configuration.outputs.compactMap { $0.output as? FileRecording }.first
        return (recording?.selection?.own, file.configuration.slots[.stage] != nil)
    }

    @Test func `a recording that names audio tracks and no mix has each of them`() throws {
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

    @Test func `a session with a call records the stage and all that is said in one file`() throws {
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

    @Test func `other recordings take what they took`() throws {
        let files = try selection(
            call + "outputs: [{ record: { file: call.mkv, participants: files } }]")
        #expect(files.tracks == nil && !files.hasStage)
        let named = try selection(call + "outputs: [{ record: { file: a.mkv, tracks: [camera] } }]")
        #expect(named.tracks == [.own(.camera)] && !named.hasStage)
        let alone = try selection("camera: { plugin: A }\noutputs: [{ record: talk.mkv }]")
        #expect(alone.tracks == nil && !alone.hasStage)
        let folder = try selection(call + "outputs: [{ record: folder }]")
        #expect(folder.tracks == nil && !folder.hasStage)
    }
}
