public import Glibc

/// A value behind a lock, with a condition: threads can wait for the value to change.
///
/// Wraps a pthread mutex and condition, because `Mutex` has no condition. Waits use the monotonic
/// clock: setting the wall clock does not affect deadlines.
///
/// Public, like ``Ring``, ``HandleTable`` and ``SessionClock``, so that other modules can
/// specialize it. Only inlinable bodies cross modules.
///
/// Sendable without the compiler's proof: `value` and `sleepers` are accessed only while `mutex` is
/// locked, and the pthread objects have fixed addresses from `init` to `deinit`.
public final class Monitor<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @usableFromInline var value: Value
    /// Threads that wait on a virtual clock for a change.
    @usableFromInline var sleepers: [(clock: VirtualClock, sleeper: VirtualClock.Sleeper)] = []

    package init(_ value: consuming sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Runs a body under the lock. The body must not change any value that a thread waits for.
    /// [any]
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Runs a body under the lock, then wakes all waiting threads. [any]
    @inlinable
    package func change<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer {
            for (clock, sleeper) in sleepers { clock.wake(sleeper) }
            pthread_mutex_unlock(mutex)
            // Broadcast after unlocking, because a woken thread would wait for the lock at once.
            pthread_cond_broadcast(changed)
        }
        return try body(&value)
    }

    /// Waits until a body returns a value. [any]
    ///
    /// - Parameters:
    /// - deadline: The deadline in nanoseconds on the clock; nil for none.
    ///   - clock: The deadline's clock.
    ///   - body: Runs at once and after each change, under the lock.
    /// - Returns: The body's value; nil after the deadline.
    @inlinable
    package func wait<Result: ~Copyable>(
        until deadline: Int64?, on clock: HostClock = .real,
        for body: (inout Value) -> sending Result?
    ) -> sending Result? {
        wait(until: { _ in deadline }, on: clock, for: body)
    }

    /// Waits until a body returns a value, with a deadline that depends on the monitor's value.
    /// [any]
    ///
    /// - Parameters:
    /// - deadline: The deadline in nanoseconds on the clock; nil for none. Runs under the lock each
    ///   time the body returned nil.
    ///   - clock: The deadline's clock.
    ///   - body: Runs at once and after each change, under the lock.
    /// - Returns: The body's result; nil after the deadline.
    @inlinable
    package func wait<Result: ~Copyable>(
        until deadline: (inout Value) -> Int64?, on clock: HostClock = .real,
        for body: (inout Value) -> sending Result?
    ) -> sending Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            guard let deadline = deadline(&value) else {
                pthread_cond_wait(changed, mutex)
                continue
            }
            if let time = clock.manual {
                guard sleep(until: deadline, on: time) else { return nil }
                continue
            }
            guard deadline > clock.now else { return nil }
            var moment = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            pthread_cond_timedwait(changed, mutex, &moment)
        }
    }

    /// Waits under the lock for a change, or until a test has advanced its time.
    ///
    /// - Returns: Whether the deadline has not been reached.
    @usableFromInline
    func sleep(until deadline: Int64, on time: ManualTime) -> Bool {
        let wait = time.begin(until: deadline) { [self] in
            // A thread that holds the lock and has begun to wait is asleep once this thread has the lock.
            pthread_mutex_lock(mutex)
            pthread_mutex_unlock(mutex)
            pthread_cond_broadcast(changed)
        }
        guard let wait else { return false }
        pthread_cond_wait(changed, mutex)
        time.end(wait)
        return true
    }

    /// Waits on a virtual clock until a body returns a value.
    ///
    /// - Parameters:
    /// - deadline: The deadline in nanoseconds on the clock. Runs under the lock.
    /// - order: The calling thread's order, for a thread that is not yet registered.
    /// - yields: Whether all other threads run first, even after the deadline.
    @usableFromInline
    func wait<Result: ~Copyable>(
        on clock: VirtualClock, until deadline: (inout Value) -> Int64?, as order: ClockOrder,
        yields: Bool,
        for body: (inout Value) -> sending Result?
    ) -> sending Result? {
        let sleeper = clock.prepareToSleep(order)
        var mustYield = yields
        while true {
            pthread_mutex_lock(mutex)
            sleepers.removeAll { $0.sleeper === sleeper }
            let result = body(&value)
            let deadline = result == nil ? deadline(&value) : nil
            let isOver = !mustYield && deadline.map { $0 <= clock.now } ?? false
            if result == nil, !isOver { sleepers.append((clock, sleeper)) }
            pthread_mutex_unlock(mutex)
            if let result { return result }
            if isOver { return nil }
            clock.sleep(sleeper, until: deadline)
            mustYield = false
            _ = clock.prepareToSleep(order)
        }
    }

    /// Waits on another condition while a body returns true.
    func sleep(
        on condition: UnsafeMutablePointer<pthread_cond_t>, while body: (inout Value) -> Bool
    ) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while body(&value) { pthread_cond_wait(condition, mutex) }
    }
}
