import GreenroomPlugin

/// A test tone as a microphone.
struct Tone: Microphone {
    static let plugin = PluginDescription(
        id: "org.greenroom.tone", name: "Tone", version: "1.0.0",
        summary: "A sine, a sweep or silence, at any rate", vendor: "Greenroom")

    private var generator: ToneGenerator

    init(settings: ToneSettings, host: PluginHost) throws {
        generator = try ToneGenerator(settings)
    }

    mutating func onSettingsChange(_ settings: ToneSettings) { generator.change(settings) }

    var format: AudioFormat { generator.format }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {
        generator.fill(&samples, from: time.index)
    }
}

/// The same tone as a share's audio.
struct ToneShareAudio: ScreenAudio {
    static let plugin = PluginDescription(
        id: "org.greenroom.tone-share-audio", name: "ToneShareAudio", version: "1.0.0",
        summary: "A sine, a sweep or silence, as a share's audio", vendor: "Greenroom")

    private var generator: ToneGenerator

    init(settings: ToneSettings, host: PluginHost) throws {
        generator = try ToneGenerator(settings)
    }

    mutating func onSettingsChange(_ settings: ToneSettings) { generator.change(settings) }

    var format: AudioFormat { generator.format }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {
        generator.fill(&samples, from: time.index)
    }
}

/// The settings of a tone.
struct ToneSettings: PluginSettings {
    /// The waveform.
    enum Waveform: String, CaseIterable { case sine, sweep, silence }

    var waveform = Waveform.sine
    var frequency = 440.0
    var level = -20.0
    var rate = 48_000
    var channels = 1

    static let table: [Setting<Self>] = [
        .choice("waveform", \.waveform, title: "Shape", live: true),
        .number(
            "frequency", \.frequency, in: 1...20_000, title: "Sine frequency", unit: "Hz",
            live: true),
        .number("level", \.level, in: -120...0, title: "Peak level", unit: "dBFS", live: true),
        .integer("rate", \.rate, in: AudioFormat.legalRates, title: "Sample rate", unit: "Hz"),
        .integer("channels", \.channels, in: 1...2),
    ]
}
