import Glibc
package import SystemPackage
import Synchronization

/// The program's standard output, which plugins in this process cannot write to.
package enum StandardOutput {
    private static let reserved = Atomic(STDOUT_FILENO)

    /// The destination of the program's output.
    package static var descriptor: FileDescriptor {
        FileDescriptor(rawValue: reserved.load(ordering: .relaxed))
    }

    /// Keeps standard output for ``descriptor``, and points descriptor 1 at standard error.
    ///
    /// Call it once, before a plugin loads and before another thread starts: a plugin's library may print
    /// to descriptor 1, which may carry media or JSON.
    package static func reserve() {
        // The program may have been started without standard output.
        let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        guard copy >= 0 else { return }
        if dup2(STDERR_FILENO, STDOUT_FILENO) < 0 {
            // Nor is there a standard error.
            let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
            dup2(nowhere, STDOUT_FILENO)
            close(nowhere)
        }
        reserved.store(copy, ordering: .relaxed)
    }
}
