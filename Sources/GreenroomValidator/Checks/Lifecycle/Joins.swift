import Glibc
import GreenroomHost
import GreenroomIsolation
import GreenroomMedia
import Synchronization

extension Catalogue {
    /// Keeps the answer of a call back that one of the plugin's threads makes, and looks whether
    /// stop-send returns all the same. Who waits for that thread can't: it has not got its answer.
    static let joins = Check(
        "lifecycle.joins", "stop-send waits for the plugin's threads",
        proving: """
            While a thread of the plugin's own is inside a call of its sender or wait_until_ns, whose \
            answer is kept back for a third of a second, stop-send does not return: "stop_send must \
            not return before those threads have ended or have gone idle". A thread that is \
            detached, or told to end and not waited for, uses what uninitialize and destroy take \
            away. Then the plugin is started and stopped eight times, and does not keep more memory \
            after each time, as for a thread that has ended and was never joined. A thread that \
            calls nothing and ends only after stop-send has returned, each time, is told as a \
            warning, for it may have been idle.
            """
    ) { examination throws(Verdict) in
        try examination.onItsClock { bench throws(Verdict) in
            try bench.create()
            try bench.initialize(bench.rehearsal.nextOffer(maximum: .small))
            if bench.isSource {
                // Twice: on a busy machine a stop-send that waits for nobody may take as long.
                try bench.stopHoldingThreads()
                try again { () throws(Verdict) in try bench.stopHoldingThreads() }
            }
            let rests = try again { () throws(Verdict) in try bench.restsOfStarts() }
            try bench.uninitialize()
            try bench.destroy()
            return rests.verdict
        }
    }

    /// Starts and stops anew: a step that works the first time, and not now, is another check's
    /// business.
    private static func again<Seen>(_ body: () throws(Verdict) -> Seen) throws(Verdict) -> Seen {
        do throws(Verdict) {
            return try body()
        } catch {
            let isOfAStep = error.suspect != nil && error.suspect != "lifecycle.silent-after-stop"
            throw isOfAStep ? error.unless("lifecycle.restart") : error
        }
    }
}

/// Keeps the plugin's threads in the calls that they make, until it is opened.
private final class Hold: Sendable {
    private let isOpen = Monitor(false)
    private let count = Atomic(0)
    private let clock: RehearsalClock

    init(_ clock: RehearsalClock) { self.clock = clock }

    /// How many threads it has kept.
    var held: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Whether it lets all threads go on.
    var hasOpened: Bool { isOpen.withLock { $0 } }

    func open() { isOpen.change { $0 = true } }

    /// Opens it after a while of real time.
    func open(afterNanoseconds nanoseconds: Int64) {
        _ = HostThread(name: "hold") { [self] in
            let _: Bool? = isOpen.wait(until: MonotonicClock.deadline(after: nanoseconds)) {
                $0 ? true : nil
            }
            open()
        }
    }

    /// Keeps the calling thread, if the call is one that a sending thread makes.
    func keep(_ call: WitnessedCall) {
        guard case .own = call.thread, !hasOpened else { return }
        if case .waitUntil = call.request {} else if !call.isSend { return }
        count.add(1, ordering: .sequentiallyConsistent)
        // On the session's clock, so that it does not count as lost to it.
        clock.pass(nanoseconds: 60_000_000_000, unless: isOpen)
    }
}

extension Bench {
    /// How long an answer is kept back while stop-send runs, in nanoseconds of real time.
    private static let holdNanoseconds: Int64 = 333_000_000

    /// Starts, and stops while a thread of the plugin's waits for an answer.
    fileprivate func stopHoldingThreads() throws(Verdict) {
        try startSend()
        try settle()
        let hold = Hold(clock)
        record.onCall { hold.keep($0) }
        defer { hold.open() }
        // What calls nothing until then may wait, and is kept once stop-send has ended that.
        for _ in 0..<20 where hold.held == 0 { try wait(seconds: 0.05) }
        hold.open(afterNanoseconds: Self.holdNanoseconds)
        let end = make("stop-send")
        guard end == .done else { throw ordinary("stop-send", end) }
        guard !hold.hasOpened, hold.held > 0 else { return }
        throw .failed(
            "stop-send has returned while a thread of it was inside a call of the host's: join its "
                + "threads there, or wait until they are idle"
        ).unless("lifecycle.silent-after-stop")
    }
}

/// What some starts and stops have left behind.
private struct RestsOfStarts {
    /// How many rounds are made, and how many of the last ones count: the first ones fill what was
    /// free.
    static let (rounds, counted) = (8, 5)
    /// In bytes, for each round: less is not told from what allocators do.
    private static let leastGrowth = 64 * 1024

    /// One before the rounds, and one a moment after each stop-send.
    var sights: [ProcessSight]
    /// After all of them.
    var last: ProcessSight

    /// By how many bytes its memory grew in the round in which it grew least.
    private var growth: Int {
        let counted = sights.suffix(Self.counted + 1)
        return zip(counted, counted.dropFirst()).map { $1.dataBytes - $0.dataBytes }.min() ?? 0
    }

    /// The threads that were new after stop-send, for each of the rounds that count.
    private var newThreads: [Set<Int32>] {
        zip(sights, sights.dropFirst()).suffix(Self.counted).map {
            $1.threads.subtracting($0.threads)
        }
    }

    /// Whether each of the rounds that count has seen a new thread after stop-send.
    var hasNewThreads: Bool { newThreads.allSatisfy { !$0.isEmpty } }

    /// Whether one of those has ended since, for each round.
    var haveEnded: Bool { newThreads.allSatisfy { !$0.subtracting(last.threads).isEmpty } }

    var verdict: Verdict {
        // What is new and alive takes memory, too.
        if growth >= Self.leastGrowth, !hasNewThreads {
            return .failed(
                "each start and stop takes \(growth / 1024) KB of memory more, as a thread does that "
                    + "has ended and was never joined: join each thread in stop-send, and free what "
                    + "start-send makes"
            ).unless("lifecycle.restart")
        }
        if haveEnded {
            return .warning(
                "a thread that start-send has started ends after stop-send has returned, each time: "
                    + "join it there, unless it is idle by then")
        }
        return .passed()
    }
}

extension Bench {
    fileprivate func restsOfStarts() throws(Verdict) -> RestsOfStarts {
        let process = process.process
        var sights = [ProcessSight(of: process)]
        for _ in 0..<RestsOfStarts.rounds {
            try startSend()
            try wait(seconds: 0.05)
            try stopSend()
            // The kernel takes a moment to end a thread that was joined.
            usleep(20_000)
            sights.append(ProcessSight(of: process))
        }
        var rests = RestsOfStarts(sights: sights, last: ProcessSight(of: process))
        for _ in 0..<20 where rests.hasNewThreads && !rests.haveEnded {
            usleep(50_000)
            rests.last = ProcessSight(of: process)
        }
        return rests
    }
}
