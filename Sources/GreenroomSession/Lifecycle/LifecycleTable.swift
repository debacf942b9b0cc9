import GreenroomPluginInterface
package import GreenroomMedia

/// Where an instance is in its life.
public enum LifecycleState: String, CaseIterable, Sendable, Codable {
    /// Made, not initialized.
    case created
    /// It has its sender; nothing has been started yet.
    case initialized
    /// Frames are accepted.
    case sending
    /// Was sending; may be started again.
    case stopped
    /// Its sender is gone.
    case uninitialized
    /// Freed.
    case destroyed
    /// It hung, or broke a rule that can't be mended; no call is made on it any more.
    case faulted

    /// Whether no step leads further.
    var isOver: Bool { self == .destroyed || self == .faulted }
}

/// What the host does to an instance.
package enum LifecycleStep: String, CaseIterable, Sendable, Codable {
    /// Creates it, which begins its life; no row of the table is needed for that.
    case create
    /// Asks for one of its extensions; a session does so within `create` alone.
    case getExtension = "get-extension"
    /// Hands over the sender and the offer.
    case initialize
    /// Makes a new offer.
    case propertyChange = "property-change"
    /// Changes a live parameter.
    case setParameter = "set-parameter"
    /// Lets it send.
    case startSend = "start-send"
    /// Ends sending.
    case stopSend = "stop-send"
    /// Takes the sender away.
    case uninitialize
    /// Frees it.
    case destroy
    /// Leaves it alone for good.
    case fault

    /// The steps that end an instance, in order.
    package static let ending: [LifecycleStep] = [.stopSend, .uninitialize, .destroy]
}

extension LifecycleStep: CustomStringConvertible {
    /// The name in events and reports.
    package var description: String { rawValue }
}

/// The lifecycle as a table: every legal step and where it leads.
///
/// The host, the documentation and the tests read this one table.
package enum LifecycleTable {
    /// One legal step.
    package struct Row: Equatable, Sendable {
        /// The state in which the step may be made.
        package var state: LifecycleState
        /// The step.
        package var step: LifecycleStep
        /// The state after it succeeded. A step that fails leaves the state as it was.
        package var next: LifecycleState
    }

    /// Every legal step.
    package static let rows: [Row] = [
        Row(state: .created, step: .initialize, next: .initialized),
        Row(state: .created, step: .setParameter, next: .created),
        Row(state: .created, step: .destroy, next: .destroyed),
        Row(state: .created, step: .fault, next: .faulted),

        Row(state: .initialized, step: .propertyChange, next: .initialized),
        Row(state: .initialized, step: .setParameter, next: .initialized),
        Row(state: .initialized, step: .startSend, next: .sending),
        Row(state: .initialized, step: .uninitialize, next: .uninitialized),
        Row(state: .initialized, step: .fault, next: .faulted),

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

    /// Where a step leads when it succeeds; nil if it is not legal in that state.
    package static func next(from state: LifecycleState, by step: LifecycleStep) -> LifecycleState?
    {
        rows.first { $0.state == state && $0.step == step }?.next
    }

    /// What a sender answers in a state; `ok` only while frames are accepted.
    package static func senderStatus(in state: LifecycleState) -> Status {
        switch state {
        case .created, .initialized: .notStarted
        case .sending: .ok
        case .stopped: .stopped
        case .uninitialized, .destroyed, .faulted: .gone
        }
    }

    /// The steps that end an instance from a state in order, as far as it is still callable.
    package static func stepsToEnd(from state: LifecycleState) -> [LifecycleStep] {
        switch state {
        case .created, .uninitialized: [.destroy]
        case .initialized, .stopped: [.uninitialize, .destroy]
        case .sending: [.stopSend, .uninitialize, .destroy]
        case .destroyed, .faulted: []
        }
    }
}
