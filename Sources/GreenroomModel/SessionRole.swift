package import GreenroomMedia

/// A part in a session that one plugin can have. Raw values are the keys that lead to its section
/// in a session file; reports and messages use them, too.
///
/// A session has at most one of each role without a name, and any number with names: `camera`, and
/// `cameras.desk`. Everything that the session knows of a role is in its ``facts``.
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
    /// Its name among the roles of its kind, e.g. `desk`; nil for the one without a name.
    public let name: String?
    /// Its place among the roles of its kind that have names, from 1; 0 without a name. Two roles with
    /// equal names are equal, whatever their places.
    package let place: UInt32

    package init(_ part: Part, name: String? = nil, place: UInt32 = 0) {
        self.part = part
        self.name = name
        self.place = place
    }

    /// It makes the camera's video.
    public static let camera = SessionRole(.camera)
    /// It makes the microphone's audio.
    public static let microphone = SessionRole(.microphone)
    /// It makes the shared screen.
    public static let share = SessionRole(.share)
    /// It makes the audio of the share.
    public static let shareAudio = SessionRole(.shareAudio)
    /// It makes one video of the other tracks.
    public static let stage = SessionRole(.stage)

    /// A role with a name: another camera, microphone, share or stage.
    ///
    /// - Parameters:
    ///   - name: 1 to 40 letters, digits and hyphens; begins with a letter.
    ///   - place: Its place among the session's roles of its kind that have names, from 1 to 1000.
    public func named(_ name: String, place: Int) -> SessionRole {
        SessionRole(part, name: name, place: UInt32(clamping: place))
    }
}

extension SessionRole: Hashable {
    /// Whether both are the same part with the same name.
    public static func == (first: SessionRole, second: SessionRole) -> Bool {
        first.part == second.part && first.name == second.name
    }

    /// Hashes part and name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(part)
        hasher.combine(name)
    }
}

extension SessionRole: Comparable {
    /// In the order of ``allCases``, those without a name first, then by their places.
    public static func < (first: SessionRole, second: SessionRole) -> Bool {
        (first.part, first.place) < (second.part, second.place)
    }
}

extension SessionRole: CaseIterable {
    /// The roles without a name.
    public static let allCases: [SessionRole] = Part.allCases.map { SessionRole($0) }
}

extension SessionRole: RawRepresentable {
    /// The keys that lead to its section: `camera`, `share.audio`, `cameras.desk`, `shares.room.audio`.
    public var rawValue: String {
        let facts = facts
        if let parent = facts.parent { return "\(parent.rawValue).\(facts.key)" }
        return name.map { "\(facts.pluralKey).\($0)" } ?? facts.key
    }

    /// The role whose section the keys lead to.
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

    /// Whether a role may have it as its name.
    package var isRoleName: Bool { wholeMatch(of: /[A-Za-z][A-Za-z0-9-]{0,39}/) != nil }
}

extension SessionRole {
    /// The properties of a role.
    package struct Facts: Sendable {
        /// The name for users, e.g. `"share audio"`.
        package var name: String
        /// The kind of its plugin.
        package var kind: PluginKind
        /// The medium.
        package var medium: PluginKind.Medium
        /// The track whose video or audio it is.
        package var track: VideoTrackKind
        /// The number of what it makes, for outputs and calls: one of `GR_TRACK_…`.
        package var trackID: UInt32
        /// The key of its section in the parent's section, or at the top of the file.
        package var key: String
        /// The key of the section that has the sections of roles with names.
        package var pluralKey: String { "\(key)s" }
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
        /// The purpose of the section in a session file; a sentence for users.
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

        /// The commands of a role with a name: `stop camera.desk`, `mute microphone.desk`.
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
        /// The last frame before it was stopped.
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
        facts.takesBroadcast = false
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

    /// The role that a broadcast has.
    package static let ofBroadcasts = allCases.first { $0.facts.takesBroadcast }

    /// The kind of its plugin.
    package var kind: PluginKind { facts.kind }

    /// The track whose video or audio it is.
    package var track: VideoTrackKind { facts.track }

    /// The medium.
    package var medium: PluginKind.Medium { facts.medium }

    /// The name of what it makes, in session files, reports and file names, e.g. `"share-audio"`.
    package var trackName: String {
        let facts = facts
        let own = facts.parent.map { "\($0.facts.key)-\(facts.key)" } ?? facts.key
        return name.map { "\(own).\($0)" } ?? own
    }

    /// Whether a command for another role stops and starts this one, too.
    package func follows(_ other: SessionRole) -> Bool { self == other || facts.parent == other }

    /// Whether its plugin takes the session's other tracks.
    package var composes: Bool { kind.isComposer }

    /// The roles whose tracks a participant may have.
    package static let ofParticipants = allCases.filter { !$0.composes }

    /// A role with this one's name.
    package func with(_ other: SessionRole) -> SessionRole {
        SessionRole(other.part, name: name, place: place)
    }

    /// The role of a medium that a track has.
    package init?(_ medium: PluginKind.Medium, of track: VideoTrackKind) {
        let role = Self.allCases.first { $0.track.part == track.part && $0.medium == medium }
        guard let role else { return nil }
        self = SessionRole(role.part, name: track.name, place: track.place)
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

    /// The address of the first plugin of a kind: a filter's source is the first that it can edit.
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
