import Glibc

/// Paths that the host never suggests granting to a plugin.
enum PrivatePath {
    /// The owner of a path, as a reason to refuse the grant; nil if a plugin may have it.
    ///
    /// - Parameter path: The absolute path, without links.
    static func owner(of path: String) -> String? {
        let parts = path.split(separator: "/")
        if parts.contains(where: secrets.contains) || parts.last == ".env"
            || secretFiles.contains(path)
            || placeInHome(parts).map(isSecret) ?? false
        {
            return "the path holds keys, passwords or private data"
        }
        if runtimeFolders.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) {
            return "the path reaches the user's programs"
        }
        if parts.first == "proc", parts.count > 1, parts[1].allSatisfy(\.isNumber) {
            return "the path belongs to another process"
        }
        if memory.contains(path) { return "the path is the machine's memory" }
        return nil
    }

    /// Whether a folder or file belongs to the system. Writing there gives control of the machine.
    static func isOfSystem(_ path: String) -> Bool {
        path == "/" || path.split(separator: "/").first.map(systemFolders.contains) ?? false
    }

    /// Whether a grant would include the private data of all users, or of many programs.
    static func isTooWide(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard !parts.isEmpty, !wideFolders.contains(path) else { return true }
        guard let place = placeInHome(parts) else { return false }
        return place.isEmpty || wideHomeFolders.contains(place.joined(separator: "/"))
    }

    /// Whether programs keep settings, keys and data at a path: in a folder or file of a home whose
    /// name begins with a dot. Fonts, ALSA's configuration and language runtimes are exceptions,
    /// because libraries read them.
    static func isOfPrograms(_ path: String) -> Bool {
        guard let place = placeInHome(path.split(separator: "/")), place.first?.first == "." else {
            return false
        }
        return !openPlaces.contains { place.starts(with: $0) }
    }

    /// Whether other programs execute or follow the files written at a path. A program's own data
    /// or cache folder is an exception.
    static func isFollowed(_ path: String) -> Bool {
        guard let place = placeInHome(path.split(separator: "/")), place.first?.first == "." else {
            return false
        }
        let own = dataFolders.first { place.starts(with: $0) && place.count > $0.count }
        return own.map { sharedData.contains(place[place.startIndex + $0.count]) } ?? true
    }

    /// Whether a device is not used for media.
    static func isOtherDevice(_ path: String) -> Bool {
        !mediaDevices.contains { path.hasPrefix("/dev/" + $0) }
    }

    /// The components of a path below the home that contains it; nil if none does.
    private static func placeInHome(_ parts: [Substring]) -> ArraySlice<Substring>? {
        if let home, parts.starts(with: home) { return parts.dropFirst(home.count) }
        if parts.first == "root" { return parts.dropFirst() }
        return parts.first == "home" && parts.count > 1 ? parts.dropFirst(2) : nil
    }

    private static func isSecret(_ place: ArraySlice<Substring>) -> Bool {
        secretPlaces.contains { place.starts(with: $0) }
    }

    private static let wideFolders: Set<String> = [
        "/boot", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/var",
        "/var/tmp",
    ]

    /// The components of the user's home, which may be any folder.
    private static let home = getenv("HOME").flatMap { canonicalPath(String(cString: $0)) }
        .map { $0.split(separator: "/") }.flatMap { $0.isEmpty ? nil : $0 }

    private static let wideHomeFolders: Set<String> = [
        ".cache", ".config", ".local", ".local/bin", ".local/lib", ".local/share", ".local/state",
    ]

    /// The folders with sockets of the user's programs.
    private static let runtimeFolders: [String] =
        ["/run/user"]
        + (getenv("XDG_RUNTIME_DIR").flatMap { canonicalPath(String(cString: $0)) }.map { [$0] }
            ?? [])

    private static let openPlaces: [[Substring]] = [
        [".asoundrc"], [".config", "alsa"], [".config", "fontconfig"], [".fonts"], [".fonts.conf"],
        [".local", "share", "fonts"], [".asdf"], [".cargo", "registry"], [".conda"],
        [".local", "pipx"], [".local", "share", "uv"], [".nvm"], [".pyenv"], [".rbenv"],
        [".rustup"], [".venv"], [".virtualenvs"],
    ]

    /// The folders below a home in which each program has its own folder.
    private static let dataFolders: [[Substring]] = [
        [".cache"], [".local", "share"], [".local", "state"],
    ]

    /// Data folders that the desktop and other programs read, such as `applications`.
    private static let sharedData: Set<Substring> = [
        "applications", "bash-completion", "dbus-1", "flatpak", "gnome-shell", "greenroom", "kio",
        "nautilus", "plasma", "systemd",
    ]

    private static let mediaDevices = [
        "blackmagic", "dma_heap", "dri", "dvb", "kfd", "mali", "media", "nvidia", "snd",
        "udmabuf", "v4l", "vchiq", "video",
    ]

    /// Names of secret folders and files, in any folder.
    private static let secrets: Set<Substring> = [
        ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".pgpass", ".pki",
        ".git-credentials", ".password-store", ".mozilla", ".thunderbird", "keyrings",
        ".bash_history", ".zsh_history", ".npmrc", ".pypirc", ".vault-token",
    ]

    /// The secret paths below a home.
    private static let secretPlaces: [[Substring]] = [
        [".cargo", "credentials"], [".cargo", "credentials.toml"], [".config", "BraveSoftware"],
        [".config", "chromium"], [".config", "gcloud"], [".config", "gh"],
        [".config", "google-chrome"], [".config", "rclone"],
    ]

    private static let secretFiles: Set<String> = [
        "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/security/opasswd",
    ]

    private static let memory: Set<String> = ["/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore"]

    private static let systemFolders: Set<Substring> = [
        "bin", "boot", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr",
    ]
}
