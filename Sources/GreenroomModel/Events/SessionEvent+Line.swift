import GreenroomMedia
import GreenroomNegotiation

extension SessionEvent {
    /// The text for users, without control characters; nil for an event without text. Only an
    /// explanation has line breaks.
    public var line: String? {
        if case .explanation(let role, let record) = self {
            return record.explanation(role: role).map(\.printable).joined(separator: "\n")
        }
        return words?.printable
    }

    private var words: String? {
        switch self {
        case .agreed(let role, let agreement, _):
            switch agreement.answer {
            case .accept: "\(role): \(agreement.track), as suggested"
            case .counter: "\(role): \(agreement.track), countered by the plugin"
            case .fixed:
                agreement.source == agreement.track
                    ? "\(role): \(agreement.track), fixed by the plugin"
                    : "\(role): \(agreement.track), converted from the plugin's fixed \(agreement.source)"
            }
        case .renegotiated(let role, let record):
            "\(role): \(record.track ?? record.suggested), \(record.reason)"
        case .commanded(let origin, let text): "\(text) (\(origin))"
        case .started: "sending"
        case .pluginLog(let role, let level, let text):
            level == .debug ? nil : "\(role): \(level == .info ? "" : "\(level.rawValue): ")\(text)"
        case .stepFailed(let role, let step, let status, let reason):
            "\(role): \(step) failed (\(status)): \(reason)"
        case .callbackHangs(let role, let callback, let seconds):
            "\(role): \(callback) has not returned after \((seconds * 10).rounded() / 10) s"
        case .pluginGaveUp(let role, let status, let reason):
            status == .ok ? "\(role): ended: \(reason)" : "\(role): gave up (\(status)): \(reason)"
        case .programConnected(let role, let text): "\(role): \(text) connected"
        case .programRefused(let role, let text): "\(role): \(text)"
        case .sharePaused(let role): "\(role): paused by its source"
        case .shareResumed(let role): "\(role): resumed by its source"
        case .participantJoined(let role, let name): "\(role): \(name) joined"
        case .participantLeft(let role, let name): "\(role): \(name) left"
        case .trackOpened(let track, _, let capability):
            "\(track): opened\(capability.map { ", \($0)" } ?? "")"
        case .trackMuted(let track, let isMuted): "\(track): \(isMuted ? "muted" : "unmuted")"
        case .trackClosed(let track): "\(track): closed"
        case .pluginLost(let role, let evidence): "\(role): lost: \(evidence)"
        case .pluginRestarts(let role, let seconds):
            "\(role): restarting in \(seconds) s"
        case .pluginReturned(let role, let seconds):
            "\(role): back after \((seconds * 10).rounded() / 10) s"
        case .sourceSilent(let role, _, let text): "\(role): \(text)"
        case .sourceSends(let role, let seconds):
            "\(role): sending again after \((seconds * 10).rounded() / 10) s"
        case .pluginDropped(let role): "\(role): the session continues without it"
        case .outputFailed(let output, let reason): "\(output): failed: \(reason)"
        case .outputState(let role, let state, let text):
            "\(role): \(state.rawValue)\(text.map { ": \($0)" } ?? "")"
        case .caption(let role, let caption):
            "\(role): \(caption.speaker.map { "\($0): " } ?? "")\(caption.text)"
        // The summary names the files.
        case .fileFinished: nil
        // The command that changed it has a line.
        case .recording: nil
        case .disk(let folder, let text, let isLow): isLow ? "\(folder): \(text)" : nil
        case .message(_, let author, let text): "\(author ?? "Operator") writes: \(text)"
        case .note(let role, let text): "\(role): \(text)"
        case .stopping(let reason): "stopping: \(reason)"
        case .explanation, .ended: nil
        }
    }
}
