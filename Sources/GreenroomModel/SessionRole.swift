package import GreenroomMedia

/// A part in a session that one plugin can have. Raw values are the keys that lead to its section
/// in a session file; reports and messages use them, too.
///
/// Everything that the session knows of a role is in its ``facts``.
public enum SessionRole: String, CaseIterable, Sendable {
    /// It makes the camera's video.
    case camera
    /// It makes the microphone's audio.
    case microphone
    /// It makes the shared screen.
    case share
    /// It makes the audio of the share.
    case shareAudio = "share.audio"
}

extension SessionRole {
    /// What sets a role apart from the others.
    package struct Facts: Sendable {
        /// What people call it, e.g. `"share audio"`.
        package var name: String
        /// The kind of its plugin.
        package var kind: PluginKind
        /// What it makes.
        package var medium: PluginKind.Medium
        /// The track whose video or audio it is.
        package var track: VideoTrackKind
        /// The number of what it makes, for outputs and calls: one of `GR_TRACK_…`.
        package var trackID: UInt32
        /// The key of its section in the parent's section, or at the top of the file.
        package var key: String
        /// The role whose section has its section in it. It starts and stops with that role.
        package var parent: SessionRole?
        /// The kind of the filters that it may have; nil where it can't have any.
        package var filters: PluginKind?
        /// The command that sets its ceiling, e.g. `"share-ceiling"`, and a value for it; nil for
        /// audio.
        package var ceiling: (word: String, example: String)?
        /// Whether it may come over a socket, with the roles that follow it, from a process that
        /// the host does not start.
        package var takesBroadcast = false
        /// How it is stopped and started; nil where there is no command for it.
        package var stopping: Stopping?
        /// What its section in a session file is for; a sentence for people.
        package var meaning: String
        /// A plugin for it.
        package var example: Example
    }

    /// A plugin for a role, as session files and their schema show it.
    package struct Example: Sendable {
        /// Its name.
        package var plugin: String
        /// Values of its settings.
        package var settings: KeyValuePairs<String, ParameterValue>
    }

    /// The commands that stop a role and start it again, and the words for both.
    package struct Stopping: Sendable {
        /// The command that stops it, e.g. `"pause share"`.
        package var stop: String
        /// The command that starts it again.
        package var start: String
        /// What it is after ``stop``, e.g. `"paused"`.
        package var stopped: String
        /// What it is after ``start``.
        package var started: String
        /// What its track shows meanwhile.
        package var shows: Shown
        /// What ``stop`` does, for people.
        package var stopMeaning: String
        /// What ``start`` does, for people.
        package var startMeaning: String
    }

    /// What a track shows while its source is stopped.
    package enum Shown: Sendable {
        /// Black frames.
        case black
        /// The last frame before it was stopped.
        case lastFrame
        /// Silence.
        case silence
    }

    /// The table of roles.
    package var facts: Facts {
        switch self {
        case .camera:
            Facts(
                name: "camera", kind: .videoSource, medium: .video, track: .camera, trackID: 1,
                key: "camera", filters: .preProcessor, ceiling: ("ceiling", "640x360@15"),
                stopping: Stopping(
                    stop: "stop camera", start: "start camera", stopped: "stopped",
                    started: "started", shows: .black,
                    stopMeaning: "stop the camera; its video is black",
                    startMeaning: "start the camera again"),
                meaning: "The plugin that makes the camera's video, and the filters that edit it.",
                example: Example(plugin: "ColorBars", settings: ["pattern": "grey"]))
        case .microphone:
            Facts(
                name: "microphone", kind: .virtualMic, medium: .audio, track: .camera,
                trackID: 2, key: "microphone", filters: .audioPreProcessor,
                stopping: Stopping(
                    stop: "mute", start: "unmute", stopped: "muted", started: "unmuted",
                    shows: .silence,
                    stopMeaning: "stop the microphone; its recording continues with silence",
                    startMeaning: "start the microphone again"),
                meaning:
                    "The plugin that makes the microphone's audio, and the filters that edit it.",
                example: Example(plugin: "Tone", settings: ["frequency": 440]))
        case .share:
            Facts(
                name: "share", kind: .shareSource, medium: .video, track: .share, trackID: 3,
                key: "share", filters: .preProcessor, ceiling: ("share-ceiling", "1280x720@5"),
                takesBroadcast: true,
                stopping: Stopping(
                    stop: "pause share", start: "resume share", stopped: "paused",
                    started: "resumed", shows: .lastFrame,
                    stopMeaning: "stop the share and its audio; its last frame stays",
                    startMeaning: "start the share again"),
                meaning: "The plugin that makes the shared screen, the filters that edit it, and "
                    + "the plugin that makes its audio; or the socket that carries video and audio.",
                example: Example(plugin: "Slides", settings: ["path": "slides"]))
        case .shareAudio:
            Facts(
                name: "share audio", kind: .shareAudioSource, medium: .audio, track: .share,
                trackID: 4, key: "audio", parent: .share, filters: .audioPreProcessor,
                meaning:
                    "The plugin that makes the audio of the share, and the filters that edit it.",
                example: Example(
                    plugin: "ToneShareAudio", settings: ["frequency": 440]))
        }
    }

