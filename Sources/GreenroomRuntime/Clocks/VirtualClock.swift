import Glibc
import Synchronization

/// A clock that goes on as soon as everybody waits.
///
/// It knows the threads of a session: the host's, from their beginning, and a plugin's, from
/// when they first wait on the clock. A thread is *busy*, or it sleeps here. Time stands still
/// while any thread is busy. When the last one goes to sleep, the clock moves to the earliest
/// deadline and wakes the one thread that waits for it, and so on: what happens at one time
/// happens in a fixed order, one thread after another, each with all that follows from it.
///
/// A thread that is woken because a ``Monitor`` changed counts as busy from the change on, not
/// from when it gets to run: the clock can't slip away between the two.
@usableFromInline
final class VirtualClock: Sendable {
    /// Where every run begins: an hour, so that no counter from zero looks like this clock.
    static let beginning: Int64 = 3_600_000_000_000

    /// How long, in real time, the clock waits for a thread that has waited before and is lost to
    /// it now.
    private static let patience: Int64 = 5_000_000_000
    /// The same for a source that was started and has not waited yet.
    private static let startPatience: Int64 = 1_000_000_000

    /// What the clock knows of the threads.
    ///
    /// Sendable without the compiler's proof: everything in it is touched under the clock's
    /// mutex only.
    @usableFromInline
    final class Sleeper: @unchecked Sendable {
        fileprivate enum Place {
            /// It is at work, and time stands still for it.
            case busy(since: Int64)
            /// It waits on the clock.
            case asleep
            /// Nobody waits for it.
            case away
        }

        fileprivate let order: ClockOrder
        fileprivate let serial: Int
        fileprivate var place: Place
        fileprivate var deadline: Int64?
        /// Whether something changed since it looked last.
        fileprivate var isWoken = false
        fileprivate let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

        fileprivate init(order: ClockOrder, serial: Int, place: Place) {
            self.order = order
            self.serial = serial
            self.place = place
            pthread_cond_init(condition, nil)
        }

        deinit {
            pthread_cond_destroy(condition)
            condition.deallocate()
        }

        fileprivate var isAsleep: Bool { if case .asleep = place { true } else { false } }
    }

    /// A plugin that was started.
    private struct Expected {
        var owner: Int
        var since: Int64
    }

    private struct State {
        var busyCount = 0
        var sleepers: [Sleeper] = []
        var lastSerial = 0
        /// Plugins that were started and have not waited since.
        var expected: [Expected] = []
        /// Plugins that have waited since they were started.
        var known: [Int] = []
        /// Plugins that time does not wait for, because they don't keep to the clock.
        var lost: [Int] = []
        var isClosed = false
    }

    private let time = Atomic<Int64>(beginning)
    /// The mutex that every sleeper's condition belongs to.
    private let state = Monitor(State())
    private let watchdog = Mutex<HostThread?>(nil)

    /// The time.
    var now: Int64 { time.load(ordering: .acquiring) }

    // MARK: Threads

    /// Makes room for a thread that is about to begin, and counts as busy from now on.
    func admit(_ order: ClockOrder) -> Sleeper {
        state.withLock { state in
            state.lastSerial += 1
            let sleeper = Sleeper(
                order: order, serial: state.lastSerial, place: .busy(since: MonotonicClock.now))
            state.sleepers.append(sleeper)
            state.busyCount += 1
            return sleeper
        }
    }

    /// Ends a thread's part in the session.
    func dismiss(_ sleeper: Sleeper) {
        state.withLock { state in
            state.sleepers.removeAll { $0 === sleeper }
            Self.leave(sleeper, &state)
            goOn(&state)
        }
    }

    /// Lets time go on while a thread does something else; it is busy again afterwards.
    func idling<Result>(_ body: () -> Result) -> Result {
        guard let sleeper = SleeperOfThread.current(of: self) else { return body() }
        state.withLock { state in
            Self.leave(sleeper, &state)
            goOn(&state)
        }
        defer { state.withLock { Self.become(busy: sleeper, &$0) } }
        return body()
    }

    // MARK: Plugins

