import GreenroomHost
import GreenroomPluginInterface

/// This program's file, and files relative to it.
struct InstalledProgram {
    /// Absolute, without symbolic links.
    let path: String

    static var this: InstalledProgram {
        InstalledProgram(path: ownProgramFile ?? "")
    }

    /// The program's folder.
    var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) }

    /// The checkout that contains it.
    var checkout: Checkout? {
        var folder = folder[...]
        while let slash = folder.lastIndex(of: "/") {
            if let checkout = Checkout(at: String(folder)) { return checkout }
            folder = folder[..<slash]
        }
        return nil
    }

    /// The folder of `plugin.h` if the program was installed: in `include` beside its `bin`.
    var headers: String {
        let prefix = folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex)
        return "\(prefix)/include/greenroom"
    }

    /// The SDK if the program was installed: in `share` beside its `bin`. It has a checkout's files
    /// for plugins.
    var sdk: Checkout? {
        let prefix = folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex)
        return Checkout(at: "\(prefix)/share/greenroom/sdk")
    }

    /// Whether a shell finds it by name.
    var isOnPath: Bool { programOnPath("greenroom") == path }

    /// The command for a shell.
    var command: String { isOnPath ? "greenroom" : path.quotedForShell }
}
