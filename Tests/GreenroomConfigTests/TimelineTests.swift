@testable import GreenroomConfig
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
@testable import GreenroomSchema
import GreenroomSession
import Testing

@Suite struct TimelineTests {
    @Test func `entries are sorted by time, then in the file's order`() throws {
        let file = try read(
            """
            camera: { plugin: A, pre-processors: [{ plugin: F }] }
            microphone: { plugin: B }
            share: { plugin: C, audio: { plugin: D } }
            timeline:
              - { at: 5s, do: mute }
              - { at: 0s, ceiling: 640x360@15 }
              - { at: 5s, set: "camera.pre-processors[0].settings.x=0.5" }
              - { do: pause share, at: 500ms }
              - { at: 5s, share-ceiling: none }
              - { at: 0s, set: share.audio.settings.text=a = b }
            """)
        let entries = file.configuration.timeline
        #expect(
            entries.map(\.time) == [
                .zero, .zero, .milliseconds(500), .seconds(5), .seconds(5), .seconds(5),
            ])
        #expect(
            entries.map(\.command) == [
                .ceiling(.camera, VideoCapability(width: 640, height: 360, fps: 15)),
                .set(PluginAddress(.shareAudio), name: "text", value: .string("a = b")),
                .stop(.share), .stop(.microphone),
                .set(PluginAddress(.camera, filter: 0), name: "x", value: .number(0.5)),
                .ceiling(.share, nil),
            ])
        #expect(
            entries.map(\.origin).map { $0.dropFirst(9) }
                == [1, 5, 3, 0, 2, 4].map { "\($0)]" })
        let first = file.places.diagnostic(ConfigurationProblem("", at: "timeline[1]"))
        #expect(first.place.origin == .file(line: 6, column: 5))
        #expect(file.warnings.isEmpty)
    }

    @Test func `an entry at the session's end or later is a warning`() throws {
        let yaml = """
            session: { duration: 5s }
            camera: { plugin: A }
            timeline:
              - { at: 5s, ceiling: none }
              - { at: 4999ms, ceiling: none }
              - { at: 1h, ceiling: none }
            """
        let file = try read(yaml)
        #expect(
            file.warnings.map { file.source.render($0, isWarning: true).prefix { $0 != "\n" } } == [
                "s.yaml:4:5: warning: timeline[0]: never executed: due at 5s, and the session ends "
                    + "at 5s.",
                "s.yaml:6:5: warning: timeline[2]: never executed: due at 1h, and the session ends "
                    + "at 5s.",
            ])
        // A shortened run of a session is no mistake of its file.
        #expect(try read(yaml, overrides: [.duration("2s")]).warnings.count == 3)
        #expect(try read(yaml, overrides: [.duration("2h")]).warnings.isEmpty)
    }

    @Test func `an argument can add an entry, and its errors name the argument`() throws {
        let yaml = "camera: { plugin: A }\nsession: { duration: 9s }"
        let file = try read(
            yaml, overrides: [.set("timeline[0].at=3s"), .set("timeline[0].ceiling=640x360@15")])
        #expect(file.configuration.timeline.map(\.time) == [.seconds(3)])
        #expect(
            faults(yaml, overrides: [.set("timeline=[{at: 3s, do: mute}]")]) == [
                "--set timeline=[{at: 3s, do: mute}]: timeline[0]: the session has no microphone to "
                    + "mute. Add one, or remove the entry."
            ])
    }
}

@Suite struct TableTests {
    @Test func `a file without a table uses the standard table`() throws {
        let file = try read("camera: { plugin: A }")
        #expect(file.configuration.table == CapabilityTable.standard.rows)
        #expect(file.configuration.clock == .real)
    }

    @Test func `rows of the table and of more-sizes are read in order`() throws {
        let file = try read(
            """
            session:
              maximum: 3840x2160@60
              table: [640x360@30, 1280x720@60000/1001]
              more-sizes: [3840x2160@60]
            camera: { plugin: A }
            """)
        let rate = try #require(FrameRate(numerator: 60000, denominator: 1001))
        #expect(
            file.configuration.table == [
                VideoCapability(width: 640, height: 360, fps: 30),
                VideoCapability(size: FrameSize(width: 1280, height: 720), rate: rate),
                VideoCapability(width: 3840, height: 2160, fps: 60),
            ])
        #expect(file.warnings.isEmpty)
    }

    @Test func `rows above the maximum are a warning`() throws {
        let file = try read(
            """
            session: { more-sizes: [1920x1080@60, 2560x1440@30, 800x600@30], maximum: 2000x2000@30 }
            camera: { plugin: A }
            """)
        #expect(
            file.warnings.map(\.message) == [
                "1920x1080@60, 2560x1440@30: above the session's maximum, 2000x2000@30, so it is "
                    + "not offered. Raise \"maximum\"."
            ])
    }

    @Test func `the virtual clock needs a duration from the file or an argument`() throws {
        let yaml = "camera: { plugin: A }"
        let file = try read(yaml, overrides: [.duration("1h"), .virtualClock])
        #expect(
            file.configuration.clock == .virtual && file.configuration.duration == .seconds(3600))
        #expect(
            faults(yaml, overrides: [.virtualClock]) == [
                "--virtual-clock: session.clock: the virtual clock needs a duration; "
                    + "without one the session runs forever. Add one to \"session\", or "
                    + "--duration 10s."
            ])
    }
}
