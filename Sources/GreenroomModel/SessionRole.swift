package import GreenroomMedia

/// The part of one plugin in a session. Raw values are the keys of the role's section in a session
/// file. Reports and messages use them, too.
///
/// A session has at most one unnamed role of each kind, and any number of named roles: `camera`,
/// and `cameras.desk`. A role's ``facts`` hold its properties.
public struct SessionRole: Sendable {
    /// The kind of a role, without its name.
    package enum Part: Int, CaseIterable, Comparable, Sendable {
        case camera, microphone, share, shareAudio, stage

        package static func < (first: Part, second: Part) -> Bool {
            first.rawValue < second.rawValue
        }
    }

    /// The kind of the role.
    package let part: Part
    /// The role's name among the roles of its kind, e.g. `desk`; nil for an unnamed role.
    public let name: String?
    /// The role's place among the named roles of its kind, from 1; 0 for an unnamed role. Roles
    /// with equal names are equal, whatever their places.
    package let place: UInt32

    package init(_ part: Part, name: String? = nil, place: UInt32 = 0) {
        self.part = part
        self.name = name
        self.place = place
    }

    /// The source of the camera's video.
    public static let camera = SessionRole(.camera)
    /// The source of the microphone's audio.
    public static let microphone = SessionRole(.microphone)
    /// The source of the shared screen.
    public static let share = SessionRole(.share)
    /// The source of the share's audio.
    public static let shareAudio = SessionRole(.shareAudio)
    /// The composer of one video from the other tracks.
    public static let stage = SessionRole(.stage)

    /// Returns a named role: another camera, microphone, share or stage.
    ///
    /// - Parameters:
    ///   - name: 1 to 40 letters, digits and hyphens; begins with a letter.
    ///   - place: Its place among the session's roles of its kind that have names, from 1 to 1000.
    public func named(_ name: String, place: Int) -> SessionRole {
        SessionRole(part, name: name, place: UInt32(clamping: place))
    }
}

extension SessionRole: Hashable {
    /// Whether both roles have the same kind and name.
    public static func == (first: SessionRole, second: SessionRole) -> Bool {
        first.part == second.part && first.name == second.name
    }

    /// Hashes the kind and the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(part)
        hasher.combine(name)
    }
}

extension SessionRole: Comparable {
    /// Whether the first role is earlier. Orders roles as in ``allCases``, unnamed roles first,
    /// then by place.
    public static func < (first: SessionRole, second: SessionRole) -> Bool {
        (first.part, first.place) < (second.part, second.place)
    }
}

extension SessionRole: CaseIterable {
    /// The unnamed roles.
    public static let allCases: [SessionRole] = Part.allCases.map { SessionRole($0) }
}

extension SessionRole: RawRepresentable {
    /// The keys of the role's section: `camera`, `share.audio`, `cameras.desk`,
    /// `shares.room.audio`.
    public var rawValue: String {
        let facts = facts
        if let parent = facts.parent { return "\(parent.rawValue).\(facts.key)" }
        return name.map { "\(facts.pluralKey).\($0)" } ?? facts.key
    }

    /// Returns the role of a section's keys; nil for other keys.
    public init?(rawValue: String) {
        let keys = rawValue.split(separator: ".", omittingEmptySubsequences: false)
        for role in Self.allCases {
            let top = role.facts.parent ?? role
            let inner = role.facts.parent == nil ? [] : [role.facts.key[...]]
            if keys == [top.facts.key[...]] + inner {
                self = role
                return
            }
            if keys.count == 2 + inner.count, keys[0] == top.facts.pluralKey,
                Array(keys.dropFirst(2)) == inner, String(keys[1]).isRoleName
            {
                self = SessionRole(role.part, name: String(keys[1]))
                return
            }
        }
        return nil
    }
}

extension String {
    /// The pattern of a role's name.
    package static let roleNamePattern = "[A-Za-z][A-Za-z0-9-]{0,39}"

    /// Whether the text is a valid name of a role.
    package var isRoleName: Bool { wholeMatch(of: /[A-Za-z][A-Za-z0-9-]{0,39}/) != nil }
}

