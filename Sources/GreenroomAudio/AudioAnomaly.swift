package import GreenroomRuntime

/// A problem of an audio source that its author should know.
package enum AudioAnomaly: Equatable, Sendable {
    /// The source sends too much audio, by a part of the elapsed time: blocks refused, and frames
    /// of 48 kHz dropped. If the host paces the source, the source does not wait long enough for
    /// room.
    case overfeeding(Double, refused: Int, skipped: Int, isPaced: Bool)
    /// The source sends too little audio, by a part of the elapsed time, and silence replaces
    /// frames of 48 kHz. If the host paces the source, a delay holds up the source's thread.
    case underfeeding(Double, concealed: Int, isPaced: Bool)
    /// The source sends enough audio, but so late that silence replaces frames of 48 kHz.
    case late(concealed: Int)
    /// The clock of the source's sound card runs faster than the session's clock, by parts per
    /// million.
    case drifting(ppm: Double)
    /// A part of the source's samples is clipped.
    case clipping(Double)
    /// The source's samples have a DC offset, as a part of full scale.
    case offset(Double)
    /// An anomaly of the source's timestamps.
    case stamps(TimestampAnomaly)

    /// The kinds of anomalies already reported. Timestamp anomalies are not included, because each
    /// is reported only once.
    package struct Kinds: OptionSet, Sendable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    package var kind: Kinds {
        switch self {
        case .overfeeding: Kinds(rawValue: 1)
        case .underfeeding: Kinds(rawValue: 2)
        case .drifting: Kinds(rawValue: 4)
        case .clipping: Kinds(rawValue: 8)
        case .offset: Kinds(rawValue: 16)
        case .late: Kinds(rawValue: 32)
        case .stamps: []
        }
    }

    /// The finding, its effect and the fix.
    package var text: String {
        switch self {
        case .overfeeding(let part, let refused, let skipped, let isPaced):
            "sends \(percent(part)) more audio than real time; "
                + [
                    refused > 0
                        ? "\(refused) \(refused == 1 ? "block" : "blocks") refused" : nil,
                    skipped > 0 ? "\(skipped / 48) ms dropped" : nil,
                ].compactMap(\.self).joined(separator: ", ")
                + ". Send in real time, or pass "
                + (isPaced ? "a longer timeout." : "a timeout to be paced by the host.")
        case .underfeeding(let part, let concealed, let isPaced):
            "sends \(percent(part)) less audio than real time; \(concealed / 48) ms of silence "
                + "fill the gaps. If this machine is not too busy: "
                + (isPaced
                    ? "send the next block as soon as a send returns, on a separate thread."
                    : "send in real time by counting samples, because sleeps are too long; or pass a "
                        + "timeout to be paced by the host.")
        case .late(let concealed):
            "audio arrives late; \(concealed / 48) ms of silence fill the gaps. Send each block "
                + "within 100 ms of its recording."
        case .drifting(let ppm):
            "the sample clock runs \(millionths(ppm)) than the session clock; the host resamples "
                + "the audio to keep it in sync with the video."
        case .clipping(let part):
            "\(percent(part)) of the samples are clipped. Lower the recording level."
        case .offset(let part):
            "the samples have a DC offset of \(percent(part)) of full scale. Remove it with a "
                + "high-pass filter, or check the microphone's cable."
        case .stamps(let finding):
            finding.text(of: "blocks")
        }
    }
}

/// Formats a part in per cent.
private func percent(_ part: Double) -> String {
    let tenths = Int(min(max(part, -1e6), 1e6) * 1000 + (part < 0 ? -0.5 : 0.5))
    let sign = tenths < 0 ? "-" : ""
    let (whole, tenth) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return whole >= 10 || tenth == 0 ? "\(sign)\(whole) %" : "\(sign)\(whole).\(tenth) %"
}
