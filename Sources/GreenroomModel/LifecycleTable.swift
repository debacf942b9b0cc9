package import GreenroomMedia

/// The state of an instance.
public enum LifecycleState: String, CaseIterable, Sendable, Codable {
    /// Created, not initialized.
    case created
    /// Initialized with a sender, not started yet.
    case initialized
    /// Sending: frames are accepted.
    case sending
    /// Stopped after sending; may be started again.
    case stopped
    /// Uninitialized: the sender has ended.
    case uninitialized
    /// Destroyed: the instance is freed.
    case destroyed
    /// Faulted: the plugin hung or broke a fatal rule. The host no longer calls the plugin.
    case faulted

    /// Whether the state is final.
    package var isOver: Bool { self == .destroyed || self == .faulted }
}

/// A step of the host with an instance.
public enum LifecycleStep: String, CaseIterable, Sendable, Codable {
    /// Creates the instance and begins its life; not in the table.
    case create
    /// Gets an extension's address; in sessions only within `create`.
    case getExtension = "get-extension"
    /// Passes the sender and the offer.
    case initialize
    /// Describes tracks to an output.
    case track
    /// Notifies an output that participants' tracks have ended.
    case trackEnded = "track-ended"
    /// Passes the demands for participants' tracks to a call.
    case demand
    /// Passes events of the session to a plugin with the `control` grant.
    case event
    /// Passes a new offer.
    case propertyChange = "property-change"
    /// Changes a live parameter.
    case setParameter = "set-parameter"
    /// Starts sending.
    case startSend = "start-send"
    /// Ends sending.
    case stopSend = "stop-send"
    /// Ends the sender.
    case uninitialize
    /// Frees the instance.
    case destroy
    /// Abandons the instance.
    case fault

    /// The steps that end an instance, in order.
    package static let ending: [LifecycleStep] = [.stopSend, .uninitialize, .destroy]

    /// Returns the time limit of this step. The stop-send of an output has five times the limit,
    /// because the output may write an index, or wait for a far end or a program.
    ///
    /// - Parameter limit: The limit of other callbacks, in nanoseconds; at most an hour.
    package func limit(_ limit: Int64, of kind: PluginKind) -> Int64 {
        self == .stopSend && kind.isOutput ? 5 * limit : limit
    }
}

extension LifecycleStep: CustomStringConvertible {
    /// The step's name in events and reports.
    public var description: String { rawValue }
}

/// The lifecycle as a table of all legal steps.
///
/// The host, the documentation and the tests use this table.
package enum LifecycleTable {
    /// One legal step.
    package struct Row: Equatable, Sendable {
        /// The state before the step.
        package var state: LifecycleState
        /// The step.
        package var step: LifecycleStep
        /// The state after success. A failed step leaves the state unchanged.
        package var next: LifecycleState
    }

    /// Every legal step.
    package static let rows: [Row] = [
        Row(state: .created, step: .initialize, next: .initialized),
        Row(state: .created, step: .setParameter, next: .created),
        Row(state: .created, step: .destroy, next: .destroyed),
        Row(state: .created, step: .fault, next: .faulted),

        Row(state: .initialized, step: .track, next: .initialized),
        Row(state: .initialized, step: .propertyChange, next: .initialized),
        Row(state: .initialized, step: .setParameter, next: .initialized),
        Row(state: .initialized, step: .startSend, next: .sending),
        Row(state: .initialized, step: .uninitialize, next: .uninitialized),
        Row(state: .initialized, step: .fault, next: .faulted),

        Row(state: .sending, step: .track, next: .sending),
        Row(state: .sending, step: .trackEnded, next: .sending),
        Row(state: .sending, step: .demand, next: .sending),
        Row(state: .sending, step: .event, next: .sending),
        Row(state: .sending, step: .propertyChange, next: .sending),
        Row(state: .sending, step: .setParameter, next: .sending),
        Row(state: .sending, step: .stopSend, next: .stopped),
        Row(state: .sending, step: .fault, next: .faulted),

        Row(state: .stopped, step: .propertyChange, next: .stopped),
        Row(state: .stopped, step: .setParameter, next: .stopped),
        Row(state: .stopped, step: .startSend, next: .sending),
        Row(state: .stopped, step: .uninitialize, next: .uninitialized),
        Row(state: .stopped, step: .fault, next: .faulted),

        Row(state: .uninitialized, step: .setParameter, next: .uninitialized),
        Row(state: .uninitialized, step: .destroy, next: .destroyed),
        Row(state: .uninitialized, step: .fault, next: .faulted),
    ]

    /// The state after a successful step; nil if the step is illegal in this state.
    package static func next(from state: LifecycleState, by step: LifecycleStep) -> LifecycleState?
    {
        rows.first { $0.state == state && $0.step == step }?.next
    }

    /// The status of sends in a state: `ok` only while frames are accepted.
    package static func senderStatus(in state: LifecycleState) -> Status {
        switch state {
        case .created, .initialized: .notStarted
        case .sending: .ok
        case .stopped: .stopped
        case .uninitialized, .destroyed, .faulted: .gone
        }
    }

    /// The steps that end an instance from a state, in order.
    package static func stepsToEnd(from state: LifecycleState) -> [LifecycleStep] {
        switch state {
        case .created, .uninitialized: [.destroy]
        case .initialized, .stopped: [.uninitialize, .destroy]
        case .sending: [.stopSend, .uninitialize, .destroy]
        case .destroyed, .faulted: []
        }
    }
}
