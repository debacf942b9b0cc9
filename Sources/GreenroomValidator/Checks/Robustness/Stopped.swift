import GreenroomHarness
import GreenroomNegotiation
import GreenroomModel
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let stopped = Check(
        "robustness.stopped", "no burst after a stop of the process", of: .senders,
        rule: "A stopped process sends no burst afterwards.",
        why: "Viewers want the present, not the past.",
        measured: """
            After 2 s of SIGSTOP, any part of 4 s may have the agreed rate plus 5 % and 3 \
            frames, or half a second of audio beyond real time and the queue. The plugin \
            must keep sending.
            """,
        fix: "Drop late media, and continue from now."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture(on: .real)
        try fixture.create()
        try fixture.initialize(fixture.pluginHarness.smallOffer())
        try fixture.startSend()
        try fixture.wait(seconds: 0.5)
        let before = Sending(fixture, since: fixture.clock.now - 500_000_000)
        try ProcessFreezer.hold(fixture.process, nanoseconds: 2_000_000_000)
        // The process has continued less than a second ago, after a longer stop.
        let begin = fixture.clock.now - 1_000_000_000
        try fixture.wait(seconds: 3.8)
        // A busy machine reduces the burst.
        let end = fixture.clock.now
        let after = Sending(fixture, since: begin)
        try fixture.checkVideo(after, pace: Double(before.frames.count) * 2)
        try fixture.checkAudio(after, before, from: begin, to: end)
        // After a short run the plugin's own pauses are unknown.
        if before.frames.count > 2 || before.audioSeconds > 0.1 {
            try fixture.mustGoOn(after: begin)
        }
        try fixture.end()
        return .passed(
            fixture.kind.sendsVideo
                ? "\(after.frames.count) frames in the 4 s after"
                : "\(Int(after.takenSeconds * 1000)) ms of audio in the 4 s after")
    }
}

extension PluginKind {
    /// Whether the kind sends video.
    fileprivate var sendsVideo: Bool { sender == .video }
}

/// The frames and blocks sent in a period, accepted or not.
struct Sending {
    /// The time at which each frame was sent, in nanoseconds on the session clock.
    var frames: [Int64] = []
    /// The blocks in order, except blocks refused for reasons other than timing.
    var blocks: [AudioCapture.Send] = []

    /// The duration of sent audio, in seconds; repeated blocks count again.
    var audioSeconds: Double { Self.seconds(of: blocks) }

    /// The duration of accepted audio, in seconds.
    var takenSeconds: Double { Self.seconds(of: blocks.filter { $0.status == .ok }) }

    /// The duration of audio lost to a full queue, in seconds. Excludes blocks that were finally
    /// accepted or are still being retried.
    var lostSeconds: Double {
        // Several threads may send at several rates: count each rate alone.
        Dictionary(grouping: blocks, by: \.block.sampleRate).reduce(0) { sum, entry in
            let take = AudioCapture(sends: entry.value, begin: 0, end: 0)
            let frames = take.offered.filter { !$0.isAccepted }.reduce(0) { $0 + $1.frames }
            return sum + Double(frames) / Double(entry.key)
        }
    }

    /// The duration of refused audio in a period, in seconds, counting repeats.
    func refusedSeconds(in part: Range<Int64>) -> Double {
        Self.seconds(
            of: blocks.filter { $0.status == .queueFull && part.contains($0.nanoseconds) })
    }

    private static func seconds(of blocks: [AudioCapture.Send]) -> Double {
        blocks.reduce(0) { $0 + Double($1.block.frames) / Double($1.block.sampleRate) }
    }

