package import GreenroomModel
import GreenroomSchema

extension ControlLine {
    /// Words with a value: an example and the meaning.
    private static let valued: [(word: String, value: String, meaning: String)] =
        SessionRole.allCases.compactMap { role in
            role.facts.ceiling.map { ceiling in
                (
                    ceiling.word, "\(ceiling.example)|none",
                    "the largest size and rate of the \(role.facts.name)"
                )
            }
        } + [
            ("set", "camera.settings.pattern=grey", "a live parameter of a plugin"),
            ("gain", "microphone -6", "the level of audio, in decibels"),
            ("delay", "microphone 120ms", "the delay of audio or video"),
            (
                "message", "from Ana: Hello",
                "show a text in the room and to bots, from the given name or from the operator"
            ),
            ("advance", "500ms", "let time pass, with --by-hand"),
        ]

    /// Lines without a value, with their meaning.
    private static let phrases: [(words: String, meaning: String, line: ControlLine)] =
        SessionCommand.phrases.map { ($0.words, $0.meaning, .command($0.command)) } + [
            ("explain", "why the tracks have their sizes and rates", .command(.explain)),
            ("drain", "refuse new guests, and end when the last guest leaves", .command(.drain)),
            ("stop", "end the session normally; exit code 0 without errors", .stop),
            ("help", "list the commands", .help),
        ]

    /// Every command and its meaning, one line each.
    package static let commands: [(line: String, meaning: String)] =
        valued.map { ("\($0.word) \($0.value)", $0.meaning) }
        + phrases.map { ($0.words, $0.meaning) }

    /// Reads a line.
    ///
    /// Ignores blanks around words. The value of `set` is the whole text after the word.
    ///
    /// - Parameter text: The line without its break.
    /// - Throws: ``CommandError`` with the rule and the fix.
    package init(_ text: String) throws(CommandError) {
        let scalars = text.unicodeScalars
        if let control = scalars.first(where: {
            $0.properties.generalCategory == .control && $0 != "\t"
        }) {
            let number = String(control.value, radix: 16, uppercase: true)
            let digits = String(repeating: "0", count: max(0, 4 - number.count)) + number
            throw CommandError("a command cannot contain the character U+\(digits). Remove it.")
        }
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = words.first, !first.hasPrefix("#") else {
            self = .nothing
            return
        }
        let line = words.joined(separator: " ")
        if let phrase = Self.phrases.first(where: { $0.words == line }) {
            self = phrase.line
        } else if let command = SessionCommand(named: line) {
            self = .command(command)
        } else if first == "advance" {
            guard words.count == 2, let time = Duration(asWritten: words[1]) else {
                throw CommandError("\"advance\" needs a time, such as 500ms or 2s.")
            }
            self = .advance(time)
        } else if let valued = Self.valued.first(where: {
            first == $0.word || first.hasPrefix("\($0.word).")
        }) {
            self = .command(try Self.command(valued, words, text))
        } else {
            throw Self.unknown(line, words)
        }
    }

    private static func command(
        _ valued: (word: String, value: String, meaning: String), _ words: [String], _ text: String
    ) throws(CommandError) -> SessionCommand {
        if valued.word == "set" || words[0] == "message" {
            let value = text.drop(while: \.isWhitespace).dropFirst(valued.word.count)
                .drop(while: \.isWhitespace)
            let end = value.lastIndex { !$0.isWhitespace }.map(value.index(after:))
            let whole = String(value[..<(end ?? value.startIndex)])
            do throws(CommandError) {
                return try valued.word == "set"
                    ? SessionCommand(set: whole) : SessionCommand(message: whole)
            } catch {
                throw CommandError("\"\(valued.word)\": \(error)")
            }
        }
        if valued.word == "gain" || valued.word == "delay" {
            return try SessionCommand(adjusting: words)
        }
        guard words.count == 2,
            let role = SessionRole(ceiling: words[0]),
            let command = SessionCommand(ceiling: words[1], of: role)
        else {
            let value = words.dropFirst().joined(separator: " ")
            throw CommandError(
                "\"\(valued.word)\" needs \(SessionCommand.ceilingExpectation), found "
                    + (value.isEmpty ? "nothing." : "\"\(value.shortened)\"."))
        }
        return command
    }

    private static func unknown(_ line: String, _ words: [String]) -> CommandError {
        let message = "unknown command \"\(line.shortened)\"."
        let known = phrases.map(\.words) + valued.map(\.word)
        if let meant = nearestName(to: line, among: known) {
            return CommandError("\(message) Did you mean \"\(meant)\"?")
        }
        if let phrase = known.first(where: { line.hasPrefix("\($0) ") }) {
            let rest = line.dropFirst(phrase.count + 1)
            return CommandError(
                "\"\(phrase)\" takes no value, found \"\(String(rest).shortened)\". Remove it.")
        }
        let family = known.filter { $0.hasPrefix("\(words[0]) ") }
        return CommandError(
            family.isEmpty
                ? "\(message) \"help\" lists the commands."
                : "\(message) Write \"\(family.joined(separator: "\" or \""))\".")
    }
}

extension ControlParser {
    /// Reads what people write for `--control`.
    package static let lines = ControlParser(commands: ControlLine.commands) {
        text throws(CommandError) in try ControlLine(text)
    }
}

extension SessionRole {
    /// The role whose ceiling a word sets: `ceiling`, `ceiling.desk`.
    fileprivate init?(ceiling word: String) {
        let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.count > 1 ? String(parts[1]) : nil
        guard
            let role = SessionRole.allCases.first(where: {
                $0.facts.ceiling?.word == String(parts[0])
            }),
            name?.isRoleName ?? true
        else { return nil }
        self.init(role.part, name: name)
    }
}
