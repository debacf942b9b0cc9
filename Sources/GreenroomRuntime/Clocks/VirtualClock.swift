import Glibc
import Synchronization

/// A clock that advances as soon as all threads wait.
///
/// It knows the threads of a session: the host's from their start, and a plugin's from their first
/// wait on the clock. A thread is *busy* or asleep. Time stands still while any thread is busy.
/// After the last one falls asleep, the clock advances to the earliest deadline and wakes the one thread
/// that waits for it, and so on. Therefore everything at one time happens in a fixed order, one thread after
/// another, each with all its effects.
///
/// A thread that a ``Monitor``'s change wakes counts as busy from the change on, not from when it
/// runs: the clock can't advance in between.
@usableFromInline
final class VirtualClock: Sendable {
    /// The start of every run: an hour, so that no counter from zero looks like this clock.
    static let startTime: Int64 = 3_600_000_000_000

    /// The real time that the clock waits for a started source that has not used it yet.
    private static let startTimeout: Int64 = 2_000_000_000
    /// The number of times in a row that a plugin which only reacts is found at rest.
    private static let restLimit = 3

    /// A thread of the session.
    ///
    /// Sendable without the compiler's proof: only the clock's mutex gives access to it.
    @usableFromInline
    final class Sleeper: @unchecked Sendable {
        fileprivate enum Activity {
            /// The thread works, and time stands still.
            case busy(since: Int64)
            /// The thread waits on the clock.
            case asleep
            /// The clock does not wait for it.
            case ignored
        }

        fileprivate let order: ClockOrder
        fileprivate let serial: Int
        fileprivate var activity: Activity
        fileprivate var deadline: Int64?
        /// Whether something changed since it last checked.
        fileprivate var isWoken = false
        fileprivate let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

        fileprivate init(order: ClockOrder, serial: Int, activity: Activity) {
            self.order = order
            self.serial = serial
            self.activity = activity
            pthread_cond_init(condition, nil)
        }

        deinit {
            pthread_cond_destroy(condition)
            condition.deallocate()
        }

        fileprivate var isAsleep: Bool { if case .asleep = activity { true } else { false } }
    }

    /// A started plugin that has not used the clock yet.
    private struct Expected {
        var owner: Int
        var since: Int64
        /// Whether none of its threads runs; nil for a plugin that must use the clock.
        var isAtRest: (@Sendable () -> Bool)?
        /// The number of times in a row that it was found at rest.
        var rests = 0
    }

    private struct State {
        var busyCount = 0
        var sleepers: [Sleeper] = []
        var lastSerial = 0
        /// Plugins that have not waited since they were started.
        var expected: [Expected] = []
        /// Plugins that have waited since they were started.
        var known: [Int] = []
        /// Plugins that have been called and whose threads are busy: another may take their place.
        var awaitingSuccessor: [Int] = []
        /// Plugins that the clock ignores because they don't use it.
        var lost: [Int] = []
        var isClosed = false

        /// Whether a plugin is expected that may be at rest.
        var looksOften: Bool { expected.contains { $0.isAtRest != nil } }
    }

    /// Times the threads that do not wait.
    private let host: HostClock
    private let time = Atomic<Int64>(startTime)
    /// The mutex of all sleepers' conditions.
    private let state = Monitor(State())
    private let watchdog = Mutex<HostThread?>(nil)

    init(host: HostClock) { self.host = host }

    /// The time.
    var now: Int64 { time.load(ordering: .acquiring) }

    // MARK: Threads

    /// Registers a thread that is about to start; it counts as busy.
    func admit(_ order: ClockOrder) -> Sleeper {
        state.withLock { state in
            state.lastSerial += 1
            let sleeper = Sleeper(
                order: order, serial: state.lastSerial, activity: .busy(since: host.now))
            state.sleepers.append(sleeper)
            state.busyCount += 1
            return sleeper
        }
    }

    /// Removes a thread from the session.
    func dismiss(_ sleeper: Sleeper) {
        state.withLock { state in
            state.sleepers.removeAll { $0 === sleeper }
            Self.leave(sleeper, &state)
            let owner = sleeper.order.owner
            if sleeper.order.part == .plugin, state.awaitingSuccessor.contains(owner) {
                expectAnother(of: owner, &state)
            }
            advance(&state)
        }
    }

