import ArgumentParser
import Glibc
import GreenroomConfig
import GreenroomSession
import GreenroomIsolation
import GreenroomPluginInterface

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
    /// What is wrong with `GREENROOM_PLUGIN_PATH`, a line each.
    var warnings: [String] {
        folders.filter { !isBundled("\($0)/library") && !Self.isFolder($0) }.map {
            "GREENROOM_PLUGIN_PATH: there is no folder \($0), so no plugin is found there."
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Prints what is wrong with `GREENROOM_PLUGIN_PATH` to standard error.
    func printWarnings() {
        guard let standardError else { return }
        for warning in warnings { fputs("warning: \(warning)\n", standardError) }
        fflush(standardError)
    }

    /// Looks beside this program, and where `GREENROOM_PLUGIN_PATH` says.
    static var ofThisProcess: PluginLocator { ofThisProcess(looksAgain: false) }

    /// The same.
    ///
    /// - Parameter looksAgain: Whether to look into files that were looked into before.
    static func ofThisProcess(looksAgain: Bool) -> PluginLocator {
        let executable = ownProgramFile ?? ""
        let scans = LibraryScans(
            cache: ScanCache(
                cacheHome: environmentVariable("XDG_CACHE_HOME"), home: environmentVariable("HOME")),
            looksAgain: looksAgain,
            scan: PluginScanner(program: runner(beside: executable)).examine)
        return PluginLocator(
            executable: executable, pluginPath: environmentVariable("GREENROOM_PLUGIN_PATH"),
            examine: scans.examine)
    }

    /// A library whose plugins live in processes of their own.
    func isolated(_ path: String, _ plan: IsolationPlan) -> any PluginFactory {
        IsolatedLibrary(
            path: path,
            confinement: Confinement(program: Self.runner(beside: executable), plan: plan))
    }

    /// The program that plugins in processes of their own run in.
    private static func runner(beside executable: String) -> String {
        String(executable.prefix(upTo: executable.lastIndex(of: "/") ?? executable.startIndex))
            + "/greenroom-runner"
    }
}

/// Standard error as a C stream; Swift does not import the variable of that name.
/// Safe: written once before anybody reads it, and C locks the stream.
nonisolated(unsafe) let standardError = fdopen(STDERR_FILENO, "w")

/// A variable of this process's environment.
func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