    /// Says that a plugin was started: time waits until one of its threads waits on the clock.
    func expect(_ owner: Int) {
        state.withLock { state in
            guard !state.known.contains(owner), !state.lost.contains(owner),
                !state.expected.contains(where: { $0.owner == owner })
            else { return }
            state.expected.append(Expected(owner: owner, since: MonotonicClock.now))
        }
    }

    /// Says that a plugin is about to be started, or was stopped.
    func stopExpecting(_ owner: Int) {
        state.withLock { state in
            state.known.removeAll { $0 == owner }
            state.lost.removeAll { $0 == owner }
            state.expected.removeAll { $0.owner == owner }
            goOn(&state)
        }
    }

    /// Gives up every thread of a plugin: time does not wait for them any more.
    func forget(_ owner: Int) {
        state.withLock { state in
            state.known.removeAll { $0 == owner }
            state.expected.removeAll { $0.owner == owner }
            if !state.lost.contains(owner) { state.lost.append(owner) }
            for sleeper in state.sleepers where sleeper.order.owner == owner {
                if case .busy = sleeper.place { Self.leave(sleeper, &state) }
            }
            goOn(&state)
        }
    }

    /// Begins to look for plugins whose threads don't come back to the clock.
    ///
    /// - Parameter tell: Gets the plugin's number, and whether it had waited before.
    func watch(_ tell: @escaping @Sendable (_ owner: Int, _ hadWaited: Bool) -> Void) {
        let thread = HostThread(name: "clock") { [self] in
            while true {
                let isClosed: Bool? = state.wait(
                    until: MonotonicClock.deadline(after: 100_000_000)
                ) { $0.isClosed ? true : nil }
                if isClosed == true { return }
                for lost in findLost() {
                    tell(lost.owner, lost.hadWaited)
                    // Told first: whoever is told gets there before time goes on.
                    forget(lost.owner)
                }
            }
        }
        watchdog.withLock { $0 = thread }
    }

    /// Ends the watch.
    func close() {
        state.change { $0.isClosed = true }
        let thread = watchdog.withLock { $0 }
        thread?.join()
    }

    private func findLost() -> [(owner: Int, hadWaited: Bool)] {
        let now = MonotonicClock.now
        return state.withLock { state in
            var lost: [(owner: Int, hadWaited: Bool)] = []
            // What the host is doing may take its time: a disk, a reader of a pipe.
            let busy = state.sleepers.filter { if case .busy = $0.place { true } else { false } }
            guard busy.allSatisfy({ $0.order.hasOwner }) else { return [] }
            for expected in state.expected where now - expected.since > Self.startPatience {
                lost.append((expected.owner, hadWaited: false))
            }
            for sleeper in busy {
                guard case .busy(let since) = sleeper.place, now - since > Self.patience,
                    !lost.contains(where: { $0.owner == sleeper.order.owner })
                else { continue }
                lost.append((sleeper.order.owner, hadWaited: true))
            }
            return lost
        }
    }

    // MARK: Waiting

    /// The calling thread, and whether it knows of all changes so far.
    func prepareToSleep(_ order: ClockOrder) -> Sleeper {
        let sleeper =
            SleeperOfThread.current(of: self)
            ?? SleeperOfThread.adopt(
                state.withLock { state in
                    state.lastSerial += 1
                    let sleeper = Sleeper(order: order, serial: state.lastSerial, place: .away)
                    state.sleepers.append(sleeper)
                    return sleeper
                }, of: self)
        state.withLock { state in
            sleeper.isWoken = false
            Self.become(busy: sleeper, &state)
            // One thread may serve two plugins: it comes for the one that it waits for.
            let owner = order.owner
            if sleeper.order.part == .plugin, !state.known.contains(owner) {
                state.known.append(owner)
                state.expected.removeAll { $0.owner == owner }
            }
        }
        return sleeper
    }

    /// Sleeps until a deadline has come or something changed that concerns the thread.
    func sleep(_ sleeper: Sleeper, until deadline: Int64?) {
        state.sleep(on: sleeper.condition) { state in
            guard !sleeper.isWoken else { return false }
            if sleeper.isAsleep { return true }
            sleeper.deadline = deadline
            Self.leave(sleeper, &state)
            sleeper.place = .asleep
            goOn(&state)
            return !sleeper.isWoken
        }
    }

