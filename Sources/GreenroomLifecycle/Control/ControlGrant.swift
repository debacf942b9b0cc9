import GreenroomModel
import GreenroomABI
import GreenroomPluginInterface
package import GreenroomRuntime
import Synchronization

/// The part that a plugin has in the session's control, through all its lives: the queue of events
/// for the plugin, and with the grant `control` the commands that the plugin sends. A call gets the
/// events about recordings without the grant, because its participants must know of them.
///
/// Both directions are limited. A plugin that sends too much is refused; a plugin that reads too
/// slowly loses events. Neither delays the session.
package final class ControlGrant: Sendable {
    /// The most queued events. The grant drops further events.
    package static let mostEvents = 256
    /// The most bytes of queued events.
    package static let mostBytes = 256 * 1024
    /// The most bytes of one event. The grant drops a longer event.
    package static let longestEvent = 32 * 1024
    /// The most events that the plugin receives in one step.
    package static let mostInStep = 32

    private static let commandsPerSecond = 20
    private static let textsPerSecond = 20

    private struct State {
        var commands = CallRate(burst: 60, perSecond: commandsPerSecond)
        /// The rate of descriptions and reports.
        var texts = CallRate(burst: 20, perSecond: textsPerSecond)
        var events: [String] = []
        var bytes = 0
        /// The events dropped after the queued ones.
        var lost = 0
    }

    /// Whether the plugin has the grant: it may send commands, and gets all events.
    package let mayCommand: Bool
    private let session: any SessionControlling
    private let clock: HostClock
    private let state = Mutex(State())

    /// - Parameter clock: The clock that limits the rate of the plugin's calls.
    package init(
        _ session: any SessionControlling, mayCommand: Bool = true, clock: HostClock = .real
    ) {
        self.mayCommand = mayCommand
        self.session = session
        self.clock = clock
    }

    // MARK: The plugin's calls

    /// Queues a command.
    ///
    /// - Parameter role: The plugin's role, for events.
    /// - Returns: The command's number.
    func command(_ text: String?, role: String) throws(Refusal) -> UInt32 {
        guard let text else { throw Refusal(.commandText, in: .command) }
        let isAllowed = state.withLock { $0.commands.allows(at: clock.now) }
        guard isAllowed else {
            throw Refusal(.controlRate(Self.commandsPerSecond), in: .command)
        }
        do throws(CommandError) {
            return try session.perform(line: text, for: role)
        } catch {
            throw Refusal(.command(error.description), in: .command)
        }
    }

    /// Returns the session's description as JSON.
    func describe() throws(Refusal) -> String { try text(.describe) { session.descriptionText } }

    /// Returns the session's report as JSON.
    func report() throws(Refusal) -> String { try text(.sessionReport) { session.reportText } }

    private func text(_ call: HostFunction, _ make: () -> String?) throws(Refusal) -> String {
        let isAllowed = state.withLock { $0.texts.allows(at: clock.now) }
        guard isAllowed else { throw Refusal(.controlRate(Self.textsPerSecond), in: call) }
        guard let text = make() else { throw Refusal(.noSessionYet, in: call) }
        return text
    }

    // MARK: Events

    /// Queues an event. [any]
    package func add(_ text: String) {
        let count = text.utf8.count
        state.withLock { state in
            guard state.lost == 0, count <= Self.longestEvent,
                state.events.count < Self.mostEvents, state.bytes + count <= Self.mostBytes
            else {
                state.lost += 1
                return
            }
            state.events.append(text)
            state.bytes += count
        }
    }

    /// Removes and returns the events for the next step, oldest first.
    package func takeEvents() -> [String] {
        state.withLock { state in
            var taken = Array(state.events.prefix(Self.mostInStep))
            state.events.removeFirst(taken.count)
            state.bytes -= taken.reduce(0) { $0 + $1.utf8.count }
            if state.events.isEmpty, state.lost > 0 {
                taken.append(EventRecord.leftOut(state.lost).text(at: nil, of: nil))
                state.lost = 0
            }
            return taken
        }
    }
}

/// A rate limit: a bucket of tokens, on the real clock.
struct CallRate: Sendable {
    let perSecond: Int
    private let burst: Double
    private var tokens: Double
    private var last: Int64?

    init(burst: Int, perSecond: Int) {
        self.perSecond = perSecond
        self.burst = Double(burst)
        tokens = Double(burst)
    }

    /// Takes a token if the bucket has one.
    ///
    /// - Parameter now: The time, in monotonic nanoseconds.
    mutating func allows(at now: Int64) -> Bool {
        let seconds = Double(max(0, now - (last ?? now))) / 1e9
        tokens = min(burst, tokens + seconds * Double(perSecond))
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
