import Glibc
import GreenroomPlugin

/// The setting `command`: a program and its arguments.
struct CommandWords: Sendable {
    let words: [String]

    /// - Parameter text: A word a line, as the host gives a list of the session file.
    /// - Throws: ``PluginError`` with the fix.
    init(_ text: String) throws {
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        // The text ends with a line break, which begins no further word.
        if lines.last == "" { lines.removeLast() }
        words = lines.map(String.init)
        guard let program = words.first, !program.isEmpty else {
            throw PluginError(
                "command: names no program. Write the program and its arguments as a list, such as "
                    + "command: [ffmpeg, -i, \"-\", out.mkv].", status: .badSetting)
        }
        if words.count == 1, program.contains(" "), access(program, X_OK) != 0 {
            throw PluginError(
                "command: \"\(program)\" names one program, and no shell divides it into words. Write "
                    + "a list: command: [\(Self.list(program))].", status: .badSetting)
        }
    }

    /// The program, for messages.
    var name: String { words[0].split(separator: "/").last.map(String.init) ?? words[0] }

    /// The words of a command line as a list in YAML; quotes in it stay as they are.
    private static func list(_ line: String) -> String {
        line.split(separator: " ").map { word in
            let isPlain =
                word.first?.isLetter ?? false
                || word.first == "-" && word.dropFirst().first?.isLetter ?? false
            return isPlain && !word.contains { ":,[]{}#\"'".contains($0) }
                ? "\(word)" : "\"\(word)\""
        }.joined(separator: ", ")
    }
}
