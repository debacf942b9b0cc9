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
    var state: SessionOutput.State?
    var step: String?
    var seconds: Double?
    var capability: String?
    var answer: NegotiationRecord.Answer?
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
}

extension SessionEvent {
    /// The event as JSON.
    var record: EventRecord {
        switch self {
        case .agreed(let role, let agreement, let negotiation):
            EventRecord(
                event: "agreed", role: role, capability: agreement.track.description,
                answer: agreement.answer.recorded, negotiation: negotiation)
        case .renegotiated(let role, let negotiation):
            EventRecord(
                event: "renegotiated", role: role, capability: negotiation.track,
                answer: negotiation.answer, text: negotiation.reason.rawValue,
                negotiation: negotiation)
        case .explanation(let role, let negotiation):
            EventRecord(
                event: "explanation", role: role, capability: negotiation.track, text: line,
                negotiation: negotiation)
        case .commanded(let origin, let text):
            EventRecord(event: "commanded", origin: origin, text: text)
        case .started:
            EventRecord(event: "started")
        case .pluginLog(let role, let level, let text):
            EventRecord(event: "log", role: role, level: level.rawValue, text: text)
        case .stepFailed(let role, let step, let status, let reason):
            EventRecord(
                event: "step-failed", role: role, status: status.description, step: step,
                text: reason)
        case .callbackHangs(let role, let callback, let seconds):
            EventRecord(event: "callback-hangs", role: role, step: callback, seconds: seconds)
        case .pluginGaveUp(let role, let status, let reason):
            EventRecord(
                event: "plugin-gave-up", role: role, status: status.description, text: reason)
        case .broadcastArrived(let role, let text):
            EventRecord(event: "broadcast-arrived", role: role, text: text)
        case .broadcastRefused(let role, let text):
            EventRecord(event: "broadcast-refused", role: role, text: text)
        case .sharePaused(let role):
            EventRecord(event: "share-paused", role: role)
        case .shareResumed(let role):
            EventRecord(event: "share-resumed", role: role)
        case .pluginLost(let role, let evidence):
            EventRecord(event: "plugin-lost", role: role, text: evidence)
        case .participantJoined(let role, let name):
            EventRecord(event: "participant-joined", role: role, text: name)
        case .participantLeft(let role, let name):
            EventRecord(event: "participant-left", role: role, text: name)
        case .trackOpened(let track, let participant, _):
            EventRecord(event: "track-opened", role: track, text: participant)
        case .trackMuted(let track, let isMuted):
            EventRecord(event: isMuted ? "track-muted" : "track-unmuted", role: track)
        case .trackClosed(let track):
            EventRecord(event: "track-closed", role: track)
        case .pluginRestarts(let role, let seconds):
            EventRecord(event: "plugin-restarts", role: role, seconds: seconds)
        case .pluginReturned(let role, let seconds):
            EventRecord(event: "plugin-returned", role: role, seconds: seconds)
        case .sourceSilent(let role, let seconds, let text):
            EventRecord(event: "source-silent", role: role, seconds: seconds, text: text)
        case .sourceSends(let role, let seconds):
            EventRecord(event: "source-sends", role: role, seconds: seconds)
        case .pluginDropped(let role):
            EventRecord(event: "plugin-dropped", role: role)
        case .outputFailed(let output, let reason):
            EventRecord(event: "output-failed", output: output, text: reason)
        case .outputState(let role, let state, let text):
            EventRecord(event: "output-state", role: role, state: state, text: text)
        case .note(let role, let text):
            EventRecord(event: "note", role: role, text: text)
        case .stopping(let reason):
            EventRecord(event: "stopping", text: reason)
        case .ended:
            EventRecord(event: "ended")
        }
    }
}