extension SessionRole {
    /// The properties of a role.
    package struct Facts: Sendable {
        /// The name for users, e.g. `"share audio"`.
        package var name: String
        /// The kind of the role's plugin.
        package var kind: PluginKind
        /// The medium.
        package var medium: PluginKind.Medium
        /// The track with the role's video or audio.
        package var track: VideoTrackKind
        /// The track number for outputs and calls: one of `GR_TRACK_…`.
        package var trackID: UInt32
        /// The key of the role's section in the parent's section, or at the top level of the file.
        package var key: String
        /// The key of the section with the sections of named roles.
        package var pluralKey: String { "\(key)s" }
        /// The role whose section contains this role's section. This role starts and stops with its
        /// parent.
        package var parent: SessionRole?
        /// The kind of the role's filters; nil if the role cannot have filters.
        package var filters: PluginKind?
        /// The command that sets the role's ceiling, e.g. `"share-ceiling"`, with an example value;
        /// nil for audio.
        package var ceiling: (word: String, example: String)?
        /// The commands that stop and start the role; nil if there are none.
        package var stopping: Stopping?
        /// The purpose of the section in a session file; a sentence for users.
        package var meaning: String
        /// An example plugin for the role.
        package var example: Example
    }

    /// An example plugin for a role, as session files and their schema show it.
    package struct Example: Sendable {
        /// The plugin's name.
        package var plugin: String
        /// The values of the plugin's settings.
        package var settings: KeyValuePairs<String, ParameterValue>
    }

    /// The commands that stop and start a role, with the words for both.
    package struct Stopping: Sendable {
        /// The command that stops the role, e.g. `"pause share"`.
        package var stop: String
        /// The command that starts the role again.
        package var start: String
        /// The state after ``stop``, e.g. `"paused"`.
        package var stopped: String
        /// The state after ``start``.
        package var started: String
        /// The content of the track while the source is stopped.
        package var shows: Shown
        /// The effect of ``stop``, for users.
        package var stopMeaning: String
        /// The effect of ``start``, for users.
        package var startMeaning: String

        /// The commands of a named role: `stop camera.desk`, `mute microphone.desk`.
        fileprivate func named(_ name: String, part: Part) -> Stopping {
            var named = self
            let subject = part == .microphone ? " microphone" : ""
            named.stop += "\(subject).\(name)"
            named.start += "\(subject).\(name)"
            return named
        }
    }

    /// The content of a track while its source is stopped.
    package enum Shown: Sendable {
        /// Black frames.
        case black
        /// The last frame before the stop.
        case lastFrame
        /// Silence.
        case silence
    }

    /// The table of roles.
    package var facts: Facts {
        var facts = factsWithoutName
        guard let name else { return facts }
        facts.name += " \(name)"
        facts.track = facts.track.named(name, place: place)
        // Beyond the numbers of participants' tracks, which are counted from 16.
        facts.trackID |= 1 << 31 | place << 8
        facts.parent = facts.parent.map { with($0) }
        facts.ceiling?.word += ".\(name)"
        facts.stopping = facts.stopping.map { $0.named(name, part: part) }
        return facts
    }

    private var factsWithoutName: Facts {
        switch part {
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
                stopping: Stopping(
                    stop: "pause share", start: "resume share", stopped: "paused",
                    started: "resumed", shows: .lastFrame,
                    stopMeaning: "stop the share and its audio; its last frame stays",
                    startMeaning: "start the share again"),
                meaning: "The plugin that makes the shared screen, the filters that edit it, and "
                    + "the plugin that makes its audio.",
                example: Example(plugin: "Slides", settings: ["path": "slides"]))
        case .shareAudio:
            Facts(
                name: "share audio", kind: .shareAudioSource, medium: .audio, track: .share,
                trackID: 4, key: "audio", parent: .share, filters: .audioPreProcessor,
                meaning:
                    "The plugin that makes the audio of the share, and the filters that edit it.",
                example: Example(
                    plugin: "ToneShareAudio", settings: ["frequency": 440]))
        case .stage:
            Facts(
                name: "stage", kind: .composer, medium: .video, track: .stage, trackID: 9,
                key: "stage", filters: .preProcessor, ceiling: ("stage-ceiling", "1280x720@15"),
                stopping: Stopping(
                    stop: "stop stage", start: "start stage", stopped: "stopped",
                    started: "started", shows: .black,
                    stopMeaning: "stop the composer; its video is black",
                    startMeaning: "start the composer again"),
                meaning: "The composer: the plugin that makes one video of the other tracks.",
                example: Example(plugin: "Stage", settings: ["layout": "grid"]))
        }
    }

    /// The kind of the role's plugin.
    package var kind: PluginKind { facts.kind }

    /// The track with the role's video or audio.
    package var track: VideoTrackKind { facts.track }

    /// The medium.
    package var medium: PluginKind.Medium { facts.medium }

    /// The track's name in session files, reports and file names, e.g. `"share-audio"`.
    package var trackName: String {
        let facts = facts
        let own = facts.parent.map { "\($0.facts.key)-\(facts.key)" } ?? facts.key
        return name.map { "\(own).\($0)" } ?? own
    }

    /// Whether a command for another role stops and starts this one, too.
    package func follows(_ other: SessionRole) -> Bool { self == other || facts.parent == other }

    /// Whether the role's plugin receives the session's other tracks.
    package var composes: Bool { kind.isComposer }

    /// The roles of participants' tracks.
    package static let ofParticipants = allCases.filter { !$0.composes }

    /// Returns another role with this role's name.
    package func with(_ other: SessionRole) -> SessionRole {
        SessionRole(other.part, name: name, place: place)
    }

    /// Returns the role of a medium of a track.
    package init?(_ medium: PluginKind.Medium, of track: VideoTrackKind) {
        let role = Self.allCases.first { $0.track.part == track.part && $0.medium == medium }
        guard let role else { return nil }
        self = SessionRole(role.part, name: track.name, place: track.place)
    }
}

