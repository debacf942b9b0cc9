/// Which clock a session runs on.
public enum ClockKind: String, CaseIterable, Sendable, Codable {
    /// The machine's monotonic clock.
    case real
    /// A clock of the session's own, which goes on as soon as everybody waits: faster than real
    /// time, and the same each time.
    case virtual
}

/// The clock that plugins, tracks and outputs share: monotonic nanoseconds.
///
/// Whoever waits for session time, or for work, waits here. Waits that guard against code that
/// hangs are in real time, on the monitor alone, and session time stands still during them.
package final class SessionClock: Sendable {
    @usableFromInline let virtual: VirtualClock?

    package init(_ kind: ClockKind = .real) {
        virtual = kind == .virtual ? VirtualClock() : nil
    }

    /// Whether time stands still while anybody is at work.
    package var isVirtual: Bool { virtual != nil }

    /// The time, which never goes backward.
    package var now: Int64 { virtual?.now ?? MonotonicClock.now }

    /// Waits until a body returns something, or the clock shows a time. [any]
    ///
    /// - Parameters:
    ///   - monitor: What the body looks at.
    ///   - deadline: On this clock; nil for never.
    ///   - order: Who the calling thread is, unless it is a thread of the host.
    ///   - yields: Whether, on a virtual clock, all that goes on at this time comes first, even if
    ///     the deadline has passed: what threads of plugins do at one time has an order then.
    ///   - body: Runs at once and after each change, under the monitor's lock.
    /// - Returns: What the body returned; nil when the deadline passed.
    @inlinable
    package func wait<Value: ~Copyable, Result: ~Copyable>(
        for monitor: Monitor<Value>, until deadline: Int64?, as order: ClockOrder = .session,
        yields: Bool = false,
        _ body: (inout Value) -> sending Result?
    ) -> sending Result? {
        wait(for: monitor, until: { _ in deadline }, as: order, yields: yields, body)
    }

    /// The same with a deadline that changes with what the monitor holds. [any]
    ///
    /// - Parameter deadline: On this clock; nil for never. Runs under the monitor's lock.
    @inlinable
    package func wait<Value: ~Copyable, Result: ~Copyable>(
        for monitor: Monitor<Value>, until deadline: (inout Value) -> Int64?,
        as order: ClockOrder = .session, yields: Bool = false,
        _ body: (inout Value) -> sending Result?
    ) -> sending Result? {
        if let virtual {
            monitor.wait(on: virtual, until: deadline, as: order, yields: yields, for: body)
        } else {
            monitor.wait(until: deadline, for: body)
        }
    }

    // MARK: What a virtual clock has to know

    /// Makes the calling thread lead the session until ``leave()``: time stands still while it is
    /// at work.
    package func lead() {
        if let sleeper = admit(.session) { join(as: sleeper) }
    }

    /// Ends the calling thread's part.
    package func leave() {
        if virtual != nil { SleeperOfThread.leave() }
    }

    /// Lets time go on while the calling thread waits for something that takes time.
    package func idling<Result>(_ body: () -> Result) -> Result {
        if let virtual { virtual.idling(body) } else { body() }
    }

    /// Makes room for a thread that is about to begin; nil if nobody has to know.
    func admit(_ order: ClockOrder) -> VirtualClock.Sleeper? { virtual?.admit(order) }

    /// Makes the calling thread the one that there is room for, until it ends.
    func join(as sleeper: VirtualClock.Sleeper) {
        if let virtual { _ = SleeperOfThread.adopt(sleeper, of: virtual) }
    }

    /// Ends the part of a thread that was never begun.
    func dismiss(_ sleeper: VirtualClock.Sleeper) { virtual?.dismiss(sleeper) }

    /// Says that a plugin was started, and should begin to wait on the clock.
    package func expect(plugin number: Int) { virtual?.expect(number) }

    /// Says that a plugin is about to be started, was stopped, or has ended.
    package func stopExpecting(plugin number: Int) { virtual?.stopExpecting(number) }

    /// Says that a plugin has hung.
    package func forget(plugin number: Int) { virtual?.forget(number) }

    /// Begins to look for plugins that don't keep to the clock.
    package func watch(_ tell: @escaping @Sendable (_ plugin: Int, _ hadWaited: Bool) -> Void) {
        virtual?.watch(tell)
    }

    /// Ends the watch.
    package func close() { virtual?.close() }
}
