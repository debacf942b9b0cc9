import GreenroomPlugin
import Synchronization

/// A call whose far end is a script of participants, their times and their media. The call needs no network.
///
/// It takes the session's camera and share, and what each participant is to hear, and reports how
/// much of them came.
final class LoopbackCall: Call {
    static let plugin = PluginDescription(
        id: "org.greenroom.loopback-call", name: "LoopbackCall", version: "1.0.0",
        summary: "A call with scripted participants, without a network", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var script = "Ana 0s camera microphone; Ben 2s microphone=330"
        var voices = ""

        static let table: [Setting<Self>] = [
            .string(
                "script", \.script,
                title: "The participants, their times and tracks: \"Ana 0s-10s camera microphone\""),
            .path("voices", \.voices, title: "Folder of the WAV files that say= names"),
        ]
    }

    private let host: PluginHost
    private let script: CallScript
    private let voices: [String: Voice]
    private var farEnd: FarEnd?
    private var thread: PluginThread?
    /// The session's own video.
    private var video: [Track] = []
    /// The numbers of the session's tracks that show only black or a slate.
    private var dark: Set<UInt32> = []
    /// The frames and samples that came, for the report.
    private var frames = 0
    private var samples = 0

    init(settings: Settings, host: PluginHost) throws {
        self.host = host
        script = try CallScript(settings.script)
        voices = try Voice.voices(of: script, in: settings.voices)
    }

    func onTrack(_ track: Track) -> TrackWant? {
        switch track.kind {
        // The far end gets the session's video, and each participant a mix-minus.
        case .camera, .share, .stage:
            guard track.participant == nil else { return nil }
            video.removeAll { $0.id == track.id }
            video.append(track)
            return .video()
        case .mixMinus: return .audio()
        case .microphone, .shareAudio, .mix, .incoming, .fullMix, .split: return nil
        }
    }

    func onStart() throws {
        let farEnd = FarEnd(script, voices: voices, sending: video, host: host)
        dark = []
        self.farEnd = farEnd
        thread = try PluginThread(name: "loopback") { farEnd.run() }
    }

    func onDemand(_ demand: TrackDemand) { farEnd?.follow(demand) }

    func onVideo(_ frame: borrowing OutputFrame) {
        let isDark = frame.content == .black || frame.content == .slate
        if isDark != dark.contains(frame.track.id) {
            if isDark { dark.insert(frame.track.id) } else { dark.remove(frame.track.id) }
            farEnd?.show(isDark, on: frame.track.id)
        }
        frames += frame.periods
        host.report("frames", frames)
    }

    func onAudio(_ block: borrowing OutputBlock) {
        samples += block.frameCount
        host.report("samples", samples)
    }

    func onStop() {
        thread?.join()
        thread = nil
        farEnd = nil
    }
}
