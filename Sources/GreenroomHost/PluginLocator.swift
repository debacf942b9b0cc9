package import GreenroomIsolation
import Glibc
package import GreenroomPluginInterface
package import GreenroomMedia
package import GreenroomModel
import GreenroomRuntime
import GreenroomSystem
import Synchronization
import SystemPackage

/// Finds plugins by name: in the bundled folders and in those of `GREENROOM_PLUGIN_PATH`.
package struct PluginLocator: Sendable {
    /// Scans a script with its interpreter.
    package typealias ScriptExamination =
        @Sendable (_ path: String, _ interpreter: ScriptInterpreter) throws(LoadError)
        -> LibraryDescription

    /// The result of scanning a file.
    package struct Finding: Sendable {
        /// The file.
        package var path: String
        /// The library's description, or the reason why the file is not a plugin.
        package var result: Result<LibraryDescription, LoadError>
    }

    /// The absolute folder of the host's programs.
    package let programs: String
    /// The folders to search, in order.
    package let folders: [String]
    /// The folders of each interface's effects, in order.
    private let effectFolders: [EffectInterface: [String]]
    private let bundled: Set<String>
    private let examination: LibraryScans.Examination
    private let scanScript: ScriptExamination
    /// The reason to load only bundled libraries; nil to load all.
    private var refusal: String?
    /// The time limit of loading a library, in nanoseconds.
    package var loadLimit = Limits.loadingNanoseconds

    /// Makes a locator.
    ///
    /// - Parameters:
    ///   - programs: The absolute folder of the host's programs. Bundled plugins lie in it, or in
    ///     `../lib/greenroom` from there.
    /// - pluginFolders: The folders to search first, so that an author's new version hides a
    ///   bundled plugin.
    ///   - effectFolders: The folders of each interface's effects.
    /// - refusal: The reason to load only bundled libraries; nil to load all.
    /// - examine: Scans a file. Called from several threads at once.
    package init(
        programs: String, pluginFolders: [String], effectFolders: [EffectInterface: [String]] = [:],
        refusal: String? = nil,
        scanScript: @escaping ScriptExamination = { path, _ throws(LoadError) in
            throw .withoutEntry(path)
        },
        examine: @escaping LibraryScans.Examination
    ) {
        self.scanScript = scanScript
        self.refusal = refusal
        self.effectFolders = effectFolders
        let parent = programs.split(separator: "/").dropLast()
        let installed = "/" + (parent + ["lib", "greenroom"]).joined(separator: "/")
        self.programs = programs
        folders = pluginFolders + [installed, programs]
        bundled = [programs, installed]
        examination = examine
    }

    /// Scans a library, or a script with an interpreter.
    ///
    /// - Parameter python: The interpreter of a script; nil for the nearest one.
    /// - Throws: ``LoadError`` with file, rule and fix.
    package func examine(
        _ path: String, python: String? = nil
    ) throws(LoadError) -> LibraryDescription {
        if let refusal, !isBundled(path) {
            throw LoadError(code: .notConfined, place: path, explanation: refusal)
        }
        guard let interpreter = try self.interpreter(of: path, python: python) else {
            return try examination(path, loadLimit)
        }
        return try scanScript(path, interpreter)
    }

    /// The interpreter of a script; nil for a library.
    ///
    /// - Parameter python: The interpreter that the session file names; nil for the nearest one.
    package func interpreter(
        of path: String, python: String?
    ) throws(LoadError) -> ScriptInterpreter? {
        guard ScriptInterpreter.runs(path) else { return nil }
        guard access(path, F_OK) == 0 else {
            throw LoadError(code: .notFound, place: path, explanation: "\(Errno.last).")
        }
        return try ScriptInterpreter(of: path, named: python, programs: programs)
    }

    /// A locator that loads any library, for plugins whose session accepts what they may do.
    package var accepting: PluginLocator {
        var locator = self
        locator.refusal = nil
        return locator
    }

    /// Whether a file is bundled with the host.
    package func isBundled(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        return bundled.contains(String(path[..<slash]))
    }

    /// The needs of a plugin that the host satisfies without keys of the session file; none unless it is bundled.
    package func needs(of plugin: PluginDescriptor, in path: String) -> PluginNeeds {
        isBundled(path) ? plugin.needs : []
    }

    /// The default isolation of a plugin.
    package func standardIsolation(of plugin: PluginDescriptor, in path: String) -> Isolation {
        isBundled(path) && !plugin.needs.contains(.process) ? .host : .process
    }

    /// Finds a plugin.
    ///
    /// - Parameters:
    ///   - name: A plugin's name or id; or the path of a library, which contains a slash, with `#`
    ///     and the plugin's name if the library has several.
    ///   - kind: The required kind. It selects the plugin if the library has one of that kind.
    ///   - folder: The folder of relative paths.
    ///   - python: The interpreter of a script; nil for the nearest one.
    /// - Throws: ``LoadError``.
    package func find(
        _ name: String, kind: PluginKind?, relativeTo folder: String, python: String? = nil
    ) throws(LoadError) -> (library: LibraryDescription, descriptor: PluginDescriptor) {
        if name.contains("/") {
            return try load(path: name, kind: kind, relativeTo: folder, python: python)
        }
        if let interface = EffectInterface(ofPlugin: name) {
            return try findEffect(name, kind, of: interface)
        }
        var failures: [LoadError] = []
        var names: [String] = []
        var seen: Set<String> = []
        var other: (library: LibraryDescription, descriptor: PluginDescriptor)?
        // An earlier folder hides a later one's plugins of the same kind.
        for folder in folders {
            // Try the file named like the plugin first: scanning all is slow.
            let path = "\(folder)/lib\(name).so"
            if access(path, F_OK) == 0 {
                do throws(LoadError) {
                    let library = try examine(path)
                    if let descriptor = library[name, kind] { return (library, descriptor) }
                } catch {
                    // The next library may have the plugin.
                    if error.code == .notConfined { throw error }
                    failures.append(error)
                }
            }
            if failures.isEmpty, let found = try find(name, kind, in: folder, &seen, &names) {
                if kind == nil || found.descriptor.kind == kind { return found }
                other = other ?? found
            }
        }
        if let failure = failures.first { throw failure }
        // The caller says which kind it is.
        if let other { return other }
        if let failure = incompleteLibrary(of: name) { throw failure }
        throw LoadError(
            code: .noSuchPlugin, place: name,
            explanation: "no \(kind?.name ?? "plugin") of this name is installed. "
                + (names.isEmpty
                    ? "" : "Installed: \(Set(names).sorted().joined(separator: ", ")). ")
                + "Searched: \(folders.joined(separator: ", ")); GREENROOM_PLUGIN_PATH adds folders. "
                + "To name a file, write its path with a slash.")
    }

    /// Finds an effect. There may be hundreds of files, so scans the most likely files first.
    private func findEffect(
        _ name: String, _ kind: PluginKind?, of interface: EffectInterface
    ) throws(LoadError) -> (library: LibraryDescription, descriptor: PluginDescriptor) {
        var rest = effects(of: interface)[...]
        if interface.isNamedAfterFile {
            rest.removeAll { path in
                let known = interface.name(ofFile: path)
                return name != known && name != interface.id(ofName: known)
            }
        } else {
            rest = interface.nearestFirst(to: name, Array(rest))[...]
        }
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.mostAtOnce))
            rest = rest.dropFirst(some.count)
            for result in examine(all: some) {
                // The name selected this file, so report the file's error.
                if interface.isNamedAfterFile, case .failure(let error) = result { throw error }
                guard case .success(let library) = result else { continue }
                if let descriptor = library[name, kind] ?? library[name, nil] {
                    return (library, descriptor)
                }
            }
        }
        throw LoadError(
            code: .noSuchPlugin, place: name,
            explanation: "no effect of this name is installed. Debian's effects are in a package: "
                + "apt install \(interface.debianPackage). Searched: "
                + "\((effectFolders[interface] ?? []).joined(separator: ", ")); "
                + "\(interface.variable) names other folders.")
    }

    /// The files of an interface's effects; a file hides files of the same name in later folders.
    private func effects(of interface: EffectInterface) -> [String] {
        var seen: Set<String> = []
        return (effectFolders[interface] ?? []).flatMap { folder in
            Self.libraries(in: folder).filter { seen.insert($0).inserted }.map { "\(folder)/\($0)" }
        }
    }

    /// Scans the libraries of a folder for a plugin.
    ///
    /// - Parameters:
    /// - seen: The names of files in earlier folders, which hide files of later folders.
    /// - names: Receives the names of all plugins of the kind.
    /// - Returns: A plugin of the kind; else a plugin of another kind.
    /// - Throws: ``LoadError`` if several libraries have the plugin, because the order of file
    ///   names is arbitrary.
    private func find(
        _ name: String, _ kind: PluginKind?, in folder: String, _ seen: inout Set<String>,
        _ names: inout [String]
    ) throws(LoadError) -> (library: LibraryDescription, descriptor: PluginDescriptor)? {
        var paths: [String] = []
        for file in Self.libraries(in: folder) where seen.insert(file).inserted {
            paths.append("\(folder)/\(file)")
        }
        var libraries: [LibraryDescription] = []
        for result in examine(all: paths) {
            guard case .success(let library) = result else { continue }
            libraries.append(library)
            names += library.descriptors.filter { kind == nil || $0.kind == kind }.map(\.name)
        }
        func matches(of kind: PluginKind?) -> [(LibraryDescription, PluginDescriptor)] {
            libraries.compactMap { library in library[name, kind].map { (library, $0) } }
        }
        let found = matches(of: kind)
        guard found.count > 1 else { return found.first ?? matches(of: nil).first }
        throw LoadError(
            code: .ambiguous, place: name,
            explanation: "several libraries have a plugin of this name: "
                + "\(found.map(\.0.path).joined(separator: ", ")). Name one by its path, or "
                + "remove the others.")
    }

    /// The error if a bundled library with the named plugin lacks a dependency. The plugins of a
    /// library
    /// are named after it: `MediaAudio` is in `libMedia.so`.
    private func incompleteLibrary(of name: String) -> LoadError? {
        for folder in folders where bundled.contains(folder) {
            for file in Self.libraries(in: folder)
            where name.hasPrefix(file.dropFirst("lib".count).dropLast(".so".count)) {
                do throws(LoadError) {
                    _ = try examine("\(folder)/\(file)")
                } catch {
                    if error.code == .missingLibrary { return error }
                }
            }
        }
        return nil
    }

    /// The most concurrent scans. Each may need a process.
    private static let mostAtOnce = 4

    /// Scans every library in every folder, up to `mostAtOnce` at a time. Skips bundled libraries
    /// that are not plugins.
    ///
    /// - Parameter scansEffects: Whether to scan effects, too. Skips those of a kind that Greenroom does not
    ///   have, such as mixers of pictures.
    package func scan(withEffects scansEffects: Bool) -> [Finding] {
        var paths: [(folder: String, path: String)] = []
        var seen: Set<String> = []
        for folder in folders {
            for file in Self.libraries(in: folder) where seen.insert(file).inserted {
                paths.append((folder, "\(folder)/\(file)"))
            }
        }
        let effectFolder = ""
        if scansEffects {
            paths += EffectInterface.all.flatMap { effects(of: $0) }.map { (effectFolder, $0) }
        }
        return zip(paths, examine(all: paths.map(\.path))).compactMap { file, result in
            if case .failure(let error) = result {
                if bundled.contains(file.folder), error.code == .notAPlugin { return nil }
                if file.folder == effectFolder, error.code == .unknownKind { return nil }
            }
            return Finding(path: file.path, result: result)
        }
    }

    /// Scans files. A slow file does not delay others.
    ///
    /// - Returns: The results, in the order of the files.
    private func examine(all paths: [String]) -> [Result<LibraryDescription, LoadError>] {
        let work = Examinations(paths: paths)
        let each: @Sendable (String) throws(LoadError) -> LibraryDescription = {
            path throws(LoadError) in try self.examine(path)
        }
        let helpers = (1..<max(1, min(Self.mostAtOnce, paths.count))).map { _ in
            HostThread(name: "scanning") { work.run(each) }
        }
        work.run(each)
        for helper in helpers { helper.join() }
        return work.results
    }

    private func load(
        path: String, kind: PluginKind?, relativeTo folder: String, python: String?
    ) throws(LoadError) -> (library: LibraryDescription, descriptor: PluginDescriptor) {
        let parts = path.split(separator: "#", maxSplits: 1).map(String.init)
        let file = parts.first ?? path
        let whole = absolutePath(file, from: folder)
        let library = try examine(whole, python: python)
        if parts.count == 2 {
            if let descriptor = library[parts[1], kind] ?? library[parts[1], nil] {
                return (library, descriptor)
            }
        } else {
            let fitting = library.descriptors.filter { kind == nil || $0.kind == kind }
            if fitting.count == 1 { return (library, fitting[0]) }
            if fitting.isEmpty, library.descriptors.count == 1 {
                return (library, library.descriptors[0])
            }
        }
        let all = library.descriptors.map { "\($0.name) (\($0.kind.facts.word))" }
        let content =
            "the \(ScriptInterpreter.runs(file) ? "script" : "library") has "
            + all.joined(separator: ", ")
        guard let kind, !library.descriptors.contains(where: { $0.kind == kind }) else {
            throw LoadError(
                code: .noSuchPlugin, place: path,
                explanation: "\(content). Name one: "
                    + (Set(library.descriptors.map(\.name)).count == all.count
                        ? "\(file)#NAME."
                        : library.descriptors.map { "\(file)#\($0.id)" }
                            .joined(separator: ", ") + "."))
        }
        throw LoadError(
            code: .noSuchPlugin, place: path,
            explanation: "\(content), and no \(kind.facts.word)."
                + (ScriptInterpreter.runs(file)
                    ? " Derive a class from the base of that kind in the package greenroom; an Agent has a camera "
                        + "with draw, and a share with draw_share." : ""))
    }

    private static func libraries(in folder: String) -> [String] {
        let names = (try? FileDescriptor.names(in: folder)) ?? []
        return names.filter { $0.hasSuffix(".so") }.sorted()
    }
}

/// Files that several threads scan, each taking the next one.
private final class Examinations: Sendable {
    private struct State {
        var next = 0
        var results: [Int: Result<LibraryDescription, LoadError>] = [:]
    }

    private let paths: [String]
    private let state = Mutex(State())

    init(paths: [String]) { self.paths = paths }

    /// Scans files until none is left.
    func run(_ examine: (_ path: String) throws(LoadError) -> LibraryDescription) {
        while let (index, path) = take() {
            let result = Result { () throws(LoadError) in try examine(path) }
            state.withLock { $0.results[index] = result }
        }
    }

    private func take() -> (Int, String)? {
        state.withLock { state in
            guard state.next < paths.count else { return nil }
            defer { state.next += 1 }
            return (state.next, paths[state.next])
        }
    }

    /// The results, in the order of the files.
    var results: [Result<LibraryDescription, LoadError>] {
        state.withLock { state in paths.indices.compactMap { state.results[$0] } }
    }
}