/// The place of a plugin in a session: the plugin of a role, a filter, an output or the call.
public enum PluginAddress: Hashable, Sendable, CustomStringConvertible {
    /// The plugin of a role.
    case source(SessionRole)
    /// A filter of a role's plugin, at a place from 0.
    case filter(Int, of: SessionRole)
    /// An output, at a place in the session's list from 0.
    case output(Int)
    /// The session's call.
    case call
    /// A filter of each participant's audio, at a place from 0.
    case callFilter(Int)

    /// The key of the list of filters in a role's section.
    package static let filtersKey = "pre-processors"
    /// The key of the list of outputs.
    package static let outputsKey = "outputs"
    /// The key of the participants whom an output leaves out.
    package static let exceptKey = "except"
    /// The key of the call.
    package static let callKey = "call"

    /// Makes the address of a source or of a source's filter.
    public init(_ role: SessionRole, filter: Int? = nil) {
        self = filter.map { .filter($0, of: role) } ?? .source(role)
    }

    /// Makes the address of the first plugin of a kind. A filter's source is the first source that
    /// the filter can edit.
    package init(of kind: PluginKind) {
        if kind.isCall {
            self = .call
        } else if kind.isOutput {
            self = .output(0)
        } else if let role = SessionRole.allCases.first(where: { $0.kind == kind }) {
            self.init(role)
        } else {
            let role = SessionRole.allCases.first { $0.facts.filters == kind }
            self.init(role ?? .camera, filter: 0)
        }
    }

    /// The role of the source or of the filter's source; nil for an output, and for a call and its filters.
    public var role: SessionRole? {
        switch self {
        case .source(let role), .filter(_, let role): role
        case .output, .call, .callFilter: nil
        }
    }

    /// The plugin's place among the filters of a role or of a call, from 0; nil for other plugins.
    public var filter: Int? {
        switch self {
        case .filter(let index, _), .callFilter(let index): index
        case .source, .output, .call: nil
        }
    }

    /// The keys of the plugin's section: `camera.pre-processors[0]`.
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

/// A role of a session with its plugin and the plugin's filters, in the order in which they edit
/// the media.
public struct SessionSlot<Plugin> {
    /// The role.
    public var role: SessionRole
    /// The role's plugin.
    public var plugin: Plugin
    /// The plugin's filters.
    public var filters: [Plugin]

    /// Makes a slot.
    public init(_ role: SessionRole, _ plugin: Plugin, filters: [Plugin] = []) {
        self.role = role
        self.plugin = plugin
        self.filters = filters
    }

    /// The plugin and its filters, with their addresses.
    public var plugins: [(address: PluginAddress, plugin: Plugin)] {
        [(PluginAddress(role), plugin)]
            + filters.enumerated().map { (PluginAddress(role, filter: $0), $1) }
    }
}

extension SessionSlot: Sendable where Plugin: Sendable {}

extension Array {
    /// The slot of a role; nil if the role has no plugin.
    public subscript<Plugin>(role: SessionRole) -> SessionSlot<Plugin>?
    where Element == SessionSlot<Plugin> {
        first { $0.role == role }
    }

    /// The plugin at an address; nil if there is none.
    public subscript<Plugin>(address: PluginAddress) -> Plugin?
    where Element == SessionSlot<Plugin> {
        address.role.flatMap { self[$0] }?.plugins.first { $0.address == address }?.plugin
    }
}
