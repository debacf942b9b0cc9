import GreenroomModel
import GreenroomALSA
import GreenroomAudio
package import GreenroomVideo
import GreenroomRuntime
import GreenroomSchema

/// `loudspeaker`: the session's audio on an ALSA PCM. In a call, only the participants' audio.
package struct LoudspeakerOutput: HostOutput, Equatable {
    /// ALSA's name of the device.
    package var device: String

    /// Describes the output.
    package init(device: String = "default") { self.device = device }

    package func open(in session: inout OutputBuilder) throws(OutputError) {
        guard !session.clock.isVirtual else {
            session.events.send(
                .note(
                    role: "loudspeaker \(device)",
                    text: "skipped: a device plays in real time, but the session's clock is virtual"
                ))
            return
        }
        // In a call, do not play the user's own voice.
        session.connect(
            try Loudspeaker(device: device, clock: session.clock.host, events: session.events),
            to: session.hasCall ? .incoming : .own)
    }

    package func obstacle(for tracks: TracksInFile) -> String? {
        PCM.problem(ofName: device).flatMap { $0.isUnknownName ? "\($0)" : nil }
    }

    package var summary: (name: String, text: String)? { ("loudspeaker", device) }

    package func conflicts(with earlier: ArraySlice<any HostOutput>, in tracks: TracksInFile)
        -> [String]
    {
        tracks.hasAudio || tracks.hasCall
            ? [] : ["the session has no audio. Add a microphone, or audio to the share."]
    }
}

extension SessionOutput {
    /// Plays the session's audio.
    ///
    /// - Parameter device: The name of an ALSA PCM.
    public static func loudspeaker(device: String = "default") -> SessionOutput {
        SessionOutput(LoudspeakerOutput(device: device))
    }
}

extension LoudspeakerOutput {
    static let form = OutputForm(
        key: "loudspeaker",
        "Plays the session's audio on an ALSA PCM; in a call the participants' audio.",
        examples: ["default", ["device": "plughw:0,0"]], reportKey: Loudspeaker.reportKey,
        decoder: Decoder<LoudspeakerOutput>.section(
            LoudspeakerOutput(), name: "loudspeaker", "Plays the session's audio on a loudspeaker.",
            expectation: "an ALSA PCM, or a section with the key \"device\"", shortKey: "device",
            fields: [
                Field(
                    "device", \.device, .text("the name of an ALSA PCM, such as default"),
                    "The ALSA PCM; \"greenroom devices\" lists them.",
                    examples: ["default", "plughw:0,0"], defaultValue: "default")
            ]
        ) { output, _ in output })
}
