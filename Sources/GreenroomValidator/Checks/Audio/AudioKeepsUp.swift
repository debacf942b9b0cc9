import GreenroomHarness
import GreenroomMedia

extension Catalogue {
    /// Too little audio.
    static let audioKeepsUp = Check(
        "audio.keeps-up", "audio arrives in real time", of: .audioSources,
        rule: "A source sends as much audio as time passes.",
        why: "The host fills gaps with silence, which crackles.",
        measured: """
            Eleven seconds of session time after one second of warm-up, within 2 %. Gaps \
            of more than half a second count as pauses, and are a warning.
            """,
        fix: "Count samples instead of sleeping, because sleeps are too long."
    ) { examination throws(Verdict) in
        let take = try examination.listen(seconds: 12)
        guard take.seconds >= 2 else {
            throw .skipped(
                "ended after \(Int(take.seconds * 1000)) ms: \(take.gaveUp ?? "")")
        }
        guard take.lostSeconds == 0 else {
            throw .hindered(by: "audio.back-pressure", "loses audio to a full queue")
        }
        let balance = take.part(from: 1, to: take.seconds).balance
        guard balance.activeSeconds >= 1 else {
            throw .warning(
                "barely sends: \(take.accepted.count) blocks in \(Int(take.seconds)) s")
        }
        let part = balance.sentSeconds / balance.activeSeconds
        let text = "\(percent(part)) of real time"
        guard part > 0.98 - (take.isReal ? 0.02 : 0) else {
            if let doubt = take.doubt(
                about: balance.activeSeconds - balance.sentSeconds)
            {
                throw doubt
            }
            throw .failed(
                "sends too little: \(text). Compute what is due from now_ns, or send with a "
                    + "negative timeout and let the host pace you")
        }
        guard balance.pausedSeconds == 0 else {
            return .warning(
                "sends nothing for \(rounded(balance.pausedSeconds)) of "
                    + "\(rounded(take.seconds - 1)) s: for quiet passages, send silence")
        }
        return .passed(text)
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}

extension AudioCapture {
    /// Audio compared with time.
    struct Balance: Sendable {
        /// The duration of accepted audio, in seconds.
        var sentSeconds = 0.0
        /// The time without pauses, in seconds.
        var activeSeconds = 0.0
        /// The total of long times without a block, in seconds.
        var pausedSeconds = 0.0
    }

    var balance: Balance {
        var balance = Balance()
        var last = begin
        for send in accepted {
            balance.sentSeconds += Double(send.block.frames) / Double(max(send.block.sampleRate, 1))
            balance.count(from: last, to: send.nanoseconds)
            last = send.nanoseconds
        }
        balance.count(from: last, to: end)
        return balance
    }

    /// Audio offered once and refused by a full queue, in seconds.
    var lostSeconds: Double {
        let rate = Double(format?.sampleRate ?? 48_000)
        return offered.reduce(0) { $0 + ($1.isAccepted ? 0 : Double($1.frames) / rate) }
    }
}

extension AudioCapture.Balance {
    fileprivate mutating func count(from first: Int64, to last: Int64) {
        let seconds = Double(last - first) / 1e9
        if seconds > 0.5 { pausedSeconds += seconds } else { activeSeconds += seconds }
    }
}
