import GreenroomMedia
public import GreenroomModel
import GreenroomOutputs
import GreenroomSchema

extension SessionCommand {
    /// The expected value of a ceiling, for messages.
    static let ceilingExpectation = "a size and a frame rate such as 640x360@15, or none"

    /// The pattern of a ceiling's value.
    static let ceilingPattern = "none|\(Pattern.capability)"

    /// The pattern of the value of `set`.
    static let assignmentPattern: String = {
        let sections =
            SessionRole.allCases.map { role in
                let keys = role.rawValue.split(separator: ".")
                let top = (role.facts.parent ?? role).facts
                let named = #"\#(top.pluralKey)\.\#(String.roleNamePattern)"#
                let section =
                    ([#"(\#(top.key)|\#(named))"#] + keys.dropFirst().map(String.init))
                    .joined(separator: #"\."#)
                let filters = #"(\.\#(PluginAddress.filtersKey)\[[0-9]+\])?"#
                return role.facts.filters == nil ? section : section + filters
            } + [
                #"\#(PluginAddress.outputsKey)\[[0-9]+\]"#,
                #"\#(PluginAddress.callKey)(\.\#(PluginAddress.filtersKey)\[[0-9]+\])?"#,
            ]
        return #"(\#(sections.joined(separator: "|")))\.(settings\.[^.=\[\]]+|except)=[\s\S]*"#
    }()

    /// Reads the value of a ceiling: `640x360@15`, or `none`.
    ///
    /// - Returns: nil for anything else.
    init?(ceiling text: String, of role: SessionRole) {
        if text == "none" {
            self = .ceiling(role, nil)
        } else if text.wholeMatches(Pattern.capability), let limit = VideoCapability(text) {
            self = .ceiling(role, limit)
        } else {
            return nil
        }
    }

    /// Reads the value of `set`, in the notation of `--set`:
    /// `camera.settings.pattern=grey`.
    init(set assignment: String) throws(CommandError) {
        let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let steps = Override.steps(of: parts[0]) else {
            throw CommandError("needs PATH=VALUE, such as camera.settings.pattern=grey.")
        }
        if steps.last == .key(PluginAddress.exceptKey) {
            guard let address = PluginAddress(steps.dropLast()), address.canLeaveOut else {
                throw CommandError(
                    "\"\(String(parts[0]).shortened)\": only outputs and stages leave people out. Write "
                        + "outputs[0].except=[Ana] or stage.except=[Ana].")
            }
            self = .except(address, try Self.names(String(parts[1]), of: assignment))
            return
        }
        guard steps.count > 2, case .key(let name)? = steps.last,
            steps.dropLast().last == .key("settings"),
            let address = PluginAddress(steps.dropLast(2))
        else {
            throw CommandError(
                "\"\(String(parts[0]).shortened)\" is not a setting of a plugin, and nothing else can "
                    + "be set while the session runs. Examples of paths: camera.settings.pattern, "
                    + "camera.pre-processors[0].settings.opacity, share.audio.settings.level.")
        }
        // Errors of the value have no location: the command has one.
        let place = SourceLocation(.argument(assignment), path: "")
        var reading = Reading(folder: "")
        do throws(SessionFileError) {
            let source = SourceText(String(parts[1]), file: "")
            let node = try ConfigNode(written: String(parts[1]), at: place, in: source)
            if let value = reading.settingValue(node, "") {
                self = .set(address, name: name, value: value)
                return
            }
        } catch {
            reading.diagnostics = error.diagnostics
        }
        let faults = reading.diagnostics.map(\.message).joined(separator: " ")
        throw CommandError("\(String(parts[0]).shortened): \(faults)")
    }
}

extension SessionCommand {
    /// Reads a list of names.
    private static func names(
        _ text: String, of assignment: String
    ) throws(CommandError) -> [String] {
        let place = SourceLocation(.argument(assignment), path: "")
        var reading = Reading(folder: "")
        do throws(SessionFileError) {
            let node = try ConfigNode(
                written: text, at: place, in: SourceText(text, file: ""))
            if let names = Decoder<[String]>.participantNames.read(node, "", &reading) {
                return names
            }
        } catch {
            reading.diagnostics = error.diagnostics
        }
        throw CommandError(reading.diagnostics.map(\.message).joined(separator: " "))
    }
}

extension PluginAddress {
    /// Whether the plugin is an output or a composer.
    var canLeaveOut: Bool {
        switch self {
        case .output: true
        case .source(let role): role.composes
        case .filter, .call, .callFilter: false
        }
    }

    /// The plugin whose section is at the end of the steps.
    fileprivate init?(_ steps: ArraySlice<Override.Step>) {
        if steps.elementsEqual([.key(Self.callKey)]) {
            self = .call
            return
        }
        if steps.count == 3, steps.starts(with: [.key(Self.callKey), .key(Self.filtersKey)]),
            case .index(let index)? = steps.last
        {
            self = .callFilter(index)
            return
        }
        if steps.first == .key(Self.outputsKey) {
            guard steps.count == 2, case .index(let index)? = steps.last else { return nil }
            self = .output(index)
            return
        }
        var steps = steps
        var filter: Int?
        if case .index(let index)? = steps.last,
            steps.dropLast().last == .key(Self.filtersKey)
        {
            filter = index
            steps = steps.dropLast(2)
        }
        let keys = steps.compactMap { if case .key(let key) = $0 { key } else { nil } }
        guard keys.count == steps.count,
            let role = SessionRole(rawValue: keys.joined(separator: ".")),
            filter == nil || role.facts.filters != nil
        else { return nil }
        self.init(role, filter: filter)
    }
}

extension SessionCommand {
    /// Reads a command in the notation of control lines and timelines: `mute`, `ceiling 640x360@15`,
    /// `set camera.settings.pattern=grey`.
    ///
    /// - Throws: ``CommandError`` with the rule and the fix.
    public init(_ text: String) throws(CommandError) {
        guard case .command(let command) = try ControlLine(text) else {
            throw CommandError(
                "\"\(text.shortened)\" is not a command of a session. \"help\" lists the commands.")
        }
        self = command
    }

    /// The command as a control line; reading it returns the same command.
    public var line: String {
        switch self {
        case .ceiling(let role, let limit):
            "\(role.facts.ceiling?.word ?? "ceiling") \(limit.map { "\($0)" } ?? "none")"
        case .stop(let role): role.facts.stopping?.stop ?? "stop \(role.facts.name)"
        case .start(let role): role.facts.stopping?.start ?? "start \(role.facts.name)"
        case .set(let address, let name, let value):
            "set \(address).settings.\(name)=\(value.asWritten)"
        case .except(let address, let names):
            "set \(address).\(PluginAddress.exceptKey)=\(JSON.array(names.map { .string($0) }).line)"
        case .gain(let target, let decibels): "gain \(target) \(decibels)"
        case .delay(let target, let time): "delay \(target) \(time.asWritten)"
        case .explain: "explain"
        case .message(let author, let text): "message \(author.map { "from \($0): " } ?? "")\(text)"
        case .drain: "drain"
        case .pauseRecording: "recording pause"
        case .resumeRecording: "recording resume"
        case .saveReplay: "replay save"
        }
    }
}

extension SessionCommand {
    /// The longest text of a message, and the longest name of its author, in bytes.
    private static let (longestMessage, longestAuthor) = (2000, 100)

    /// Reads the value of `message`: a text, or `from NAME: TEXT`.
    init(message value: String) throws(CommandError) {
        var (author, text): (String?, Substring) = (nil, value[...])
        if value.hasPrefix("from "), let colon = value.firstRange(of: ": ") {
            let name = value[..<colon.lowerBound].dropFirst("from ".count)
            guard name.utf8.count <= Self.longestAuthor, name.contains(where: { !$0.isWhitespace })
            else {
                throw CommandError(
                    "the name after \"from\" needs 1 to \(Self.longestAuthor) bytes.")
            }
            (author, text) = (String(name), value[colon.upperBound...].drop(while: \.isWhitespace))
        }
        guard !text.isEmpty, text.utf8.count <= Self.longestMessage else {
            throw CommandError(
                "a message needs 1 to \(Self.longestMessage) bytes, found \(text.utf8.count).")
        }
        self = .message(author: author, text: String(text))
    }
}

extension ParameterValue {
    /// The value in the notation of `--set`: in quotes if it would have another meaning without.
    fileprivate var asWritten: String {
        switch self {
        case .boolean(let value): return "\(value)"
        case .integer(let value): return "\(value)"
        case .number(let value): return "\(value)"
        case .string(let text):
            let place = SourceLocation(.argument(""), path: "")
            let isPlain = !text.isEmpty && text.first.map { !"[{\"'".contains($0) } == true
            let node = ConfigNode(content: .scalar(text, isPlain: true), origin: place.origin)
            let edges = [text.first, text.last]
            let isTrimmed = edges.contains { $0?.isWhitespace == true }
            return isPlain && !isTrimmed && node.scalar == .text(text)
                ? text : JSON.string(text).line
        }
    }
}
