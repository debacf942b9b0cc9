import Glibc

/// Paths that no plugin is granted on the host's advice.
enum PrivatePath {
    /// Whose a path is, as a reason to refuse it; nil if a plugin may well be granted it.
    ///
    /// - Parameter path: Absolute, without links.
    static func owner(of path: String) -> String? {
        let parts = path.split(separator: "/")
        if parts.contains(where: secrets.contains) || secretFiles.contains(path) {
            return "it holds keys, passwords or private data"
        }
        if parts.first == "proc", parts.count > 1, parts[1].allSatisfy(\.isNumber) {
            return "it is about another process"
        }
        if memory.contains(path) { return "it is the machine's memory" }
        return nil
    }

    /// Whether a folder or file is the system's, so that writing there gives control of the machine.
    static func isOfSystem(_ path: String) -> Bool {
        path == "/" || path.split(separator: "/").first.map(systemFolders.contains) ?? false
    }

    /// Whether a grant would include the private data of all users, or a whole disk or keyboard.
    static func isTooWide(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.isEmpty || wideFolders.contains(path) || path == home
            || (parts.count == 2 && parts[0] == "home")
            || wideDevices.contains { path.hasPrefix($0) }
    }

    private static let wideFolders: Set<String> = [
        "/boot", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/var",
        "/var/tmp",
    ]

    /// The user's home, which may lie anywhere.
    private static let home = getenv("HOME").flatMap { canonicalPath(String(cString: $0)) }

    private static let wideDevices = ["/dev/input/", "/dev/nvme", "/dev/sd", "/dev/vd"]

    /// Names of folders and files, wherever they are.
    private static let secrets: Set<Substring> = [
        ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".pgpass", ".pki",
        ".git-credentials", ".password-store", ".mozilla", ".thunderbird", "keyrings",
        ".bash_history", ".zsh_history",
    ]

    private static let secretFiles: Set<String> = [
        "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/security/opasswd",
    ]

    private static let memory: Set<String> = ["/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore"]

    private static let systemFolders: Set<Substring> = [
        "bin", "boot", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr",
    ]
}
