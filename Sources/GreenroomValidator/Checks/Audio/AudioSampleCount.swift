import GreenroomHarness
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// The exact number of samples.
    static let audioSampleCount = Check(
        "audio.sample-count", "the sample count is exact over a minute", of: .audioSources,
        limitSeconds: 120,
        rule: "A source of rate R sends 60 * R samples per channel a minute, within one block.",
        why: "Rounding blocks down, for example at 22050 Hz, loses audio steadily.",
        measured: """
            A minute of session time, without steady gain or loss; without the session \
            clock, three seconds of real time within 0.5 %.
            """,
        fix: "Compute each block's end from the total of samples."
    ) { examination throws(Verdict) in
        var take = try examination.listen(seconds: 62)
        guard take.isReal else { return try verdict(on: take) }
        // A deviation on a busy machine may vanish later.
        for attempt in 1... {
            let found = try realVerdict(on: take)
            guard found.outcome == .failed, attempt < 3 else { return found }
            take = try examination.listen(seconds: 62)
        }
        return .passed()
    }

    private static func verdict(on take: AudioCapture) throws(Verdict) -> Verdict {
        guard take.lostSeconds == 0 else {
            throw .hindered(by: "audio.back-pressure", "loses audio to a full queue")
        }
        guard take.seconds >= 6, let format = take.format else {
            throw .skipped("ended after \(Int(take.seconds * 1000)) ms: \(take.gaveUp ?? "")")
        }
        guard take.accepted.allSatisfy({ $0.block.sampleRate == UInt32(format.sampleRate) }) else {
            throw .hindered(by: "audio.format", "its rate changes")
        }
        // Whole seconds, without the first one and the end of the last.
        let seconds = min(take.seconds.rounded(.down) - 2, 60)
        let part = take.part(from: 1, to: 1 + seconds)
        let balance = part.balance
        guard balance.pausedSeconds == 0 else {
            throw .skipped("pauses: cannot compare its samples with time")
        }
        let count = part.accepted.reduce(0) { $0 + Int($1.block.frames) }
        let wanted = format.sampleRate * Int(seconds)
        guard abs(Double(count - wanted)) <= 0.02 * Double(wanted) else {
            throw .hindered(by: "audio.keeps-up", "does not keep up")
        }
        let block = part.accepted.map { Int($0.block.frames) }.max() ?? 0
        // A host empties the queue every 10 ms.
        let tolerance = block + format.sampleRate / 100 + 1
        let text = "\(count) samples in \(Int(seconds)) s of \(format.sampleRate) Hz"
        let cure = """
            Compute each block from the number of all samples before it: samples of a rate that has \
            no whole block come in blocks of two lengths
            """
        guard abs(count - wanted) <= tolerance else {
            throw .failed("\(text), expected \(wanted), give or take \(block). \(cure)")
        }
        if let drift = drift(in: part, format.sampleRate) {
            throw .failed(
                "\(text): it \(drift > 0 ? "gains" : "loses") about "
                    + "\(Int(abs(drift).rounded())) samples a minute, block after block. \(cure)")
        }
        return .passed(text)
    }

    /// Measures a steady drift between samples and time.
    ///
    /// - Returns: The drift in samples per minute; nil if it is not above the jitter.
    static func drift(in take: AudioCapture, _ rate: Int) -> Double? {
        let windows = 6
        let length = (take.end - take.begin) / Int64(windows)
        guard length > 0 else { return nil }
        var apart = [[Double]](repeating: [], count: windows)
        var sent = 0
        for send in take.accepted {
            let time = send.nanoseconds - take.begin
            let window = min(max(Int(time / length), 0), windows - 1)
            apart[window].append(Double(sent) - Double(time) * Double(rate) / 1e9)
            sent += Int(send.block.frames)
        }
        guard apart.allSatisfy({ $0.count >= 3 }) else { return nil }
        let medians = apart.map { $0.sorted()[$0.count / 2] }
        let steps = zip(medians, medians.dropFirst()).map { $1 - $0 }
        let jitter = (apart[0].max() ?? 0) - (apart[0].min() ?? 0)
        let change = (medians.last ?? 0) - (medians.first ?? 0)
        guard steps.allSatisfy({ $0 > 0 }) || steps.allSatisfy({ $0 < 0 }),
            abs(change) > max(jitter, 3)
        else { return nil }
        // The interval is from the middle of the first window to the middle of the last.
        let seconds = Double(length) * Double(windows - 1) / 1e9
        return change / seconds * 60
    }

    private static func realVerdict(on take: AudioCapture) throws(Verdict) -> Verdict {
        guard take.seconds >= 2, let format = take.format else {
            throw .skipped("ended after \(Int(take.seconds * 1000)) ms: \(take.gaveUp ?? "")")
        }
        let part = take.part(from: 0.5, to: take.seconds)
        let accepted = part.accepted
        guard let first = accepted.first, let last = accepted.last, accepted.count > 10,
            part.balance.pausedSeconds == 0
        else { throw .skipped("pauses: cannot compare its samples with time") }
        // Between two blocks, count all blocks except the last.
        let count = accepted.dropLast().reduce(0) { $0 + Int($1.block.frames) }
        let seconds = Double(last.nanoseconds - first.nanoseconds) / 1e9
        let wanted = seconds * Double(format.sampleRate)
        let block = accepted.map { Int($0.block.frames) }.max() ?? 0
        let text =
            "\(count) samples in \(Int(seconds * 1000)) ms of real time at \(format.sampleRate) Hz"
        if abs(Double(count) - wanted) <= 0.005 * wanted + Double(block) {
            return .passed("\(text): it does not use the session clock")
        }
        if let doubt = take.doubt(about: abs(Double(count) - wanted) / Double(format.sampleRate)) {
            throw doubt
        }
        return .failed(
            "\(text), which should be \(Int(wanted)). It does not wait on the session clock: compute "
                + "what is due from now_ns, and wait with wait_until_ns")
    }
}
