import GreenroomMedia
import GreenroomModel
import GreenroomOutputs
import GreenroomSchema
import GreenroomSession

/// The description of the session file.
enum SessionDecoder {
    /// The content of a file, before checks across sections.
    struct Draft: Sendable {
        var session = Session()
        /// The sources of unnamed roles.
        var sources: [SessionRole: Source] = [:]
        /// The sources of roles with names, by their role without one.
        var named: [SessionRole: [NamedSource]] = [:]
        var media: Media?
        var outputs: [SessionOutput] = []
        var call: SessionOutput?
        var timeline: [TimelineEntry] = []
        var hooks: [HookTrigger: HookAction] = [:]
    }

    /// A source of a role with a name.
    struct NamedSource: Sendable {
        var name: String
        var source: Source
    }

    struct Session: Sendable {
        var configuration = SessionConfiguration()
        /// Additional unique sizes for cameras; a size that the table has too gets this rate.
        var moreSizes: [VideoCapability] = []
    }

    /// A plugin and the plugins inside its section, or a substitute.
    struct Source: Sendable {
        /// Its name is empty if it is missing or invalid, which is reported already.
        var configuration = PluginConfiguration("")
        var filters: [PluginConfiguration] = []
        /// Plugins whose sections are inside this one.
        var inner: [SessionRole: Source] = [:]

        var plugin: PluginConfiguration? {
            configuration.plugin.isEmpty && configuration.connect == nil ? nil : configuration
        }
    }

    static let sessionKey = "session"

    /// Keys at the top of a file, besides roles, whose items are compared one by one.
    static let comparedByItems = [
        sessionKey, mediaKey, PluginAddress.callKey, PluginAddress.outputsKey,
    ]

    static let root = Decoder<Draft>.section(
        Draft(), name: "file",
        "A Greenroom session: the plugins that make its media, and where the media go.",
        expectation: "a section with \(mediaKeys.alternatives)",
        presence: .oneOrMore(mediaKeys),
        fields: rootFields
    ) { draft, _ in draft }

    /// The top-level keys of a session file.
    static let rootFields: [Field<Draft>] =
        [
            Field(
                sessionKey, \.session, session, "Settings of the whole session.",
                examples: [["name": "demo", "maximum": "1280x720@30", "duration": "10s"]])
        ]
        + topRoles.map { role in
            Field(
                role.facts.key, \.sources[role], section(of: role), role.facts.meaning,
                examples: role.examples)
        }
        + topRoles.map { role in
            Field(
                role.facts.pluralKey, \.named[role], namedSections(of: role),
                "More than one \(role.facts.name), each under a name. The track of \"desk\" is "
                    + "\(role.trackName).desk.",
                examples: [["desk": role.examples[0]]])
        } + [
            media,
            Field(
                PluginAddress.callKey, \.call, call,
                "The plugin that brings other people into the session, as participants, and "
                    + "sends them its media.",
                examples: [["plugin": "LoopbackCall"]]),
            Field(
                "timeline", \.timeline, .list(of: timelineEntry, "a list of entries"),
                "Commands that the host performs during the session, each at its time.",
                examples: [
                    [
                        ["at": "3s", "ceiling": "640x360@15"], ["at": "5s", "do": "mute"],
                        ["at": "6s", "set": "camera.settings.pattern=grey"],
                    ]
                ]),
            Field(
                "outputs", \.outputs,
                .list(of: output, "a list of outputs", count: 0...Limits.outputs),
                "The destinations of the media. Without outputs, the session runs and records "
                    + "nothing.",
                examples: [[["record": "recordings/demo"], ["loudspeaker": "default"]]]),
            Field(
                "on", \.hooks, hooks,
                "Hooks: programs that the host runs, or requests that it sends, when something has "
                    + "happened.",
                examples: [["ended": ["logger", "the session has ended"]]]),
        ]

    private static let session = Decoder<Session>.section(
        Session(), name: "session", "Settings of the whole session.",
        expectation: "a section with keys such as name and duration",
        keyAliases: ["resolution", "size", "fps", "frame-rate", "framerate"].map {
            Schema.KeyAlias(key: $0, meant: "maximum", cure: "maximum: 1280x720@30")
        },
        fields: sessionFields
    ) { session, _ in session }

