import GreenroomModel
import GreenroomSchema
import GreenroomSession
import Testing

@testable import GreenroomConfig

/// `media`, which is short for two plugins.
@Suite struct MediaSectionTests {
    @Test(
        arguments: [
            (
                "media: { file: talk.mp4 }",
                """
                camera: { plugin: Media, settings: { file: talk.mp4 } }
                microphone: { plugin: MediaAudio, settings: { file: talk.mp4 } }
                """
            ),
            (
                "media: { file: talk.mp4, as: camera, settings: { loop: false, speed: 2 }, "
                    + "memory-limit: 1 GB, on-failure: off }",
                """
                camera: { plugin: Media, settings: { file: talk.mp4, loop: false, speed: 2 }, \
                memory-limit: 1 GB, on-failure: off }
                microphone: { plugin: MediaAudio, settings: { file: talk.mp4, loop: false, speed: 2 }, \
                memory-limit: 1 GB, on-failure: off }
                """
            ),
            (
                "media: { url: 'rtsp://c/', as: share, allow: { network: true }, start-deadline: 9s }",
                """
                share:
                  plugin: MediaShare
                  settings: { url: 'rtsp://c/' }
                  allow: { network: true }
                  start-deadline: 9s
                  audio: { plugin: MediaShareAudio, settings: { url: 'rtsp://c/' }, \
                allow: { network: true }, start-deadline: 9s }
                """
            ),
            (
                "media: { file: a.mp4, as: share }\ncamera: { plugin: A }",
                """
                camera: { plugin: A }
                share:
                  plugin: MediaShare
                  settings: { file: a.mp4 }
                  audio: { plugin: MediaShareAudio, settings: { file: a.mp4 } }
                """
            ),
        ])
    func `a media section has the same plugins as the sections that it expands to`(
        short: String, long: String
    ) throws {
        func plugins(_ yaml: String) throws -> [String: PluginConfiguration] {
            let plugins = try read(yaml).configuration.plugins
            return Dictionary(uniqueKeysWithValues: plugins.map { ("\($0.address)", $0.plugin) })
        }
        #expect(try plugins(short) == plugins(long))
    }

    @Test(
        arguments: [
            ("media: {}", ["media"]), ("media: { file: a, url: b }", ["media"]),
            ("media: { as: camera }", ["media"]), ("media: talk.mp4", ["media"]),
            ("media: { file: a, as: screen }", ["media.as"]),
            ("media: { file: a, sped: 2 }", ["media.sped"]),
            ("media: { file: [a] }", ["media.file"]),
            ("media: { file: a, allow: { netwrk: true } }", ["media.allow.netwrk"]),
            ("media: { file: a, settings: 5 }", ["media.settings"]),
            ("media: { file: a, memory-limit: 1 }", ["media.memory-limit"]),
            ("media: { file: a }\ncamera: { plugin: A }", ["camera"]),
            ("media: { file: a }\nmicrophone: { plugin: A }", ["microphone"]),
            ("media: { file: a, as: share }\nshare: { plugin: A }", ["share"]),
            ("media: { file: a, sandbox: on, isolation: host }", ["media.sandbox"]),
            (
                "media: { file: a }\ntimeline: [{ at: 1s, set: share.settings.speed=2 }]",
                ["timeline[0]"]
            ),
        ])
    func `an error in a media section is reported once, at the key in the file`(
        yaml: String, paths: [String]
    ) {
        do {
            _ = try read(yaml)
            Issue.record("no fault")
        } catch {
            #expect(error.diagnostics.map(\.place.path) == paths, "\(error)")
        }
    }

    @Test func `timeline entries may name the camera and microphone of a media section`() throws {
        let file = try read(
            """
            media: { file: a }
            timeline:
              - { at: 1s, set: camera.settings.position=2 }
              - { at: 2s, set: microphone.settings.paused=true }
              - { at: 3s, do: mute }
            """)
        #expect(file.configuration.timeline.count == 3)
    }
}
