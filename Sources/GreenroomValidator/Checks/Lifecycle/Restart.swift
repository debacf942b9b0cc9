import GreenroomModel
import GreenroomHarness
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let restart = Check(
        "lifecycle.restart", "a hundred starts and stops", limitSeconds: 120,
        rule: "A hundred starts and stops work like the first.",
        why: """
            "start_send and stop_send come in pairs, any number of times": each mute is \
            one.
            """,
        measured: """
            A hundred pairs at random intervals; at least ten if the plugin is slow, ten without the \
            session clock. No thread or descriptor may remain, and a source must send at \
            the end.
            """,
        fix: "Create in start-send what stop-send releases."
    ) { examination throws(Verdict) in
        let rounds = 100
        var random = examination.random()
        return try examination.onItsClock { fixture throws(Verdict) in
            // On the real clock, as many as fit in the time budget.
            let rounds = fixture.clock.isVirtual ? rounds : 10
            // Small frames, because there are many.
            try fixture.initializeSmall()
            var early: ProcessSnapshot?
            var made = 0
            let end = MonotonicClock.deadline(after: timeBudget)
            for round in 1...rounds where round <= 10 || MonotonicClock.now < end {
                made = round
                let times = [0.05...0.2, 0.0...0.1].map { Double.random(in: $0, using: &random) }
                try check(fixture, .startSend, round, fixture.make(.startSend))
                try fixture.wait(seconds: times[0])
                try check(fixture, .stopSend, round, fixture.make(.stopSend))
                try fixture.wait(seconds: times[1])
                if round == 5 { early = ProcessSnapshot(of: fixture.process.process) }
                // Stop the run on the virtual clock, which does not count: the plugin does not use
                // that clock.
                if fixture.clock.isVirtual, fixture.clock.isOffClock() {
                    return .failed("does not use the session clock")
                }
            }
            if let early, let fault = leak(fixture, since: early, in: made - 5) { return fault }
            let before = fixture.accepted
            try check(fixture, .startSend, made + 1, fixture.make(.startSend))
            let sends = fixture.isSource ? try fixture.sends(after: before, within: 3) : true
            try check(fixture, .stopSend, made + 1, fixture.make(.stopSend))
            try fixture.uninitialize()
            try fixture.destroy()
            if sends { return .passed(made < rounds ? "\(made) times in 30 s" : "") }
            return .failed(
                "sends nothing after start number \(made + 1)\(fixture.refusals): each "
                    + "start-send begins again what stop-send has ended"
            ).unless(fixture.hasFullQueue ? "audio.back-pressure" : "lifecycle.whole-life")
        }
    }

    /// The time budget in nanoseconds of real time, after the first ten rounds.
    private static let timeBudget: Int64 = 30_000_000_000

    private static func check(
        _ fixture: Fixture, _ step: LifecycleStep, _ round: Int, _ end: PluginHarness.StepEnd
    ) throws(Verdict) {
        if end == .done || end == .pumps { return }
        if round == 1 { throw fixture.ordinary(step, end) }
        let verdict = fixture.verdict(on: "\(step) number \(round)", end)
        throw fixture.spinsOnFullQueue ? verdict.unless("audio.back-pressure") : verdict
    }

    /// The leak of each round; nil if none.
    private static func leak(_ fixture: Fixture, since early: ProcessSnapshot, in rounds: Int)
        -> Verdict?
    {
        let late = ProcessSnapshot(of: fixture.process.process)
        let threads = late.threads.count - early.threads.count
        let descriptors = late.descriptors.count - early.descriptors.count
        guard threads * 2 >= rounds || descriptors * 2 >= rounds else { return nil }
        let what = threads > descriptors ? "\(threads) threads" : "\(descriptors) descriptors"
        return .failed(
            "has \(what) more after \(rounds) starts and stops: end in stop-send what "
                + "start-send begins")
    }
}
