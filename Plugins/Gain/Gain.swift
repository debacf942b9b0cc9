import Glibc
import GreenroomPlugin

/// Makes audio louder, softer or silent, and limits its peaks.
final class Gain: AudioPreProcessor {
    static let plugin = PluginDescription(
        id: "org.greenroom.gain", name: "Gain", version: "1.0.0",
        summary: "Level, limiter and mute of the audio", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var level = 0.0
        var limit = -1.0
        var mute = false

        static let table: [Setting<Self>] = [
            .number(
                "level", \.level, in: -60...40, title: "Gain", unit: "dB", live: true),
            .number(
                "limit", \.limit, in: -40...0, title: "The highest peak", unit: "dBFS", live: true),
            .boolean("mute", \.mute, title: "Silence", live: true),
        ]

        /// The factor of a sample.
        var factor: Float { mute ? 0 : Float(pow(10, level / 20)) }
        /// The highest magnitude of a sample.
        var peak: Float { Float(32_767 * pow(10, limit / 20)) }
    }

    private var settings: Settings
    /// The factor at the end of the last block; nil before the first.
    private var factor: Float?
    private var limiter = Limiter()

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    func onSettingsChange(_ settings: Settings) { self.settings = settings }

    func onPreProcessStart() {
        factor = nil
        limiter = Limiter()
    }

    func onPreProcessRawData(_ block: inout MutableAudioBlock) {
        let (end, peak) = (settings.factor, settings.peak)
        let start = factor ?? end
        factor = end
        let (frames, channels) = (block.frameCount, block.channels)
        let step = (end - start) / Float(frames)
        var samples = block.samples
        for frame in 0..<frames {
            // Spread a change over the whole block, so that it does not click.
            let level = start + step * Float(frame + 1)
            var loudest: Float = 0
            for index in (frame * channels)..<((frame + 1) * channels) {
                loudest = max(loudest, abs(Float(samples[index]) * level))
            }
            let factor = level * limiter.factor(for: loudest, peak: peak)
            for index in (frame * channels)..<((frame + 1) * channels) {
                let sample = (Float(samples[index]) * factor).rounded()
                samples[index] = Int16(max(-32_768, min(sample, 32_767)))
            }
        }
    }
}

/// Turns samples above a peak down at once, and up again within 100 ms.
struct Limiter {
    /// The factor of the distance to 1, from each sample of 48 kHz to the next.
    private static let release: Float = 1 - 1 / 4800

    private var factor: Float = 1

    /// The factor for samples of one moment.
    ///
    /// - Parameter loudest: Their largest magnitude.
    mutating func factor(for loudest: Float, peak: Float) -> Float {
        factor = 1 - (1 - factor) * Self.release
        if loudest * factor > peak { factor = peak / loudest }
        return factor
    }
}