    /// The keys of the section `session`.
    static let sessionFields: [Field<Session>] =
        [
            Field(
                "name", \.configuration.name, .text("text that is not empty"),
                "The session's name in the report. Default: the file's name.",
                examples: ["demo"]),
            Field(
                "maximum", \.configuration.maximum, .capability,
                "The largest size and frame rate that plugins are offered.",
                examples: ["1280x720@30", "1920x1080@60"],
                defaultValue: .string("\(SessionConfiguration().maximum)")),
            Field(
                "table", \.configuration.table, .rows,
                "The sizes that a camera may choose from, each with its highest frame rate, instead "
                    + "of the standard ones. Sizes above \"maximum\" are not offered: raise it, "
                    + "too.",
                examples: [["1280x720@60", "640x360@60"]]),
            Field(
                "more-sizes", \.moreSizes, .rows,
                "Additional sizes that a camera may choose from; a size in the table gets this "
                    + "frame rate. Sizes above \"maximum\" are not offered: raise "
                    + "it, too.",
                examples: [["1920x1080@60", "2560x1440@30"]]),
            Field(
                "duration", \.configuration.duration,
                .duration(.milliseconds(1) ... .seconds(8760 * 3600)),
                "The duration of the session. Default: until it is stopped.",
                examples: ["10s", "500ms", "2m", "1h30m"]),
            Field(
                "drain-timeout", \.configuration.drainTimeout,
                .duration(.zero ... .seconds(7 * 86_400)),
                "The time that the session waits for its guests to leave after SIGTERM or "
                    + "\"greenroom drain\". Meanwhile, new guests are refused. With 0s, the "
                    + "session ends at once.",
                examples: ["1h", "10m"], defaultValue: .string("0s")),
            Field(
                "clock", \.configuration.clock,
                .choice {
                    switch $0 {
                    case .real: "The machine's clock."
                    case .virtual:
                        "A simulated clock: as fast as the machine can, and deterministic. "
                            + "Needs a duration; loudspeakers are left out."
                    }
                },
                "The clock that the session runs on.", examples: ["virtual"],
                defaultValue: .string(SessionConfiguration().clock.rawValue)),
            Field(
                "callback-deadline", \.configuration.callbackDeadline,
                .duration(.milliseconds(10) ... .seconds(600)),
                "The time limit of each call of a plugin. A plugin that exceeds the limit counts "
                    + "as hung. Default: \(Limits.seconds(Limits.callbackDeadlineNanoseconds)), and "
                    + "\(Limits.seconds(Limits.virtualCallbackDeadlineNanoseconds)) on the virtual "
                    + "clock. Loading a plugin may take "
                    + "\(Limits.seconds(Limits.loadingNanoseconds)), or this time if it is longer. "
                    + "An output may take five times as long to finish. A source that owes frames or audio fails after a second plus this deadline without "
                    + "any, by default after 3 s.",
                examples: ["2s", "500ms"]),
            Field(
                "minimum-real", \.configuration.minimumRealPercent, .percent,
                "The share of each track that must be real media at the end: frames and audio that its "
                    + "source sent. If a track has less, the exit code is 66. By default, any "
                    + "real media is enough, and plugins with \"on-failure: off\" may be missing.",
                examples: ["50%", "0%"]),
        ] + sessionIsolation

    // MARK: - Timeline

    private struct TimelineDraft: Sendable {
        var time: Duration?
        var command: SessionCommand?
    }

