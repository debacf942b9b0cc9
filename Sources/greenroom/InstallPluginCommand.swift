import ArgumentParser
import Glibc
import GreenroomHost
import GreenroomIsolation
import GreenroomLifecycle
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomSchema
import GreenroomSystem
import GreenroomValidator
import SystemPackage

/// `greenroom plugin install FILE`.
struct InstallPluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Validate a plugin's library, and copy it to where sessions find it by name.",
        discussion: """
            The library goes to ~/.local/lib/greenroom/plugins, or with --machine to \
            /usr/local/lib/greenroom/plugins. The command validates a library that was not \
            validated since it was built. Before you install a plugin that needs settings or grants, validate \
            it with them: greenroom validate. The command also copies the libraries that the plugin \
            needs from folders relative to its own ($ORIGIN), and its folder of resources. Sessions run its plugins in separate, \
            sandboxed processes, with only the grants of the session file.
            """)

    @Argument(help: "The path of a library.")
    var file: String

    @Flag(help: "Install it for all users of this machine.")
    var machine = false

    @Flag(help: "Replace the library of the same name, and the files with it.")
    var replace = false

    @Flag(help: "With --replace, install a version that is older than the installed one.")
    var downgrade = false

    func run() throws {
        guard let source = resolvedPath(file) else {
            throw ExitError(.badFile, "\(file): \(Errno.last)")
        }
        guard !ScriptInterpreter.runs(source) else {
            throw ExitError(
                .usage,
                "\(file): a script is not installed. Name its path in the session file, such as "
                    + "plugin: ./\(source.split(separator: "/").last ?? "").")
        }
        let locator = Installation.ofThisProgram.locator()
        let library = try examine(source, locator)
        let folder = try PluginFolder.made(machine ? .machine : .user)
        let name = source.split(separator: "/").last.map { String($0) } ?? source
        let target = "\(folder)/\(name)"
        guard name.hasSuffix(".so") else {
            throw ExitError(
                .usage, "\(name): sessions find libraries whose names end in .so; rename it.")
        }
        if let other = locator.holder(of: library, in: folder, except: target) {
            throw ExitError(
                .badFile,
                "\(other.path) has a plugin with the \(other.text), too: greenroom plugin remove "
                    + "\(other.plugin) first.")
        }
        try refuseDowngrade(from: target, to: library, locator)
        let parts = try PluginParts(of: source)
        try parts.checkPlaces(
            as: name, in: folder, replace: replace,
            others: locator.claims(in: folder, except: target))
        // Validate last, because it takes seconds.
        let reports = try validated(library)
        // Another plugin may have been installed meanwhile.
        try parts.install(
            as: name, in: folder, replace: replace, hash: reports.first?.sha256 ?? "",
            others: locator.claims(in: folder, except: target))
        for descriptor in library.descriptors { tell(of: descriptor, reports, locator) }
        Console.write("installed in \(target)")
        if !parts.names.isEmpty { Console.write("  with \(parts.names.joined(separator: ", "))") }
        for report in reports {
            ReportCache.ofThisUser?.store(Array(report.json.utf8), of: report.plugin, at: target)
        }
    }

    /// Refuses to replace a plugin by an older version of it.
    private func refuseDowngrade(
        from target: String, to library: LibraryDescription, _ locator: PluginLocator
    ) throws(ExitError) {
        guard !downgrade, access(target, F_OK) == 0, let installed = try? locator.examine(target)
        else { return }
        for plugin in library.descriptors {
            guard let other = installed.descriptors.first(where: { $0.id == plugin.id }),
                PluginVersion(plugin.version) < PluginVersion(other.version)
            else { continue }
            throw ExitError(
                .badFile,
                "\(plugin.name) \(other.version) is installed, and \(plugin.version) is older: "
                    + "--replace --downgrade installs it.")
        }
    }

    private func examine(
        _ path: String, _ locator: PluginLocator
    ) throws(ExitError) -> LibraryDescription {
        do throws(LoadError) {
            return try locator.examine(path)
        } catch {
            throw ExitError(.badFile, "\(error)")
        }
    }

    /// The reports on the library's plugins, all of which conform. Validates the library if
    /// necessary.
    private func validated(_ library: LibraryDescription) throws -> [ConformanceReport] {
        func known() -> [ConformanceReport] {
            library.descriptors.compactMap { Conformance(of: $0, in: library).report }
        }
        let before = known()
        if before.count < library.descriptors.count
            || before.contains(where: { $0.conclusion == .notProven })
        {
            do {
                let command = try ValidateCommand.parse([library.path])
                try command.run()
            } catch let failure as ExitError
                where [.pluginFailed, .notProven].contains(failure.status)
            {
                // The validation has printed the faults. The following error explains the
                // consequence.
            }
        }
        let reports = known()
        if let result = reports.first({ $0 == .notProven }) {
            throw ExitError(
                .notProven,
                "\(file) is not installed, because the check \(result) could not decide. Install it "
                    + "again when the machine is less busy.")
        }
        guard reports.count == library.descriptors.count, reports.allSatisfy(\.conforms) else {
            let failed = reports.first { $0.isFault }.map { ": \($0)" } ?? "."
            throw ExitError(
                .pluginFailed,
                "\(file) is not installed, because it does not conform\(failed) If it needs settings "
                    + "or grants, validate it with them first: greenroom validate \(file) --help.")
        }
        return reports
    }

    /// Prints the use of a plugin, and the grants that it needs in a session.
    private func tell(
        of plugin: PluginDescriptor, _ reports: [ConformanceReport], _ locator: PluginLocator
    ) {
        Console.write(
            "\(plugin.name) \(plugin.version), \(plugin.kind.nameWithArticle): \(plugin.summary)")
        let report = reports.first { $0.plugin == plugin.id }
        let grants = report?.grants ?? []
        // A refusal is a warning, because the plugin may work without the access.
        let refused = report?.results.first {
            $0.check == "robustness.ungranted" && $0.outcome != .passed && $0.outcome != .skipped
        }
        if !grants.isEmpty {
            Console.write(
                "  was validated with these grants, which a session file gives under allow: "
                    + grants.joined(separator: ", "))
        } else if refused == nil {
            Console.write("  conforms without grants, with its default settings")
        }
        if let refused {
            Console.write("  tried what was not granted, and conforms without it:")
            for line in [refused.text] + refused.details { Console.write("    \(line)") }
        }
        if locator.folders.contains(where: { folder in
            locator.isBundled("\(folder)/lib\(plugin.name).so")
                && access("\(folder)/lib\(plugin.name).so", F_OK) == 0
        }) {
            Console.write("  overrides the bundled plugin of the same name")
        }
    }
}

