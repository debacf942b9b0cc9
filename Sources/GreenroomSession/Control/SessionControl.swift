import GreenroomModel
import GreenroomPluginInterface
import Synchronization

/// What a plugin that may control a session does with it.
package protocol SessionControlling: Sendable {
    /// Queues a command.
    ///
    /// - Parameter role: The plugin's.
    /// - Returns: Its number, which is in the events that say what became of it.
    /// - Throws: Why it is no command, or none that the session can execute.
    func perform(line: String, for role: String) throws(CommandProblem) -> UInt32

    /// What it is now, as JSON; nil before its sources were started.
    var descriptionText: String? { get }

    /// Its report, as JSON; nil before its sources were started.
    var reportText: String? { get }
}

/// The plugins that may control a session: passes their commands to it, and its events to them.
final class SessionControl: SessionControlling {
    /// Weak: the session has the plugins.
    private struct Link {
        weak var session: Session?
        /// Of the last command.
        var number: UInt32 = 0
    }

    private let link = Mutex(Link())
    private let begun = ContinuousClock.now
    private let roles: Set<String>
    private let grants = Mutex<[String: ControlGrant]>([:])

    /// - Parameter plan: Says which plugins may.
    init(_ plan: SessionPlan) {
        roles = Set(plan.plugins.filter(\.plugin.mayControl).map { "\($0.address)" })
    }

    /// Whether no plugin may.
    var isEmpty: Bool { roles.isEmpty }

    /// Sets the session, once, before it runs.
    func begin(_ session: Session) {
        guard !isEmpty else { return }
        link.withLock { $0.session = session }
        // The session's own events come from here on.
        grants.withLock { grants in
            for role in roles { grants[role] = ControlGrant(self) }
        }
    }

    /// The grant of a plugin; nil for one that may not.
    func grant(of role: String) -> ControlGrant? { grants.withLock { $0[role] } }

    /// Queues an event for each plugin. [any]
    func add(_ event: SessionEvent) {
        let grants = grants.withLock { Array($0.values) }
        guard !grants.isEmpty else { return }
        let seconds = Double((ContinuousClock.now - begun).nanoseconds) / 1e9
        let text = event.record.text(at: seconds)
        for grant in grants { grant.add(text) }
    }

    // MARK: The session

    func perform(line: String, for role: String) throws(CommandProblem) -> UInt32 {
        let (session, number) = link.withLock { link in
            link.number &+= 1
            return (link.session, link.number)
        }
        guard let session else { throw CommandProblem("the session has ended.") }
        try session.perform(line: line, origin: "command \(number) of \(role)")
        return number
    }

    var descriptionText: String? { link.withLock { $0.session }?.descriptionText }

    var reportText: String? { link.withLock { $0.session }?.reportText }
}
