import GreenroomFiles
import GreenroomPlugin

/// The settings of both plugins of the library.
struct WaveSettings: PluginSettings {
    var path = ""
    var loop = true

    static let table: [Setting<Self>] = [
        .path("path", \.path, title: "WAV file", required: true),
        .boolean("loop", \.loop, title: "Begin again at the end; else silence follows"),
    ]
}

/// Reads a WAV file for ever, or once and then silence.
final class WavePlayer {
    private let settings: WaveSettings
    private let host: PluginHost
    private var reader: WAVReader?

    init(settings: WaveSettings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    /// What the file's samples are, once it is open.
    var format: AudioFormat {
        AudioFormat(
            sampleRate: reader?.sampleRate ?? 48_000, channels: reader?.channels ?? 1)
    }

    func open() throws {
        let opened: WAVReader
        do {
            opened = try WAVReader(path: settings.path)
        } catch {
            throw PluginError("\(error)", status: .unavailable)
        }
        guard opened.frameCount > 0 else {
            throw PluginError(
                "\(settings.path): there is no sound in the file; record it again",
                status: .unavailable)
        }
        guard AudioFormat.legalRates.contains(opened.sampleRate) else {
            throw PluginError(
                "\(settings.path): \(opened.sampleRate) Hz is outside 8000 to 192000 Hz; "
                    + "convert it: ffmpeg -i FILE -ar 48000 NEW.wav",
                status: .unavailable)
        }
        if let note = opened.note { host.log(.warning, note) }
        reader = consume opened
    }

    func close() { reader = nil }

    /// Fills a block with what is played from a frame on, counted from the start and over every
    /// repetition, so that nothing is lost where the file begins again. What is left of the
    /// block behind the end stays as it is: silent.
    func fill(_ samples: inout MutableSpan<Int16>, fromFrame frame: Int64) throws {
        guard let length = reader?.frameCount, let channels = reader?.channels else { return }
        reader?.seek(toFrame: settings.loop ? frame % length : frame)
        var filled = 0
        while filled < samples.count {
            var rest = samples._mutatingExtracting(filled..<samples.count)
            let count = try reader?.read(into: &rest) ?? 0
            filled += count * channels
            guard count == 0 else { continue }
            guard settings.loop else { return }
            reader?.seek(toFrame: 0)
        }
    }
}
