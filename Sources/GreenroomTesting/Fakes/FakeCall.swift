public import GreenroomPlugin

/// A call with one participant, whose camera is grey with a luma of 100 and whose samples are all 500.
public final class FakeCall: Call {
    /// Describes the plugin.
    public static let plugin = PluginDescription(
        id: "io.greenroom.testing.call", name: "FakeCall", version: "1.0.0",
        summary: "One participant")

    /// The settings.
    public struct Settings: PluginSettings {
        /// The participant's name.
        public var name = "Ana"

        /// Makes the defaults.
        public init() {}

        /// The settings' table.
        public static let table: [Setting<Self>] = [.string("name", \.name)]
    }

    private let settings: Settings
    private let host: PluginHost
    private var video: FramePump?
    private var audio: AudioPump?

    /// Makes the call.
    public init(settings: Settings, host: PluginHost) {
        (self.settings, self.host) = (settings, host)
    }

    /// Takes each participant's mix, which is not kept.
    public func onTrack(_ track: Track) -> TrackWant? { track.kind == .mixMinus ? .audio() : nil }

    /// The participant joins and sends.
    public func onStart() throws {
        let capability = VideoCapability(width: 320, height: 180, fps: 15)
        let participant = try host.join(settings.name)
        let camera = try participant.openCamera(upTo: capability)
        let microphone = try participant.openMicrophone()
        video = try FramePump(sender: camera.sender, capability: capability) { frame, _ in
            frame.fill(plane: 0, with: 100)
            frame.fill(plane: 1, with: 128)
            frame.fill(plane: 2, with: 128)
        }
        audio = try AudioPump(
            sender: microphone.sender, format: AudioFormat(sampleRate: 48_000, channels: 1)
        ) { samples, _ in
            for index in samples.indices { samples[index] = 500 }
        }
    }

    /// The pumps end.
    public func onStop() { (video, audio) = (nil, nil) }
}