/// `greenroom plugin remove NAME`.
struct RemovePluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a plugin that greenroom plugin install has installed.",
        discussion: "Removes its library, with the other plugins in it if it has several.")

    @Argument(help: "The plugin's name or id, or the file name of its library.")
    var plugin: String

    func run() throws {
        let installed = Installation.ofThisProgram.locator().installed
        guard
            let found = installed.first(where: { library in
                library.path.hasSuffix("/\(plugin)")
                    || library.names.contains { $0 == plugin }
            })
        else {
            let names = installed.flatMap { $0.names.prefix(1) }
            let meant =
                nearestName(to: plugin, among: names).map { " Did you mean \"\($0)\"?" } ?? ""
            throw ExitError(
                .badFile,
                "no plugin \(plugin) was installed with greenroom plugin install.\(meant) "
                    + (names.isEmpty
                        ? "None was." : "These were: \(names.joined(separator: ", "))."))
        }
        let folder = String(found.path[..<(found.path.lastIndex(of: "/") ?? found.path.startIndex)])
        let locator = Installation.ofThisProgram.locator()
        // Determine the parts before removing the library, because the library names them.
        let parts = PluginParts.installed(
            with: found.path, in: folder, others: locator.claims(in: folder, except: found.path))
        guard unlink(found.path) == 0 else {
            throw ExitError(.outputFailed, "\(found.path): \(Errno.last)")
        }
        Console.write("removed \(found.path)")
        for part in parts {
            try PluginParts.remove(part, in: folder)
            Console.write("removed \(folder)/\(part)")
        }
    }
}

