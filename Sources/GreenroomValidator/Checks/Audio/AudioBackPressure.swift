import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// Too much audio.
    static let audioBackPressure = Check(
        "audio.back-pressure", "waits while the queue is full", of: .audioSources,
        rule: "A source waits when the queue is full, and sends the refused block again.",
        why: "The queue holds 200 ms (GR_AUDIO_QUEUE_MS), and a skipped block is lost.",
        measured: """
            Twelve seconds of session time, with blocks compared by their samples, and at \
            most a thousand refusals a second.
            """,
        fix: """
            After GR_STATUS_QUEUE_FULL, wait and send the same block, or pass a timeout to \
            audio_send.
            """
    ) { examination throws(Verdict) in
        try backPressure(of: try examination.listen(seconds: 12))
    }

    static func backPressure(of take: AudioCapture) throws(Verdict) -> Verdict {
        let seconds = max(take.seconds, 0.1)
        let full = take.refused(with: .queueFull)
        guard Double(full) <= mostRefusalsASecond * seconds else {
            throw .failed(
                "retries without waiting: \(Int(Double(full) / seconds)) times a second it gets "
                    + "GR_STATUS_QUEUE_FULL. Send with a timeout, or wait with wait_until_ns")
        }
        let offered = take.offered
        let rate = Double(take.format?.sampleRate ?? 48_000)
        let lost = offered.filter { !$0.isAccepted }
        if full > 0, take.isUniform {
            if let fault = haste(of: take) {
                throw take.doubt(about: (take.attemptedPart - 1) * seconds) ?? fault
            }
            guard take.attemptedPart - 1 > tolerance else {
                return .passed(
                    "\(full) times the queue was full, and it does not send more than real time")
            }
            return .notProven(
                "\(full) times the queue was full. Its blocks are all alike, so a block that is sent "
                    + "again sounds like the next one. Send with a negative timeout, or validate it "
                    + "with settings that make its blocks differ: --set NAME=VALUE")
        }
        guard take.lostSeconds > seconds * tolerance else {
            return full == 0
                ? .passed("its queue was never full")
                : .passed("\(full) times the queue was full, and it sent the same block again")
        }
        let all = offered.reduce(0) { $0 + Double($1.frames) / rate }
        let burst = longestBurst(of: offered, rate)
        let what =
            if burst > 0.5 {
                "sends \((burst * 10).rounded() / 10) s of audio at once, but the queue holds 0.2 s"
            } else if all > seconds * (1 + tolerance) + 0.3 {
                "sends \(percent(all / seconds - 1)) more audio than real time"
            } else {
                "does not resend blocks that were refused"
            }
        if let doubt = take.doubt(about: take.lostSeconds) { throw doubt }
        throw .failed(
            "\(what): \(lost.count) of \(offered.count) blocks were lost to "
                + "GR_STATUS_QUEUE_FULL. Send with a negative timeout, or send the same block again"
        )
    }

    /// The fault of a source whose blocks are all alike; nil if none.
    static func haste(of take: AudioCapture) -> Verdict? {
        let excess = take.attemptedPart - 1
        let lost =
            "\(take.refused(with: .queueFull)) of \(take.sends.count) blocks were lost to "
            + "GR_STATUS_QUEUE_FULL. Send with a negative timeout, or send the same block again"
        guard excess > tolerance else { return nil }
        if take.goesOnAtOnce {
            return .failed(
                "sends \(percent(excess)) more audio than real time, and does not wait after a "
                    + "refusal: \(lost)")
        }
        // A source that retries several times within a block's time may lose nothing.
        guard excess < mostExcess, take.ignoresRefusals else { return nil }
        return .failed(
            "sends \(percent(excess)) more audio than real time, at the same pace whether there is "
                + "room or not: \(lost)")
    }

    /// Limit of refusals by a full queue, per second.
    private static let mostRefusalsASecond = 1000.0
    /// Allowed loss, as a ratio, for a device whose clock runs faster than the session's.
    private static let tolerance = 0.005
    /// Limit of excess attempts, as a ratio. Above this limit the source retries blocks.
    private static let mostExcess = 0.9

    /// The longest audio that was offered at one time, in seconds.
    private static func longestBurst(of offered: [AudioCapture.Offered], _ rate: Double) -> Double {
        var (longest, burst, begin) = (0.0, 0.0, Int64.min)
        for block in offered {
            if begin == .min || block.nanoseconds - begin > 5_000_000 {
                (burst, begin) = (0, block.nanoseconds)
            }
            burst += Double(block.frames) / rate
            longest = max(longest, burst)
        }
        return longest
    }
}
