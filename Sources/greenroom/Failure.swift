import ArgumentParser
import Glibc
import GreenroomHost

/// An end of the command with a message for people and an exit code for programs.
struct Failure: Error {
    var status: ExitStatus
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}

extension PluginLocator {
    /// Looks beside this program, and where `GREENROOM_PLUGIN_PATH` says.
    static var ofThisProcess: PluginLocator {
        let resolved = realpath("/proc/self/exe", nil)
        defer { free(resolved) }
        return PluginLocator(
            executable: resolved.map { String(cString: $0) } ?? "",
            pluginPath: getenv("GREENROOM_PLUGIN_PATH").map { String(cString: $0) })
    }
}

/// Standard error as a C stream; Swift does not import the variable of that name.
/// Safe: written once before anybody reads it, and C locks the stream.
nonisolated(unsafe) let standardError = fdopen(STDERR_FILENO, "w")
