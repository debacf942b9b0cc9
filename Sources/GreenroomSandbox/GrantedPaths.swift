import Glibc

/// The files that a policy grants.
struct GrantedPaths: Sendable {
    private let grants: [PathGrant]
    private let process: Int32

    /// - Parameter process: The plugin's process, to which `/proc/self` refers.
    init(_ policy: SandboxPolicy, process: Int32) {
        self.process = process
        grants = policy.grants.compactMap { grant in
            let path = grant.path == "/proc/self" ? "/proc/\(process)" : grant.path
            return canonicalPath(path).map { PathGrant(path: $0, access: grant.access) }
        }
    }

    /// Whether a grant covers a path. The path must have no links.
    func cover(_ path: String, for access: PathGrant.Access) -> Bool {
        let path = replacingOwnEntry(process, path)
        return grants.contains { grant in
            (access == .read || grant.access == access || grant.access == .device)
                && (isSame(path, grant.path) || isBelow(path, grant.path))
        }
    }

    /// Whether the plugin may make, remove and rename files in a folder. The folder's path must
    /// have no links. A grant of devices permits use, not replacement.
    func coverChanges(in folder: String) -> Bool {
        let folder = replacingOwnEntry(process, folder)
        return grants.contains { grant in
            grant.access == .write && (isSame(folder, grant.path) || isBelow(folder, grant.path))
        }
    }

    /// Replaces the host's entry of `/proc` by the plugin's. Some links, such as `/etc/mtab`, lead
    /// to `/proc/self`, which the host resolves to its own entry.
    private func replacingOwnEntry(_ process: Int32, _ path: String) -> String {
        let own = "/proc/\(getpid())"
        guard isSame(path, own) || isBelow(path, own) else { return path }
        return "/proc/\(process)" + rest(of: path, after: own)
    }
}

// The kernel compares paths by bytes. `String` treats canonically equivalent texts as equal,
// although they name different files, and misses a slash before a combining mark.

/// Whether two paths have the same bytes.
func isSame(_ path: String, _ other: String) -> Bool { path.utf8.elementsEqual(other.utf8) }

/// Whether a path is below a folder, compared by bytes.
func isBelow(_ path: String, _ folder: String) -> Bool {
    isSame(folder, "/")
        ? path.utf8.first == UInt8(ascii: "/") : path.utf8.starts(with: (folder + "/").utf8)
}

/// The rest of a path after as many bytes as `beginning` has.
func rest(of path: String, after beginning: String) -> String {
    String(Substring(path.utf8.dropFirst(beginning.utf8.count)))
}

/// A path's folder (at least `/`) and the name in the folder, without slashes; nil if the path is
/// `/` or relative.
func splitPath(_ path: String) -> (folder: String, name: String)? {
    let slash = UInt8(ascii: "/")
    var bytes = Array(path.utf8)
    while bytes.last == slash { bytes.removeLast() }
    guard let last = bytes.lastIndex(of: slash) else { return nil }
    let folder = last == 0 ? "/" : String(decoding: bytes[..<last], as: UTF8.self)
    return (folder, String(decoding: bytes[(last + 1)...], as: UTF8.self))
}

/// The path of an existing file, without links; nil if the file is missing or inaccessible.
func canonicalPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// The path of a file and its folder. The folder must exist; the file need not. Resolves all links
/// except in the last component.
func resolvingFolder(_ path: String) -> (path: String, folder: String)? {
    guard let (parent, name) = splitPath(path), name != ".", name != "..",
        let folder = canonicalPath(parent)
    else { return nil }
    return (folder == "/" ? "/" + name : folder + "/" + name, folder)
}
