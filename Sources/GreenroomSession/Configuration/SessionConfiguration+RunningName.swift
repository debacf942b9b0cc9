import Glibc

extension SessionConfiguration {
    /// What a running session is called on this machine, e.g. `lobby.4711`: its name, as a part of a
    /// file's, and its process.
    package var runningName: String { "\(Self.runningName(of: name)).\(getpid())" }

    /// A session's name as a part of a file's: other characters than ASCII letters, digits, `-` and `_`
    /// become `-`.
    package static func runningName(of name: String) -> String {
        let kept = name.unicodeScalars.map { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_": Character(scalar)
            default: "-" as Character
            }
        }
        // It is part of the path of a socket, which is short.
        return String(kept.prefix(40))
    }
}
