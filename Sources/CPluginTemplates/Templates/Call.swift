import Glibc
import GreenroomPlugin
import Synchronization

/// A call with one participant, who has a camera and a microphone. A call over a network receives
/// these, and sends what it takes.
final class MyPlugin: Call {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "A call with one participant")

    struct Settings: PluginSettings {
        var frequency = 440.0

        static let table: [Setting<Self>] = [
            .number(
                "frequency", \.frequency, in: 20...20_000, title: "The participant's tone",
                unit: "Hz", live: true)
        ]
    }

    private let host: PluginHost
    private let tone: Tone
    private var camera: CallVideoTrack?
    private var microphone: CallAudioTrack?
    private var video: FramePump?
    private var audio: AudioPump?
    private var peak: Int16 = 0

    init(settings: Settings, host: PluginHost) {
        self.host = host
        tone = Tone(settings.frequency)
    }

    func onSettingsChange(_ settings: Settings) {
        tone.frequency.withLock { $0 = settings.frequency }
    }

    /// The tracks that the plugin requests: for each participant the mix-minus. A call over a
    /// network takes the session's camera and share as well.
    func onTrack(_ track: Track) -> TrackWant? { track.kind == .mixMinus ? .audio() : nil }

    /// The session begins: the participant joins, and sends.
    func onStart() throws {
        let guest = try host.join("Guest")
        let camera = try guest.openCamera(upTo: Self.capability)
        let microphone = try guest.openMicrophone()
        (self.camera, self.microphone) = (camera, microphone)
        video = try Self.sendVideo(to: camera)
        audio = try Self.sendAudio(to: microphone, tone)
    }

    /// The session's need for a track. Send a track only while an output wants it.
    func onDemand(_ demand: TrackDemand) {
        do {
            if let camera, demand.track == camera.id {
                video = demand.isWanted ? try video ?? Self.sendVideo(to: camera) : nil
            }
            if let microphone, demand.track == microphone.id {
                audio = demand.isWanted ? try audio ?? Self.sendAudio(to: microphone, tone) : nil
            }
        } catch {
            host.log(.error, "the participant can't continue: \(error)")
        }
    }

    /// Takes 10 ms of what the participant is to hear; `block.track.participant` says who.
    func onAudio(_ block: borrowing OutputBlock) {
        let samples = block.samples
        for index in samples.indices where samples[index] > peak { peak = samples[index] }
        host.report("peak", peak)
    }

    /// The session ends: the threads end. The host closes the tracks, and the participant leaves.
    func onStop() {
        video = nil
        audio = nil
        (camera, microphone) = (nil, nil)
    }

    private static let capability = VideoCapability(width: 640, height: 360, fps: 25)

    /// Plays a sine.
    private static func sendAudio(to microphone: CallAudioTrack, _ tone: Tone) throws -> AudioPump {
        // The phase, 0 to 1, continues when the frequency changes: nothing clicks.
        var phase = 0.0
        return try AudioPump(
            sender: microphone.sender, format: AudioFormat(sampleRate: 48_000, channels: 1)
        ) { samples, _ in
            let step = tone.frequency.withLock { $0 } / 48_000
            for index in samples.indices {
                samples[index] = Int16(6000 * sin(2 * .pi * phase))
                phase = (phase + step).truncatingRemainder(dividingBy: 1)
            }
        }
    }

    /// Draws a bar that moves.
    private static func sendVideo(to camera: CallVideoTrack) throws -> FramePump {
        try FramePump(sender: camera.sender, capability: capability) { frame, time in
            frame.fill(plane: 0, with: 60)
            frame.fill(plane: 1, with: 110)
            frame.fill(plane: 2, with: 150)
            let left = Int(time.index % 75) * 8
            for y in 0..<frame.height {
                var row = frame.row(y)
                for x in left..<(left + 40) { row[x] = 200 }
            }
        }
    }
}

/// The frequency, which the host changes while the pump's thread sends.
final class Tone: Sendable {
    let frequency: Mutex<Double>

    init(_ frequency: Double) { self.frequency = Mutex(frequency) }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
