import GreenroomHarness
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// Timestamps.
    static let audioStamps = Check(
        "audio.stamps", "timestamps match the samples", of: .audioSources,
        rule: "A timestamp is GR_PTS_UNSTAMPED, or the first sample's session time in nanoseconds.",
        why: "Wrong timestamps move audio against the video.",
        measured: """
            Twelve seconds of session time: never negative or backwards, at most 5 s \
            behind now_ns and 1 s ahead, matching the samples within 40 ms except for \
            gaps.
            """,
        fix: "Start at now_ns, and add each block's duration."
    ) { examination throws(Verdict) in
        try verdict(on: try examination.listen(seconds: 12))
    }

    private static let oldest: Int64 = 5_000_000_000
    private static let farthest: Int64 = 1_000_000_000

    private static func verdict(on take: AudioCapture) throws(Verdict) -> Verdict {
        if let first = take.sends.first(where: { $0.status == .badTimestamp }) {
            throw .failed(
                "\(take.refused(with: .badTimestamp)) of \(take.sends.count) blocks have a timestamp "
                    + "below zero (\(first.block.ptsNanoseconds)): use now_ns, or "
                    + "GR_PTS_UNSTAMPED")
        }
        let stamped = take.accepted.filter { $0.block.ptsNanoseconds != .min }
        guard !stamped.isEmpty else { return .passed("no timestamps: each block follows the last") }
        let strange = stamped.first { send in
            let ahead = send.block.ptsNanoseconds &- send.nanoseconds
            return ahead < -oldest || ahead > farthest
        }
        if let strange {
            throw .failed(
                "a timestamp is \(strange.block.ptsNanoseconds) where now_ns is "
                    + "\(strange.nanoseconds): timestamps are nanoseconds on the session clock. Stamp "
                    + "with now_ns")
        }
        for (one, next) in zip(stamped, stamped.dropFirst())
        where next.block.ptsNanoseconds < one.block.ptsNanoseconds {
            let back = Double((one.block.ptsNanoseconds - next.block.ptsNanoseconds) / 1000) / 1000
            throw .failed(
                "a timestamp goes back by \(back) ms: send in order, with the "
                    + "time of the first sample")
        }
        guard let format = take.format,
            take.accepted.allSatisfy({ $0.block.sampleRate == UInt32(format.sampleRate) })
        else { throw .hindered(by: "audio.format", "its rate changes") }
        do throws(Verdict) {
            // The audio that filled the queue or a device's buffer arrived at once.
            let begin = stamped[0].nanoseconds + 1_000_000_000
            return try proportion(stamped.filter { $0.nanoseconds >= begin }, format)
        } catch {
            throw take.doubt() ?? error
        }
    }

    /// Compares timestamps with samples.
    private static func proportion(
        _ stamped: [AudioCapture.Send], _ format: AudioFormat
    ) throws(Verdict) -> Verdict {
        var (audio, time, skipped): (Int64, Int64, Int64) = (0, 0, 0)
        var worst: Int64 = 0
        for (one, next) in zip(stamped, stamped.dropFirst()) {
            let length = Int64(one.block.frames) * 1_000_000_000 / Int64(format.sampleRate)
            let step = next.block.ptsNanoseconds - one.block.ptsNanoseconds
            // A gap longer than the block and 20 ms is intentional.
            if step > 2 * length + 20_000_000 {
                skipped += step - length
                continue
            }
            audio += length
            time += step
            if abs(time - audio) > abs(worst) { worst = time - audio }
        }
        guard abs(worst) <= 40_000_000 else {
            let (stamps, samples) = (time / 1_000_000, audio / 1_000_000)
            throw .failed(
                "its timestamps advance \(stamps) ms while its samples last \(samples) ms: compute the timestamp "
                    + "of a block from the samples before it")
        }
        guard skipped == 0 else {
            return .passed("timestamps skip \(skipped / 1_000_000) ms, as skipped samples do")
        }
        return .passed("timestamps and samples agree within \(abs(worst) / 1000) µs")
    }
}