    /// Lets time advance while a thread does something else; then it is busy again.
    func idling<Result>(_ body: () -> Result) -> Result {
        guard let sleeper = ThreadSleeper.current(of: self) else { return body() }
        state.withLock { state in
            Self.leave(sleeper, &state)
            advance(&state)
        }
        defer { state.withLock { become(busy: sleeper, &$0) } }
        return body()
    }

    // MARK: Plugins

    /// Registers a started plugin: time waits until one of its threads waits on the clock.
    ///
    /// - Parameter isAtRest: For a plugin that may have no thread and only react to calls, whether
    ///   none of its threads runs: then time waits no longer. A thread that was just started runs
    ///   until it waits.
    func expect(_ owner: Int, unless isAtRest: (@Sendable () -> Bool)?) {
        state.change { state in
            guard !state.known.contains(owner), !state.lost.contains(owner),
                !state.expected.contains(where: { $0.owner == owner })
            else { return }
            state.expected.append(
                Expected(owner: owner, since: host.now, isAtRest: isAtRest))
        }
    }

    /// No longer expects the plugins that have nothing to wait for.
    private func excuseResting() {
        for expected in state.withLock({ $0.expected }) {
            guard let isAtRest = expected.isAtRest else { continue }
            let rests = isAtRest()
            state.withLock { state in
                guard
                    let index = state.expected.firstIndex(where: {
                        $0.owner == expected.owner && $0.since == expected.since
                    })
                else { return }
                state.expected[index].rests = rests ? state.expected[index].rests + 1 : 0
                guard state.expected[index].rests >= Self.restLimit else { return }
                state.expected.remove(at: index)
                advance(&state)
            }
        }
    }

    /// Unregisters a plugin that is about to start, or has ended.
    func stopExpecting(_ owner: Int) {
        state.withLock { state in
            state.known.removeAll { $0 == owner }
            state.awaitingSuccessor.removeAll { $0 == owner }
            state.lost.removeAll { $0 == owner }
            state.expected.removeAll { $0.owner == owner }
            advance(&state)
        }
    }

    /// Unregisters a plugin that was stopped. Time waits for each of its threads only from that
    /// thread's next wait on: a thread of a pool lives on, and waits for other work elsewhere.
    func release(_ owner: Int) {
        state.withLock { state in
            for sleeper in state.sleepers
            where sleeper.order.part == .plugin && sleeper.order.owner == owner {
                if case .busy = sleeper.activity { Self.leave(sleeper, &state) }
            }
        }
        stopExpecting(owner)
    }

    /// Ignores all threads of a plugin: time no longer waits for them.
    func forget(_ owner: Int) {
        state.withLock { state in
            state.known.removeAll { $0 == owner }
            state.awaitingSuccessor.removeAll { $0 == owner }
            state.expected.removeAll { $0.owner == owner }
            if !state.lost.contains(owner) { state.lost.append(owner) }
            for sleeper in state.sleepers where sleeper.order.owner == owner {
                if case .busy = sleeper.activity { Self.leave(sleeper, &state) }
            }
            advance(&state)
        }
    }

    /// Expects a plugin again whose threads have all ended, since it may have started another one:
    /// at once, or when those that are about to end have done so.
    func expectNext(_ owner: Int) {
        state.withLock { state in
            guard state.known.contains(owner) else { return }
            guard Self.threads(of: owner, state).allSatisfy({ !$0.isAsleep }) else { return }
            expectAnother(of: owner, &state)
        }
    }

    private func expectAnother(of owner: Int, _ state: inout State) {
        state.awaitingSuccessor.removeAll { $0 == owner }
        guard Self.threads(of: owner, state).isEmpty else {
            state.awaitingSuccessor.append(owner)
            return
        }
        state.known.removeAll { $0 == owner }
        state.expected.append(Expected(owner: owner, since: host.now))
    }

    /// Lets time advance while a callback runs, since it waits for a thread of its plugin that
    /// waits on the clock.
    ///
    /// The caller then waits, and time stands still as soon as it is woken.
    ///
    /// - Parameter latest: The latest time to advance to; nil for any.
    /// - Returns: The time at which that thread is due; nil, without a change, if none waits for a
    ///   time up to then.
    func release(callbackOf owner: Int, until latest: Int64?) -> Int64? {
        state.withLock { state in
            let due = Self.threads(of: owner, state).filter(\.isAsleep).compactMap(\.deadline)
                .filter { $0 < .max }.min()
            guard let due, due <= latest ?? .max else { return nil }
            for sleeper in state.sleepers
            where sleeper.order.part == .control && sleeper.order.owner == owner {
                if case .busy = sleeper.activity { Self.leave(sleeper, &state) }
            }
            return due
        }
    }

