import CLinux
import Glibc
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomSystem
import Synchronization
import SystemPackage

/// Detects new builds of a library, and changes of a script and its modules.
///
/// A linker writes in steps, first removes the file, or renames a complete file. So a build counts
/// after its file has been unchanged for a while.
struct LibraryWatch {
    /// Identifies a build by its files and their modification times. The change time is not included, because links
    /// and permissions also change it.
    struct Build: Equatable, Sendable {
        private var files: [File]

        /// The build at a path; nil if the file is missing or empty.
        init?(_ path: String) {
            guard let file = File(path), file.byteCount > 0 else { return nil }
            let folder = parentFolder(of: resolvedPath(path) ?? path)
            files =
                [file]
                + (ScriptInterpreter.runs(path)
                    ? Self.modules(in: folder, levels: Self.mostLevels).compactMap(File.init) : [])
        }

        /// The most levels of packages. A package may contain a link to itself.
        private static let mostLevels = 8

        /// The modules in a folder, and in its folders with `__init__.py`.
        private static func modules(in folder: String, levels: Int) -> [String] {
            guard levels > 0 else { return [] }
            return ((try? FileDescriptor.names(in: folder)) ?? []).sorted().flatMap { name in
                let path = "\(folder)/\(name)"
                if ScriptInterpreter.runs(name) { return [path] }
                guard !name.contains("."), access("\(path)/__init__.py", F_OK) == 0 else {
                    return []
                }
                return modules(in: path, levels: levels - 1)
            }
        }
    }

    private struct File: Equatable, Sendable {
        private var path: String
        private var inode: ino_t
        var byteCount: off_t
        private var seconds: time_t
        private var nanoseconds: Int

        /// The file at a path; nil if it is missing.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG
            else { return nil }
            self.path = path
            inode = status.st_ino
            byteCount = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// The time for which a file must be unchanged.
    private static let rest = Duration.milliseconds(300)

    /// Interval of checks, in microseconds.
    static let interval: UInt32 = 50_000

    let path: String
    private var seen: Build?
    private var since = ContinuousClock.now

    init(_ path: String) { self.path = path }

    /// The build at the path, if its file has been unchanged for a while.
    mutating func settled() -> Build? {
        let build = Build(path)
        if build != seen {
            seen = build
            since = .now
        }
        return ContinuousClock.now - since >= Self.rest ? build : nil
    }
}

/// Detects the build after the running one.
///
/// Only one thread at a time uses the lookout. The lock satisfies the compiler.
final class Lookout: Sendable {
    private let watch: Mutex<LibraryWatch>
    private let running: LibraryWatch.Build

    init(_ watch: LibraryWatch, from running: LibraryWatch.Build) {
        self.watch = Mutex(watch)
        self.running = running
    }

    func seesNewBuild() -> Bool {
        watch.withLock { $0.settled() }.map { $0 != running } ?? false
    }
}
