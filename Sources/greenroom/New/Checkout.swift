import Glibc
import GreenroomPluginInterface

/// A checkout of Greenroom, with the SDK for Swift plugins and the header for C ones.
struct Checkout {
    /// Absolute, without symbolic links.
    let path: String

    private static let header = "Sources/GreenroomABI/include/greenroom/plugin.h"

    /// nil for a folder that is no checkout.
    init?(at folder: String) {
        guard let resolved = resolvedPath(folder) else { return nil }
        path = resolved
        for file in [
            "Package.swift", "Sources/GreenroomPlugin", "Plugins/exports.map", Self.header,
        ] {
            guard access("\(path)/\(file)", R_OK) == 0 else { return nil }
        }
    }

    /// `greenroom/plugin.h`.
    var header: String { "\(path)/\(Self.header)" }

    /// Its package identity: the folder's name in lower case.
    var identity: String { path.split(separator: "/").last?.lowercased() ?? "" }

    /// The path from another folder: relative if both are near each other, so that they can move
    /// together, otherwise absolute.
    ///
    /// - Parameter folder: Absolute, without symbolic links; it need not exist yet.
    func path(from folder: String) -> String {
        let here = path.split(separator: "/")
        let there = folder.split(separator: "/")
        let common = zip(here, there).prefix { $0 == $1 }.count
        let ups = there.count - common
        guard common > 0, ups <= 2 else { return path }
        return (repeatElement("..", count: ups) + here[common...]).joined(separator: "/")
    }
}
