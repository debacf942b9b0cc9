import GreenroomMedia
import CLinux
import Glibc
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// A plugin's library with the libraries and resources beside it, for `plugin install` and `remove`.
///
/// All files are untrusted. Only regular files and folders below the library's own folder are
/// copied, and the files of other plugins are neither replaced nor removed.
struct PluginParts {
    private let library: String
    /// The files that are copied with the library.
    private let parts: [(path: String, name: String)]

    /// The names of the files beside the library, relative to its folder.
    var names: [String] { parts.map(\.name) }

    /// - Throws: ``ExitError`` if a part is not below the library's folder.
    init(of library: String) throws(ExitError) {
        self.library = library
        let folder = Self.folder(of: library)
        var parts: [(path: String, name: String)] = []
        for part in LibraryFiles.parts(of: library).dropFirst() {
            guard let name = Self.name(of: part.place, below: folder) else {
                throw ExitError(
                    .badFile,
                    "\(library) needs \(part.place), which is outside the plugin's folder. Build the "
                        + "plugin with its libraries beside it ($ORIGIN).")
            }
            parts.append((part.path, name))
        }
        self.parts = parts
        var budget = Budget()
        for path in [library] + parts.map(\.path) { try Self.measure(path, &budget) }
    }

    /// Checks that no copied file has the name of a file that stays.
    ///
    /// - Parameters:
    ///   - name: The library's new name.
    ///   - others: The libraries that have files in the folder, by the files' names.
    /// - Returns: The names of the parts that the folder already has, shared with another library.
    /// - Throws: ``ExitError`` if a name conflicts.
    @discardableResult
    func checkPlaces(
        as name: String, in folder: String, replace: Bool, others: [String: String]
    ) throws(ExitError) -> Set<String> {
        var shared: Set<String> = []
        for (path, part) in [(library, name)] + parts {
            let place = "\(folder)/\(part)"
            if let owner = others[part] {
                // Plugins of one package may share a library.
                guard Self.isSameFile(path, place) else {
                    throw ExitError(
                        .badFile,
                        "\(place) is there already, and belongs to \(owner): greenroom plugin remove "
                            + "\(owner) first.")
                }
                shared.insert(part)
            } else if !replace, Self.exists(place) {
                throw Self.isThere(place)
            }
        }
        return shared
    }

    /// Copies all parts and then the library, so that no session finds the library without them.
    ///
    /// - Parameters:
    ///   - name: The library's new name.
    ///   - hash: The SHA-256 of the validated library.
    ///   - others: The libraries that have files in the folder, by the files' names.
    func install(
        as name: String, in folder: String, replace: Bool, hash: String, others: [String: String]
    ) throws(ExitError) {
        let target = "\(folder)/\(name)"
        let earlier = Set(Self.installed(with: target, in: folder, others: others))
        let shared = try checkPlaces(as: name, in: folder, replace: replace, others: others)
        let staging = try Staging(in: folder)
        defer { staging.delete() }
        var made: [(part: String, name: String)] = []
        var budget = Budget()
        for (path, part) in parts + [(library, name)] where !shared.contains(part) {
            let unfinished = "\(staging.path)/\(made.count)"
            made.append((unfinished, part))
            try Self.copy(path, to: unfinished, &budget)
        }
        guard let library = made.last?.part, LibraryHash.hexadecimal(of: library) == hash else {
            throw ExitError(
                .badFile, "\(self.library) has changed since it was validated: try again.")
        }
        var finished: [String] = []
        do {
            for (unfinished, part) in made {
                try Self.makeFolders(of: part, in: folder)
                try Self.place(unfinished, at: "\(folder)/\(part)", replace: replace)
                finished.append(part)
            }
        } catch {
            // Remove all parts of a new plugin. Keep the parts of a replaced plugin.
            if earlier.isEmpty, !replace {
                for part in finished { try? Self.remove(part, in: folder) }
            }
            throw error
        }
        let kept = shared.union(finished)
        for part in earlier where !kept.contains(part) { try Self.remove(part, in: folder) }
    }