    private static let timelineEntry = Decoder<TimelineEntry>.section(
        TimelineDraft(), name: "timeline-entry", "A command that the host executes at its time.",
        expectation: "a section with the key \"at\" and what to do then",
        presence: .exactlyOneOf(ceilings.map(\.word) + ["set", "do"]),
        keyAliases: timelineKeyAliases,
        fields: [
            Field(
                "at", \.time, .duration(.zero ... .seconds(8760 * 3600)),
                "The time since the session's start.", examples: ["3s", "0s", "1m30s"],
                isRequired: true)
        ]
            + ceilings.map { role, word, example in
                Field(
                    word, \.command, .ceiling(role),
                    "The largest size and rate of the \(role.facts.name) from then on; "
                        + "\"none\" lifts it.",
                    examples: [.string(example), "none"])
            } + [
                Field(
                    "set", \.command, .assignment,
                    "A new value for a live parameter of a plugin; \"greenroom plugin info NAME\" shows "
                        + "live parameters.",
                    examples: [
                        "camera.settings.pattern=grey",
                        "camera.pre-processors[0].settings.opacity=0.5",
                    ]),
                Field(
                    "do", \.command,
                    phrase,
                    "A command that stops or starts something; also a ceiling, for example of a named "
                        + "camera.",
                    examples: ["mute", "pause share", "ceiling.desk 640x360@15"]),
            ]
    ) { draft, place in
        guard let time = draft.time, let command = draft.command else { return nil }
        return TimelineEntry(time: time, command: command, origin: place.path)
    }

    /// A command that stops or starts a role, or sets its ceiling.
    private static let phrase: Decoder<SessionCommand> = {
        let named = SessionRole.allCases.map { $0.named("N", place: 1) }
        let ceilings = (SessionRole.allCases + named).compactMap(\.facts.ceiling).map {
            ($0.word, " (\(SessionCommand.ceilingPattern))")
        }
        let stopping = named.compactMap(\.facts.stopping).flatMap { [$0.stop, $0.start] }
        let patterns = (stopping.map { ($0, "") } + ceilings).map { words, value in
            words.hasSuffix(".N")
                ? "\(words.dropLast(2))\\.\(String.roleNamePattern)\(value)" : words + value
        }
        let known = Decoder<SessionCommand>.oneOf(
            SessionCommand.phrases.map { ($0.words, $0.meaning.asSentence, $0.command) },
            more: SessionRole.allCases.compactMap(\.facts.ceiling).map {
                "\($0.word) \($0.example)"
            } + ["one of them with a name, such as stop camera.desk, ceiling.desk 640x360@15"])
        let written = Schema(
            kind: .text(pattern: (patterns + ["(gain|delay) .+ .+"]).joined(separator: "|")),
            expectation: known.schema.expectation)
        let schema = Schema(
            kind: .anyOf([known.schema, written]), expectation: known.schema.expectation)
        return Decoder(schema: schema) { node, path, reading in
            if case .text(let text) = node.scalar, let command = try? SessionCommand(text) {
                switch command {
                case .ceiling, .stop, .start, .gain, .delay, .pauseRecording, .resumeRecording,
                    .saveReplay:
                    return command
                case .set, .except, .explain, .message, .drain: break
                }
            }
            return known.read(node, path, &reading)
        }
    }()

    /// The roles with a ceiling, with its key and an example.
    private static let ceilings = SessionRole.allCases.compactMap { role in
        role.facts.ceiling.map { (role: role, word: $0.word, example: $0.example) }
    }

    /// Values of "do" that users write as keys: `mute:`, `stop: camera`.
    private static let timelineKeyAliases = SessionCommand.phrases.flatMap { phrase in
        let first = phrase.words.prefix { $0 != " " }
        return Set([phrase.words, String(first)]).sorted().map {
            Schema.KeyAlias(key: $0, meant: "do", cure: "do: \(phrase.words)")
        }
    }

    // MARK: - Plugins

    /// A plugin of a kind.
    ///
    /// - Parameters:
    ///   - name: Its section's name in the JSON Schema.
    ///   - example: An example plugin, with settings.
    ///   - fields: Its other keys.
    private static func source(
        _ name: String, _ summary: String, example: (plugin: JSON, settings: JSON),
        more fields: [Field<Source>] = []
    ) -> Decoder<Source> {
        .section(
            Source(), name: name, summary,
            expectation: "a section with the key \"plugin\"",
            presence: .either(pluginKeys, orAlone: []),
            keyAliases: pluginAliases, fields: pluginFields("The plugin", example: example) + fields
        ) { source, _ in source }
    }

