import CLinux
import Glibc
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// The files of a plugin's library, which its process may read without a grant in the session file.
package enum LibraryFiles {
    /// A library, the libraries that it needs from folders relative to its own (`$ORIGIN`), and its
    /// folder of resources: `camera.resources` beside `camera.so` or `libcamera.so`, and
    /// `MyPackage_camera.resources`.
    ///
    /// The library is untrusted: a file that it names is granted only if that file is also a
    /// library, and a link to a folder is not granted.
    package static func of(_ library: String) -> [String] { parts(of: library).map(\.path) }

    /// A file or folder that belongs to a library.
    package struct Part: Equatable, Sendable {
        /// The path without symbolic links.
        package var path: String
        /// The path at which the loader or the library looks for the file. A copy has this name.
        package var place: String
    }

    /// The files and folders of ``of(_:)``, each with its place.
    package static func parts(of library: String) -> [Part] {
        let first = resolvedPath(library) ?? library
        var files = [first]
        var places = [first]
        var folders: [[String]] = [[]]
        var index = 0
        while index < files.count, files.count < fileLimit {
            let origin = parentFolder(of: files[index])
            if let needs = ELFLibrary(of: files[index]) {
                let own = needs.searchFolders.compactMap { expand($0, origin) }
                // The older tag (RPATH) also applies to the libraries that these libraries need.
                let inherited = needs.isInherited ? own + folders[index] : []
                for name in needs.needed {
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

    /// The expanded path of a folder that begins with `$ORIGIN`; nil if it does not. Other folders
    /// are the system's or need a grant.
    private static func expand(_ folder: String, _ origin: String) -> String? {
        for word in ["$ORIGIN", "${ORIGIN}"] where folder.hasPrefix(word) {
            return origin + folder.dropFirst(word.count)
        }
        return nil
    }

    /// The library that the loader finds in a folder, and its place.
    private static func find(
        _ name: String, in folders: [String], _ origin: String
    ) -> (path: String, place: String)? {
        let paths =
            name.contains("/")
            ? [expand(name, origin)].compactMap(\.self) : folders.map { "\($0)/\(name)" }
        for path in paths {
            if let found = resolvedPath(path), ELFLibrary(of: found) != nil,
                let folder = resolvedPath(parentFolder(of: path)),
                let last = path.split(separator: "/").last
            {
                return (found, folder == "/" ? "/\(last)" : "\(folder)/\(last)")
            }
        }
        return nil
    }

    private static func resources(of library: String) -> [String] {
        let folder = parentFolder(of: library)
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
}
