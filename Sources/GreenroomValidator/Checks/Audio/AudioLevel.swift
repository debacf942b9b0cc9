import GreenroomMedia

extension Catalogue {
    /// The level of the audio.
    static let audioLevel = Check(
        "audio.level", "not silent, clipped or off centre", of: .audioSources,
        limitSeconds: 120,
        rule: "The audio is neither silent, clipped nor off centre.",
        why: "Each is usually a mistake, but the check only warns.",
        measured: """
            A minute of session time: silence throughout, more than 0.1 % of samples in \
            full-scale runs of three or more, or a mean of more than 1 % of full scale.
            """,
        fix: "Lower the level, or remove the offset."
    ) { examination throws(Verdict) in
        var heard = HeardLevel()
        let take = try examination.listen(seconds: 60) { heard = HeardLevel(of: $0.samples.span) }
        let findings = heard.findings
        guard findings.isEmpty else {
            return .warning(findings.joined(separator: "; "))
        }
        let peak = (Double(heard.peak) / 327.67).rounded()
        return .passed("\(Int(take.seconds)) s, the peak at \(Int(peak)) % of full scale")
    }
}

/// The properties of stereo audio.
struct HeardLevel: Sendable {
    /// The number of samples of both channels.
    private(set) var count = 0
    /// The maximum magnitude.
    private(set) var peak = 0
    /// The number of samples at full scale in runs of three or more.
    private(set) var clipped = 0
    /// The mean of each channel.
    private(set) var means = (left: 0.0, right: 0.0)

    private static let shortestRun = 3

    init() {}

    /// - Parameter samples: The interleaved samples.
    init(of samples: Span<Int16>) {
        count = samples.count
        let frames = samples.count / 2
        means.left = look(at: samples, channel: 0) / Double(max(frames, 1))
        means.right = look(at: samples, channel: 1) / Double(max(frames, 1))
    }

    /// - Returns: The sum.
    private mutating func look(at samples: Span<Int16>, channel: Int) -> Double {
        var (sum, peak, clipped, run) = (0, self.peak, 0, 0)
        var index = channel
        while index < samples.count {
            let sample = Int(samples[index])
            sum &+= sample
            let magnitude = abs(sample)
            if magnitude > peak { peak = magnitude }
            if magnitude >= 32_767 {
                run += 1
            } else {
                if run >= Self.shortestRun { clipped += run }
                run = 0
            }
            index += 2
        }
        if run >= Self.shortestRun { clipped += run }
        self.peak = peak
        self.clipped += clipped
        return Double(sum)
    }

    /// Findings for the author.
    var findings: [String] {
        guard peak > 0 else {
            return ["silent throughout: should it be heard with these settings?"]
        }
        var findings: [String] = []
        if clipped * 1000 > count {
            let part = (Double(clipped) / Double(max(count, 1)) * 1000).rounded() / 10
            findings.append("\(part) % of the samples are clipped: make it softer")
        }
        let worst = abs(means.left) > abs(means.right) ? means.left : means.right
        let part = (worst / 327.68 * 10).rounded() / 10
        if abs(part) > 1 {
            findings.append(
                "its mean is \(part) % of full scale from zero: subtract it from each sample")
        }
        return findings
    }
}
