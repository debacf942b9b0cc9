public import GreenroomSchema
public import GreenroomMedia

/// What a session file says, read and checked as far as that is possible without its plugins.
public struct SessionFile: Sendable {
    /// The text that it was read from, to show places in.
    public var source: SourceText
    /// The absolute folder that its relative paths start from: its own.
    public var folder: String

    /// The session's name, for the report; the file's name unless it says another.
    public var name: String
    /// The most that any source is offered.
    public var maximum = SessionFile.defaultMaximum
    /// The sizes that cameras are offered; nil for the usual ones. Each size stands once.
    public var table: Located<[VideoCapability]>?
    /// Sizes that cameras are offered besides those of the table, each once. One that is in the
    /// table, too, has its rate from here.
    public var moreSizes: Located<[VideoCapability]>?
    /// The clock to run on; a virtual one only together with a duration.
    public var clock = Clock.real
    /// How long to run; nil until stopped.
    public var duration: Duration?
    /// How long a plugin's callback may take before it counts as hung.
    public var callbackDeadline = SessionFile.defaultCallbackDeadline
    /// The camera.
    public var camera: Plugin?
    /// The camera's filters, in the order in which they see its frames.
    public var preProcessors: [Plugin] = []
    /// The microphone.
    public var microphone: Plugin?
    /// The screen share, if a plugin makes it.
    public var share: Plugin?
    /// The sound of the share.
    public var shareAudio: Plugin?
    /// The absolute path of the Unix socket that the share comes over, with its sound, from a
    /// process that the host does not start; the share has no plugins then.
    public var shareBroadcast: Located<String>?
    /// Where plugins run that do not say it themselves.
    public var confinement = Confinement()
    /// Where the session's media go.
    public var outputs: [Located<Output>] = []
    /// What is done while the session runs, in order of time; entries of one time in the file's
    /// order. The path of a place counts as the file does: `timeline[2]`.
    public var timeline: [Located<TimelineEntry>] = []
    /// What is legal and can't be meant.
    public var warnings: [Diagnostic] = []

    /// The session maximum of a file that gives none.
    public static let defaultMaximum = VideoCapability(width: 1920, height: 1080, fps: 30)
    /// The callback deadline of a file that gives none.
    public static let defaultCallbackDeadline = Duration.seconds(2)
}

extension SessionFile {
    /// A plugin of the session, with its settings.
    public struct Plugin: Hashable, Sendable {
        /// Which one.
        public var reference: Located<PluginReference>
        /// The settings that the file gives, in its order, each name once. The last part of a
        /// setting's path is its name.
        public var settings: [Setting]
        /// What the session does when the plugin fails; nil if that depends on where it runs.
        public var onFailure: Located<FailurePolicy>?
        /// Where it runs, as far as it says that itself.
        public var confinement: Confinement
        /// What it may do in a process of its own.
        public var grants: Located<Grants>?
        /// Where the plugin's section stands.
        public var place: SourceLocation
    }

    /// How a plugin is named.
    public enum PluginReference: Hashable, Sendable {
        /// A name to look for among the bundled plugins and on `GREENROOM_PLUGIN_PATH`.
        case name(String)
        /// The absolute path of a library.
        case path(String)
    }

    /// A setting that the file gives to a plugin.
    public struct Setting: Hashable, Sendable {
        /// The setting's name.
        public var name: String
        /// Where the name stands: for "there is no such setting".
        public var namePlace: SourceLocation
        /// The value, and where it stands: for "this value is not allowed".
        public var value: Located<SettingValue>
    }

    /// What the session does when a plugin fails.
    public enum FailurePolicy: String, CaseIterable, Sendable {
        /// It starts the plugin again, in a new process.
        case restart
        /// It goes on without the plugin.
        case off
        /// It ends.
        case end
    }

    /// A picture of the session.
    public enum Track: String, CaseIterable, Sendable {
        /// The camera.
        case camera
        /// The screen share.
        case share
    }

    /// What becomes of a picture whose shape an output does not have.
    public enum Fit: String, CaseIterable, Sendable {
        /// All of the picture, centred, with black bars.
        case letterbox
        /// The middle of the picture fills the frame; the rest is cut off.
        case crop
        /// All of the picture fills the frame, out of proportion.
        case stretch
        /// Any other shape is an error.
        case reject
    }

    /// How an output wants its picture.
    public struct Video: Hashable, Sendable {
        /// The size; nil for the track's.
        public var size: FrameSize?
        /// The frame rate; nil for the track's.
        public var rate: FrameRate?
        /// What becomes of a picture of another shape.
        public var fit: Fit

        /// Makes a wish.
        public init(size: FrameSize? = nil, rate: FrameRate? = nil, fit: Fit = .letterbox) {
            self.size = size
            self.rate = rate
            self.fit = fit
        }
    }

    /// Where media go.
    public enum Output: Hashable, Sendable {
        /// Y4M and WAV files and the report, in an absolute folder.
        case record(folder: String, picture: Video, overwrite: Bool)
        /// The session's sound to an ALSA PCM.
        case loudspeaker(device: String)
        /// A picture as Y4M on standard output.
        case y4m(track: Track, picture: Video)
    }
}
