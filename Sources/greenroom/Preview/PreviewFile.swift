import GreenroomConfig
import GreenroomPluginInterface
import GreenroomSchema
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession

/// The session file of a preview, made from its arguments. The arguments are checked like a session
/// file, and each error names its argument.
struct PreviewFile {
    /// The plugin's name in the session file.
    var plugin: String
    /// The plugins of the name; several if it is an agent.
    var parts: [PreviewPart]
    /// The absolute folder of relative paths.
    var folder: String
    /// Assignments to the plugin's settings.
    var assignments: [String] = []
    var duration: String?
    var maximum: String?
    var ceilings: String?
    /// Whether the plugin must be isolated.
    var isWatched = false
    /// The plugin's grants: each argument and the matching `allow` entry.
    var grants: [(argument: String, assignment: String)] = []
    var hasVirtualClock = false

    private var descriptor: PluginDescriptor { parts[0].descriptor }
    private var address: PluginAddress { parts[0].address }
    private var isAgent: Bool { parts.count > 1 }

    /// A talk of ten minutes: Ana and Ben speak for 3 s in turn, and pause for 1 s.
    private static let talk: String = {
        let turns = stride(from: 0, to: 600, by: 8)
        let ana = turns.map { " mute=\($0 + 3)s-\($0 + 8)s" }.joined()
        let ben = turns.map { " mute=\($0)s-\($0 + 4)s mute=\($0 + 7)s-\($0 + 8)s" }.joined()
        return "Ana 0s camera microphone\(ana); Ben 0s microphone=330\(ben)"
    }()

    /// Sets a key in the section of each plugin, or of some.
    private func set(
        _ assignment: String, of some: [PreviewPart]? = nil, for argument: String
    ) -> [Override] {
        (some ?? parts).map {
            Override(argument: argument, assignment: "\($0.address).\(assignment)")
        }
    }

    /// Creates the session file.
    ///
    /// - Throws: All errors of the arguments at once.
    func read() throws(SessionFileError) -> SessionFile {
        var faults: [Diagnostic] = []
        var overrides: [Override] = []
        overrides += address.companions.map { role, companion in
            Override(argument: plugin, assignment: "\(role.rawValue).plugin=\(companion)")
        }
        // The test participants of a composer or an agent.
        let call = PluginAddress.callKey
        if descriptor.kind.isComposer || isAgent {
            overrides.append(Override(argument: plugin, assignment: "\(call).plugin=LoopbackCall"))
        }
        if isAgent {
            overrides.append(
                Override(
                    argument: plugin,
                    assignment: "\(call).settings.script=\(JSON.string(Self.talk).text)"))
        }
        overrides += set("plugin=\(JSON.string(plugin).text)", for: plugin)
        overrides += settings(&faults) + timeline(&faults)
        if let duration { overrides.append(.duration(duration)) }
        if let maximum {
            overrides.append(
                Override(
                    argument: "--maximum \(maximum)", assignment: "session.maximum=\(maximum)"))
        }
        if hasVirtualClock {
            overrides.append(.virtualClock)
            if duration == nil {
                faults.append(
                    Diagnostic(
                        "the virtual clock needs a duration; without one the preview runs forever. Add "
                            + "--duration 10s.",
                        at: SourceLocation(.argument("--virtual-clock"), path: "")))
                // Report it once.
                overrides.append(.duration("1s"))
            }
        }
        // Grants need a sandbox.
        if let reason = isWatched ? "--watch" : grants.first?.argument {
            overrides += set("isolation=process", for: reason)
        }
        // An agent may send messages and commands: the session is its own.
        if isAgent {
            overrides += set(
                "allow.control=true", of: parts.filter(\.descriptor.kind.isOutput), for: plugin)
        }
        overrides += grants.flatMap { set("allow.\($0.assignment)", for: $0.argument) }
        do throws(SessionFileError) {
            var file = try SessionFile.read(
                Array("{}".utf8), file: "the arguments", folder: folder, overrides: overrides)
            if !faults.isEmpty { throw SessionFileError(faults, in: file.source) }
            let roles = parts.compactMap(\.address.role)
            if let role = roles.first, !role.composes {
                file.configuration.slots.removeAll { !roles.contains($0.role) }
            }
            file.configuration.name = descriptor.name
            file.warnings = Self.byArgument(file.warnings)
            return file
        } catch {
            throw Self.byArgument(error, faults)
        }
    }

