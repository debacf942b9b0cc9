import GreenroomSchema
import GreenroomMedia

/// What is wrong with a command: the rule and the cure, in sentences.
public struct CommandProblem: Error, Hashable, Sendable {
    /// The rule and the cure.
    public var message: String

    /// Makes a problem; what could drive a terminal in the message is replaced.
    public init(_ message: String) { self.message = message.printable }
}

extension SessionFile.Command {
    /// What the value of a ceiling has to be.
    static let ceilingExpectation = "a size and a frame rate such as 640x360@15, or none"

    /// What the value of a ceiling looks like.
    static let ceilingPattern = "none|\(Pattern.capability)"

    /// What the value of a `set` looks like.
    static let assignmentPattern =
        #"(camera(\.pre-processors\[[0-9]+\])?|microphone|share(\.audio)?)\.settings\."#
        + #"[^.=\[\]]+=[\s\S]*"#

    /// Reads the value of a ceiling: `640x360@15`, or `none`.
    ///
    /// - Returns: nil for anything else.
    init?(ceiling text: String, of track: SessionFile.Track) {
        if text == "none" {
            self = .ceiling(track, nil)
        } else if text.wholeMatches(Pattern.capability), let limit = VideoCapability(text) {
            self = .ceiling(track, limit)
        } else {
            return nil
        }
    }

    /// Reads the value of a `set`, written as the command line's `--set` has it:
    /// `camera.settings.pattern=grey`.
    init(set assignment: String) throws(CommandProblem) {
        let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let steps = Override.steps(of: parts[0]) else {
            throw CommandProblem("needs PATH=VALUE, such as camera.settings.pattern=grey.")
        }
        guard steps.count > 2, case .key(let name)? = steps.last,
            steps.dropLast().last == .key("settings"),
            let role = SessionFile.Role(steps.dropLast(2))
        else {
            throw CommandProblem(
                "\"\(String(parts[0]).shortened)\" is not a setting of a plugin, and nothing else can "
                    + "be set while the session runs. Paths are such as camera.settings.pattern, "
                    + "camera.pre-processors[0].settings.opacity, share.audio.settings.level.")
        }
        // What is wrong with the value is told without a place: the command itself has one.
        let place = SourceLocation(.argument(assignment), path: "")
        var reading = Reading(folder: "")
        do throws(SessionFileError) {
            let source = SourceText(String(parts[1]), file: "")
            let node = try ConfigNode(written: String(parts[1]), at: place, in: source)
            if let value = reading.settingValue(node, "") {
                self = .set(role, name: name, value: value)
                return
            }
        } catch {
            reading.diagnostics = error.diagnostics
        }
        let faults = reading.diagnostics.map(\.message).joined(separator: " ")
        throw CommandProblem("\(String(parts[0]).shortened): \(faults)")
    }
}

extension SessionFile.Role {
    /// The plugin whose section the steps lead to.
    fileprivate init?(_ steps: ArraySlice<Override.Step>) {
        let steps = Array(steps)
        if steps == [.key("camera")] {
            self = .camera
        } else if steps == [.key("microphone")] {
            self = .microphone
        } else if steps == [.key("share")] {
            self = .share
        } else if steps == [.key("share"), .key("audio")] {
            self = .shareAudio
        } else if steps.dropLast() == [.key("camera"), .key("pre-processors")],
            case .index(let index)? = steps.last
        {
            self = .preProcessor(index)
        } else {
            return nil
        }
    }
}

extension SessionFile.Command: CustomStringConvertible {
    /// The command as a control line has it; reading it gives the command again.
    public var description: String {
        switch self {
        case .ceiling(let track, let limit):
            "\(track == .camera ? "ceiling" : "share-ceiling") \(limit.map { "\($0)" } ?? "none")"
        case .action(let action): action.rawValue
        case .set(let role, let name, let value): "set \(role).settings.\(name)=\(value.asWritten)"
        }
    }
}

extension SettingValue {
    /// The value as `--set` has it: in quotes if it would be another one without.
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
