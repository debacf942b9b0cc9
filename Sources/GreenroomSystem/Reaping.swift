import Glibc

/// Waits for the end of a child process.
///
/// - Returns: Its status, as of `waitpid`; nil if it is no child.
package func reap(_ process: Int32) -> Int32? {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 {
        guard errno == EINTR else { return nil }
    }
    return status
}
