import Glibc
public import GreenroomLoading
public import GreenroomMedia

/// Finds plugins by name: in the bundled folders and in those of `GREENROOM_PLUGIN_PATH`.
public struct PluginLocator: Sendable {
    /// A file that was looked into.
    public struct Finding: Sendable {
        /// The file.
        public var path: String
        /// The library, or why it is none.
        public var result: Result<PluginLibrary, LoadError>
    }

    /// The folders that are searched, in order.
    public let folders: [String]
    private let bundled: Set<String>

    /// Makes a locator.
    ///
    /// - Parameters:
    ///   - executable: The absolute path of the host's program. Bundled plugins lie beside it,
    ///     or in `../lib/greenroom` from there.
    ///   - pluginPath: The value of `GREENROOM_PLUGIN_PATH`: folders separated by colons. They
    ///     are searched first, so that an author's new version hides a bundled plugin.
    public init(executable: String, pluginPath: String?) {
        let own = executable.split(separator: "/").dropLast()
        let beside = "/" + own.joined(separator: "/")
        let installed = "/" + (own.dropLast() + ["lib", "greenroom"]).joined(separator: "/")
        let given = (pluginPath ?? "").split(separator: ":").map(String.init)
        folders = given + [installed, beside]
        bundled = [beside, installed]
    }

    /// Whether a file is bundled with the host.
    public func isBundled(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        return bundled.contains(String(path[..<slash]))
    }

    /// Finds a plugin.
    ///
    /// - Parameters:
    ///   - name: A plugin's name or id; or with a slash in it the path of a library, and after
    ///     a `#` the plugin's name if the library has several.
    ///   - kind: What is needed. Of a library with one plugin of that kind, that one is taken.
    ///   - folder: Where relative paths start.
    /// - Throws: ``LoadError``.
    public func find(
        _ name: String, kind: PluginKind?, relativeTo folder: String
    ) throws(LoadError) -> (library: PluginLibrary, descriptor: PluginDescriptor) {
        if name.contains("/") { return try load(path: name, kind: kind, relativeTo: folder) }
        var failures: [LoadError] = []
        // The file that is called like the plugin comes first: to look into all is slow.
        for folder in folders {
            let path = "\(folder)/lib\(name).so"
            guard access(path, F_OK) == 0 else { continue }
            do throws(LoadError) {
                let library = try PluginLibrary(loading: path)
                if let descriptor = library[name, kind] { return (library, descriptor) }
            } catch {
                failures.append(error)
            }
        }
        if let failure = failures.first { throw failure }
        var names: [String] = []
        for finding in scan() {
            guard case .success(let library) = finding.result else { continue }
            if let descriptor = library[name, nil] { return (library, descriptor) }
            names += library.descriptors.filter { kind == nil || $0.kind == kind }.map(\.name)
        }
        throw LoadError(
            code: .noSuchPlugin, place: name,
            explanation: "there is no \(kind?.name ?? "plugin") of this name in "
                + "\(folders.joined(separator: ", ")). "
                + (names.isEmpty ? "" : "There are: \(names.sorted().joined(separator: ", ")). ")
                + "A path must have a slash in it; GREENROOM_PLUGIN_PATH adds folders.")
    }

    /// Looks into every library of every folder. In the bundled folders, libraries that are no
    /// plugins are passed over.
    public func scan() -> [Finding] {
        var findings: [Finding] = []
        var seen: Set<String> = []
        for folder in folders {
            for file in Self.libraries(in: folder) where seen.insert(file).inserted {
                let path = "\(folder)/\(file)"
                do throws(LoadError) {
                    findings.append(
                        Finding(path: path, result: .success(try PluginLibrary(loading: path))))
                } catch {
                    if bundled.contains(folder), error.code == .notAPlugin { continue }
                    findings.append(Finding(path: path, result: .failure(error)))
                }
            }
        }
        return findings
    }

    private func load(
        path: String, kind: PluginKind?, relativeTo folder: String
    ) throws(LoadError) -> (library: PluginLibrary, descriptor: PluginDescriptor) {
        let parts = path.split(separator: "#", maxSplits: 1).map(String.init)
        let file = parts.first ?? path
        let library = try PluginLibrary(loading: absolutePath(file, from: folder))
        if parts.count == 2 {
            if let descriptor = library[parts[1], nil] { return (library, descriptor) }
        } else {
            let fitting = library.descriptors.filter { kind == nil || $0.kind == kind }
            if fitting.count == 1 { return (library, fitting[0]) }
            if fitting.isEmpty, library.descriptors.count == 1 {
                return (library, library.descriptors[0])
            }
        }
        let all = library.descriptors.map { "\($0.name) (\($0.kind.name))" }
        throw LoadError(
            code: .noSuchPlugin, place: path,
            explanation: "the library has \(all.joined(separator: ", ")). Name the one you mean: "
                + "\(file)#NAME.")
    }

    private static func libraries(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".so") { names.append(name) }
        }
        return names.sorted()
    }
}

extension PluginLibrary {
    /// The plugin with a name or id; of a kind, if one is asked for.
    public subscript(name: String, kind: PluginKind?) -> PluginDescriptor? {
        descriptors.first {
            ($0.name == name || $0.id == name) && (kind == nil || $0.kind == kind)
        }
    }
}