    private static func isThere(_ path: String) -> ExitError {
        ExitError(.badFile, "\(path) is there already: --replace replaces it.")
    }

    /// The files of a library in a folder that no other library uses.
    static func installed(
        with library: String, in folder: String, others: [String: String]
    ) -> [String] {
        guard exists(library) else { return [] }
        return names(of: library, in: folder).filter { others[$0] == nil }
    }

    /// The files of a library in a folder: names relative to the folder.
    static func names(of library: String, in folder: String) -> [String] {
        let real = resolvedPath(folder) ?? folder
        return LibraryFiles.parts(of: library).dropFirst().compactMap {
            name(of: $0.place, below: real)
        }
    }

    /// Removes a part, and the folders that it leaves empty.
    static func remove(_ name: String, in folder: String) throws(ExitError) {
        try delete("\(folder)/\(name)")
        var parts = name.split(separator: "/").dropLast()
        while !parts.isEmpty, rmdir("\(folder)/\(parts.joined(separator: "/"))") == 0 {
            parts.removeLast()
        }
    }

    // MARK: Files

    /// The files and bytes that a library may still have with it.
    private struct Budget {
        private static let mostFiles = Limits.installedFiles
        private static let mostBytes = Limits.installedBytes

        private var files = mostFiles
        private var bytes = mostBytes

        mutating func take(file path: String) throws(ExitError) {
            files -= 1
            guard files >= 0 else {
                throw ExitError(
                    .badFile,
                    "\(path): the plugin has more than \(Self.mostFiles) files. Remove some.")
            }
        }

        mutating func take(bytes count: Int, of path: String) throws(ExitError) {
            bytes -= min(count, Self.mostBytes + 1)
            guard bytes >= 0 else {
                throw ExitError(
                    .badFile,
                    "\(path): the plugin has more than \(Self.mostBytes / 1_000_000) MB with its files. "
                        + "Remove some, or have the session file name their folder.")
            }
        }
    }

    /// A folder for unfinished copies. The installing process locks the folder: an unlocked folder
    /// was left by a killed process.
    private struct Staging {
        private static let prefix = ".installing-"

        let path: String
        private let descriptor: FileDescriptor

        /// Creates the folder, and deletes the folders of killed processes.
        init(in folder: String) throws(ExitError) {
            for name in try fileNames(in: folder) where name.hasPrefix(Self.prefix) {
                guard let other = Self.locked("\(folder)/\(name)") else { continue }
                try? PluginParts.delete("\(folder)/\(name)")
                close(other.rawValue)
            }
            path = "\(folder)/\(Self.prefix)\(getpid())"
            guard mkdir(path, 0o700) == 0, let descriptor = Self.locked(path) else {
                throw ExitError(.outputFailed, "\(path): \(Errno.last)")
            }
            self.descriptor = descriptor
        }

        func delete() {
            try? PluginParts.delete(path)
            close(descriptor.rawValue)
        }

        /// Opens and locks a folder; nil if another process holds the lock.
        private static func locked(_ path: String) -> FileDescriptor? {
            let number = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { return nil }
            let opened = FileDescriptor(rawValue: number)
            guard opened.lock() else {
                close(number)
                return nil
            }
            return opened
        }
    }

