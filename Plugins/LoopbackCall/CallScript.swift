import GreenroomPlugin

/// The participants of a call, the times of their stay, and the media that they send.
///
/// A participant is a line, or ends with a semicolon: a name, when they are there, and their tracks,
/// separated by blanks.
///
/// ```text
/// Ana 0s-10s camera=640x360@15 microphone=440 mute=3s-4s bandwidth=500@5s-8s
/// Ben 2s share=1280x720@5 share-audio=330
/// ```
struct CallScript {
    /// A stretch of the session, in nanoseconds from its start.
    struct Stretch {
        var start: Int64
        /// Nil: to the session's end.
        var end: Int64?
    }

    /// A participant.
    struct Participant {
        var name: String
        var presence: Stretch
        var camera: VideoCapability?
        var share: VideoCapability?
        /// The frequency of the tone, in hertz.
        var microphone: Double?
        var shareAudio: Double?
        /// The times in which the microphone is muted.
        var mutes: [Stretch] = []
        /// The voices that the microphone plays, each with its first sample's time.
        var sayings: [(voice: String, time: Int64)] = []
        /// The times in which the connection limits the bit rate of video, in kbit/s.
        var limits: [(stretch: Stretch, kilobits: Int)] = []
    }

    var participants: [Participant] = []

    /// The defaults of a camera, a share and tones without a value.
    private static let camera = VideoCapability(width: 640, height: 360, fps: 15)
    private static let share = VideoCapability(width: 1280, height: 720, fps: 5)
    private static let frequency = 440.0

    /// Reads a script.
    ///
    /// - Throws: `PluginError` that names the participant and the fault.
    init(_ text: String) throws(PluginError) {
        for line in text.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let name = words.first else { continue }
            participants.append(try Participant(name, words.dropFirst()))
        }
        guard !participants.isEmpty else {
            throw PluginError(
                "script: no participants. Write participants such as \"Ana 0s-10s camera microphone\".",
                status: .badSetting)
        }
    }

    fileprivate static func value(
        of track: String, _ text: Substring?, or usual: VideoCapability, for name: String
    ) throws(PluginError) -> VideoCapability {
        guard let text else { return usual }
        guard let capability = VideoCapability(text) else {
            throw PluginError(
                "script: \(name): \(track)=\(text) is not a size with a frame rate. Write "
                    + "\(track)=640x360@15.", status: .badSetting)
        }
        return capability
    }

    /// Reads `500@4s-8s`: a limit in kbit/s, and the time in which it applies.
    fileprivate static func limit(
        _ text: Substring?, for name: String
    ) throws(PluginError) -> (stretch: Stretch, kilobits: Int) {
        let parts = (text ?? "").split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let kilobits = Int(parts[0]), (1...1_000_000).contains(kilobits),
            let stretch = Stretch(String(parts[1]))
        else {
            throw PluginError(
                "script: \(name): bandwidth=\(text ?? "") is not a bit rate of 1 to 1000000 kbit/s with its "
                    + "time. Write bandwidth=500@4s-8s, or bandwidth=500@4s to the end.",
                status: .badSetting)
        }
        return (stretch, kilobits)
    }

    /// Reads `hello@2s`: a voice, and the time at which it starts.
    fileprivate static func saying(
        _ text: Substring?, for name: String
    ) throws(PluginError) -> (voice: String, time: Int64) {
        let parts = (text ?? "").split(separator: "@", omittingEmptySubsequences: false)
        let voice = parts.first.map(String.init) ?? ""
        guard parts.count == 2, let stretch = Stretch(String(parts[1])), stretch.end == nil,
            !voice.isEmpty, !voice.contains("/"), !voice.hasPrefix(".")
        else {
            throw PluginError(
                "script: \(name): say=\(text ?? "") is not a voice with its time. Write say=hello@2s for "
                    + "hello.wav of the folder voices.", status: .badSetting)
        }
        return (voice, stretch.start)
    }

    fileprivate static func frequency(
        of track: String, _ text: Substring?, for name: String
    ) throws(PluginError) -> Double {
        guard let text else { return frequency }
        guard let frequency = Double(text), (20...20_000).contains(frequency) else {
            throw PluginError(
                "script: \(name): \(track)=\(text) is not a frequency of 20 to 20000 Hz. Write "
                    + "\(track)=440.", status: .badSetting)
        }
        return frequency
    }
}

extension CallScript.Participant {
    fileprivate init(_ name: String, _ words: ArraySlice<String>) throws(PluginError) {
        guard let time = words.first, let presence = CallScript.Stretch(time) else {
            throw PluginError(
                "script: \(name): \"\(words.first ?? "")\" is not a time. Write their time in the call, such "
                    + "as \"\(name) 2s-10s\", or \"\(name) 2s\" to the end.", status: .badSetting)
        }
        self.name = name
        self.presence = presence
        for word in words.dropFirst() {
            let parts = word.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1] : nil
            switch parts.first {
            case "camera":
                camera = try CallScript.value(
                    of: "camera", value, or: CallScript.camera, for: name)
            case "share":
                share = try CallScript.value(of: "share", value, or: CallScript.share, for: name)
            case "microphone":
                microphone = try CallScript.frequency(of: "microphone", value, for: name)
            case "share-audio":
                shareAudio = try CallScript.frequency(of: "share-audio", value, for: name)
            case "mute":
                guard let stretch = value.flatMap({ CallScript.Stretch(String($0)) }) else {
                    throw PluginError(
                        "script: \(name): \"\(word)\" has no times. Write mute=3s-4s, or mute=3s to "
                            + "the end.", status: .badSetting)
                }
                mutes.append(stretch)
            case "say": sayings.append(try CallScript.saying(value, for: name))
            case "bandwidth": limits.append(try CallScript.limit(value, for: name))
            default:
                throw PluginError(
                    "script: \(name): \"\(word)\" is unknown. Write camera, share, microphone, "
                        + "share-audio, say=NAME@2s, mute=3s-4s or bandwidth=500@4s-8s.",
                    status: .badSetting)
            }
        }
    }
}

extension CallScript.Stretch {
    /// Whether a time is in it.
    func contains(_ time: Int64) -> Bool { start <= time && time < end ?? .max }

    /// Reads `2s-10s` or `500ms-2s`. `2s` means: from 2 s to the end of the session.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.time)
        guard let first = parts.first, let start = first, parts.count <= 2 else { return nil }
        self.start = start
        if parts.count == 2 {
            guard let end = parts[1], end > start else { return nil }
            self.end = end
        }
    }

    /// Nanoseconds of `2s`, `1.5s` or `500ms`; at most a year.
    private static func time(_ text: Substring) -> Int64? {
        let (number, unit): (Substring, Double) =
            text.hasSuffix("ms") ? (text.dropLast(2), 1e6) : (text.dropLast(), 1e9)
        guard text.hasSuffix("s"), let value = Double(number), value >= 0,
            value * unit <= 3.2e16
        else { return nil }
        return Int64(value * unit)
    }
}
