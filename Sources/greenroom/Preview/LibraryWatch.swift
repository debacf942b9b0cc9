import Glibc
import Synchronization

/// Looks for new builds of a library.
///
/// A linker writes in steps, removes the file first, or renames one that is whole: a build counts
/// once its file has been the same for a while.
struct LibraryWatch {
    /// What tells one build from another. The time of change, too, would tell of links and
    /// permissions.
    struct Build: Equatable, Sendable {
        fileprivate var inode: ino_t
        fileprivate var byteCount: off_t
        fileprivate var seconds: time_t
        fileprivate var nanoseconds: Int

        /// The build that a path leads to now; nil if there is none, or nothing in it.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
            else { return nil }
            inode = status.st_ino
            byteCount = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// How long a file has to be the same.
    private static let rest = Duration.milliseconds(300)

    /// How often to look, in microseconds.
    static let interval: UInt32 = 50_000

    let path: String
    private var seen: Build?
    private var since = ContinuousClock.now

    init(_ path: String) { self.path = path }

    /// The build that is there, if it has been there for a while.
    mutating func settled() -> Build? {
        let build = Build(path)
        if build != seen {
            seen = build
            since = .now
        }
        return ContinuousClock.now - since >= Self.rest ? build : nil
    }
}

/// Looks for the build after the one that runs.
///
/// One thread at a time; the lock proves it to the compiler.
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
