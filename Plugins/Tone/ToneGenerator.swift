import Glibc
import GreenroomPlugin

/// Computes each sample of the tone from its index alone, so that skipped blocks do not shift it.
struct ToneGenerator {
    private var settings: ToneSettings

    /// The sweep rises from here to ``sweepTop`` in ``sweepSeconds``, and repeats.
    private static let sweepBottom = 20.0
    private static let sweepSeconds: Int64 = 10

    /// - Throws: If the sine is too high for the sample rate.
    init(_ settings: ToneSettings) throws {
        self.settings = settings
        guard settings.frequency * 2 <= Double(settings.rate) else {
            throw PluginError(
                "a sine of \(settings.frequency) Hz needs a sample rate of twice that, but 'rate' "
                    + "is \(settings.rate): lower 'frequency' or raise 'rate'",
                status: .badSetting)
        }
    }

    /// Takes over the live settings.
    mutating func change(_ settings: ToneSettings) { self.settings = settings }

    var format: AudioFormat {
        AudioFormat(sampleRate: settings.rate, channels: settings.channels)
    }

    /// Fills a block; all channels are equal.
    func fill(_ samples: inout MutableSpan<Int16>, from first: Int64) {
        let peak = pow(10, settings.level / 20) * Double(Int16.max)
        let channels = max(settings.channels, 1)
        for index in samples.indices {
            let turns = turns(at: first + Int64(index / channels))
            samples[index] = Int16((sin(2 * Double.pi * turns) * peak).rounded())
        }
    }

    /// The phase at a sample, in turns, without whole turns.
    private func turns(at sample: Int64) -> Double {
        let rate = Int64(max(settings.rate, 1))
        switch settings.waveform {
        case .silence:
            return 0
        case .sine:
            // Whole seconds and the rest apart: one product of samples and frequency would lose its
            // fraction within hours.
            let (seconds, rest) = sample.quotientAndRemainder(dividingBy: rate)
            return (settings.frequency * Double(seconds)).truncatingRemainder(dividingBy: 1)
                + settings.frequency * Double(rest) / Double(rate)
        case .sweep:
            // The phase of an exponential sweep is bottom * T / ln(k) * (k^(t/T) - 1) turns.
            let time = Double(sample % (rate * Self.sweepSeconds)) / Double(rate)
            let length = Double(Self.sweepSeconds)
            let ratio = sweepTop / Self.sweepBottom
            let turns = Self.sweepBottom * length / log(ratio) * (pow(ratio, time / length) - 1)
            // Slightly stretched to end on a whole turn, so that it repeats without a click.
            let total = Self.sweepBottom * length / log(ratio) * (ratio - 1)
            return turns * total.rounded() / total
        }
    }

    private var sweepTop: Double { min(20_000, 0.45 * Double(settings.rate)) }
}
