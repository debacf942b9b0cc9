import GreenroomNegotiation
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

/// An event as JSON, without absent values.
struct EventRecord: Codable, Sendable {
    struct Video: Codable, Sendable {
        var track: String
        var accepted: Int
        var refused: Int
        var dropped: Int
        var fps: Double
    }

    var event: String
    var time: Double?
    var role: String?
    var origin: String?
    var level: String?
    var status: String?
    var step: String?
    var seconds: Double?
    var capability: String?
    var answer: String?
    var output: String?
    var text: String?
    var pictures: [Video]?
    var concealed: Int?
    /// How much of each track was real so far, in per cent, by its source's role.
    var real: [String: Double]?
    var negotiation: NegotiationRecord?
    var commands: [String]?
    /// At the end: the report's outcome, or `output-failed` if an output could not be opened.
    var outcome: String?
    var failedPlugin: String?
    /// At the end: the exit code.
    var exit: Int32?
    /// At the end: the summary as text.
    var summary: [String]?

    init(event: String) { self.event = event }
}

extension SessionEvent {
    /// The event as JSON.
    var record: EventRecord {
        var record: EventRecord
        switch self {
        case .agreed(let role, let agreement, let negotiation):
            record = EventRecord(event: "agreed")
            record.role = role
            record.capability = agreement.track.description
            record.answer = agreement.answer.name
            record.negotiation = negotiation
        case .renegotiated(let role, let negotiation):
            record = EventRecord(event: "renegotiated")
            record.role = role
            record.capability = negotiation.track
            record.answer = negotiation.answer
            record.text = negotiation.reason
            record.negotiation = negotiation
        case .explanation(let role, let negotiation):
            record = EventRecord(event: "explanation")
            record.role = role
            record.capability = negotiation.track
            record.text = line
            record.negotiation = negotiation
        case .commanded(let origin, let text):
            record = EventRecord(event: "commanded")
            record.origin = origin
            record.text = text
        case .started:
            record = EventRecord(event: "started")
        case .pluginLog(let role, let level, let text):
            record = EventRecord(event: "log")
            record.role = role
            record.level = level.rawValue
            record.text = text
        case .stepFailed(let role, let step, let status, let reason):
            record = EventRecord(event: "step-failed")
            record.role = role
            record.step = step
            record.status = status.description
            record.text = reason
        case .callbackHangs(let role, let callback, let seconds):
            record = EventRecord(event: "callback-hangs")
            record.role = role
            record.step = callback
            record.seconds = seconds
        case .pluginGaveUp(let role, let status, let reason):
            record = EventRecord(event: "plugin-gave-up")
            record.role = role
            record.status = status.description
            record.text = reason
        case .broadcastArrived(let role, let text):
            record = EventRecord(event: "broadcast-arrived")
            record.role = role
            record.text = text
        case .broadcastRefused(let role, let text):
            record = EventRecord(event: "broadcast-refused")
            record.role = role
            record.text = text
        case .sharePaused(let role):
            record = EventRecord(event: "share-paused")
            record.role = role
        case .shareResumed(let role):
            record = EventRecord(event: "share-resumed")
            record.role = role
        case .pluginLost(let role, let evidence):
            record = EventRecord(event: "plugin-lost")
            record.role = role
            record.text = evidence
        case .pluginRestarts(let role, let seconds):
            record = EventRecord(event: "plugin-restarts")
            record.role = role
            record.seconds = seconds
        case .pluginReturned(let role, let seconds):
            record = EventRecord(event: "plugin-returned")
            record.role = role
            record.seconds = seconds
        case .sourceSilent(let role, let seconds, let text):
            record = EventRecord(event: "source-silent")
            record.role = role
            record.seconds = seconds
            record.text = text
        case .sourceSends(let role, let seconds):
            record = EventRecord(event: "source-sends")
            record.role = role
            record.seconds = seconds
        case .pluginDropped(let role):
            record = EventRecord(event: "plugin-dropped")
            record.role = role
        case .outputFailed(let output, let reason):
            record = EventRecord(event: "output-failed")
            record.output = output
            record.text = reason
        case .note(let role, let text):
            record = EventRecord(event: "note")
            record.role = role
            record.text = text
        case .stopping(let reason):
            record = EventRecord(event: "stopping")
            record.text = reason
        case .ended:
            record = EventRecord(event: "ended")
        }
        return record
    }
}