    /// The keys that every plugin has.
    ///
    /// - Parameters:
    ///   - what: The role of the plugin, for the key's description.
    ///   - example: An example plugin, with settings.
    static func pluginFields(
        _ what: String, example: (plugin: JSON, settings: JSON)
    ) -> [Field<Source>] {
        [
            Field(
                "plugin", \.configuration.plugin, reference,
                "\(what): a bundled one by name, one on GREENROOM_PLUGIN_PATH by name, or "
                    + "the path of a library or of a script in Python (with a \"/\") relative to this file's "
                    + "folder, with \"#NAME\" if it has several.",
                examples: [example.plugin, "./build/libMine.so"]),
            Field(
                "connect", \.configuration.connect, .socket("the path of a socket"),
                "Instead of \"plugin\": a Unix socket, relative to this file's folder. The host creates "
                    + "the socket, and a program that the host did not start connects to it and "
                    + "becomes the plugin. Several plugins may name one socket; \"#NAME\" chooses "
                    + "one of several plugins of a kind.",
                examples: ["/run/greenroom.sock"]),
            Field(
                "python", \.configuration.python,
                .path("the path of a Python or a virtual environment"),
                "The interpreter of a plugin in Python, relative to this file's folder. Default: .venv or "
                    + "venv in the script's folder or above, otherwise the Python of Greenroom's wheel, otherwise "
                    + "python3 on the PATH.",
                examples: ["/opt/bots/.venv"]),
            Field(
                "settings", \.configuration.settings, .settings,
                "The plugin's own settings; \"greenroom plugin info NAME\" lists them. Paths "
                    + "are relative to this file's folder.",
                examples: [example.settings]),
            Field(
                "on-failure", \.configuration.onFailure, onFailure,
                "The reaction when this plugin fails. By default, the host restarts an isolated "
                    + "plugin. If a source or a filter in the host's process fails, the session "
                    + "ends; if an output fails, the session continues without it.",
                examples: ["off"]),
            Field(
                "callback-deadline", \.configuration.callbackDeadline,
                .duration(.milliseconds(10) ... .seconds(600)),
                "The time limit of each call of this plugin. If a call exceeds the limit, the "
                    + "plugin counts as hung. Default: the session's \"callback-deadline\".",
                examples: ["10s"]),
        ] + pluginIsolation
    }

    /// The keys that name a plugin.
    private static let pluginKeys = ["plugin", "connect"]

    /// Keys of earlier versions.
    private static let pluginAliases = [
        Schema.KeyAlias(key: "broadcast", meant: "connect", cure: "connect: PATH")
    ]

    private static let onFailure = Decoder<FailurePolicy>.choice(
        meant: ["continue": .off, "false": .off]
    ) {
        switch $0 {
        case .restart:
            "Restart it after a delay; off after six losses in a minute."
        case .off:
            "The session continues without the plugin, unless it has a wrong setting or breaks a rule at the start."
        case .end: "The session ends."
        }
    }

    /// A plugin without inner sections; nil with a diagnostic if it can't be read.
    private static func alone(_ source: Decoder<Source>) -> Decoder<PluginConfiguration> {
        Decoder<PluginConfiguration>(schema: source.schema) { node, path, reading in
            source.read(node, path, &reading)?.plugin
        }
    }

    /// The keys of what makes media.
    private static let mediaKeys =
        topRoles.map(\.facts.key) + topRoles.map(\.facts.pluralKey)
        + [mediaKey, PluginAddress.callKey]

    private static func namedSections(of role: SessionRole) -> Decoder<[NamedSource]> {
        Decoder<[NamedSource]>.named(
            section(of: role), role.facts.pluralKey,
            pattern: String.roleNamePattern, limit: Limits.namedRoles, isName: { $0.isRoleName }
        ).map { named, _ in named.map { NamedSource(name: $0.name, source: $0.value) } }
    }

    /// Roles with sections at the top of the file.
    private static let topRoles = SessionRole.allCases.filter { $0.facts.parent == nil }