    /// Makes the calling thread busy again after its callback has returned.
    func rejoin() {
        guard let sleeper = ThreadSleeper.current(of: self) else { return }
        state.withLock { become(busy: sleeper, &$0) }
    }

    private static func threads(of owner: Int, _ state: borrowing State) -> [Sleeper] {
        state.sleepers.filter { $0.order.part == .plugin && $0.order.owner == owner }
    }

    /// Starts to detect plugins whose threads don't return to the clock.
    ///
    /// - Parameters:
    ///   - look: Runs at least every 100 ms of real time, even while time stands still.
    ///   - tell: Gets the plugin's number, and whether it has used the clock before.
    func watch(
        look: @escaping @Sendable () -> Void,
        _ tell: @escaping @Sendable (_ owner: Int, _ hadWaited: Bool) -> Void
    ) {
        let thread = HostThread(name: "clock") { [self] in
            while true {
                let looksOften = state.withLock { $0.looksOften }
                let isClosed: Bool? = state.wait(
                    until: host.deadline(after: looksOften ? 10_000_000 : 100_000_000),
                    on: host
                ) { $0.isClosed ? true : $0.looksOften && !looksOften ? false : nil }
                if isClosed == true { return }
                look()
                excuseResting()
                for lost in findLost() {
                    tell(lost.owner, lost.hadWaited)
                    // Report first, so that the receiver acts before time advances.
                    forget(lost.owner)
                }
            }
        }
        watchdog.withLock { $0 = thread }
    }

    /// Stops detecting.
    func close() {
        state.change { $0.isClosed = true }
        let thread = watchdog.withLock { $0 }
        thread?.join()
    }

    private func findLost() -> [(owner: Int, hadWaited: Bool)] {
        let now = host.now
        return state.withLock { state in
            var lost: [(owner: Int, hadWaited: Bool)] = []
            // The host itself may take long: a disk, a reader of a pipe.
            let busy = state.sleepers.filter { if case .busy = $0.activity { true } else { false } }
            guard busy.allSatisfy({ $0.order.hasOwner }) else { return [] }
            for expected in state.expected where now - expected.since > Self.startTimeout {
                lost.append((expected.owner, hadWaited: false))
            }
            for sleeper in busy {
                guard case .busy(let since) = sleeper.activity,
                    now - since > HostClock.virtualPatience,
                    !lost.contains(where: { $0.owner == sleeper.order.owner })
                else { continue }
                lost.append((sleeper.order.owner, hadWaited: true))
            }
            return lost
        }
    }

    // MARK: Waiting

    /// Registers the calling thread as busy, and marks all changes so far as seen.
    func prepareToSleep(_ order: ClockOrder) -> Sleeper {
        let sleeper =
            ThreadSleeper.current(of: self)
            ?? ThreadSleeper.adopt(
                state.withLock { state in
                    state.lastSerial += 1
                    let sleeper = Sleeper(
                        order: order, serial: state.lastSerial, activity: .ignored)
                    state.sleepers.append(sleeper)
                    return sleeper
                }, of: self)
        state.withLock { state in
            sleeper.isWoken = false
            become(busy: sleeper, &state)
            // A thread may serve two plugins: it counts for the one that it waits for.
            let owner = order.owner
            if sleeper.order.part == .plugin {
                state.awaitingSuccessor.removeAll { $0 == owner }
                if !state.known.contains(owner) {
                    state.known.append(owner)
                    state.expected.removeAll { $0.owner == owner }
                }
            }
        }
        return sleeper
    }

    /// Sleeps until a deadline, or until a change wakes the thread.
    func sleep(_ sleeper: Sleeper, until deadline: Int64?) {
        state.sleep(on: sleeper.condition) { state in
            guard !sleeper.isWoken else { return false }
            if sleeper.isAsleep { return true }
            sleeper.deadline = deadline
            Self.leave(sleeper, &state)
            sleeper.activity = .asleep
            advance(&state)
            return !sleeper.isWoken
        }
    }

    /// Wakes a thread. [any]
    @usableFromInline
    func wake(_ sleeper: Sleeper) {
        state.withLock { state in
            sleeper.isWoken = true
            guard sleeper.isAsleep else { return }
            become(busy: sleeper, &state)
            pthread_cond_signal(sleeper.condition)
        }
    }

