/// A timer of a run loop: on the main queue, or on a thread that runs its loop.
///
/// Foundation's timers need a run loop that runs. None does on the threads that call a plugin, so
/// this one takes its place.
public final class Timer: @unchecked Sendable {
    private let lock = NSLock()
    private let block: (Timer) -> Void
    private let period: UInt64
    private let repeats: Bool
    private var nextNanoseconds: UInt64
    private var isEnded = false
    private var source: (any DispatchSourceTimer)?
    private var wake: (() -> Void)?

    /// Makes a timer that is on no loop.
    public init(
        timeInterval interval: TimeInterval, repeats: Bool, block: @escaping (Timer) -> Void
    ) {
        let seconds = interval.isFinite ? min(max(interval, 0.000_1), 1e9) : 1e9
        period = UInt64(seconds * 1e9)
        self.repeats = repeats
        self.block = block
        nextNanoseconds = DispatchTime.now().uptimeNanoseconds + period
    }

    /// Makes a timer on the loop of the caller: the main one on the main queue, else the thread's.
    @discardableResult
    public static func scheduledTimer(
        withTimeInterval interval: TimeInterval, repeats: Bool, block: @escaping (Timer) -> Void
    ) -> Timer {
        let timer = Timer(timeInterval: interval, repeats: repeats, block: block)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }

    /// Whether it fires again.
    public var isValid: Bool { lock.withLock { !isEnded } }

    /// Ends the timer, from any thread.
    public func invalidate() {
        let (source, wake) = lock.withLock {
            isEnded = true
            defer { (self.source, self.wake) = (nil, nil) }
            return (self.source, self.wake)
        }
        source?.cancel()
        wake?()
    }

    /// Calls the block now; ends a timer that does not repeat.
    public func fire() {
        guard isValid else { return }
        if !repeats { invalidate() }
        block(self)
    }

    /// The due time, in nanoseconds of `DispatchTime`.
    fileprivate var due: UInt64 { lock.withLock { nextNanoseconds } }

    /// Fires, and sets the next time: one on the grid of the first, so that it does not drift.
    fileprivate func fireOnTime() {
        lock.withLock {
            let now = DispatchTime.now().uptimeNanoseconds
            let late = now > nextNanoseconds ? (now - nextNanoseconds) / period : 0
            nextNanoseconds += (late + 1) * period
        }
        fire()
    }

    /// Puts it on the main queue.
    fileprivate func startOnMain() {
        let source = DispatchSource.makeTimerSource(queue: .main)
        source.setEventHandler { [self] in fireOnTime() }
        source.schedule(
            deadline: DispatchTime(uptimeNanoseconds: due), repeating: .nanoseconds(Int(period)),
            leeway: .milliseconds(1))
        let isStarted = lock.withLock {
            guard !isEnded, self.source == nil else { return false }
            self.source = source
            return true
        }
        if !isStarted { source.cancel() }
        source.resume()
    }

    /// Has a thread's loop hear of the end.
    fileprivate func onEnd(_ wake: @escaping () -> Void) {
        let isEnded = lock.withLock {
            if !self.isEnded { self.wake = wake }
            return self.isEnded
        }
        if isEnded { wake() }
    }
}

/// The timers of a thread or of the main queue.
public final class RunLoop: @unchecked Sendable {
    /// A mode; all are the same here.
    public struct Mode: Hashable, Sendable {
        /// The usual one.
        public static let `default` = Mode()
        /// All of them.
        public static let common = Mode()
    }

    private let condition = NSCondition()
    private var timers: [Timer] = []
    private let isMain: Bool

    private init(isMain: Bool) { self.isMain = isMain }

    /// The loop of the main queue, which always runs.
    public static let main = RunLoop(isMain: true)

    /// The loop of the caller.
    public static var current: RunLoop {
        if MainQueue.isCurrent { return main }
        let key = "org.greenroom.run-loop"
        if let loop = Thread.current.threadDictionary[key] as? RunLoop { return loop }
        let loop = RunLoop(isMain: false)
        Thread.current.threadDictionary[key] = loop
        return loop
    }

    /// Adds a timer.
    public func add(_ timer: Timer, forMode mode: Mode) {
        guard !isMain else { return timer.startOnMain() }
        condition.withLock {
            timers.append(timer)
            condition.signal()
        }
        timer.onEnd { [weak self] in
            guard let self else { return }
            condition.withLock { self.condition.signal() }
        }
    }

    /// Runs until the last timer has ended; on the main queue, which runs anyway, it returns at once.
    public func run() { run(until: .distantFuture) }

    /// Runs until a time, or until the last timer has ended.
    public func run(until limit: Date) {
        while Date() < limit, run(mode: .default, before: limit) {}
    }

    /// Waits for one timer and fires it.
    ///
    /// - Returns: false without timers.
    @discardableResult
    public func run(mode: Mode, before limit: Date) -> Bool {
        condition.lock()
        while true {
            timers.removeAll { !$0.isValid }
            guard let timer = timers.min(by: { $0.due < $1.due }) else {
                condition.unlock()
                return false
            }
            let now = DispatchTime.now().uptimeNanoseconds
            if timer.due <= now {
                condition.unlock()
                timer.fireOnTime()
                return true
            }
            let next = Date(timeIntervalSinceNow: Double(timer.due - now) / 1e9)
            if !condition.wait(until: min(next, limit)), limit <= next {
                condition.unlock()
                return true
            }
        }
    }
}
