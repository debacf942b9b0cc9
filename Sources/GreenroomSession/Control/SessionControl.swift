import GreenroomModel
import GreenroomLifecycle
import GreenroomRuntime
import Synchronization

/// The plugins that may control a session, and the events for them.
struct SessionControl: Sendable {
    private let link = SessionLink()
    private let begun = ContinuousClock.now
    private let session: String
    /// The grants, by role.
    private let grants: [String: ControlGrant]

    /// - Parameters:
    ///   - plan: The plan, which names the plugins that may control the session.
    ///   - clock: The clock that limits the rate of commands.
    init(_ plan: SessionPlan, clock: HostClock) {
        var grants: [String: ControlGrant] = [:]
        for (address, plugin) in plan.plugins where plugin.mayControl {
            grants["\(address)"] = ControlGrant(link, clock: clock)
        }
        self.grants = grants
        session = plan.configuration.runningName
    }

    /// Whether no plugin may control the session.
    var isEmpty: Bool { grants.isEmpty }

    /// Sets the session, once, before it runs.
    func begin(_ session: Session) { link.begin(session) }

    /// Returns the grant of a plugin; nil if the plugin may not control the session.
    func grant(of role: String) -> ControlGrant? { grants[role] }

    /// Queues an event for each plugin with a grant. [any]
    func add(_ event: SessionEvent) {
        let seconds = Double((ContinuousClock.now - begun).nanoseconds) / 1e9
        let text = event.record.text(at: seconds, of: session)
        for grant in grants.values { grant.add(text) }
    }
}

/// The link from the plugins to the session.
private final class SessionLink: SessionControlling {
    private struct State {
        /// Weak because the session owns the plugins.
        weak var session: Session?
        /// The number of the last command.
        var number: UInt32 = 0
    }

    private let state = Mutex(State())

    func begin(_ session: Session) { state.withLock { $0.session = session } }

    func perform(line: String, for role: String) throws(CommandError) -> UInt32 {
        let (session, number) = state.withLock { state in
            state.number &+= 1
            return (state.session, state.number)
        }
        guard let session else { throw CommandError("the session has ended.") }
        try session.perform(line: line, origin: "command \(number) of \(role)")
        return number
    }

    var descriptionText: String? { state.withLock { $0.session }?.descriptionText }

    var reportText: String? { state.withLock { $0.session }?.reportText }
}
