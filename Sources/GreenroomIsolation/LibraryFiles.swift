import CLinux
import Glibc
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// The files that a plugin's library consists of, which its process may read without a grant of the
/// session file.
package enum LibraryFiles {
    /// A library, the libraries that it needs from folders relative to its own (`$ORIGIN`), and its
    /// folder of resources: `camera.resources` beside `camera.so` or `libcamera.so`, and
    /// `MyPackage_camera.resources`.
    ///
    /// The library is untrusted: what it names is granted only if it is a library, too, and a link
    /// to a folder leads nowhere.
    package static func of(_ library: String) -> [String] { parts(of: library).map(\.path) }

    /// A file or folder that belongs to a library.
    package struct Part: Equatable, Sendable {
        /// Without symbolic links.
        package var path: String
        /// Where the loader or the library looks for it: a copy has this name.
        package var place: String
    }

    /// The same files and folders as ``of(_:)``, each with its place.
    package static func parts(of library: String) -> [Part] {
        let first = resolvedPath(library) ?? library
        var files = [first]
        var places = [first]
        var folders: [[String]] = [[]]
        var index = 0
        while index < files.count, files.count < fileLimit {
            let origin = Self.folder(of: files[index])
            if let needs = LibraryNeeds(of: files[index]) {
                let own = needs.folders.compactMap { expand($0, origin) }
                // The older tag holds for what these libraries need, too.
                let inherited = needs.isInherited ? own + folders[index] : []
                for name in needs.names {
                    guard let (found, place) = find(name, in: own + folders[index], origin),
                        !files.contains(found), files.count < fileLimit
                    else { continue }
                    files.append(found)
                    places.append(place)
                    folders.append(inherited)
                }
            }
            index += 1
        }
        return zip(files, places).map { Part(path: $0, place: $1) }
            + resources(of: first).map { Part(path: $0, place: $0) }
    }

    private static let fileLimit = 100

    /// A folder that begins with `$ORIGIN`; nil for others, which are the system's, or need a grant.
    private static func expand(_ folder: String, _ origin: String) -> String? {
        for word in ["$ORIGIN", "${ORIGIN}"] where folder.hasPrefix(word) {
            return origin + folder.dropFirst(word.count)
        }
        return nil
    }

    /// A library that the loader finds in one of the folders, and where.
    private static func find(
        _ name: String, in folders: [String], _ origin: String
    ) -> (path: String, place: String)? {
        let paths =
            name.contains("/")
            ? [expand(name, origin)].compactMap(\.self) : folders.map { "\($0)/\(name)" }
        for path in paths {
            if let found = resolvedPath(path), LibraryNeeds(of: found) != nil,
                let folder = resolvedPath(folder(of: path)),
                let last = path.split(separator: "/").last
            {
                return (found, folder == "/" ? "/\(last)" : "\(folder)/\(last)")
            }
        }
        return nil
    }

    private static func resources(of library: String) -> [String] {
        let folder = folder(of: library)
        var stem = library.split(separator: "/").last ?? ""
        if let end = stem.firstRange(of: ".so") { stem = stem[..<end.lowerBound] }
        let stems = stem.hasPrefix("lib") ? [stem, stem.dropFirst(3)] : [stem]
        var found: [String] = []
        for name in (try? FileDescriptor.names(in: folder)) ?? [] {
            guard stems.contains(where: { !$0.isEmpty && isResources(name, of: $0) }) else {
                continue
            }
            var status = stat()
            let path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            found.append(path)
        }
        return found.sorted()
    }

    private static func isResources(_ name: String, of stem: Substring) -> Bool {
        name == "\(stem).resources" || name.hasSuffix("_\(stem).resources")
    }

    private static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}

/// What a shared library says that it needs. It is untrusted: every offset and count is checked.
struct LibraryNeeds {
    /// The libraries, by name.
    private(set) var names: [String] = []
    /// The folders that it names for them, in search order.
    private(set) var folders: [String] = []
    /// Whether the folders hold for the libraries of these libraries, too (`DT_RPATH`).
    private(set) var isInherited = false

    /// `PT_LOAD` and `PT_DYNAMIC`.
    private static let (loaded, dynamic): (UInt64, UInt64) = (1, 2)
    /// `DT_NEEDED`, `DT_STRTAB`, `DT_STRSZ`, `DT_RPATH` and `DT_RUNPATH`.
    private static let (needed, names, namesSize, oldPath, newPath): (Int, Int, Int, Int, Int) = (
        1, 5, 10, 15, 29
    )
    private static let segmentLimit = 1000
    private static let entryLimit = 10_000
    private static let namesLimit = 16 << 20

    /// - Returns: nil if the file is no shared library for a machine of 64 bits, low byte first.
    init?(of path: String) {
        guard
            let file = try? FileDescriptor.reading(
                path, options: [.nonBlocking, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)])
        else { return nil }
        defer { close(file.rawValue) }
        guard (try? file.stat())?.type == .regular, let header = file.part(64, at: 0),
            header.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]), header.number(16, 2) == 3
        else { return nil }
        let (step, count) = (header.number(54, 2), header.number(56, 2))
        guard step == 56, count <= Self.segmentLimit,
            let table = file.part(Int(step * count), at: Int64(clamping: header.number(32, 8)))
        else { return nil }
        var loads: [(address: UInt64, size: UInt64, offset: UInt64)] = []
        var section: (offset: UInt64, size: UInt64)?
        for start in stride(from: 0, to: table.count, by: 56) {
            let (offset, size) = (table.number(start + 8, 8), table.number(start + 32, 8))
            switch table.number(start, 4) {
            case Self.loaded: loads.append((table.number(start + 16, 8), size, offset))
            case Self.dynamic: section = (offset, size)
            default: continue
            }
        }
        // A library without a dynamic section needs nothing.
        guard let section,
            let entries = file.part(
                Int(min(section.size / 16, UInt64(Self.entryLimit))) * 16,
                at: Int64(clamping: section.offset))
        else { return }
        var tags: [(tag: Int, value: UInt64)] = []
        for start in stride(from: 0, to: entries.count, by: 16) {
            let tag = entries.number(start, 8)
            if tag == 0 { break }
            tags.append((Int(clamping: tag), entries.number(start + 8, 8)))
        }
        func value(_ tag: Int) -> UInt64? { tags.last { $0.tag == tag }?.value }
        guard let address = value(Self.names), let size = value(Self.namesSize),
            size <= UInt64(Self.namesLimit),
            let load = loads.first(where: {
                $0.address <= address && address - $0.address < $0.size
            }),
            let texts = file.part(
                Int(size), at: Int64(clamping: load.offset &+ (address - load.address)))
        else { return }
        func text(_ offset: UInt64) -> String {
            guard offset < UInt64(texts.count) else { return "" }
            return String(decoding: texts[Int(offset)...].prefix { $0 != 0 }, as: UTF8.self)
        }
        names = tags.filter { $0.tag == Self.needed }.map { text($0.value) }.filter { !$0.isEmpty }
        // The older tag holds only without the new one.
        isInherited = value(Self.newPath) == nil
        let path = value(Self.newPath) ?? value(Self.oldPath)
        folders = path.map { text($0).split(separator: ":").map(String.init) } ?? []
    }
}

extension [UInt8] {
    /// A number of some bytes, low byte first; 0 beyond the end.
    fileprivate func number(_ start: Int, _ size: Int) -> UInt64 {
        guard start >= 0, start + size <= count else { return 0 }
        return self[start..<(start + size)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
