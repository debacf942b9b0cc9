public import GreenroomNegotiation
public import GreenroomMedia

/// The importance of a log line.
public enum LogLevel: String, Sendable, Comparable, Codable {
    /// For debugging.
    case debug
    /// Information.
    case info
    /// A problem; the session continues.
    case warning
    /// A failure.
    case error

    /// Whether the left level is less important.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.order < right.order
    }

    private var order: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// The level of a plugin's `GR_LOG_…`; other numbers are information.
    package init(plugin level: UInt32) {
        self =
            switch level {
            case 1: .debug
            case 3: .warning
            case 4: .error
            default: .info
            }
    }
}

/// An event of a session.
public enum SessionEvent: Sendable {
    /// A source and the session agreed on size and rate.
    case agreed(role: String, agreement: Agreement, NegotiationRecord)
    /// A running source got a new offer.
    case renegotiated(role: String, NegotiationRecord)
    /// The reasons for a track's size and rate, on request.
    case explanation(role: String, NegotiationRecord)
    /// A command was executed. `text` describes the command.
    case commanded(origin: String, text: String)
    /// All sources were started; recordings start now.
    case started
    /// A log line of a plugin.
    case pluginLog(role: String, level: LogLevel, text: String)
    /// A plugin refused a step, or broke a rule.
    case stepFailed(role: String, step: Step, status: Status, reason: String)
    /// A callback has exceeded its deadline and is still running.
    case callbackHangs(role: String, callback: Step, seconds: Double)
    /// A plugin cannot continue.
    case pluginGaveUp(role: String, status: Status, reason: String)
    /// A program has connected. `text` describes its process.
    case programConnected(role: String, text: String)
    /// The host refused a program. `text` describes its process and the reason.
    case programRefused(role: String, text: String)
    /// A share paused; its last frame stays.
    case sharePaused(role: String)
    /// A share resumed.
    case shareResumed(role: String)
    /// A participant has joined.
    case participantJoined(role: String, name: String)
    /// A participant has left.
    case participantLeft(role: String, name: String)
    /// A participant's track was opened; its capability is nil for audio.
    case trackOpened(track: String, participant: String, capability: VideoCapability?)
    /// A participant has muted or unmuted a track.
    case trackMuted(track: String, isMuted: Bool)
    /// A participant's track was closed.
    case trackClosed(track: String)
    /// A plugin's process ended, or was killed for a fault.
    case pluginLost(role: String, evidence: String)
    /// A lost plugin restarts after `seconds`.
    case pluginRestarts(role: String, seconds: Double)
    /// A plugin is back after `seconds`.
    case pluginReturned(role: String, seconds: Double)
    /// A started source has sent nothing for `seconds`. `text` names the media that replaces the
    /// source's, and the fix.
    case sourceSilent(role: String, seconds: Double, text: String)
    /// A silent source sends again, after `seconds`.
    case sourceSends(role: String, seconds: Double)
    /// The session continues without a plugin.
    case pluginDropped(role: String)
    /// An output failed; the others continue.
    case outputFailed(output: String, reason: String)
    /// An output plugin reports its state, with an optional text.
    case outputState(role: String, state: OutputCondition, text: String?)
    /// Somebody has said something, as the plugin with a role has understood it.
    case caption(role: String, Caption)
    /// An output has completed a file, and will not change it.
    case fileFinished(role: String, file: String)
    /// A recording has begun, or every recording has paused or stopped.
    case recording(RecordingState)
    /// The disk use of a recording; a warning if the disk will be full too soon.
    case disk(folder: String, text: String, isLow: Bool)
    /// A text for everybody who follows the session. `role` is the command's origin.
    case message(role: String, author: String?, text: String)
    /// Information for the user.
    case note(role: String, text: String)
    /// The session is stopping.
    case stopping(reason: String)
    /// Everything has ended.
    case ended
}

extension SessionEvent {
    /// A step of the host with a plugin. Events and reports use its description as the name.
    public enum Step: Hashable, Sendable, CustomStringConvertible {
        /// A step of the plugin's lifecycle.
        case lifecycle(LifecycleStep)
        /// The wait for a program's connection.
        case connect
        /// A filter edits a frame.
        case process
        /// An output receives video or audio.
        case media

        /// The step's name: `start-send`, `media` and so on.
        public var description: String {
            switch self {
            case .lifecycle(let step): step.rawValue
            case .connect: "connect"
            case .process: "process"
            case .media: "media"
            }
        }
    }
}

/// Passes events to the session's handler.
package struct SessionEvents: Sendable {
    private let handler: @Sendable (SessionEvent) -> Void
    private let waker: @Sendable () -> Void
    private let recordingFailure: @Sendable () -> Void

    /// - handler: Called on any thread, concurrently.
    /// - waker: Makes the session check its plugins at once. Called on any thread, concurrently.
    /// - recordingFailure: Records that a recording is incomplete. Called on any thread,
    ///   concurrently.
    package init(
        _ handler: @escaping @Sendable (SessionEvent) -> Void,
        waker: @escaping @Sendable () -> Void = {},
        recordingFailure: @escaping @Sendable () -> Void = {}
    ) {
        self.handler = handler
        self.waker = waker
        self.recordingFailure = recordingFailure
    }

    /// Passes an event to the handler. [any]
    package func send(_ event: SessionEvent) { handler(event) }

    /// Reports a failed output. [any]
    ///
    /// - Parameter isRecording: Whether the output is part of a recording. If so, the recording is
    ///   incomplete.
    package func sendFailed(output: String, reason: String, isRecording: Bool) {
        if isRecording { recordingFailure() }
        handler(.outputFailed(output: output, reason: reason))
        // The failed output may have been the last output.
        waker()
    }

    /// Wakes the session to check its plugins.
    package func wake() { waker() }
}
