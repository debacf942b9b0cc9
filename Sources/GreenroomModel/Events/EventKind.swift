/// The kind of an event. Raw values are the words of JSON.
package enum EventKind: String, Codable, CaseIterable, Sendable {
    case agreed
    case renegotiated
    case explanation
    case started
    case commanded
    case controlError = "control-error"
    case message
    case help
    case reload
    case log
    case note
    case warning
    case stepFailed = "step-failed"
    case callbackHangs = "callback-hangs"
    case pluginGaveUp = "plugin-gave-up"
    case pluginLost = "plugin-lost"
    case pluginRestarts = "plugin-restarts"
    case pluginReturned = "plugin-returned"
    case pluginDropped = "plugin-dropped"
    case sourceSilent = "source-silent"
    case sourceSends = "source-sends"
    case programConnected = "program-connected"
    case programRefused = "program-refused"
    case sharePaused = "share-paused"
    case shareResumed = "share-resumed"
    case participantJoined = "participant-joined"
    case participantLeft = "participant-left"
    case trackOpened = "track-opened"
    case trackMuted = "track-muted"
    case trackUnmuted = "track-unmuted"
    case trackClosed = "track-closed"
    case outputState = "output-state"
    case outputFailed = "output-failed"
    case caption
    case fileFinished = "file-finished"
    case recordingStarted = "recording-started"
    case recordingPaused = "recording-paused"
    case recordingStopped = "recording-stopped"
    case disk
    case links
    case status
    case leftOut = "left-out"
    case logEnd = "log-end"
    case stopping
    case ended
}

extension EventKind {
    /// The default log level, and the cause.
    package var facts: (level: LogLevel, meaning: String) {
        switch self {
        case .agreed: (.info, "a source and the session agreed on size and rate")
        case .renegotiated: (.info, "a running source got a new offer")
        case .explanation: (.info, "why a track has its size and rate")
        case .started: (.info, "all sources are started; recordings begin")
        case .commanded: (.info, "a command succeeded")
        case .controlError: (.warning, "a command is unknown, or failed")
        case .message: (.info, "a text message in the session's conversation")
        case .help: (.info, "the answer to help")
        case .reload: (.info, "the changes in a reloaded session file")
        case .log: (.info, "a line of a plugin's log, with the plugin's level")
        case .note: (.info, "information about a plugin or an output")
        case .warning: (.warning, "a value of the session file is legal but suspicious")
        case .stepFailed: (.warning, "a plugin refused a step, or broke a rule")
        case .callbackHangs: (.warning, "a callback has not returned by its deadline")
        case .pluginGaveUp: (.error, "a plugin gave up, or ended as planned")
        case .pluginLost: (.error, "a plugin's process crashed, exited, or was killed by the host")
        case .pluginRestarts: (.warning, "the host restarts a plugin after a delay")
        case .pluginReturned: (.info, "a restarted plugin is back")
        case .pluginDropped: (.error, "the session continues without a plugin")
        case .sourceSilent: (.warning, "a source has sent nothing since its deadline")
        case .sourceSends: (.info, "a source sends again")
        case .programConnected: (.info, "a program connected")
        case .programRefused: (.warning, "a program was refused")
        case .sharePaused: (.info, "a share was paused by its source")
        case .shareResumed: (.info, "a share was resumed by its source")
        case .participantJoined: (.info, "a participant joined")
        case .participantLeft: (.info, "a participant left")
        case .trackOpened: (.info, "a participant's track was opened")
        case .trackMuted: (.info, "a participant muted a track")
        case .trackUnmuted: (.info, "a participant unmuted a track")
        case .trackClosed: (.info, "a participant's track was closed")
        case .outputState: (.info, "an output plugin changed its state")
        case .outputFailed: (.error, "an output failed; the others continue")
        case .caption: (.info, "somebody has said something: a caption")
        case .fileFinished: (.info, "an output completed a file, and will not change it")
        case .recordingStarted:
            (.info, "an output began to record while no other one recorded")
        case .recordingPaused: (.info, "every output that records is paused")
        case .recordingStopped: (.info, "the last output that recorded has stopped")
        case .disk:
            (.warning, "disk use of a recording, or a disk that is nearly full")
        case .links: (.info, "a live room is open; only the text log prints the links")
        case .status: (.debug, "progress of the session, each second")
        case .leftOut: (.warning, "a slow reader lost events")
        case .logEnd: (.debug, "end of the requested log")
        case .stopping: (.info, "the session is stopping")
        case .ended:
            (
                .info,
                "the session ended: outcome, exit code and summary; level error if the session failed"
            )
        }
    }
}
