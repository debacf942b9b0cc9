import ArgumentParser
import Glibc
import GreenroomConfig
import GreenroomSchema
import GreenroomHost
import GreenroomSession
import GreenroomModel

/// An end of the command with a message for people and an exit code for programs.
struct Failure: Error {
    var status: ExitStatus
    /// What is printed to standard error; nothing if it is empty.
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = "greenroom: \(message)"
    }

    /// Every fault of a session file. Each begins with its place and nothing before it, so that
    /// editors find the way there.
    init(_ error: SessionFileError) {
        status = error.status
        message = "\(error)"
        if error.diagnostics.count > 1 {
            message += "\n\(error.diagnostics.count) faults in \(error.source.file)"
        }
    }

    /// An end that was explained already.
    init(explained status: ExitStatus) {
        self.status = status
        message = ""
    }
}

extension SessionFileError {
    /// The arguments are to blame if every fault stands in one.
    var status: ExitStatus {
        let isUsage = diagnostics.allSatisfy {
            if case .argument = $0.place.origin { true } else { false }
        }
        return isUsage ? .usage : .badFile
    }
}

extension PluginLocator {
    /// Prints what is wrong with `GREENROOM_PLUGIN_PATH` to standard error.
    func printWarnings() {
        guard let standardError else { return }
        for warning in warnings { fputs("warning: \(warning)\n", standardError) }
        fflush(standardError)
    }
}

/// Standard error as a C stream; Swift does not import the variable of that name.
/// Safe: written once before anybody reads it, and C locks the stream.
nonisolated(unsafe) let standardError = fdopen(STDERR_FILENO, "w")
