import GreenroomHost

/// Records a test pattern and a tone, mutes the tone on the way, and prints what happened.
@main
struct EmbeddedSession {
    static func main() async throws {
        var configuration = SessionConfiguration(name: "embedded")
        configuration.maximum = VideoCapability(width: 640, height: 360, fps: 30)
        configuration.duration = .seconds(2)
        configuration.slots = [
            SessionSlot(.camera, PluginConfiguration("ColorBars", settings: ["pattern": "bars"])),
            SessionSlot(.microphone, "Tone"),
        ]
        configuration.outputs = [.record(folder: "recording", overwrite: true)]

        let session = try Session(configuration) { event in
            if let line = event.line { print(line) }
        }
        // Carried out as soon as the session runs; `Session.perform` is for any time and thread.
        try session.perform(SessionCommand("set camera.settings.pattern=grey"))
        try session.perform(.stop(.microphone))

        let report = try await session.run()
        for video in report.videoTracks {
            print("\(video.track): \(video.accepted) frames at \(video.capability)")
        }
        print("outcome: \(report.outcome)")
    }
}
