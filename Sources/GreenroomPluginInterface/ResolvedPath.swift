import Glibc

/// A path from the root on, without symbolic links; nil if there is nothing there, and `errno` says
/// why.
package func resolvedPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// The file of the program that this process runs; nil if it can't be found.
package var ownProgramFile: String? { resolvedPath("/proc/self/exe") }
