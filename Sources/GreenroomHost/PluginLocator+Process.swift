import Glibc
import GreenroomConfig
import GreenroomSchema
import GreenroomIsolation
package import GreenroomMedia
package import GreenroomPluginInterface
package import GreenroomSession

extension PluginLocator {
    /// What is wrong with `GREENROOM_PLUGIN_PATH`, a line each.
    package var warnings: [String] {
        folders.filter { !isBundled("\($0)/library") && !Self.isFolder($0) }.map {
            "GREENROOM_PLUGIN_PATH: there is no folder \($0), so no plugin is found there."
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Looks beside this program, and where `GREENROOM_PLUGIN_PATH` says.
    package static var ofThisProcess: PluginLocator { ofThisProcess(looksAgain: false) }

    /// The same.
    ///
    /// - Parameter looksAgain: Whether to look into files that were looked into before.
    package static func ofThisProcess(looksAgain: Bool) -> PluginLocator {
        let executable = ownProgramFile ?? ""
        let scans = LibraryScans(
            cache: ScanCache(
                cacheHome: environmentVariable("XDG_CACHE_HOME"), home: environmentVariable("HOME")),
            rescans: looksAgain,
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

    /// Why a plugin can't be had, and which name was meant.
    ///
    /// - Parameter kind: What is needed; nil for any.
    package func explain(
        _ error: LoadError, _ name: String, _ kind: PluginKind? = nil
    ) -> String {
        guard error.code == .noSuchPlugin, !name.contains("/") else { return "\(error)" }
        let names = scan().flatMap { finding in
            (try? finding.result.get())?.descriptors.filter { kind == nil || $0.kind == kind }
                .map(\.name) ?? []
        }
        let meant = nearestName(to: name, among: names).map { " Did you mean \"\($0)\"?" }
        return "\(error)\(meant ?? "")"
    }
}

/// A variable of this process's environment.
package func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
