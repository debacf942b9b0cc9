/// The events that hooks react to. Raw values are the keys below `on` in session files.
public enum HookTrigger: String, CaseIterable, Codable, Sendable {
    /// An output has completed a file.
    case fileFinished = "file-finished"
    /// A participant has joined.
    case guestJoined = "guest-joined"
    /// A participant has left.
    case guestLeft = "guest-left"
    /// A plugin or an output was lost.
    case lost
    /// The session has ended.
    case ended

    /// The event of the trigger, for people.
    package var meaning: String {
        switch self {
        case .fileFinished:
            "An output has completed a file: a recording, or a segment of one."
        case .guestJoined: "A participant joined the call."
        case .guestLeft: "A participant left the call."
        case .lost: "A plugin or an output was lost, or cannot continue."
        case .ended: "The session has ended, and its report is written."
        }
    }
}

/// The reaction to an event: a program that the host runs, or a request that it sends.
public enum HookAction: Hashable, Sendable {
    /// Runs a program with its arguments, without a shell. The program reads the event as JSON from
    /// standard input.
    case command([String])
    /// Sends the event as a signed HTTPS request.
    ///
    /// - Parameters:
    ///   - url: `https://…`, or `http://` for a server on this machine.
    ///   - secretFile: A file with the key, `whsec_…`, relative to the session's folder, or
    ///     `credential:NAME` for a systemd credential, or `environment:NAME` for an environment variable.
    case post(url: String, secretFile: String)

    /// The reason that an address is refused, with the fix; nil if it is accepted.
    static func problem(ofURL url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard url.utf8.count <= 2000, url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            parts.count >= 3, parts[1].isEmpty, !parts[2].isEmpty,
            ["https:", "http:"].contains(parts[0])
        else { return "needs a URL such as https://example.org/hook." }
        guard !parts[2].contains("@") else {
            return "the URL contains a password. Remove it: the request is signed."
        }
        var host = parts[2]
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") { host = host[..<colon] }
        guard parts[0] == "https:" || ["localhost", "127.0.0.1", "[::1]"].contains(host) else {
            return "needs https://, because the request contains names of guests. "
                + "http:// is only for a server on this machine."
        }
        return nil
    }
}
