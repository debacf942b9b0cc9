import Glibc
import GreenroomHost
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomSystem

/// The file of this program, and files relative to it.
struct InstalledProgram {
    /// The absolute path without symbolic links.
    let path: String

    static var this: InstalledProgram {
        InstalledProgram(path: ownProgramFile ?? "")
    }

    /// The program's folder.
    var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) }

    /// The checkout that contains the program; nil if none does.
    var checkout: Checkout? {
        var folder = folder[...]
        while let slash = folder.lastIndex(of: "/") {
            if let checkout = Checkout(at: String(folder)) { return checkout }
            folder = folder[..<slash]
        }
        return nil
    }

    /// The folder of `plugin.h` of an installed program: `include` beside its `bin`.
    var headers: String {
        let prefix = folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex)
        return "\(prefix)/include/greenroom"
    }

    /// The SDK of an installed program: in `share` beside its `bin`, with a checkout's files for
    /// plugins.
    var sdk: Checkout? {
        let prefix = folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex)
        return Checkout(at: "\(prefix)/share/greenroom/sdk")
    }

    /// The program that a user starts: of a wheel, the script beside the interpreter.
    private var started: String {
        guard let prefix = ScriptInterpreter.wheelPrefix(of: folder),
            access("\(prefix)/bin/greenroom", X_OK) == 0
        else { return path }
        return "\(prefix)/bin/greenroom"
    }

    /// The folder for the shell's path.
    var startedFolder: String { parentFolder(of: started) }

    /// Whether a shell finds the program by name.
    var isOnPath: Bool { programOnPath("greenroom") == resolvedPath(started) }

    /// The command for a shell.
    var command: String { isOnPath ? "greenroom" : started.quotedForShell }
}
