import Glibc

/// Returns the absolute path without symbolic links; nil, with `errno` set, if the file does not
/// exist.
package func resolvedPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// The executable of this process; nil if it cannot be found.
package var ownProgramFile: String? { resolvedPath("/proc/self/exe") }
