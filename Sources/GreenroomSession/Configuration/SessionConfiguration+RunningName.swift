import Glibc

extension SessionConfiguration {
    /// The name of a running session on this machine, e.g. `lobby.4711`: the session's name as part
    /// of a file name, and the process ID.
    package var runningName: String { "\(Self.runningName(of: name)).\(getpid())" }

    /// Returns a session's name as part of a file name. Characters other than ASCII letters,
    /// digits, `-` and `_` become `-`.
    package static func runningName(of name: String) -> String {
        let kept = name.unicodeScalars.map { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_": Character(scalar)
            default: "-" as Character
            }
        }
        // The name is part of a socket path, which must be short.
        return String(kept.prefix(40))
    }
}
