/// The clock of plugins, tracks and outputs: monotonic nanoseconds.
///
/// Threads wait here for session time or for work. Waits that guard against hanging code use
/// ``host`` on the monitor alone. A virtual clock stands still during such waits.
public final class SessionClock: Sendable {
    @usableFromInline let virtual: VirtualClock?
    /// The clock that times code that may hang. A real session clock uses the same time.
    @usableFromInline package let host: HostClock

    /// - Parameter host: The machine's time, or a test's own time.
    package init(isVirtual: Bool = false, host: HostClock = .real) {
        virtual = isVirtual ? VirtualClock(host: host) : nil
        self.host = host
    }

    /// Whether time stands still while any thread works.
    package var isVirtual: Bool { virtual != nil }

    /// The time; never decreases.
    package var now: Int64 { virtual?.now ?? host.now }

    /// Waits until a body returns a value, or until a time. [any]
    ///
    /// - Parameters:
    /// - monitor: The monitor whose value the body reads.
    /// - deadline: The deadline on this clock; nil for none.
    ///   - order: Identifies the calling thread, unless it is a host thread.
    /// - yields: Whether, on a virtual clock, all other work of the current time is done first,
    ///   even after the deadline. This orders the actions of plugins' threads at one time.
    ///   - body: Runs at once and after each change, under the monitor's lock.
    /// - Returns: The body's value; nil after the deadline.
    @inlinable
    package func wait<Value: ~Copyable, Result: ~Copyable>(
        for monitor: Monitor<Value>, until deadline: Int64?, as order: ClockOrder = .session,
        yields: Bool = false,
        _ body: (inout Value) -> sending Result?
    ) -> sending Result? {
        wait(for: monitor, until: { _ in deadline }, as: order, yields: yields, body)
    }

    /// Waits until a body returns a value, with a deadline that depends on the monitor's value.
    /// [any]
    ///
    /// - Parameter deadline: The deadline on this clock; nil for none. Runs under the monitor's
    ///   lock.
    @inlinable
    package func wait<Value: ~Copyable, Result: ~Copyable>(
        for monitor: Monitor<Value>, until deadline: (inout Value) -> Int64?,
        as order: ClockOrder = .session, yields: Bool = false,
        _ body: (inout Value) -> sending Result?
    ) -> sending Result? {
        if let virtual {
            monitor.wait(on: virtual, until: deadline, as: order, yields: yields, for: body)
        } else {
            monitor.wait(until: deadline, on: host, for: body)
        }
    }

    // MARK: Threads and plugins of a virtual clock

    /// Makes the calling thread lead the session until ``leave()``. Time stands still while the
    /// thread works.
    package func lead() {
        if let sleeper = admit(.session) { join(as: sleeper) }
    }

    /// Removes the calling thread from the session.
    package func leave() {
        if virtual != nil { ThreadSleeper.leave() }
    }

    /// Lets time advance while the calling thread waits for something slow.
    package func idling<Result>(_ body: () -> Result) -> Result {
        if let virtual { virtual.idling(body) } else { body() }
    }

    /// Registers a thread that is about to start; nil on the real clock.
    func admit(_ order: ClockOrder) -> VirtualClock.Sleeper? { virtual?.admit(order) }

    /// Registers the calling thread as the sleeper until the thread exits.
    func join(as sleeper: VirtualClock.Sleeper) {
        if let virtual { _ = ThreadSleeper.adopt(sleeper, of: virtual) }
    }

    /// Removes a registered thread that did not start.
    func dismiss(_ sleeper: VirtualClock.Sleeper) { virtual?.dismiss(sleeper) }

    /// Registers a started plugin, which should now wait on the clock.
    ///
    /// - Parameter isAtRest: Whether none of the plugin's threads runs, for a plugin that may only
    ///   respond to calls. The clock does not wait for this plugin while it rests.
    package func expect(plugin number: Int, unless isAtRest: (@Sendable () -> Bool)? = nil) {
        virtual?.expect(number, unless: isAtRest)
    }

    /// Unregisters a plugin that is about to start, or has ended.
    package func stopExpecting(plugin number: Int) { virtual?.stopExpecting(number) }

    /// Expects a plugin again when all threads from its call have ended or are about to end.
    package func expectNext(plugin number: Int) { virtual?.expectNext(number) }

    /// Lets time advance while a callback waits for a thread of its plugin that waits on the clock.
    ///
    /// - Parameter latest: The latest time to advance to; nil for no limit.
    /// - Returns: The time at which the thread is due; nil if no thread is due by `latest`.
    package func release(callbackOf number: Int, until latest: Int64?) -> Int64? {
        virtual?.release(callbackOf: number, until: latest)
    }

    /// Makes the calling thread count again after its callback has returned.
    package func rejoin() { virtual?.rejoin() }

    /// Unregisters a plugin that was stopped, and its threads until they wait on the clock again.
    package func release(plugin number: Int) { virtual?.release(number) }

    /// Ignores the threads of a plugin that hangs.
    package func forget(plugin number: Int) { virtual?.forget(number) }

    /// Starts to detect plugins that do not use the clock.
    ///
    /// - Parameter look: Runs at least every 100 ms of real time, even while a virtual clock stands still;
    ///   never on a real clock.
    package func watch(
        look: @escaping @Sendable () -> Void = {},
        _ tell: @escaping @Sendable (_ plugin: Int, _ hadWaited: Bool) -> Void
    ) {
        virtual?.watch(look: look, tell)
    }

    /// Stops detecting.
    package func close() { virtual?.close() }
}
