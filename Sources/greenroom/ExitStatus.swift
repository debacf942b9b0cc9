import ArgumentParser
import GreenroomSession

/// The exit codes of the command, from `sysexits.h` where possible.
enum ExitStatus: Int32, CaseIterable {
    /// Success.
    case fine = 0
    /// The arguments are wrong.
    case usage = 64
    /// The session file is wrong, or a plugin refused a setting of it.
    case badFile = 65
    /// Too little media of a track was real, or none.
    case notReal = 66
    /// A plugin failed and ended the session, or does not conform.
    case pluginFailed = 69
    /// An output could not be opened, or failed while the session ran.
    case outputFailed = 74
    /// No check of a plugin found a fault, but at least one could not decide.
    case notProven = 75
    /// Ctrl-C, SIGTERM, or SIGHUP with a terminal; recordings are valid up to that moment.
    case interrupted = 130

    var meaning: String {
        switch self {
        case .fine: "success"
        case .usage: "wrong arguments"
        case .badFile:
            "the session file or a setting in it is wrong, or a plugin does not load"
        case .notReal: "no real media, or less than minimum-real"
        case .pluginFailed:
            "a plugin failed and ended the session, or does not conform"
        case .outputFailed:
            "an output could not be opened or failed, or no output worked at the end"
        case .notProven:
            "validate: no check found a fault, but a check could not decide"
        case .interrupted: "Ctrl-C or SIGTERM; recordings are valid up to that moment"
        }
    }

    /// The table for the help.
    static var table: String {
        allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }

    var code: ExitCode { ExitCode(rawValue) }

    /// The exit code of a session.
    ///
    /// - Parameter hasFailedOutput: Whether an output failed while the session ran.
    init(_ outcome: SessionReport.Outcome, hasFailedOutput: Bool = false) {
        self =
            switch outcome {
            case .pluginFailed: .pluginFailed
            case .interrupted: .interrupted
            case .outputsFailed: .outputFailed
            case .badSetting, .badPlugin: .badFile
            case .notReal: hasFailedOutput ? .outputFailed : .notReal
            case .running, .finished: hasFailedOutput ? .outputFailed : .fine
            }
    }
}
