internal import FoundationEssentials
import GreenroomMedia
package import GreenroomNegotiation

/// An event as JSON, without absent values. ``members`` describes each member.
package struct EventRecord: Codable, Sendable {
    package struct Video: Codable, Sendable {
        package var track: String
        package var accepted: Int
        package var refused: Int
        package var dropped: Int
        package var fps: Double

        package init(track: String, accepted: Int, refused: Int, dropped: Int, fps: Double) {
            self.track = track
            self.accepted = accepted
            self.refused = refused
            self.dropped = dropped
            self.fps = fps
        }
    }

    /// The version of the event format. It increases when a member or an event is removed or
    /// changes its meaning, but not for additions.
    package static let version = 1
    /// The outcome of a session with an output that could not be opened.
    package static let outputFailed = "output-failed"

    package var event: EventKind
    package var version: Int?
    package var session: String?
    package var at: String?
    package var time: Double?
    package var level: LogLevel?
    package var role: String?
    package var origin: String?
    package var status: String?
    package var state: OutputCondition?
    package var step: String?
    package var seconds: Double?
    package var capability: String?
    package var answer: NegotiationRecord.Answer?
    package var output: String?
    package var file: String?
    package var speaker: String?
    package var start: Double?
    package var end: Double?
    package var text: String?
    /// The writer of a message; nil for the operator.
    package var author: String?
    package var videoTracks: [Video]?
    package var concealed: Int?
    /// The share of real media in each track so far, in per cent, by the source's role.
    package var real: [String: Double]?
    package var negotiation: NegotiationRecord?
    package var commands: [String]?
    /// At the end: the report's outcome, or `output-failed` if an output could not be opened.
    package var outcome: String?
    package var failedPlugin: String?
    /// At the end: the exit code.
    package var exit: Int32?
    /// At the end: the summary as text.
    package var summary: [String]?
}

extension SessionEvent {
    /// The event as JSON.
    package var record: EventRecord {
        switch self {
        case .agreed(let role, let agreement, let negotiation):
            EventRecord(
                event: .agreed, role: role, capability: agreement.track.description,
                answer: agreement.answer.recorded, negotiation: negotiation)
        case .renegotiated(let role, let negotiation):
            EventRecord(
                event: .renegotiated, role: role, capability: negotiation.track,
                answer: negotiation.answer, text: negotiation.reason.rawValue,
                negotiation: negotiation)
        case .explanation(let role, let negotiation):
            EventRecord(
                event: .explanation, role: role, capability: negotiation.track, text: line,
                negotiation: negotiation)
        case .commanded(let origin, let text):
            EventRecord(event: .commanded, origin: origin, text: text)
        case .started:
            EventRecord(event: .started)
        case .pluginLog(let role, let level, let text):
            EventRecord(event: .log, level: level, role: role, text: text)
        case .stepFailed(let role, let step, let status, let reason):
            EventRecord(
                event: .stepFailed, role: role, status: status.description, step: step.description,
                text: reason)
        case .callbackHangs(let role, let callback, let seconds):
            EventRecord(
                event: .callbackHangs, role: role, step: callback.description, seconds: seconds)
        case .pluginGaveUp(let role, let status, let reason):
            EventRecord(
                event: .pluginGaveUp, level: status == .ok ? .info : .error, role: role,
                status: status.description, text: reason)
        case .programConnected(let role, let text):
            EventRecord(event: .programConnected, role: role, text: text)
        case .programRefused(let role, let text):
            EventRecord(event: .programRefused, role: role, text: text)
        case .recording(.off): EventRecord(event: .recordingStopped)
        case .recording(.paused): EventRecord(event: .recordingPaused)
        case .recording(.on): EventRecord(event: .recordingStarted)
        case .sharePaused(let role):
            EventRecord(event: .sharePaused, role: role)
        case .shareResumed(let role):
            EventRecord(event: .shareResumed, role: role)
        case .pluginLost(let role, let evidence):
            EventRecord(event: .pluginLost, role: role, text: evidence)
        case .participantJoined(let role, let name):
            EventRecord(event: .participantJoined, role: role, text: name)
        case .participantLeft(let role, let name):
            EventRecord(event: .participantLeft, role: role, text: name)
        case .trackOpened(let track, let participant, _):
            EventRecord(event: .trackOpened, role: track, text: participant)
        case .trackMuted(let track, let isMuted):
            EventRecord(event: isMuted ? .trackMuted : .trackUnmuted, role: track)
        case .trackClosed(let track):
            EventRecord(event: .trackClosed, role: track)
        case .pluginRestarts(let role, let seconds):
            EventRecord(event: .pluginRestarts, role: role, seconds: seconds)
        case .pluginReturned(let role, let seconds):
            EventRecord(event: .pluginReturned, role: role, seconds: seconds)
        case .sourceSilent(let role, let seconds, let text):
            EventRecord(event: .sourceSilent, role: role, seconds: seconds, text: text)
        case .sourceSends(let role, let seconds):
            EventRecord(event: .sourceSends, role: role, seconds: seconds)
        case .pluginDropped(let role):
            EventRecord(event: .pluginDropped, role: role)
        case .outputFailed(let output, let reason):
            EventRecord(event: .outputFailed, output: output, text: reason)
        case .outputState(let role, let state, let text):
            EventRecord(event: .outputState, role: role, state: state, text: text)
        case .caption(let role, let caption):
            EventRecord(
                event: .caption, role: role, speaker: caption.speaker,
                start: Double(caption.startNanoseconds / 1_000_000) / 1000,
                end: Double(caption.endNanoseconds / 1_000_000) / 1000, text: caption.text)
        case .fileFinished(let role, let file):
            EventRecord(event: .fileFinished, role: role, file: file)
        case .disk(let folder, let text, let isLow):
            EventRecord(
                event: .disk, level: isLow ? .warning : .info, output: folder, text: text)
        case .message(let role, let author, let text):
            EventRecord(event: .message, origin: role, text: text, author: author)
        case .note(let role, let text):
            EventRecord(event: .note, role: role, text: text)
        case .stopping(let reason):
            EventRecord(event: .stopping, text: reason)
        case .ended:
            EventRecord(event: .ended)
        }
    }
}

extension EventRecord {
    /// Makes a record that has only its kind.
    package init(event: EventKind) {
        self.init(event: event, version: nil)
    }

    /// The record of events that were dropped because a reader was too slow.
    package static func leftOut(_ count: Int) -> EventRecord {
        EventRecord(event: .leftOut, text: leftOutText(count))
    }

    /// The text for a number of dropped events.
    package static func leftOutText(_ count: Int) -> String {
        "\(count) lines dropped: reader too slow"
    }

    /// The record on one line, with the time of day, its level and the version.
    ///
    /// - Parameters:
    /// - seconds: The time since the program began to run the session.
    /// - session: The session's ``SessionConfiguration/runningName``; nil if the session has none.
    package func text(at seconds: Double?, of session: String?) -> String {
        var record = self
        record.version = Self.version
        record.session = session
        record.at = Date.now.ISO8601Format(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        record.time = seconds
        record.level = level ?? event.facts.level
        return (try? record.jsonText()) ?? "{}"
    }
}