    /// Wakes a thread. [any]
    @usableFromInline
    func wake(_ sleeper: Sleeper) {
        state.withLock { state in
            sleeper.isWoken = true
            guard sleeper.isAsleep else { return }
            Self.become(busy: sleeper, &state)
            pthread_cond_signal(sleeper.condition)
        }
    }

    /// Moves the clock on if everybody waits.
    ///
    /// A thread that time does not wait for is woken, and the next one with it.
    private func goOn(_ state: inout State) {
        while state.busyCount == 0, state.expected.isEmpty, wakeFirst(&state) {}
    }

    /// Moves the clock to the earliest deadline and wakes the one that waits for it.
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
        Self.become(busy: first, &state)
        pthread_cond_signal(first.condition)
        return true
    }

    private static func become(busy sleeper: Sleeper, _ state: inout State) {
        if case .busy = sleeper.place { return }
        guard !state.lost.contains(sleeper.order.owner) else {
            sleeper.place = .away
            return
        }
        sleeper.place = .busy(since: MonotonicClock.now)
        state.busyCount += 1
    }

    private static func leave(_ sleeper: Sleeper, _ state: inout State) {
        if case .busy = sleeper.place { state.busyCount -= 1 }
        sleeper.place = .away
    }
}

/// Who is woken first of those that wait for the same time.
package struct ClockOrder: Comparable, Sendable {
    /// What a thread does.
    package enum Part: Int, Sendable {
        /// Leads the session.
        case session
        /// Calls a plugin.
        case control
        /// Belongs to a plugin.
        case plugin
        /// Moves a picture.
        case track
        /// Moves the sound.
        case sound
        /// Writes.
        case output
    }

    package var part: Part
    /// The number of the plugin, the track or the output.
    package var number: Int
    /// The plugin that the thread belongs to, or whose code it runs; -1 for none.
    package var owner: Int

    package init(part: Part, number: Int = 0, owner: Int = -1) {
        self.part = part
        self.number = number
        self.owner = owner
    }

    package static let session = ClockOrder(part: .session)

    /// The control thread of a plugin.
    package static func control(_ number: Int) -> ClockOrder {
        ClockOrder(part: .control, number: number, owner: number)
    }

    /// A thread of a plugin's own.
    package static func plugin(_ number: Int) -> ClockOrder {
        ClockOrder(part: .plugin, number: number, owner: number)
    }

    /// Whether it may be in a plugin's code.
    var hasOwner: Bool { owner >= 0 }

    package static func < (left: ClockOrder, right: ClockOrder) -> Bool {
        (left.part.rawValue, left.number) < (right.part.rawValue, right.number)
    }
}

/// Which sleeper the calling thread is.
enum SleeperOfThread {
    private final class Entry {
        let sleeper: VirtualClock.Sleeper
        let clock: VirtualClock

        init(_ sleeper: VirtualClock.Sleeper, _ clock: VirtualClock) {
            self.sleeper = sleeper
            self.clock = clock
        }
    }

    /// A thread that ends, a plugin's too, leaves the clock: the key's destructor sees to it.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer else { return }
            let entry = Unmanaged<Entry>.fromOpaque(pointer).takeRetainedValue()
            entry.clock.dismiss(entry.sleeper)
        }
        return key
    }()

    /// The thread's, if it has one with a clock.
    static func current(of clock: VirtualClock) -> VirtualClock.Sleeper? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        let entry = Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue()
        return entry.clock === clock ? entry.sleeper : nil
    }

    /// Makes the thread a sleeper until it ends, or is another's.
    static func adopt(
        _ sleeper: VirtualClock.Sleeper, of clock: VirtualClock
    ) -> VirtualClock.Sleeper {
        leave()
        let entry = Unmanaged.passRetained(Entry(sleeper, clock))
        pthread_setspecific(key, entry.toOpaque())
        return sleeper
    }

    /// Ends the thread's part in any session.
    static func leave() {
        guard let pointer = pthread_getspecific(key) else { return }
        pthread_setspecific(key, nil)
        let entry = Unmanaged<Entry>.fromOpaque(pointer).takeRetainedValue()
        entry.clock.dismiss(entry.sleeper)
    }
}
