import ArgumentParser

/// What the command's exit code says. Numbers are those of `sysexits.h` where it has one.
enum ExitStatus: Int32, CaseIterable {
    /// All went as planned.
    case fine = 0
    /// The arguments are wrong.
    case usage = 64
    /// The session file is wrong.
    case badFile = 65
    /// A plugin failed whose failure ends the session.
    case pluginFailed = 69
    /// An output can't be opened, or failed while the session ran.
    case outputFailed = 74
    /// Ctrl-C, SIGTERM or SIGHUP; the recordings are whole up to that moment.
    case interrupted = 130

    var meaning: String {
        switch self {
        case .fine: "all went as planned"
        case .usage: "the arguments are wrong"
        case .badFile: "the session file is wrong, or names a plugin that can't be loaded"
        case .pluginFailed:
            "a plugin failed whose failure ends the session, or does not conform"
        case .outputFailed: "an output can't be opened, or failed while the session ran"
        case .interrupted: "Ctrl-C, SIGTERM or SIGHUP; recordings are whole up to that moment"
        }
    }

    /// For the help.
    static var table: String {
        allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }

    var code: ExitCode { ExitCode(rawValue) }
}