    /// The duration of excess audio after a pause, in seconds; nil if the plugin may always send
    /// so.
    ///
    /// Constant audio, such as a tone, looks like one block that is retried. Such a source
    /// continues to do so, but a burst is only in the first half.
    ///
    /// - Parameters:
    ///   - before: The media sent in half a second before the pause.
    ///   - time: A period of four seconds. The stop was in the first second.
    func audioBurst(beyond before: Sending, in time: Range<Int64>) -> Double? {
        let lost = lostSeconds
        if lost > before.lostSeconds * 8 + Self.spareSeconds { return lost }
        let middle = time.lowerBound + (time.upperBound - time.lowerBound) * 3 / 5
        let early = refusedSeconds(in: time.lowerBound..<middle)
        let late = refusedSeconds(in: middle..<time.upperBound)
        let usual = max(before.refusedSeconds(in: .min..<(.max)) * 8, late * 4)
        return early > usual + Self.spareSeconds ? early : nil
    }

    /// Allowed excess of audio, in seconds.
    private static let spareSeconds = 0.5

    /// The period with the largest excess of frames over a rate, if it is too large.
    ///
    /// - Returns: The number of frames and the length in seconds; nil if there is no excess.
    func burst(beyond rate: Double) -> (count: Int, seconds: Double)? {
        var densest: (count: Int, seconds: Double)?
        // A period between two frames includes one more frame than intervals.
        var most = Double(1 + Self.spare)
        for (first, begin) in frames.enumerated() {
            for (last, end) in frames.enumerated().dropFirst(first) {
                let (count, seconds) = (last - first + 1, Double(end - begin) / 1e9)
                let excess = Double(count) - rate * seconds
                guard excess > most else { continue }
                (most, densest) = (excess, (count, seconds))
            }
        }
        return densest
    }

    /// Allowed excess of frames: frames in progress, and delays of a busy machine.
    private static let spare = 3
}

extension Sending {
    init(_ fixture: Fixture, since begin: Int64) {
        self.init()
        for call in fixture.record.calls where call.nanoseconds >= begin {
            switch call.request {
            case .sendFrame, .commit: frames.append(call.nanoseconds)
            case .sendAudio(let block) where block.sampleRate > 0:
                guard let status = call.status, status == .ok || status == .queueFull else {
                    continue
                }
                blocks.append(
                    AudioCapture.Send(
                        block: block, status: status, nanoseconds: call.nanoseconds,
                        thread: call.thread))
            default: continue
            }
        }
    }
}

extension Fixture {
    /// - Parameter pace: The frame rate before the stop.
    fileprivate func checkVideo(_ after: Sending, pace: Double) throws(Verdict) {
        let agreed = pluginHarness.agreement?.track.rate.framesPerSecond ?? 0
        // A constant excess belongs to another check.
        let rate = max(agreed * 1.05, pace)
        guard kind.sendsVideo, let burst = after.burst(beyond: rate) else { return }
        throw .failed(
            "after host and plugin were stopped for 2 s it sent \(burst.count) frames within "
                + "\(decimal(burst.seconds, 1)) s, but \(Int(agreed.rounded())) per second were agreed. "
                + "Drop late frames: continue from now_ns, not from the time of the stop.")
    }

    fileprivate func checkAudio(
        _ after: Sending, _ before: Sending, from begin: Int64, to end: Int64
    ) throws(Verdict) {
        // The host accepts the audio of the stop immediately, and a plugin that the host paces
        // sends that much. So only audio without room counts.
        guard !kind.sendsVideo, begin < end,
            let burst = after.audioBurst(beyond: before, in: begin..<end)
        else { return }
        throw .failed(
            "after host and plugin were stopped for 2 s it sent \(Int(burst * 1000)) ms of "
                + "audio beyond the room of the queue. Leave out what is late, or let send wait for "
                + "room.")
    }

    /// Waits until more is sent.
    fileprivate func mustGoOn(after begin: Int64) throws(Verdict) {
        for _ in 0..<100 {
            let sending = Sending(self, since: begin)
            if !sending.frames.isEmpty || sending.audioSeconds > 0 || hasGivenUp { return }
            try wait(seconds: 0.1)
        }
        throw .failed(
            "10 s after a stop of 2 s, it has sent nothing more. Wait with "
                + "wait_until_ns, and expect any time when it returns.")
    }
}
