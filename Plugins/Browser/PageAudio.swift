import BrowserDecisions
import GreenroomPlugin
import Synchronization

/// The audio between a page and the session: a camera, a microphone and an output of this library with one
/// name belong to one page.
final class PageAudio: Sendable {
    /// Mono at 48 kHz.
    static let format = AudioFormat(sampleRate: 48_000, channels: 1)
    private static let pages = Mutex<[String: PageAudio]>([:])

    /// The audio of the page with a name.
    static func named(_ name: String) -> PageAudio {
        pages.withLock { pages in
            if let page = pages[name] { return page }
            let page = PageAudio()
            pages[name] = page
            return page
        }
    }

    /// Samples for the page.
    let heard = Mutex(VoiceBuffer())
    /// Samples that the page has played.
    let played = Mutex(VoiceBuffer())
}

/// Gives a page the session's audio as its microphone.
final class BrowserEars: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.browser-ears", name: "Browser", version: "1.0.0",
        summary: "Gives a web page the session's audio as its microphone", vendor: "Greenroom",
        needs: .ownSandbox)

    /// The audio that the page hears.
    enum Source: String, CaseIterable {
        case incoming, mix, microphone
        case fullMix = "full-mix"

        /// The tracks, best first. The session's own mix has the page's voice, so in a call `mix` is the
        /// participants' mix.
        var kinds: [Track.Kind] {
            switch self {
            case .incoming: [.incoming]
            case .mix: [.incoming, .mix]
            case .microphone: [.microphone]
            case .fullMix: [.fullMix]
            }
        }
    }

    struct Settings: PluginSettings {
        var name = ""
        var hears = Source.incoming

        static let table: [Setting<Self>] = [
            .string("name", \.name, title: "Name of the page", required: true),
            .choice("hears", \.hears, title: "Audio that the page hears"),
        ]
    }

    private let settings: Settings
    private let page: PageAudio
    private let host: PluginHost
    /// The tracks that the page may hear.
    private var kinds: Set<Track.Kind> = []

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        page = .named(settings.name)
    }

    func onTrack(_ track: Track) -> TrackWant? {
        guard track.participant == nil, settings.hears.kinds.contains(track.kind) else {
            return nil
        }
        kinds.insert(track.kind)
        return track.kind == heard ? .audio(AudioTrackWant(format: PageAudio.format)) : nil
    }

    /// The best track so far.
    private var heard: Track.Kind? { settings.hears.kinds.first(where: kinds.contains) }

    func onStart() throws {
        // A better track may have come after another one.
        if kinds.count > 1 { host.wantsChanged() }
        guard heard != nil else {
            throw PluginError(
                "the session has no \(settings.hears.rawValue) for the page to hear; add its source, or "
                    + "change 'hears'", status: .unavailable)
        }
    }

    func onAudio(_ block: borrowing OutputBlock) {
        guard block.track.kind == heard else { return }
        let samples = block.samples
        page.heard.withLock { $0.append(samples.indices.map { samples[$0] }) }
    }
}

/// The setting of a microphone or a share's audio.
struct PageVoiceSettings: PluginSettings {
    var name = ""

    static let table: [Setting<Self>] = [
        .string("name", \.name, title: "Name of the page", required: true)
    ]
}

/// Plays a page's audio: the work of ``BrowserMicrophone`` and ``BrowserShareAudio``.
private struct PageVoice {
    let page: PageAudio

    init(_ settings: PageVoiceSettings) { page = .named(settings.name) }

    func fill(_ samples: inout MutableSpan<Int16>) {
        let count = samples.count
        let taken = page.played.withLock { $0.take(count) }
        for (index, sample) in taken.enumerated() { samples[index] = sample }
    }
}

/// Plays a page's audio as a microphone.
final class BrowserMicrophone: Microphone {
    static let plugin = PluginDescription(
        id: "org.greenroom.browser-microphone", name: "Browser", version: "1.0.0",
        summary: "Plays a web page's audio as a microphone", vendor: "Greenroom",
        needs: .ownSandbox)

    private let voice: PageVoice
    var format: AudioFormat { PageAudio.format }

    init(settings: PageVoiceSettings, host: PluginHost) throws { voice = PageVoice(settings) }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) { voice.fill(&samples) }
}

/// Plays a web page's audio as the audio of a share.
final class BrowserShareAudio: ScreenAudio {
    static let plugin = PluginDescription(
        id: "org.greenroom.browser-share-audio", name: "Browser", version: "1.0.0",
        summary: "Plays a web page's audio as a share's audio", vendor: "Greenroom",
        needs: .ownSandbox)

    private let voice: PageVoice
    var format: AudioFormat { PageAudio.format }

    init(settings: PageVoiceSettings, host: PluginHost) throws { voice = PageVoice(settings) }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) { voice.fill(&samples) }
}
