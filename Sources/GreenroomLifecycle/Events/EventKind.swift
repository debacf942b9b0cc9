/// What an event is. Raw values are the words of JSON.
package enum EventKind: String, Codable, CaseIterable, Sendable {
    case agreed
    case renegotiated
    case explanation
    case started
    case commanded
    case controlError = "control-error"
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
    case broadcastArrived = "broadcast-arrived"
    case broadcastRefused = "broadcast-refused"
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
    case disk
    case links
    case status
    case leftOut = "left-out"
    case logEnd = "log-end"
    case stopping
    case ended
}

extension EventKind {
    /// How important it is, unless an event says otherwise, and what has happened.
    package var facts: (level: LogLevel, meaning: String) {
        switch self {
        case .agreed: (.info, "a source and the session agreed on size and rate")
        case .renegotiated: (.info, "a running source got a new offer")
        case .explanation: (.info, "why a track has its size and rate")
        case .started: (.info, "all sources were started; recordings start now")
        case .commanded: (.info, "a command was done")
        case .controlError: (.warning, "a line is no command, or can't be done")
        case .help: (.info, "the commands, as asked for")
        case .reload: (.info, "what the session file that was read again changes")
        case .log: (.info, "a line of a plugin's log; its level is the plugin's")
        case .note: (.info, "information about a plugin or an output")
        case .warning: (.warning, "a value of the session file is legal, but unlikely")
        case .stepFailed: (.warning, "a plugin refused a step, or broke a rule")
        case .callbackHangs: (.warning, "a callback has not returned by its deadline")
        case .pluginGaveUp: (.error, "a plugin can't continue, or has ended as planned")
        case .pluginLost: (.error, "a plugin's process ended, or was killed for a fault")
        case .pluginRestarts: (.warning, "a lost plugin is started again in some seconds")
        case .pluginReturned: (.info, "a plugin is back after some seconds")
        case .pluginDropped: (.error, "the session continues without a plugin")
        case .sourceSilent: (.warning, "a source has sent nothing for some seconds")
        case .sourceSends: (.info, "a source sends again")
        case .broadcastArrived: (.info, "a broadcast has connected")
        case .broadcastRefused: (.warning, "a broadcast was refused")
        case .sharePaused: (.info, "a share was paused by its source")
        case .shareResumed: (.info, "a share was resumed by its source")
        case .participantJoined: (.info, "a participant has joined")
        case .participantLeft: (.info, "a participant has left")
        case .trackOpened: (.info, "a participant's track was opened")
        case .trackMuted: (.info, "a participant has muted a track")
        case .trackUnmuted: (.info, "a participant's track is heard or seen again")
        case .trackClosed: (.info, "a participant's track was closed")
        case .outputState: (.info, "an output plugin says what state it is in")
        case .outputFailed: (.error, "an output failed; the others continue")
        case .disk:
            (.warning, "what a recording takes of a disk, or that the disk will be full soon")
        case .links: (.info, "a live room is open; its links are printed only as text")
        case .status: (.debug, "how far the session is; each second")
        case .leftOut: (.warning, "a reader was too slow, and lost events")
        case .logEnd: (.debug, "end of the requested log")
        case .stopping: (.info, "the session is stopping")
        case .ended:
            (
                .info,
                "everything has ended: outcome, exit code and summary; level error if the session failed"
            )
        }
    }
}