extension [ConformanceReport] {
    /// The first result with an outcome, as `PLUGIN, lifecycle.restart: TEXT`; nil if none.
    fileprivate func first(_ isWanted: (Outcome) -> Bool) -> String? {
        for report in self {
            guard let result = report.results.first(where: { isWanted($0.outcome) }) else {
                continue
            }
            let end = result.text.last.map { ".!?".contains($0) } ?? true ? "" : "."
            return "\(report.plugin), \(result.check): \(result.text)\(end)"
        }
        return nil
    }
}

extension PluginFolder {
    /// Creates the folder if necessary, and returns its path. All users can read the machine's
    /// folder.
    fileprivate static func made(_ folder: PluginFolder) throws -> String {
        guard let path = folder.path else {
            throw ExitError(
                .usage, "HOME is not set to a folder; cannot find this user's plugin folder.")
        }
        let folders =
            path.indices.dropFirst().filter { path[$0] == "/" }.map { path[..<$0] } + [path[...]]
        for name in folders.map(String.init) where mkdir(name, 0o755) == 0 {
            if folder == .machine { chmod(name, 0o755) }
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw ExitError(
                .outputFailed,
                "\(path): \(Errno.last)."
                    + (folder == .machine
                        ? " Run it as root, or leave out --machine to install for this user."
                        : " Check the permissions of the folder."))
        }
        return path
    }
}

/// An installed library.
private struct InstalledLibrary {
    var path: String
    /// The names and ids of the library's plugins; empty if the library cannot be scanned.
    var names: [String]
    /// Whether the library is not a plugin, such as a library that plugins need.
    var isOnlyNeeded: Bool
}

extension PluginLocator {
    /// The libraries in the folders of installed plugins.
    fileprivate var installed: [InstalledLibrary] {
        let folders = PluginFolder.allCases.compactMap(\.path)
        return scan(withEffects: false).filter { finding in
            folders.contains { finding.path.hasPrefix("\($0)/") }
        }.map { finding in
            switch finding.result {
            case .success(let library):
                InstalledLibrary(
                    path: finding.path, names: library.descriptors.flatMap { [$0.name, $0.id] },
                    isOnlyNeeded: false)
            case .failure(let error):
                InstalledLibrary(
                    path: finding.path, names: [], isOnlyNeeded: error.code == .notAPlugin)
            }
        }
    }

    /// The files of the plugins in a folder, except one plugin's: each file's name with its
    /// library's name.
    fileprivate func claims(in folder: String, except target: String) -> [String: String] {
        var claims: [String: String] = [:]
        for other in installed
        where other.path != target && !other.isOnlyNeeded {
            guard let library = PluginParts.name(of: other.path, below: folder) else { continue }
            for name in [library] + PluginParts.names(of: other.path, in: folder) {
                claims[name] = library
            }
        }
        return claims
    }

    /// Another library in the folder with a plugin that has the same name or id as one of this
    /// library's.
    fileprivate func holder(
        of library: LibraryDescription, in folder: String, except target: String
    ) -> (path: String, text: String, plugin: String)? {
        for other in installed where other.path.hasPrefix("\(folder)/") && other.path != target {
            for plugin in library.descriptors {
                if other.names.contains(plugin.name) {
                    return (other.path, "name \(plugin.name)", plugin.name)
                }
                if other.names.contains(plugin.id) {
                    return (other.path, "id \(plugin.id)", plugin.id)
                }
            }
        }
        return nil
    }
}
