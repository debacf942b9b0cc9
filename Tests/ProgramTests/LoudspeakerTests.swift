import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests the session's audio on ALSA's built-in devices, which need no card.
@Suite(.ownThreads) struct LoudspeakerTests {
    let folder: TemporaryFolder

    private let configuration: ALSAConfiguration

    let environment: [String: String?]

    init() throws {
        folder = try TemporaryFolder()
        configuration = try ALSAConfiguration(
            """
            </usr/share/alsa/alsa.conf>
            pcm.tofile {
                type file
                slave.pcm { type null }
                file "\(folder("played.wav"))"
                format "wav"
            }
            pcm.telephone {
                type file
                slave.pcm { type null }
                file "\(folder("telephone.raw"))"
                format "raw"
            }
            pcm.mono { type plug slave { pcm "telephone" channels 1 rate 44100 } }
            pcm.nothing { type null }
            """)
        environment = ["ALSA_CONFIG_PATH": configuration.path]
    }

    /// Plays a tone of 440 Hz, or what another session has, on a device for two seconds.
    func play(on device: String, more: String = "") throws -> Finished {
        let session = try folder.write(
            "session.yaml",
            """
            session: { duration: 2s }
            microphone: { plugin: Tone, settings: { frequency: 440 } }
            \(more)
            outputs:
            - loudspeaker: "\(device)"
            - record: { folder: "\(folder("out"))", overwrite: true }
            """)
        return try Greenroom.run("run", session, environment: environment)
    }

    @Test func `an unknown device ends the run before its start, with the fix`() throws {
        let run = try play(on: "nowhere")
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("loudspeaker nowhere: Unknown PCM nowhere"))
        #expect(run.standardError.contains("`greenroom devices` lists"))
        #expect(!run.standardError.contains("ALSA lib"))
    }
}