    /// Advances the clock if all threads wait.
    ///
    /// A thread that the clock ignores is woken together with the next one.
    private func advance(_ state: inout State) {
        while state.busyCount == 0, state.expected.isEmpty, wakeFirst(&state) {}
    }

    /// Advances to the earliest deadline and wakes the thread waiting for it.
    private func wakeFirst(_ state: inout State) -> Bool {
        var first: Sleeper?
        for sleeper in state.sleepers where sleeper.isAsleep {
            guard let deadline = sleeper.deadline else { continue }
            guard let found = first, let earliest = found.deadline else {
                first = sleeper
                continue
            }
            if (deadline, sleeper.order, sleeper.serial) < (earliest, found.order, found.serial) {
                first = sleeper
            }
        }
        guard let first, let deadline = first.deadline, deadline < .max else { return false }
        if deadline > now { time.store(deadline, ordering: .releasing) }
        first.isWoken = true
        become(busy: first, &state)
        pthread_cond_signal(first.condition)
        return true
    }

    private func become(busy sleeper: Sleeper, _ state: inout State) {
        if case .busy = sleeper.activity { return }
        guard !state.lost.contains(sleeper.order.owner) else {
            sleeper.activity = .ignored
            return
        }
        sleeper.activity = .busy(since: host.now)
        state.busyCount += 1
    }

    private static func leave(_ sleeper: Sleeper, _ state: inout State) {
        if case .busy = sleeper.activity { state.busyCount -= 1 }
        sleeper.activity = .ignored
    }
}

/// The order of waking threads that wait for the same time.
@usableFromInline package struct ClockOrder: Comparable, Sendable {
    /// The task of a thread.
    package enum Part: Int, Sendable {
        /// Leads the session.
        case session
        /// Calls a plugin.
        case control
        /// Belongs to a plugin.
        case plugin
        /// Processes video.
        case track
        /// Mixes audio.
        case audio
        /// Writes an output.
        case output
    }

    package var part: Part
    /// The number of the plugin, track or output.
    package var number: Int
    /// The plugin that owns the thread or whose code it runs; -1 for none.
    package var owner: Int

    package init(part: Part, number: Int = 0, owner: Int = -1) {
        self.part = part
        self.number = number
        self.owner = owner
    }

    @usableFromInline package static let session = ClockOrder(part: .session)

    /// The control thread of a plugin.
    package static func control(_ number: Int) -> ClockOrder {
        ClockOrder(part: .control, number: number, owner: number)
    }

    /// A thread of a plugin.
    package static func plugin(_ number: Int) -> ClockOrder {
        ClockOrder(part: .plugin, number: number, owner: number)
    }

    /// Whether it may run a plugin's code.
    var hasOwner: Bool { owner >= 0 }

    @usableFromInline package static func < (left: ClockOrder, right: ClockOrder) -> Bool {
        (left.part.rawValue, left.number) < (right.part.rawValue, right.number)
    }
}

/// The calling thread's sleeper.
enum ThreadSleeper {
    private final class Entry {
        let sleeper: VirtualClock.Sleeper
        let clock: VirtualClock

        init(_ sleeper: VirtualClock.Sleeper, _ clock: VirtualClock) {
            self.sleeper = sleeper
            self.clock = clock
        }
    }

    /// The key's destructor removes an ending thread, including a plugin's, from the clock.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer else { return }
            let entry = Unmanaged<Entry>.fromOpaque(pointer).takeRetainedValue()
            entry.clock.dismiss(entry.sleeper)
        }
        return key
    }()

    /// The thread's sleeper on a clock; nil if it has none.
    static func current(of clock: VirtualClock) -> VirtualClock.Sleeper? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        let entry = Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue()
        return entry.clock === clock ? entry.sleeper : nil
    }

    /// Sets the thread's sleeper, until it ends or gets another one.
    static func adopt(
        _ sleeper: VirtualClock.Sleeper, of clock: VirtualClock
    ) -> VirtualClock.Sleeper {
        leave()
        let entry = Unmanaged.passRetained(Entry(sleeper, clock))
        pthread_setspecific(key, entry.toOpaque())
        return sleeper
    }

    /// Removes the thread from any session.
    static func leave() {
        guard let pointer = pthread_getspecific(key) else { return }
        pthread_setspecific(key, nil)
        let entry = Unmanaged<Entry>.fromOpaque(pointer).takeRetainedValue()
        entry.clock.dismiss(entry.sleeper)
    }
}