    /// The section of a role, with its filters and inner roles.
    static func section(of role: SessionRole) -> Decoder<Source> {
        let filters = role.facts.filters.map { kind in
            Field(
                PluginAddress.filtersKey, \Source.filters,
                .list(of: alone(filter(kind)), "a list of plugins", count: 0...Limits.filters),
                "Filters that edit the \(role.facts.name)'s "
                    + "\(role.medium == .video ? "frames" : "audio"), in this order.",
                examples: [Self.exampleFilter(kind)])
        }
        let inner = SessionRole.allCases.filter { $0.facts.parent == role }.map { role in
            Field(
                role.facts.key, \Source.inner[role], section(of: role),
                role.facts.meaning, examples: role.examples)
        }
        return source(
            role.kind.facts.word, role.facts.meaning,
            example: (.string(role.facts.example.plugin), role.facts.example.settingsAsJSON),
            more: [startDeadline] + (filters.map { [$0] } ?? []) + inner
                + (role.composes ? [except] : []))
    }

    /// The participants whom an output or a composer leaves out.
    private static let except = Field(
        PluginAddress.exceptKey, \Source.configuration.except, .participantNames,
        "Names of participants whose tracks are left out, including of mixes. A stage leaves out everybody "
            + "whom an output that uses it leaves out.",
        examples: [["Ana"]])

    static let startDeadline = Field(
        "start-deadline", \Source.configuration.startDeadline,
        .duration(.seconds(1) ... .seconds(600)),
        "The time that the source may need from its start to its first frame or audio, for example to "
            + "connect to a network camera. Default: "
            + "\(Limits.seconds(Limits.silenceNanoseconds)) plus the session's callback-deadline "
            + "(\(Limits.seconds(Limits.silenceNanoseconds + Limits.callbackDeadlineNanoseconds))). "
            + "After one second a slate is shown.",
        examples: ["10s"])

    /// A list of filters.
    private static func exampleFilter(_ kind: PluginKind) -> JSON {
        kind.isAudioFilter
            ? [["plugin": "NoiseSuppression"]]
            : [["plugin": "Watermark", "settings": ["path": "logo.png"]]]
    }

    /// A filter of a medium.
    static func filter(_ kind: PluginKind) -> Decoder<Source> {
        guard !kind.isAudioFilter else {
            return source(
                kind.facts.word, "A plugin that edits audio.",
                example: ("Gain", ["level": .number(6)]),
                more: [
                    Field(
                        "required", \.configuration.isRequired, .boolean,
                        "Whether to silence audio that this filter has not edited, because the "
                            + "filter is late, refuses it or is lost. By default, such audio is "
                            + "played unedited.",
                        examples: [true])
                ])
        }
        return source(
            kind.facts.word, "A plugin that edits frames.",
            example: ("Adjust", ["brightness": .number(0.1)]),
            more: [
                Field(
                    "required", \.configuration.isRequired, .boolean,
                    "Whether to hide frames that this filter has not edited, because the filter "
                        + "is late, refuses them or is lost. Instead, the last edited frame stays "
                        + "for a second, and then a slate is shown. By default, most of these "
                        + "frames are shown unedited.",
                    examples: [true])
            ])
    }

    private static let reference = Decoder<String>.text("the name or path of a plugin")
        .map { text, reading in
            // A script has its ending, so it needs no slash: `bot.py`, `bot.py#Name`.
            let isPath = text.contains("/") || text.prefix { $0 != "#" }.hasSuffix(".py")
            return isPath ? reading.absolute(text) : text
        }

    // MARK: - Outputs

    private struct OutputDraft: Sendable {
        var output: (any HostOutput)?
        var plugin = Source()
        var selection: TrackSelection?
    }

