import ArgumentParser
import GreenroomConfig
import GreenroomSchema
import GreenroomHost
import GreenroomModel
import GreenroomOperate

/// An error that ends the command, with a message and an exit code.
struct ExitError: Error {
    var status: ExitStatus
    /// The lines for standard error.
    var message: [String]

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = ["greenroom: \(message)"]
    }

    /// All errors of a session file. Each line begins with its location, so that editors can parse
    /// it.
    init(_ error: SessionFileError) {
        status = error.status
        message = error.lines
        if error.diagnostics.count > 1 {
            message.append("\(error.diagnostics.count) faults in \(error.source.file)")
        }
    }

    init(_ error: SessionConnectionError) {
        let status: ExitStatus =
            switch error.code {
            case .name: .usage
            case .connection: .outputFailed
            }
        self.init(status, error.description)
    }

    /// An error with a message already printed.
    init(explained status: ExitStatus) {
        self.status = status
        message = []
    }
}

extension SessionFileError {
    /// The exit code: `usage` if all errors are in arguments.
    var status: ExitStatus {
        let isUsage = diagnostics.allSatisfy {
            if case .argument = $0.place.origin { true } else { false }
        }
        return isUsage ? .usage : .badFile
    }
}

extension PluginLocator {
    /// Prints the faults of `GREENROOM_PLUGIN_PATH` to standard error.
    func printWarnings() {
        Console.write(warnings.map { "warning: \($0)" }, to: .errors)
    }
}
