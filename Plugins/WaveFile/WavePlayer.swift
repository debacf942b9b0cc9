import GreenroomPlugin

/// The settings of both plugins in this library.
struct WaveSettings: PluginSettings {
    var path = ""
    var loop = true

    static let table: [Setting<Self>] = [
        .path("path", \.path, title: "Audio file: WAV, FLAC, Ogg, AIFF", required: true),
        .boolean("loop", \.loop, title: "Repeat the file; off: silence follows"),
    ]
}

/// Reads an audio file in a loop, or once followed by silence.
final class WavePlayer {
    private let settings: WaveSettings
    private let host: PluginHost
    private var file: AudioFile?
    private var hasToldClipping = false

    init(settings: WaveSettings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    /// The format of the opened file.
    var format: AudioFormat {
        AudioFormat(sampleRate: file?.sampleRate ?? 48_000, channels: file?.channels ?? 1)
    }

    func open() throws {
        let opened = try AudioFile(path: settings.path)
        guard AudioFormat.legalRates.contains(opened.sampleRate) else {
            throw PluginError(
                "\(settings.path): \(opened.sampleRate) Hz is outside 8000 to 192000 Hz; "
                    + "convert it: ffmpeg -i FILE -ar 48000 NEW.wav",
                status: .badSetting)
        }
        for note in opened.notes { host.log(.warning, note) }
        hasToldClipping = false
        file = consume opened
    }

    func close() { file = nil }

    /// Fills a block with the samples from a frame on, counted from the start over all repetitions,
    /// so that no sample is lost where the file restarts. The rest of the block after the end stays
    /// silent.
    ///
    /// - Throws: ``NothingNew`` after the end.
    func fill(_ samples: inout MutableSpan<Int16>, fromFrame frame: Int64) throws {
        guard let length = file?.frameCount, let channels = file?.channels else { return }
        guard settings.loop || frame < length else { throw NothingNew() }
        file?.seek(toFrame: settings.loop ? frame % length : frame)
        var filled = 0
        while filled < samples.count {
            var rest = samples._mutatingExtracting(filled..<samples.count)
            let count = try file?.read(into: &rest) ?? 0
            filled += count * channels
            tellClipping()
            guard count == 0 else { continue }
            guard settings.loop else { return }
            file?.seek(toFrame: 0)
        }
    }

    private func tellClipping() {
        guard !hasToldClipping, let frame = file?.firstClipped, let rate = file?.sampleRate else {
            return
        }
        hasToldClipping = true
        let tenths = frame * 10 / Int64(rate)
        host.log(
            .warning,
            "\(settings.path): samples beyond full scale are clipped, the first after "
                + "\(tenths / 10).\(tenths % 10) s. Turn it down: "
                + "ffmpeg -i FILE -af volume=-6dB NEW.wav")
    }
}
