import CLinux
import Glibc
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// A checkout of Greenroom, which contains the SDK for Swift plugins and the headers for other
/// plugins.
struct Checkout {
    /// The absolute path without symbolic links.
    let path: String

    private static let headers = "Sources/GreenroomABI/include/greenroom"

    /// Finds a checkout; nil if the folder is not one.
    init?(at folder: String) {
        guard let resolved = resolvedPath(folder) else { return nil }
        path = resolved
        for file in [
            "Package.swift", "Sources/GreenroomPlugin", "Plugins/exports.map",
            "\(Self.headers)/plugin.h",
        ] {
            guard access("\(path)/\(file)", R_OK) == 0 else { return nil }
        }
    }

    /// The folder of `plugin.h`.
    var headers: String { "\(path)/\(Self.headers)" }

    /// The package identity: the folder's name in lower case.
    var identity: String { path.split(separator: "/").last?.lowercased() ?? "" }

    /// Copies of the SDK's files, for a plugin's folder.
    func copies(in folder: String) throws(Errno) -> [PackageFile] {
        var files: [PackageFile] = []
        var folders = [""]
        while let inner = folders.popLast() {
            for name in try FileDescriptor.names(in: "\(path)/\(inner)") where !name.hasPrefix(".")
            {
                let place = "\(inner)\(name)"
                var status = stat()
                guard lstat("\(path)/\(place)", &status) == 0 else { throw Errno.last }
                guard status.st_mode & S_IFMT != S_IFDIR else {
                    folders.append("\(place)/")
                    continue
                }
                let text = try FileDescriptor.contents(of: "\(path)/\(place)")
                files.append(
                    PackageFile(
                        path: "\(folder)/\(place)", text: String(decoding: text, as: UTF8.self)))
            }
        }
        return files.sorted { $0.path < $1.path }
    }

    /// The path from another folder: relative if both are near each other, so that they can move
    /// together, otherwise absolute.
    ///
    /// - Parameter folder: The absolute path without symbolic links. The folder need not exist yet.
    func path(from folder: String) -> String {
        let here = path.split(separator: "/")
        let there = folder.split(separator: "/")
        let common = zip(here, there).prefix { $0 == $1 }.count
        let ups = there.count - common
        guard common > 0, ups <= 2 else { return path }
        return (repeatElement("..", count: ups) + here[common...]).joined(separator: "/")
    }
}
