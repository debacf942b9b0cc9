import Glibc
import GreenroomHarness
import GreenroomModel
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia
import Synchronization

extension Catalogue {
    /// Delays the answer to a send of a plugin's thread, and checks whether stop-send returns
    /// meanwhile. If stop-send joins the thread, it cannot return, because the thread has no answer
    /// yet.
    static let joins = Check(
        "lifecycle.joins", "stop-send joins the plugin's threads",
        rule: "stop-send returns only after the plugin's threads have ended or are idle.",
        why: "Running threads use memory that destroy frees.",
        measured: """
            A send, then wait_until_ns, is held for 1 s: stop-send must outlast the send, \
            and no call may follow. No thread stack may remain after eight starts; a silent \
            late thread is a warning.
            """,
        fix: "Join every thread in stop-send."
    ) { examination throws(Verdict) in
        try examination.onTheClockOfItsThreads { fixture throws(Verdict) in
            if fixture.isSource {
                try again { () throws(Verdict) in
                    try fixture.stopHoldingThreads(alsoWaiting: false)
                    try fixture.stopHoldingThreads(alsoWaiting: true)
                }
            }
            let rests = try again { () throws(Verdict) in try fixture.restsOfStarts() }
            try fixture.uninitialize()
            try fixture.destroy()
            return rests.verdict
        }
    }

    /// Starts and stops again. Another check covers a step that works only the first time.
    private static func again<Seen>(_ body: () throws(Verdict) -> Seen) throws(Verdict) -> Seen {
        do throws(Verdict) {
            return try body()
        } catch {
            let isOfAStep = error.suspect != nil && error.suspect != "lifecycle.silent-after-stop"
            throw isOfAStep ? error.unless("lifecycle.restart") : error
        }
    }
}

extension Examination {
    /// Runs the check on an initialized plugin, on the clock on which the plugin's threads wait. If
    /// they sleep on the real clock, virtual time passes without them and the check sees nothing.
    fileprivate func onTheClockOfItsThreads(
        _ look: (Fixture) throws(Verdict) -> Verdict
    ) throws(Verdict) -> Verdict {
        let fixture = try fixture()
        try fixture.initializeSmall()
        try fixture.startSend()
        try fixture.stopSend()
        var verdict: Verdict?
        if !fixture.clock.isOffClock() {
            do throws(Verdict) {
                verdict = try look(fixture)
            } catch {
                verdict = error
            }
        }
        // A crash counts on either clock; other verdicts need the real clock's run too.
        if let verdict, verdict.outcome == .crashed || !fixture.clock.isOffClock() {
            return verdict
        }
        let real = try self.fixture(on: .real)
        try real.initializeSmall()
        return try look(real)
    }
}

/// Holds the plugin's threads inside their calls until the hold opens.
private final class Hold: Sendable {
    /// The held threads, by call.
    struct Held {
        var sending: Set<TracedCall.Thread> = []
        var waiting: Set<TracedCall.Thread> = []

        var isEmpty: Bool { sending.isEmpty && waiting.isEmpty }
    }

    private let isOpen = Monitor(false)
    private let threads = Mutex(Held())
    private let clock: HarnessClock
    private let keepsWaiting: Bool

    /// - Parameter keepsWaiting: Whether to hold threads in wait_until_ns like sending threads.
    init(_ clock: HarnessClock, keepsWaiting: Bool) {
        self.clock = clock
        self.keepsWaiting = keepsWaiting
    }

    /// The held threads.
    var held: Held { threads.withLock { $0 } }

    /// Whether all threads are released.
    var hasOpened: Bool { isOpen.withLock { $0 } }

    func open() { isOpen.change { $0 = true } }

    /// Opens the hold after some real time.
    func open(afterNanoseconds nanoseconds: Int64) {
        _ = HostThread(name: "hold") { [self] in
            let _: Bool? = isOpen.wait(until: MonotonicClock.deadline(after: nanoseconds)) {
                $0 ? true : nil
            }
            open()
        }
    }

    /// Holds the calling thread if it is a sending thread.
    func keep(_ call: TracedCall) {
        guard case .own = call.thread, !hasOpened else { return }
        if call.isSend {
            threads.withLock { _ = $0.sending.insert(call.thread) }
        } else if case .waitUntil = call.request, keepsWaiting {
            threads.withLock { _ = $0.waiting.insert(call.thread) }
        } else {
            return
        }
        // Wait on the session clock, so that it does not count as off the clock.
        clock.pass(nanoseconds: 60_000_000_000, unless: isOpen)
    }
}

extension Fixture {
    /// The delay of an answer during stop-send, in nanoseconds of real time: half of stop-send's
    /// limit, and far more than a stop-send without a join takes.
    private static let holdNanoseconds: Int64 = 1_000_000_000

