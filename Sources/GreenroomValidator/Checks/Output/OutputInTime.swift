import GreenroomHarness
import GreenroomIsolation
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomLifecycle
import Synchronization

extension Catalogue {
    static let outputInTime = Check(
        "output.in-time", "video and audio return in time", of: .outputs, limitSeconds: 120,
        rule: "video and audio return in time.",
        why: "The backlog is 16 frames and a second of audio; the host drops the rest.",
        measured: """
            Two seconds of media, without waits for a processor: every second frame and \
            block within its duration, and all calls in two seconds. A busy machine has \
            three attempts.
            """,
        fix: "Do slow work on the plugin's own thread."
    ) { examination throws(Verdict) in
        var isInDoubt = false
        var slow: String?
        for _ in 0..<3 {
            let calls = try examination.timedCalls()
            guard let problem = calls.problem(\.usualNanoseconds, \.taken) else {
                return .passed(calls.summary)
            }
            slow = problem
            guard calls.wereBusy else { break }
            // On a busy machine only calls that are certainly too slow count.
            if calls.problem(\.sureNanoseconds, \.sureNanoseconds) == nil { isInDoubt = true }
        }
        guard !isInDoubt, let slow else {
            return .notProven("the machine was too busy to tell whether the output is fast enough")
        }
        return .failed(
            "\(slow). Do slow work on a separate thread, and measure a release build")
    }
}

extension Examination {
    /// The session time of the calls, in seconds.
    fileprivate static let seconds: Double = 2

    /// Passes media to an output, and measures the calls.
    fileprivate func timedCalls() throws(Verdict) -> TimedCalls {
        let fixture = try fixture()
        let process = fixture.process.process
        let state = Mutex((begun: TimeMeter?.none, calls: TimedCalls()))
        try fixture.create()
        try fixture.initialize()
        let wants = fixture.pluginHarness.wants
        for (track, want) in wants {
            switch want {
            case .nothing: continue
            case .video(let want):
                let rate = want.video.rate ?? track.capability?.rate ?? FrameRate(30)
                state.withLock {
                    $0.calls.tracks[track.id] = TimedCalls.Track(
                        name: track.name, unit: "frame", interval: rate.dueNanoseconds(ofFrame: 1))
                }
            case .audio(let want):
                let nanoseconds =
                    Int64(want.blockFrames) * 1_000_000_000 / Int64(want.format.sampleRate)
                state.withLock {
                    $0.calls.tracks[track.id] = TimedCalls.Track(
                        name: track.name, unit: "block", interval: nanoseconds)
                }
            }
        }
        // Calls run one at a time, and the meter measures the calling thread.
        fixture.record.onTake { take in
            state.withLock { state in
                guard take.status == nil else {
                    guard let times = state.begun?.end() else { return }
                    state.calls.tracks[take.track]?.times.append(times)
                    return
                }
                state.begun = TimeMeter(process: process, editingThread: nil)
                state.begun?.begin()
            }
        }
        try fixture.startSend()
        let nothing = fixture.getsNothing
        try fixture.wait(seconds: Self.seconds)
        try fixture.end()
        let calls = state.withLock { $0.calls }
        guard calls.tracks.values.contains(where: { !$0.times.isEmpty }) else { throw nothing }
        return calls
    }
}

/// The calls of an output, by track.
private struct TimedCalls: Sendable {
    struct Track: Sendable {
        var name: String
        /// `frame` or `block`.
        var unit: String
        /// The time of one frame or block, in nanoseconds.
        var interval: Int64
        var times: [FilterLife.Times] = []
    }

    var tracks: [UInt32: Track] = [:]

    private var ordered: [Track] { tracks.sorted { $0.key < $1.key }.map(\.value) }

    var wereBusy: Bool { tracks.values.contains { $0.times.wereBusy } }

    /// The call that takes too long; nil if none.
    ///
    /// - Parameters:
    ///   - usual: The time of every second call of a track.
    ///   - taken: The time of one call.
    func problem(
        _ usual: (([FilterLife.Times]) -> Int64), _ taken: (FilterLife.Times) -> Int64
    ) -> String? {
        for track in ordered where usual(track.times) > track.interval {
            return "every second \(track.unit) of the track \(track.name) takes "
                + "\(milliseconds(usual(track.times))) ms or more, where "
                + "\(milliseconds(track.interval)) ms are there"
        }
        let all = ordered.flatMap(\.times).reduce(0) { $0 + taken($1) }
        let most = Int64(Examination.seconds * 1e9)
        guard all > most else { return nil }
        return "its calls take \(milliseconds(all)) ms for \(milliseconds(most)) ms of media"
    }

    /// The usual times, in words.
    var summary: String {
        ordered.filter { !$0.times.isEmpty }.map {
            "\($0.name): \(milliseconds($0.times.usualNanoseconds, 2)) ms a \($0.unit)"
        }.joined(separator: ", ")
    }

    private func milliseconds(_ nanoseconds: Int64, _ decimals: Int = 1) -> String {
        decimal(Double(nanoseconds) / 1e6, decimals)
    }
}

extension FilterLife.Times {
    /// The time even on a processor of twice the speed.
    fileprivate var sureNanoseconds: Int64 { run > taken / 2 ? taken / 2 : taken }
}
