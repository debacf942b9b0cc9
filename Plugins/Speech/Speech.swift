import GreenroomPlugin

/// Speaks texts as a microphone, with espeak-ng.
struct Speech: Microphone {
    static let plugin = PluginDescription(
        id: "org.greenroom.speech", name: "Speech", version: "1.0.0",
        summary: "Speaks texts", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var text = "This is Greenroom."
        var voice = "en"
        var rate = 175
        var pitch = 50
        /// Counts the changes of ``say``: a sentence may be said twice in a row.
        private(set) var sayCount = 0
        var say = "" { didSet { sayCount &+= 1 } }

        static let table: [Setting<Self>] = [
            .string(
                "text", \.text, title: "Text from the start; a new text interrupts", live: true),
            .string("say", \.say, title: "Text to speak after the others", live: true),
            .string("voice", \.voice, title: "Voice of espeak-ng: en, de, en+f3", live: true),
            .integer("rate", \.rate, in: 80...450, title: "Speed", unit: "words/min", live: true),
            .integer("pitch", \.pitch, in: 0...100, live: true),
        ]

        var style: SpeechSynthesizer.Style {
            SpeechSynthesizer.Style(voice: voice, rate: rate, pitch: pitch)
        }
    }

    private let host: PluginHost
    private var settings: Settings
    private var style: SpeechSynthesizer.Style
    private var queue = SpeechQueue()
    /// Whether the log says that the queue is full, and the sentences that were dropped since.
    private var isFull = false
    private var dropped = 0
    /// The sentence that is spoken now, its samples, and how many of them were sent.
    private var sentence: String?
    private var samples: [Int16] = []
    private var sentCount = 0

    let format: AudioFormat

    init(settings: Settings, host: PluginHost) throws {
        self.host = host
        self.settings = settings
        style = settings.style
        format = AudioFormat(sampleRate: try SpeechSynthesizer.start(style), channels: 1)
        add(settings.text)
    }

    mutating func onSettingsChange(_ settings: Settings) {
        let old = self.settings
        self.settings = settings
        if settings.style != old.style { change(to: settings.style) }
        if settings.text != old.text {
            queue.removeAll()
            (sentence, samples, sentCount) = (nil, [], 0)
            add(settings.text)
        }
        if settings.sayCount != old.sayCount { add(settings.say) }
    }

    private mutating func change(to style: SpeechSynthesizer.Style) {
        do {
            try SpeechSynthesizer.check(style)
            self.style = style
        } catch {
            host.log(.warning, "\(error); keeping the voice \(self.style.voice)")
            self.style.rate = style.rate
            self.style.pitch = style.pitch
        }
    }

    private mutating func add(_ text: String) {
        let lost = queue.add(text)
        guard lost > 0 else { return }
        // One line until a sentence has been taken, and then one with the count.
        guard !isFull else {
            dropped += lost
            return
        }
        isFull = true
        host.log(
            .warning,
            "\(lost) sentences dropped: \(SpeechQueue.mostWaiting) are waiting. Send the next "
                + "sentence after the log reports that one has ended")
    }

    mutating func fill(_ block: inout MutableSpan<Int16>, at time: SampleTime) throws {
        var place = 0
        while place < block.count {
            if sentCount == samples.count {
                end()
                // An unspeakable sentence leaves the rest of the block silent.
                guard try begin(), !samples.isEmpty else { return }
            }
            let count = min(block.count - place, samples.count - sentCount)
            for index in 0..<count { block[place + index] = samples[sentCount + index] }
            place += count
            sentCount += count
        }
    }

    /// Takes the next sentence of the queue.
    ///
    /// - Returns: Whether there is one.
    private mutating func begin() throws -> Bool {
        guard let next = queue.next() else { return false }
        if dropped > 0 { host.log(.warning, "\(dropped) more sentences dropped") }
        (isFull, dropped) = (false, 0)
        (sentence, sentCount) = (next, 0)
        samples = try SpeechSynthesizer.speak(next, style)
        return true
    }

    /// Tells that a sentence was spoken.
    private mutating func end() {
        guard let sentence else { return }
        if !samples.isEmpty { host.log(.info, "said \"\(sentence)\", \(queue.count) waiting") }
        self.sentence = nil
        (samples, sentCount) = ([], 0)
    }
}