    private static let output = Decoder<SessionOutput>.section(
        OutputDraft(), name: "output", "An output of the host, or an output plugin.",
        expectation: "a section with the key \(outputKeys.alternatives)",
        presence: .either(pluginKeys, orAlone: OutputForm.builtIn.map(\.key)),
        keyAliases: pluginAliases,
        fields: OutputForm.builtIn.map {
            Field($0.key, \.output, $0.decoder, $0.summary, examples: $0.examples)
        } + outputPlugin
    ) { draft, place in
        if let output = draft.output { return SessionOutput(output, origin: place.path) }
        return draft.plugin.plugin.map {
            SessionOutput(
                PluginOutput($0, selection: draft.selection), origin: place.path)
        }
    }

    private static let call = Decoder<SessionOutput>.section(
        OutputDraft(), name: "call", "The plugin that brings participants into the session.",
        expectation: "a section with the key \"plugin\"",
        presence: .either(pluginKeys, orAlone: []),
        keyAliases: pluginAliases,
        fields: pluginFields(
            "The call's plugin", example: ("LoopbackCall", ["script": "Ana 0s camera"])
        ).map { $0.within(\.plugin) } + [tracks, callFilters.within(\.plugin)]
    ) { draft, place in
        draft.plugin.plugin.map {
            SessionOutput(
                PluginOutput(
                    $0, selection: draft.selection, isCall: true, filters: draft.plugin.filters),
                origin: place.path)
        }
    }

    private static let callFilters = Field(
        PluginAddress.filtersKey, \Source.filters,
        .list(
            of: alone(filter(.audioPreProcessor)), "a list of plugins",
            count: 0...Limits.filters),
        "Filters that edit each participant's audio, in this order. Each participant has separate "
            + "filters.",
        examples: [exampleFilter(.audioPreProcessor)])

    /// The keys of an output that is a plugin.
    private static let outputPlugin: [Field<OutputDraft>] =
        pluginFields(
            "The plugin that receives the session's media", example: ("FrameFolder", ["every": 30])
        ).map { $0.within(\.plugin) } + [tracks, except.within(\.plugin)]

    private static let tracks = Field(
        "tracks", \OutputDraft.selection, .tracks,
        "Tracks offered to the plugin. Default: all tracks of the session and of every "
            + "participant. \"participant *\" selects all participants' tracks, "
            + "\"participant Ana\" for Ana's, \"participant * camera\" for every participant's "
            + "camera, \"participant Ana mix-minus\" for all audio except Ana's.",
        examples: [["camera", "mix"], ["stage", "full-mix"], ["microphone", "participant *"]])

    /// `record`, `loudspeaker`, `y4m` and `plugin`.
    private static var outputKeys: [String] { OutputForm.builtIn.map(\.key) + pluginKeys }
}

extension String {
    /// With a capital letter and a full stop.
    fileprivate var asSentence: String { "\(prefix(1).uppercased())\(dropFirst())." }
}

extension [String] {
    /// `camera, microphone or share`.
    fileprivate var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}

/// The schema of a role's section.
extension SessionRole {
    /// Example values of its key.
    fileprivate var examples: [JSON] {
        [["plugin": .string(facts.example.plugin), "settings": facts.example.settingsAsJSON]]
            + [["connect": "/run/greenroom.sock"]]
    }
}

extension SessionRole.Example {
    /// Its settings, as session files have them.
    fileprivate var settingsAsJSON: JSON {
        .members(settings.map { ($0, JSON($1)) })
    }
}

extension Decoder<String> {
    /// The path of a Unix socket, made absolute relative to the file's folder. It may end with `#NAME`.
    fileprivate static func socket(_ expectation: String) -> Decoder {
        let path = path(expectation)
        return Decoder(schema: path.schema) { node, place, reading in
            guard let socket = path.read(node, place, &reading) else { return nil }
            let bytes = socket.prefix { $0 != "#" }.utf8.count
            guard bytes <= maximumSocketPathBytes else {
                reading.complain(
                    "the path of a socket may have \(maximumSocketPathBytes) bytes, and from / on "
                        + "this one has \(bytes). Name one in a folder nearer to /, "
                        + "such as /run/greenroom.sock.", about: node, place)
                return nil
            }
            return socket
        }
    }

    /// The capacity of Linux's `sun_path`, 108 bytes, without its NUL.
    private static var maximumSocketPathBytes: Int { 107 }
}
