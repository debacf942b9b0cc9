import GreenroomMedia
import GreenroomModel
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomRuntime
import Synchronization

/// The plugins that may control a session, plugins that take its media, and the events for both.
struct ControlGrants: Sendable {
    private let link = SessionLink()
    private let begun = ContinuousClock.now
    private let session: String
    /// The grants, by role.
    private let grants: [String: ControlGrant]
    /// The roles of calls.
    private let calls: Set<String>

    /// - Parameters:
    ///   - plan: The plan, which names the plugins that may control the session.
    ///   - clock: The clock that limits the rate of commands.
    init(_ plan: SessionPlan, clock: HostClock) {
        var grants: [String: ControlGrant] = [:]
        for (address, plugin) in plan.plugins
        where plugin.mayControl || plugin.descriptor.kind.takesMedia {
            grants["\(address)"] = ControlGrant(
                link, mayCommand: plugin.mayControl, clock: clock)
        }
        self.grants = grants
        calls = Set(
            plan.plugins.filter { $0.plugin.descriptor.kind == .call }.map { "\($0.address)" })
        session = plan.configuration.runningName
    }

    /// Whether no plugin gets events.
    var isEmpty: Bool { grants.isEmpty }

    /// Sets the session, once, before it runs.
    func begin(_ session: Session) { link.begin(session) }

    /// Returns the grant of a plugin; nil if the plugin gets no events.
    func grant(of role: String) -> ControlGrant? { grants[role] }

    /// Queues an event for each plugin that may know of it. [any]
    func add(_ event: SessionEvent) {
        let takers = grants.filter { role, grant in
            if grant.mayCommand { return true }
            return switch event {
            case .caption: true
            case .recording, .pluginReturned: calls.contains(role)
            default: false
            }
        }
        guard !takers.isEmpty else { return }
        let seconds = Double((ContinuousClock.now - begun).nanoseconds) / 1e9
        let text = event.record.text(at: seconds, of: session)
        let recording = link.recording(after: event, text)
        for (role, grant) in takers {
            if case .pluginReturned = event, !grant.mayCommand {} else { grant.add(text) }
            // A new life of a call has not seen the event.
            if case .pluginReturned(role, _) = event, let recording { grant.add(recording) }
        }
    }
}

extension SessionEvent {
    /// Whether the event is about recordings, which the participants of a call must know.
    fileprivate var isOfRecordings: Bool {
        if case .recording = self { true } else { false }
    }
}

/// The link from the plugins to the session.
private final class SessionLink: SessionControlling {
    private struct State {
        /// Weak because the session owns the plugins.
        weak var session: Session?
        /// The number of the last command.
        var number: UInt32 = 0
        /// The newest event about recordings, as JSON.
        var recording: String?
    }

    private let state = Mutex(State())

    func begin(_ session: Session) { state.withLock { $0.session = session } }

    /// Returns the newest event about recordings, which may be this one.
    func recording(after event: SessionEvent, _ text: String) -> String? {
        state.withLock { state in
            if event.isOfRecordings { state.recording = text }
            return state.recording
        }
    }

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