    /// The role that a broadcast has.
    package static let ofBroadcasts = allCases.first { $0.facts.takesBroadcast }

    /// The kind of its plugin.
    package var kind: PluginKind { facts.kind }

    /// The track whose video or audio it is.
    package var track: VideoTrackKind { facts.track }

    /// What it makes.
    package var medium: PluginKind.Medium { facts.medium }

    /// The name of what it makes, in session files, reports and file names, e.g. `"share-audio"`.
    package var trackName: String { String(rawValue.map { $0 == "." ? "-" : $0 }) }

    /// Whether a command for another role stops and starts this one, too.
    package func follows(_ other: SessionRole) -> Bool { self == other || facts.parent == other }

    /// The role of a medium that a track has.
    package init?(_ medium: PluginKind.Medium, of track: VideoTrackKind) {
        guard let role = Self.allCases.first(where: { $0.track == track && $0.medium == medium })
        else { return nil }
        self = role
    }
}

/// Where a plugin is in a session: it has a role, is a filter of the plugin that has it, or is an
/// output.
public enum PluginAddress: Hashable, Sendable, CustomStringConvertible {
    /// It has a role.
    case source(SessionRole)
    /// It is a filter of the plugin that has a role, at a place from 0.
    case filter(Int, of: SessionRole)
    /// It is an output, at a place in the session's list from 0.
    case output(Int)
    /// It is the session's call.
    case call
    /// It is a filter of the audio of each participant, at a place from 0.
    case callFilter(Int)

    /// The key of the list of filters in a role's section.
    package static let filtersKey = "pre-processors"
    /// The key of the list of outputs.
    package static let outputsKey = "outputs"
    /// The key of the call.
    package static let callKey = "call"

    /// Makes the address of a source, or of one of its filters.
    public init(_ role: SessionRole, filter: Int? = nil) {
        self = filter.map { .filter($0, of: role) } ?? .source(role)
    }

    /// The role of the source or of the filter's source; nil for an output, and for a call and its filters.
    public var role: SessionRole? {
        switch self {
        case .source(let role), .filter(_, let role): role
        case .output, .call, .callFilter: nil
        }
    }

    /// Its place among the filters of a role or of a call, from 0; nil for other plugins.
    public var filter: Int? {
        switch self {
        case .filter(let index, _), .callFilter(let index): index
        case .source, .output, .call: nil
        }
    }

    /// The keys that lead to its section: `camera.pre-processors[0]`.
    public var description: String {
        switch self {
        case .source(let role): role.rawValue
        case .filter(let index, let role): "\(role.rawValue).\(Self.filtersKey)[\(index)]"
        case .output(let index): "\(Self.outputsKey)[\(index)]"
        case .call: Self.callKey
        case .callFilter(let index): "\(Self.callKey).\(Self.filtersKey)[\(index)]"
        }
    }
}

/// A role that is taken: its plugin and the filters of that, in the order in which they edit its
/// media.
public struct SessionSlot<Plugin> {
    /// The role.
    public var role: SessionRole
    /// The plugin that has the role.
    public var plugin: Plugin
    /// Its filters.
    public var filters: [Plugin]

    /// Makes a slot.
    public init(_ role: SessionRole, _ plugin: Plugin, filters: [Plugin] = []) {
        self.role = role
        self.plugin = plugin
        self.filters = filters
    }

    /// The plugin and its filters, each with its address.
    public var plugins: [(address: PluginAddress, plugin: Plugin)] {
        [(PluginAddress(role), plugin)]
            + filters.enumerated().map { (PluginAddress(role, filter: $0), $1) }
    }
}

extension SessionSlot: Sendable where Plugin: Sendable {}

extension Array {
    /// The slot of a role, if the role is taken.
    public subscript<Plugin>(role: SessionRole) -> SessionSlot<Plugin>?
    where Element == SessionSlot<Plugin> {
        first { $0.role == role }
    }

    /// The plugin at an address, if there is one.
    public subscript<Plugin>(address: PluginAddress) -> Plugin?
    where Element == SessionSlot<Plugin> {
        address.role.flatMap { self[$0] }?.plugins.first { $0.address == address }?.plugin
    }
}
