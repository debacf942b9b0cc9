public import GreenroomMedia

/// A change of a running session, by the session's timeline or a control line.
public enum SessionCommand: Hashable, Sendable {
    /// Sets the ceiling of a role's video from now on; nil removes the ceiling.
    case ceiling(SessionRole, VideoCapability?)
    /// Stops a role and its dependents: mute, pause share.: mute, pause share.
    case stop(SessionRole)
    /// Restarts a role and its dependents..
    case start(SessionRole)
    /// Changes a live parameter of a plugin.
    case set(PluginAddress, name: String, value: ParameterValue)
    /// Changes the participants whom an output or a composer leaves out, by their names.
    case except(PluginAddress, [String])
    /// Changes the gain of audio, in decibels.
    case gain(MediaTarget, decibels: Double)
    /// Delays audio or video.
    case delay(MediaTarget, Duration)
    /// Explains the size and rate of each video track.
    case explain
    /// Passes a text to everybody who follows the session's events: a room shows it on its pages, a
    /// bot reads it. `author` is its writer; nil for the operator.
    case message(author: String?, text: String)
    /// Refuses new guests and ends the session once the last guest has left, or after the session's
    /// drain timeout.
    case drain
    /// Pauses every recording: what happens until ``resumeRecording`` is left out of the files.
    case pauseRecording
    /// Resumes every paused recording, in the same files.
    case resumeRecording
    /// Writes every replay that an output keeps in memory.
    case saveReplay
}

/// The audio or video that a command changes.
public enum MediaTarget: Hashable, Sendable, CustomStringConvertible {
    /// The audio or video of a source, for everybody.
    case source(SessionRole)
    /// The audio of the participants with a name, for everybody.
    case participant(String)
    /// The video of the participants with a name, for everybody.
    case participantVideo(String)
    /// A track or mix, by its name, only for an output plugin.
    case output(PluginAddress, track: String)

    /// The target as in commands: `microphone`, `participant Ana`, `participant Ana video`, `outputs[0] full-mix`.
    public var description: String {
        switch self {
        case .source(let role): role.trackName
        case .participant(let name): "participant \(name)"
        case .participantVideo(let name): "participant \(name) \(Self.videoWord)"
        case .output(let address, let track): "\(address) \(track)"
        }
    }

    /// The word after the name of a participant whose video is meant.
    package static let videoWord = "video"
}

extension SessionCommand {
    /// The limits of ``gain(_:decibels:)``.
    package static let gains = -60.0...24.0
    /// The longest ``delay(_:_:)``.
    package static let longestDelay = Duration.seconds(2)

    /// A command without a value, as users write it.
    package struct Phrase: Sendable {
        /// The words, e.g. `"pause share"`.
        package var words: String
        /// The effect, in words.
        package var meaning: String
        /// The command.
        package var command: SessionCommand
    }

    /// The commands that stop and start roles and recordings.
    package static let phrases: [Phrase] =
        SessionRole.allCases.flatMap { role in
            role.facts.stopping.map { stopping in
                [
                    Phrase(
                        words: stopping.stop, meaning: stopping.stopMeaning, command: .stop(role)),
                    Phrase(
                        words: stopping.start, meaning: stopping.startMeaning, command: .start(role)
                    ),
                ]
            } ?? []
        } + [
            Phrase(
                words: "recording pause",
                meaning: "pause the recordings, without a gap in the files",
                command: .pauseRecording),
            Phrase(
                words: "recording resume", meaning: "continue the recordings in the same files",
                command: .resumeRecording),
            Phrase(
                words: "replay save", meaning: "write the last seconds that an output keeps",
                command: .saveReplay),
        ]

    /// The command that stops or starts a role with a name, e.g. `stop camera.desk`; nil for other
    /// words.
    package init?(named words: String) {
        guard let dot = words.lastIndex(of: ".") else { return nil }
        let name = String(words[words.index(after: dot)...])
        guard name.isRoleName else { return nil }
        for role in SessionRole.allCases {
            let role = SessionRole(role.part, name: name)
            guard let stopping = role.facts.stopping else { continue }
            if stopping.stop == words {
                self = .stop(role)
                return
            }
            if stopping.start == words {
                self = .start(role)
                return
            }
        }
        return nil
    }

    /// The plugin that the command changes; nil if the command concerns the session.
    package var target: PluginAddress? {
        switch self {
        case .ceiling(let role, _), .stop(let role), .start(let role): PluginAddress(role)
        case .set(let address, _, _), .except(let address, _): address
        case .gain(let target, _), .delay(let target, _):
            switch target {
            case .source(let role): PluginAddress(role)
            case .participant, .participantVideo: nil
            case .output(let address, _): address
            }
        case .explain, .message, .drain, .pauseRecording, .resumeRecording, .saveReplay: nil
        }
    }
}

/// A command with its time.
public struct TimelineEntry: Hashable, Sendable {
    /// The time since the session's start.
    public var time: Duration
    /// The command.
    public var command: SessionCommand
    /// The origin, in a few words, e.g. `timeline[2]`.
    public var origin: String

    /// Makes an entry.
    public init(time: Duration, command: SessionCommand, origin: String = "timeline") {
        self.time = time
        self.command = command
        self.origin = origin
    }
}
