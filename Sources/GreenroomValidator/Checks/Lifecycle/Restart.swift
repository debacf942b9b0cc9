import GreenroomHost
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let restart = Check(
        "lifecycle.restart", "a hundred starts and stops", limitSeconds: 120,
        proving: """
            start-send and stop-send in pairs, a hundred times with random times between them: each \
            one works like the first, a source sends again after the last start, and no thread or \
            descriptor is left behind by each pair. "start_send and stop_send come in pairs, any \
            number of times (mute and unmute, a share that begins again)." One that takes its time \
            is started at least ten times, and as often as half a minute allows; one that does not \
            keep to the session's clock, and did not pass on it, ten times in real time.
            """
    ) { examination throws(Verdict) in
        let rounds = 100
        var random = examination.random()
        return try examination.onItsClock { bench throws(Verdict) in
            // On the real clock as many as its patience allows.
            let rounds = bench.clock.isVirtual ? rounds : 10
            try bench.create()
            // Small pictures: there are many.
            try bench.initialize(bench.rehearsal.nextOffer(maximum: .small))
            var early: ProcessSight?
            var made = 0
            let end = MonotonicClock.deadline(after: patience)
            for round in 1...rounds where round <= 10 || MonotonicClock.now < end {
                made = round
                let times = [0.05...0.2, 0.0...0.1].map { Double.random(in: $0, using: &random) }
                try check(bench, "start-send", round, bench.make("start-send"))
                try bench.wait(seconds: times[0])
                try check(bench, "stop-send", round, bench.make("stop-send"))
                try bench.wait(seconds: times[1])
                if round == 5 { early = ProcessSight(of: bench.process.process) }
            }
            if let early, let fault = leak(bench, since: early, in: made - 5) { return fault }
            let before = bench.accepted
            try check(bench, "start-send", made + 1, bench.make("start-send"))
            let sends = bench.isSource ? try bench.sends(after: before, within: 3) : true
            try check(bench, "stop-send", made + 1, bench.make("stop-send"))
            try bench.uninitialize()
            try bench.destroy()
            if sends { return .passed(made < rounds ? "\(made) times in 30 s" : "") }
            return .failed(
                "it sends nothing after start number \(made + 1)\(bench.refusals): each "
                    + "start-send begins anew what stop-send has ended"
            ).unless(bench.checkNamingSilence)
        }
    }

    /// How long it may go on, in nanoseconds of real time, once it has been done ten times.
    private static let patience: Int64 = 30_000_000_000

    private static func check(
        _ bench: Bench, _ step: String, _ round: Int, _ end: Rehearsal.StepEnd
    ) throws(Verdict) {
        if end == .done || end == .pumps { return }
        if round == 1 { throw bench.ordinary(step, end) }
        throw bench.verdict(on: "\(step) number \(round)", end)
    }

    /// What each pair leaves behind; nil if that is nothing.
    private static func leak(_ bench: Bench, since early: ProcessSight, in rounds: Int) -> Verdict?
    {
        let late = ProcessSight(of: bench.process.process)
        let threads = late.threads.count - early.threads.count
        let descriptors = late.descriptors.count - early.descriptors.count
        guard threads * 2 >= rounds || descriptors * 2 >= rounds else { return nil }
        let what = threads > descriptors ? "\(threads) threads" : "\(descriptors) descriptors"
        return .failed(
            "it has \(what) more after \(rounds) starts and stops: end in stop-send what "
                + "start-send begins")
    }
}
