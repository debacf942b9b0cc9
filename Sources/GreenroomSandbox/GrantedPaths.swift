import Glibc

/// The files that a policy grants.
struct GrantedPaths: Sendable {
    private let grants: [PathGrant]
    private let process: Int32

    /// - Parameter process: The plugin's process: `/proc/self` means this one.
    init(_ policy: SandboxPolicy, process: Int32) {
        self.process = process
        grants = policy.grants.compactMap { grant in
            let path = grant.path == "/proc/self" ? "/proc/\(process)" : grant.path
            return canonicalPath(path).map { PathGrant(path: $0, access: grant.access) }
        }
    }

    /// Whether a grant covers a path, which must have no links.
    func cover(_ path: String, for access: PathGrant.Access) -> Bool {
        let path = replacingOwnEntry(process, path)
        return grants.contains { grant in
            (access == .read || grant.access == access || grant.access == .device)
                && (path == grant.path || grant.path == "/" || path.hasPrefix(grant.path + "/"))
        }
    }

    /// Some links lead to `/proc/self`, as `/etc/mtab` does. The host resolves them to its own
    /// entry; the plugin means its own.
    private func replacingOwnEntry(_ process: Int32, _ path: String) -> String {
        let own = "/proc/\(getpid())"
        guard path == own || path.hasPrefix(own + "/") else { return path }
        return "/proc/\(process)" + path.dropFirst(own.count)
    }
}

/// The path of an existing file, without links; nil if there is none or it can't be seen.
func canonicalPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// The path of a file that need not exist, and its folder, which must exist. Resolves all links
/// except in the last part.
func resolvingFolder(_ path: String) -> (path: String, folder: String)? {
    let trimmed = path.reversed().drop { $0 == "/" }.reversed()
    guard let slash = trimmed.lastIndex(of: "/") else { return nil }
    let name = String(trimmed[trimmed.index(after: slash)...])
    let parent = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    guard !name.isEmpty, name != ".", name != "..", let folder = canonicalPath(parent) else {
        return nil
    }
    return (folder == "/" ? "/" + name : folder + "/" + name, folder)
}