    /// Starts, and stops while a thread of the plugin waits for an answer.
    ///
    /// - Parameter alsoWaiting: Whether the thread may wait in wait_until_ns instead.
    fileprivate func stopHoldingThreads(alsoWaiting: Bool) throws(Verdict) {
        try startSend()
        try settle()
        let hold = Hold(clock, keepsWaiting: alsoWaiting)
        record.onCall { hold.keep($0) }
        defer { hold.open() }
        // A thread without calls so far may be waiting. Hold it when stop-send has ended its wait.
        for _ in 0..<20 where hold.held.isEmpty { try wait(seconds: 0.05) }
        hold.open(afterNanoseconds: Self.holdNanoseconds)
        let end = stopWhileHeld()
        guard end == .done else { throw ordinary(.stopSend, end) }
        let (held, callsBefore) = (hold.held, record.calls.count)
        guard !hold.hasOpened, !held.isEmpty else { return }
        let place =
            try held.sending.isEmpty ? placeOfMore(from: held, hold, callsBefore) : "inside a send"
        guard let place else { return }
        throw .failed(
            "stop-send returned while one of the plugin's threads was \(place): join threads there, or "
                + "wait until they are idle"
        ).unless("lifecycle.silent-after-stop")
    }

    /// Stops the plugin, with additional time for the delayed answers.
    private func stopWhileHeld() -> PluginHarness.StepEnd {
        let end = make(.stopSend)
        guard end == .hangs else { return end }
        let deadline = MonotonicClock.deadline(after: Self.holdNanoseconds)
        while pluginHarness.runningCallback?.step == .stopSend {
            guard MonotonicClock.now < deadline else { return .hangs }
            usleep(10_000)
        }
        return .done
    }

    /// Releases threads that were held in wait_until_ns after stop-send had returned.
    ///
    /// - Returns: The place of the threads, if they make another call; nil if they stay idle.
    private func placeOfMore(
        from held: Hold.Held, _ hold: Hold, _ callsBefore: Int
    ) throws(Verdict) -> String? {
        hold.open()
        for _ in 0..<10 {
            try wait(seconds: 0.01)
            usleep(10_000)
            let later = record.calls.dropFirst(callsBefore)
            if let call = later.first(where: { held.waiting.contains($0.thread) }) {
                return "inside wait_until_ns, and called \(call.name) afterwards"
            }
        }
        return nil
    }
}

/// The stacks of threads that run, or have ended without a join.
enum ThreadStacks {
    /// The number of stacks in a process.
    fileprivate static func count(of process: Int32) -> Int {
        count(in: ProcessSnapshot.text(of: "/proc/\(process)/maps"))
    }

    /// The number of stacks in the kernel's list of mappings. A stack is writable memory directly
    /// after an inaccessible guard.
    static func count(in maps: String) -> Int {
        var count = 0
        var endOfGuard: Substring?
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count > 1 else { continue }
            let range = words[0].split(separator: "-")
            guard range.count == 2 else { continue }
            if words[1] == "rw-p", range[0] == endOfGuard { count += 1 }
            endOfGuard = words[1] == "---p" ? range[1] : nil
        }
        return count
    }
}

/// The threads and descriptors that several starts and stops leave behind.
private struct RestsOfStarts {
    /// The number of rounds, and of the last rounds that count. The first rounds fill caches.
    static let (rounds, counted) = (8, 5)
    /// The snapshots: one before the rounds, and one shortly after each stop-send.
    var snapshots: [ProcessSnapshot]
    /// The number of stacks at each snapshot.
    var stacks: [Int]
    /// The snapshot after all rounds.
    var last: ProcessSnapshot

    /// The number of additional stacks, in the round with the fewest.
    private var leaks: Int {
        let counted = stacks.suffix(Self.counted + 1)
        return zip(counted, counted.dropFirst()).map { $1 - $0 }.min() ?? 0
    }

    /// The new threads after stop-send, for each counted round.
    private var newThreads: [Set<Int32>] {
        zip(snapshots, snapshots.dropFirst()).suffix(Self.counted).map {
            $1.threads.subtracting($0.threads)
        }
    }

    /// Whether each counted round has a new thread after stop-send.
    var hasNewThreads: Bool { newThreads.allSatisfy { !$0.isEmpty } }

    /// Whether, for each counted round, one of the new threads has ended since.
    var haveEnded: Bool { newThreads.allSatisfy { !$0.subtracting(last.threads).isEmpty } }

    var verdict: Verdict {
        // A new live thread also has a stack.
        if leaks > 0, !hasNewThreads {
            return .failed(
                "each start and stop leaks a thread's stack: "
                    + "a thread ended and was never joined. Join each thread in stop-send"
            ).unless("lifecycle.restart")
        }
        if haveEnded {
            return .warning(
                "a thread that start-send starts ends only after stop-send has returned, each time: "
                    + "join it there, unless it is idle by then")
        }
        return .passed()
    }
}

extension Fixture {
    fileprivate func restsOfStarts() throws(Verdict) -> RestsOfStarts {
        let process = process.process
        var snapshots = [ProcessSnapshot(of: process)]
        var stacks = [ThreadStacks.count(of: process)]
        for _ in 0..<RestsOfStarts.rounds {
            try startSend()
            try wait(seconds: 0.05)
            try stopSend()
            // The kernel needs a moment to end a joined thread.
            usleep(20_000)
            snapshots.append(ProcessSnapshot(of: process))
            stacks.append(ThreadStacks.count(of: process))
        }
        var rests = RestsOfStarts(
            snapshots: snapshots, stacks: stacks, last: ProcessSnapshot(of: process))
        for _ in 0..<20 where rests.hasNewThreads && !rests.haveEnded {
            usleep(50_000)
            rests.last = ProcessSnapshot(of: process)
        }
        return rests
    }
}
