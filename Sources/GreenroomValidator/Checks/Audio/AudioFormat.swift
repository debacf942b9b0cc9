import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    /// Rate and channels.
    static let audioFormat = Check(
        "audio.format", "one sample rate and channel count", of: .audioSources,
        rule: "A source sends one sample rate, 8000 to 192000 Hz, and one channel count, 1 or 2.",
        why: "At a change, the host restarts the resampler, and listeners hear a click.",
        measured: """
            Every block of ten seconds of session time, against the first. A setting rate \
            or sample-rate that differs is a warning.
            """,
        fix: "Convert to one format before the first block."
    ) { examination throws(Verdict) in
        let take = try examination.listen(seconds: 10)
        return verdict(on: take, examination)
    }

    private static func verdict(on take: AudioCapture, _ examination: Examination) -> Verdict {
        let rates = take.sends.first { $0.status == .badRate }
        if let rates {
            return .failed(
                "\(take.refused(with: .badRate)) of \(take.sends.count) blocks have a rate of "
                    + "\(rates.block.sampleRate) Hz, but 8000 to 192000 Hz are allowed: resample, or "
                    + "open the device at such a rate")
        }
        if let channels = take.sends.first(where: { $0.status == .badChannels }) {
            return .failed(
                "\(take.refused(with: .badChannels)) of \(take.sends.count) blocks have "
                    + "\(channels.block.channels) channels, but 1 or 2 are allowed: mix them down")
        }
        guard let format = take.format else { return .passed() }
        let other = take.accepted.first {
            $0.block.sampleRate != UInt32(format.sampleRate)
                || $0.block.channels != UInt32(format.channels)
        }
        if let other {
            return .failed(
                "the first block is \(text(format.sampleRate, format.channels)), but after "
                    + "\(seconds(other.nanoseconds - take.begin)) comes one of "
                    + "\(text(Int(other.block.sampleRate), Int(other.block.channels))): keep to one "
                    + "format from start to stop")
        }
        if let (name, wanted) = examination.declaredRate, wanted != Int64(format.sampleRate) {
            return .warning(
                "the setting \(name) is \(wanted) Hz, but the blocks have \(format.sampleRate) Hz: "
                    + "send at that rate, or remove the setting")
        }
        return .passed(text(format.sampleRate, format.channels))
    }

    private static func text(_ rate: Int, _ channels: Int) -> String {
        "\(rate) Hz \(channels == 1 ? "mono" : "stereo")"
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        "\(Double(nanoseconds / 1_000_000) / 1000) s"
    }
}

extension Examination {
    /// The sample rate in a setting of the plugin; nil if no setting declares one.
    fileprivate var declaredRate: (name: String, rate: Int64)? {
        for parameter in descriptor.parameters
        where ["rate", "sample-rate"].contains(parameter.name) && parameter.unit == "Hz" {
            guard let setting = settings.first(where: { $0.name == parameter.name }),
                case .integer(let rate) = setting.value,
                AudioFormat.legalRates.contains(Int(clamping: rate))
            else { continue }
            return (parameter.name, rate)
        }
        return nil
    }
}
