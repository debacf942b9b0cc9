import GreenroomSchema
public import GreenroomMedia

extension SessionFile {
    /// Something that is done to a session while it runs.
    public enum Command: Hashable, Sendable {
        /// The most that a picture may have from now on; nil lifts the ceiling.
        case ceiling(Track, VideoCapability?)
        /// Something that takes no value.
        case action(Action)
        /// A new value for a live parameter of a plugin.
        case set(Role, name: String, value: SettingValue)
    }

    /// What is done with words alone.
    public enum Action: String, CaseIterable, Sendable {
        /// Stops the microphone; its recording goes on with silence.
        case mute
        /// Starts the microphone again.
        case unmute
        /// Stops the share and its sound; its last picture stays.
        case pauseShare = "pause share"
        /// Starts the share again.
        case resumeShare = "resume share"
        /// Stops the camera; its picture is black.
        case stopCamera = "stop camera"
        /// Starts the camera again.
        case startCamera = "start camera"
    }

    /// A plugin's part in a session.
    public enum Role: Hashable, Sendable {
        /// It makes the camera's picture.
        case camera
        /// It edits the camera's picture, as the filter of this number, from 0.
        case preProcessor(Int)
        /// It makes the microphone's sound.
        case microphone
        /// It makes the shared screen.
        case share
        /// It makes the sound of the share.
        case shareAudio
    }

    /// A command and when it is due.
    public struct TimelineEntry: Hashable, Sendable {
        /// Counted from the session's start.
        public var time: Duration
        /// What to do.
        public var command: Command
    }

    /// The clock that a session runs on.
    public enum Clock: String, CaseIterable, Sendable {
        /// The machine's.
        case real
        /// The session's own, which goes on as soon as everybody waits.
        case virtual
    }
}

extension SessionFile.Role: CustomStringConvertible {
    /// The keys that lead to its section: `camera.pre-processors[0]`.
    public var description: String {
        switch self {
        case .camera: "camera"
        case .preProcessor(let index): "camera.pre-processors[\(index)]"
        case .microphone: "microphone"
        case .share: "share"
        case .shareAudio: "share.audio"
        }
    }
}

extension SessionFile.Command {
    /// The plugin that it is done to.
    public var role: SessionFile.Role {
        switch self {
        case .ceiling(.camera, _), .action(.stopCamera), .action(.startCamera): .camera
        case .ceiling(.share, _), .action(.pauseShare), .action(.resumeShare): .share
        case .action(.mute), .action(.unmute): .microphone
        case .set(let role, _, _): role
        }
    }

    /// That a session without the plugin can't do it: "the session has no share to pause".
    public var withoutPlugin: String {
        let purpose =
            switch self {
            case .ceiling: "hold down"
            case .action(.mute): "mute"
            case .action(.unmute): "unmute"
            case .action(.pauseShare): "pause"
            case .action(.resumeShare): "resume"
            case .action(.stopCamera): "stop"
            case .action(.startCamera): "start"
            case .set: "change"
            }
        return "the session has no \(role) to \(purpose)"
    }
}
