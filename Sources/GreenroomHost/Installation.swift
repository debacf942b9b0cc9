import Glibc
import GreenroomIsolation
import GreenroomSandbox
import GreenroomSystem
package import GreenroomMedia
package import GreenroomPluginInterface
import GreenroomSchema
package import GreenroomLifecycle

/// The folder of the bundled plugins and of `greenroom-runner`, the program that runs isolated plugins.
///
/// Both are built by `swift build` in a checkout of Greenroom, side by side. Elsewhere bundled
/// plugins may be in `lib/greenroom` beside the `bin` of the programs. Other plugins are installed
/// in a ``PluginFolder``.
public struct Installation: Sendable {
    /// The absolute folder of `greenroom-runner`.
    public let programs: String
    /// Folders that are searched for plugins before the bundled ones.
    public var pluginFolders: [String]

    /// Makes an installation.
    ///
    /// - Parameters:
    ///   - programs: The folder of `greenroom-runner`; relative to the working directory.
    ///   - pluginFolders: Folders that are searched for plugins before the bundled ones; nil for
    ///     those in `GREENROOM_PLUGIN_PATH`, and each ``PluginFolder`` that is there.
    public init(programs: String, pluginFolders: [String]? = nil) {
        self.programs = resolvedPath(programs) ?? programs
        self.pluginFolders =
            pluginFolders
            ?? (environmentVariable("GREENROOM_PLUGIN_PATH") ?? "").split(separator: ":")
            .map(String.init) + PluginFolder.allCases.compactMap(\.path).filter(isFolder)
    }

    /// The installation of this process. `greenroom-runner` is searched beside the program in
    /// `GREENROOM_PROGRAM`, then beside this program, then on the `PATH`.
    public static var standard: Installation {
        if let program = environmentVariable("GREENROOM_PROGRAM") {
            return Installation(programs: parentFolder(of: program))
        }
        let own = ofThisProgram
        guard access(own.runner, X_OK) != 0, let onPath = programOnPath("greenroom-runner") else {
            return own
        }
        return Installation(programs: parentFolder(of: onPath))
    }

    /// The installation that this program belongs to.
    package static var ofThisProgram: Installation {
        Installation(programs: parentFolder(of: ownProgramFile ?? ""))
    }

    /// The program that runs isolated plugins.
    private var runner: String { "\(programs)/greenroom-runner" }

    /// Finds plugins of the installation.
    ///
    /// - Parameters:
    ///   - rescans: Whether to scan files again that were scanned before.
    ///   - willScan: Learns of each file that is scanned, on any thread.
    package func locator(
        rescans: Bool = false, willScan: @escaping @Sendable (_ path: String) -> Void = { _ in }
    ) -> PluginLocator {
        // The locator refuses what the sandbox can't keep to its grants.
        let scanner = PluginScanner(program: runner, sandbox: .partial)
        let scans = LibraryScans(
            cache: ScanCache(
                cacheHome: environmentVariable("XDG_CACHE_HOME"), home: environmentVariable("HOME")),
            rescans: rescans,
            scan: { path, limit throws(LoadError) in
                willScan(path)
                return try scanner.examine(path, within: limit)
            })
        let scripts = ScriptScans { path, interpreter throws(LoadError) in
            willScan(path)
            return try scanner.examine(path, with: interpreter)
        }
        return PluginLocator(
            programs: programs, pluginFolders: pluginFolders,
            effectFolders: Dictionary(
                uniqueKeysWithValues: EffectInterface.all.map { interface in
                    (
                        interface,
                        interface.folders(
                            path: environmentVariable(interface.variable),
                            home: environmentVariable("HOME"))
                    )
                }),
            refusal: Sandbox.available.gap.map {
                "not bundled, and this machine cannot enforce its grants: the kernel lacks \($0). "
                    + "Use a newer kernel; or, if you trust the plugin with everything that you "
                    + "may do here, write sandbox: partial in the session file."
            },
            scanScript: { path, interpreter throws(LoadError) in
                try scripts.examine(path, interpreter)
            }, examine: { path, limit throws(LoadError) in try scans.examine(path, within: limit) })
    }
}

/// The folders of installed plugins that are not bundled; found in the order of the cases.
public enum PluginFolder: CaseIterable, Sendable {
    /// For one user: `~/.local/lib/greenroom/plugins`.
    case user
    /// For all users of a machine: `/usr/local/lib/greenroom/plugins`.
    case machine

    /// The absolute path; it need not exist. Nil for a user without a home.
    public var path: String? {
        switch self {
        case .user:
            environmentVariable("HOME").flatMap {
                $0.hasPrefix("/") ? "\($0)/.local/lib/greenroom/plugins" : nil
            }
        case .machine: "/usr/local/lib/greenroom/plugins"
        }
    }
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

extension PluginLocator {
    /// Warnings about `GREENROOM_PLUGIN_PATH`.
    package var warnings: [String] {
        folders.filter { !isBundled("\($0)/library") && !isFolder($0) }.map {
            "GREENROOM_PLUGIN_PATH: no folder \($0); make it, or correct the variable"
        }
    }

    /// A library whose plugins are isolated.
    package func isolated(_ path: String, _ plan: IsolationPlan) -> any PluginFactory {
        IsolatedLibrary(
            path: path,
            confinement: Confinement(program: "\(programs)/greenroom-runner", plan: plan))
    }

    /// A library whose isolated plugins share a process.
    func common(
        _ path: String, _ plan: IsolationPlan, _ interpreter: ScriptInterpreter?
    ) -> any PluginFactory {
        CommonLibrary(
            path: path,
            confinement: Confinement(
                program: "\(programs)/greenroom-runner", plan: plan, interpreter: interpreter))
    }

    /// The reason why a plugin was not found, with a suggestion for its name.
    ///
    /// - Parameter kind: The kind that is needed; nil for any.
    package func explain(
        _ error: LoadError, _ name: String, _ kind: PluginKind? = nil
    ) -> String {
        guard error.code == .noSuchPlugin, !name.contains("/") else { return "\(error)" }
        let names = scan(withEffects: EffectInterface(ofPlugin: name) != nil).flatMap { finding in
            (try? finding.result.get())?.descriptors.filter { kind == nil || $0.kind == kind }
                .map(\.name) ?? []
        }
        let meant = nearestName(to: name, among: names).map { " Did you mean \"\($0)\"?" }
        return "\(error)\(meant ?? "")"
    }
}

/// The first program of a name on the `PATH`, without symbolic links.
package func programOnPath(_ name: String) -> String? {
    (environmentVariable("PATH") ?? "").split(separator: ":").lazy
        .compactMap { resolvedPath("\($0)/\(name)") }.first
}
