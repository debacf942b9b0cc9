import Glibc
import GreenroomSystem
import SystemPackage

/// A file in a plugin's folder.
struct PackageFile {
    /// The path relative to the folder.
    var path: String
    var text: String

    /// Creates a folder with files. If one fails, removes all.
    ///
    /// - Parameter folder: The new folder, which must not exist yet.
    /// - Throws: ``ExitError``.
    static func write(_ files: [PackageFile], into folder: String) throws {
        guard mkdir(folder, 0o777) == 0 else {
            if errno == EEXIST {
                throw ExitError(
                    .usage,
                    "\(folder) already exists: choose another name, or move it away")
            }
            throw couldNot("make the folder", folder)
        }
        var made: [String] = []
        do {
            for file in files {
                for part in file.path.indices where file.path[part] == "/" {
                    let inner = "\(folder)/\(file.path[..<part])"
                    guard !made.contains(inner) else { continue }
                    guard mkdir(inner, 0o777) == 0 else { throw couldNot("make the folder", inner) }
                    made.append(inner)
                }
                let path = "\(folder)/\(file.path)"
                made.append(path)
                try write(file.text, to: path)
            }
        } catch {
            // Remove the last files first, because only an empty folder can be removed.
            for path in made.reversed() { remove(path) }
            rmdir(folder)
            throw error
        }
    }

    private static func write(_ text: String, to path: String) throws {
        do {
            let file = try FileDescriptor.creating(path, options: .exclusiveCreate)
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
        } catch {
            throw ExitError(.outputFailed, "can't write \(path): \(error)")
        }
    }

    private static func couldNot(_ what: String, _ path: String) -> ExitError {
        ExitError(.outputFailed, "can't \(what) \(path): \(Errno.last)")
    }
}
