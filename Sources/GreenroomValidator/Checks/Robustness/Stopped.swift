import GreenroomHost
import GreenroomIsolation
import GreenroomLoading
import GreenroomMedia

extension Catalogue {
    static let stopped = Check(
        "robustness.stopped", "no burst after it was stopped for a while", of: .senders,
        proving: """
            In real time, all of the plugin's process is stopped for 2 seconds (SIGSTOP), as a \
            debugger, a container or a laptop's lid does, and let go on. Within the second after \
            that it sends no more pictures than the agreed rate has, and 3 more, or no more sound \
            than the queue's 200 ms beyond its pace; and it goes on sending. What came too late to \
            be sent is left out: nobody wants to see a second of the past at twice the speed.
            """
    ) { examination throws(Verdict) in
        let bench = try examination.bench(on: .real)
        try bench.create()
        try bench.initialize(bench.rehearsal.smallOffer())
        try bench.startSend()
        try bench.wait(seconds: 0.5)
        let before = bench.sent(since: bench.clock.now - 500_000_000)
        bench.process.stop()
        try bench.wait(seconds: 2)
        let begin = bench.clock.now
        bench.process.goOn()
        try bench.wait(seconds: 1)
        // Whatever the machine does meanwhile makes it less, not more.
        let after = bench.sent(since: begin, until: begin + 1_000_000_000)
        try bench.judgePictures(after, pace: before.frames * 2)
        try bench.judgeSound(after, pace: before.seconds * 2)
        // Of one that had hardly begun it is not known how long it pauses by itself.
        if before.frames > 2 || before.seconds > 0.1 { try bench.mustGoOn(after: begin) }
        try bench.end()
        return .passed(
            bench.kind.sendsPictures
                ? "\(after.frames) frames in the second after"
                : "\(Int(after.seconds * 1000)) ms of sound in the second after")
    }
}

extension PluginKind {
    /// Whether it sends pictures.
    fileprivate var sendsPictures: Bool { self == .videoSource || self == .shareSource }
}

extension Bench {
    /// What was sent in a stretch of time, whatever became of it.
    fileprivate struct Sent {
        var frames = 0
        /// Of sound.
        var seconds = 0.0
    }

    fileprivate func sent(since begin: Int64, until end: Int64 = .max) -> Sent {
        var sent = Sent()
        for call in record.calls where call.nanoseconds >= begin && call.nanoseconds < end {
            switch call.request {
            case .sendFrame, .commit: sent.frames += 1
            case .sendSound(let block) where block.sampleRate > 0:
                sent.seconds += Double(block.frames) / Double(block.sampleRate)
            default: continue
            }
        }
        return sent
    }

    /// - Parameter pace: Frames in a second before.
    fileprivate func judgePictures(_ after: Sent, pace: Int) throws(Verdict) {
        let rate = rehearsal.agreement?.track.rate.framesPerSecond ?? 0
        // One that is too fast anyway is another check's.
        let most = max(Int(rate.rounded(.up)), pace) + 3
        guard kind.sendsPictures, after.frames > most else { return }
        throw .failed(
            "after it was stopped for 2 s it sent \(after.frames) frames within a second, and "
                + "\(Int(rate.rounded())) a second were agreed. Leave out what is late: go on from "
                + "now_ns, not from where it was.")
    }

    /// - Parameter pace: Seconds of sound in a second before.
    fileprivate func judgeSound(_ after: Sent, pace: Double) throws(Verdict) {
        guard !kind.sendsPictures, after.seconds > max(pace, 1) + 0.5 else { return }
        throw .failed(
            "after it was stopped for 2 s it sent \(Int(after.seconds * 1000)) ms of sound within a "
                + "second, and the queue takes 200 ms besides what is played. Leave out what is late, "
                + "or let send wait for room.")
    }

    /// Waits for something more to be sent.
    fileprivate func mustGoOn(after begin: Int64) throws(Verdict) {
        for _ in 0..<100 {
            let sent = sent(since: begin)
            if sent.frames > 0 || sent.seconds > 0 || hasGivenUp { return }
            try wait(seconds: 0.1)
        }
        throw .failed(
            "10 s after it was stopped for 2 s and went on, it has sent nothing more. Wait with "
                + "wait_until_ns, and take any time for possible when it returns.")
    }
}
