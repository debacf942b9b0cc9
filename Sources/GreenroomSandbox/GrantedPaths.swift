import Glibc

/// What a policy grants in the file system, ready to be asked about a path.
struct GrantedPaths: Sendable {
    private let grants: [PathGrant]
    private let process: Int32

    /// - Parameter process: Whose `/proc/self` is granted.
    init(_ policy: SandboxPolicy, process: Int32) {
        self.process = process
        grants = policy.grants.compactMap { grant in
            let path = grant.path == "/proc/self" ? "/proc/\(process)" : grant.path
            return canonicalPath(path).map { PathGrant(path: $0, access: grant.access) }
        }
    }

    /// Whether a path without links is granted.
    func cover(_ path: String, for access: PathGrant.Access) -> Bool {
        let path = asOf(process, path)
        return grants.contains { grant in
            (access == .read || grant.access == access || grant.access == .device)
                && (path == grant.path || grant.path == "/" || path.hasPrefix(grant.path + "/"))
        }
    }

    /// Links to `/proc/self`, as `/etc/mtab` is one, lead the host to its own entry.
    private func asOf(_ process: Int32, _ path: String) -> String {
        let mine = "/proc/\(getpid())"
        guard path == mine || path.hasPrefix(mine + "/") else { return path }
        return "/proc/\(process)" + path.dropFirst(mine.count)
    }
}

/// The path of a file that exists, without links; nil if there is none, or none that may be seen.
func canonicalPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// The path of a file that may not exist in a folder that does, without links before the last
/// part; with the folder.
func canonicalPlace(_ path: String) -> (path: String, folder: String)? {
    let trimmed = path.reversed().drop { $0 == "/" }.reversed()
    guard let slash = trimmed.lastIndex(of: "/") else { return nil }
    let name = String(trimmed[trimmed.index(after: slash)...])
    let parent = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    guard !name.isEmpty, name != ".", name != "..", let folder = canonicalPath(parent) else {
        return nil
    }
    return (folder == "/" ? "/" + name : folder + "/" + name, folder)
}
