public import GreenroomSchema
package import GreenroomSession
public import GreenroomMedia
public import GreenroomModel

/// What a session file says, read and checked as far as that is possible without its plugins.
public struct SessionFile: Sendable {
    /// The text that it was read from, to show places in.
    public var source: SourceText
    /// The absolute folder that its relative paths start from: its own.
    public var folder: String

    /// The session's name, for the report; the file's name unless it says another.
    public var name: String
    /// The most that any source is offered.
    public var maximum = SessionDefaults.maximum
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
    public var callbackDeadline = SessionDefaults.callbackDeadline
    /// How much of each track has to be real, in per cent; nil for anything at all.
    public var minimumRealPercent: Int?
    /// The plugins, in the order of roles.
    public var slots: [SessionSlot<Plugin>] = []
    /// The absolute path of the Unix socket that the share comes over, with its sound, from a
    /// process that the host does not start; the share has no plugins then.
    public var broadcast: Located<String>?
    /// Where plugins run that do not say it themselves.
    public var confinement = Confinement()
    /// Where the session's media go.
    package var outputs: [Located<any Output>] = []
    /// What is done while the session runs, in order of time; entries of one time in the file's
    /// order. The path of a place counts as the file does: `timeline[2]`.
    public var timeline: [Located<TimelineEntry>] = []
    /// What is legal and can't be meant.
    public var warnings: [Diagnostic] = []
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
        public var value: Located<ParameterValue>
    }

    /// The clock that a session runs on.
    public enum Clock: String, CaseIterable, Sendable {
        /// The machine's.
        case real
        /// The session's own, which goes on as soon as all wait.
        case virtual
    }
}