    private func settings(_ faults: inout [Diagnostic]) -> [Override] {
        let withSettings = parts.filter { !$0.descriptor.parameters.isEmpty }
        let some = withSettings.isEmpty ? [parts[0]] : withSettings
        return assignments.flatMap { assignment -> [Override] in
            let argument = "--set \(assignment)"
            let name = assignment.prefix { $0 != "=" }
            guard name.count < assignment.count, !name.isEmpty,
                !name.contains(where: { ".[]".contains($0) })
            else {
                faults.append(
                    Diagnostic(
                        "needs NAME=VALUE, such as --set pattern=grey: the name of a setting of "
                            + "\(descriptor.name), as `greenroom plugin info` lists them.",
                        at: SourceLocation(.argument(argument), path: "")))
                return []
            }
            return set("settings.\(assignment)", of: some, for: argument)
        }
    }

    /// Converts ceilings to a timeline: `2s 640x360@15` becomes `{ at: 2s, ceiling: 640x360@15 }`.
    private func timeline(_ faults: inout [Diagnostic]) -> [Override] {
        guard let ceilings else { return [] }
        guard descriptor.kind.hasVideo else {
            faults.append(
                Diagnostic(
                    "\(descriptor.name) is \(descriptor.kind.nameWithArticle), and has no video to limit. "
                        + "Leave it out.",
                    at: SourceLocation(.argument("--ceiling \"\(ceilings)\""), path: "")))
            return []
        }
        let key = address.role?.facts.ceiling?.word ?? "ceiling"
        var overrides: [Override] = []
        for entry in ceilings.split(separator: ",", omittingEmptySubsequences: false) {
            let words = entry.split(whereSeparator: \.isWhitespace)
            let argument = "--ceiling \"\(words.joined(separator: " "))\""
            guard words.count == 2 else {
                faults.append(
                    Diagnostic(
                        "needs a time and a ceiling, such as \"2s 640x360@15\" or \"4s none\", with "
                            + "a comma before the next.",
                        at: SourceLocation(.argument(argument), path: "")))
                continue
            }
            let place = "timeline[\(overrides.count / 2)]"
            overrides += [("at", words[0]), (key, words[1])].map { key, value in
                Override(argument: argument, assignment: "\(place).\(key)=\(value)")
            }
        }
        return overrides
    }

    /// Errors without the keys of the generated file.
    static func byArgument(
        _ error: SessionFileError, _ more: [Diagnostic] = []
    ) -> SessionFileError {
        SessionFileError(more + byArgument(error.diagnostics), in: error.source)
    }

    /// The diagnostics by argument; one of the parts of an agent is enough.
    private static func byArgument(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        var seen: Set<Diagnostic> = []
        return diagnostics.map(byArgument).filter { seen.insert($0).inserted }
    }

    private static func byArgument(_ diagnostic: Diagnostic) -> Diagnostic {
        var diagnostic = diagnostic
        let path = diagnostic.place.path
        diagnostic.place.path =
            path.firstRange(of: ".settings.").map { String(path[$0.upperBound...]) } ?? ""
        return diagnostic
    }
}

extension PluginAddress {
    /// The other parts of a session with the plugin: the source of a filter, the section around a
    /// nested plugin, and media for an output.
    fileprivate var companions: [(role: SessionRole, plugin: String)] {
        switch self {
        case .source(let role) where role.composes: [(.camera, "ColorBars"), (.microphone, "Tone")]
        case .source(let role): role.facts.parent.map { [($0, "ColorBars")] } ?? []
        case .filter(_, let role):
            [(role, role.medium == .video ? "ColorBars" : "Tone")]
        case .output, .call, .callFilter: [(.camera, "ColorBars"), (.microphone, "Tone")]
        }
    }
}

extension PluginKind {
    /// Whether a session with the kind has video.
    var hasVideo: Bool { facts.medium == .video }
}