    private static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }

    static func name(of path: String, below folder: String) -> String? {
        // Compare bytes: a name may begin with a character that combines with the slash.
        let start = Array("\(folder)/".utf8)
        guard path.utf8.starts(with: start) else { return nil }
        return String(decoding: path.utf8.dropFirst(start.count), as: UTF8.self)
    }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private static func exists(_ path: String) -> Bool { kind(of: path) != nil }

    private static func isSameFile(_ path: String, _ other: String) -> Bool {
        kind(of: path) == S_IFREG && kind(of: other) == S_IFREG
            && LibraryHash.hexadecimal(of: path) == LibraryHash.hexadecimal(of: other)
    }

    private static func makeFolders(of name: String, in folder: String) throws(ExitError) {
        var path = folder
        for part in name.split(separator: "/").dropLast() {
            path += "/\(part)"
            guard mkdir(path, 0o755) == 0 || errno == EEXIST && kind(of: path) == S_IFDIR else {
                throw ExitError(.outputFailed, "\(path): \(Errno.last)")
            }
        }
    }

    /// Deducts a file, or a folder with its content, from a budget.
    private static func measure(_ path: String, _ budget: inout Budget) throws(ExitError) {
        try budget.take(file: path)
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: try budget.take(bytes: Int(status.st_size), of: path)
        case S_IFDIR:
            for name in try fileNames(in: path) { try measure("\(path)/\(name)", &budget) }
        default: break
        }
    }

    /// Copies a file, or a folder with its content.
    private static func copy(
        _ source: String, to target: String, _ budget: inout Budget
    ) throws(ExitError) {
        try budget.take(file: source)
        switch kind(of: source) {
        case S_IFREG: try copyFile(source, to: target, &budget)
        case S_IFDIR:
            guard mkdir(target, 0o755) == 0 else {
                throw ExitError(.outputFailed, "\(target): \(Errno.last)")
            }
            for name in try fileNames(in: source) {
                try copy("\(source)/\(name)", to: "\(target)/\(name)", &budget)
            }
        default:
            throw ExitError(
                .badFile, "\(source) is not a regular file, and links are not followed: remove it.")
        }
    }

    private static func fileNames(in folder: String) throws(ExitError) -> [String] {
        do throws(Errno) {
            return try FileDescriptor.names(in: folder).sorted()
        } catch {
            throw ExitError(.badFile, "\(folder): \(error)")
        }
    }

    private static func copyFile(
        _ source: String, to target: String, _ budget: inout Budget
    ) throws(ExitError) {
        var excess: ExitError?
        do throws(Errno) {
            let from = try FileDescriptor.reading(source, options: [.noFollow, .nonBlocking])
            defer { Glibc.close(from.rawValue) }
            let to = try FileDescriptor.creating(target, options: [.exclusiveCreate, .noFollow])
            defer { Glibc.close(to.rawValue) }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try from.read(into: &chunk)
                guard count > 0 else { break }
                // Check again, because a file may grow during the copy.
                do throws(ExitError) {
                    try budget.take(bytes: count, of: source)
                } catch {
                    excess = error
                    break
                }
                try withErrno { _ = try to.writeAll(chunk[..<count]) }
            }
            guard fchmod(to.rawValue, 0o644) == 0 else { throw .last }
        } catch {
            throw ExitError(.outputFailed, "\(source): cannot copy it to \(target): \(error)")
        }
        if let excess { throw excess }
    }

    /// Renames a copied file or folder to its final name.
    private static func place(
        _ unfinished: String, at place: String, replace: Bool
    ) throws(ExitError) {
        // Delete first: a folder cannot replace a folder with files, and a file cannot replace a
        // folder.
        if replace, kind(of: place) == S_IFDIR || kind(of: unfinished) == S_IFDIR {
            try delete(place)
        }
        let isPlaced =
            kind(of: unfinished) == S_IFDIR || replace
            ? rename(unfinished, place) : link(unfinished, place)
        guard isPlaced == 0 else {
            throw errno == EEXIST || errno == ENOTEMPTY
                ? isThere(place) : ExitError(.outputFailed, "\(place): \(Errno.last)")
        }
    }

    /// Deletes a file, or a folder with its content. Follows no link.
    private static func delete(_ path: String) throws(ExitError) {
        switch kind(of: path) {
        case nil: return
        case S_IFDIR:
            for name in try fileNames(in: path) { try delete("\(path)/\(name)") }
            guard rmdir(path) == 0 else { break }
            return
        default:
            guard unlink(path) == 0 else { break }
            return
        }
        throw ExitError(.outputFailed, "\(path): \(Errno.last)")
    }
}
