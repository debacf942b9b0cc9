package import GreenroomMedia

/// The first message of a broadcast, which fits in a number.
package struct BroadcastGreeting: Equatable, Sendable {
    /// The broadcast's ``GreenroomProtocol/version``.
    package var version: UInt32
    /// The kind of plugin that the broadcast offers.
    package var kind: PluginKind

    package init(version: UInt32 = GreenroomProtocol.version, kind: PluginKind) {
        self.version = version
        self.kind = kind
    }

    /// - Returns: nil if the number is not a greeting.
    package init?(_ number: UInt32) {
        guard let kind = PluginKind(rawValue: number & 0xff) else { return nil }
        self.kind = kind
        version = number >> 8
    }

    /// The greeting as a number.
    package var number: UInt32 { version << 8 | kind.rawValue }
}

/// The reason why a host refuses a broadcast.
package enum BroadcastRefusal: UInt32, CaseIterable, Sendable {
    /// The broadcast has another version of the protocol.
    case version = 1
    /// Another broadcast of its kind is connected.
    case isTaken = 2
    /// The session has no broadcast of its kind.
    case isUnwanted = 3
    /// The broadcast runs as another user.
    case user = 4
    /// The session is ending.
    case isClosed = 5
    /// The broadcast's first message was not a greeting, or was too late.
    case noGreeting = 6

    /// The reason in words.
    package var text: String {
        switch self {
        case .version:
            "the version differs from the host's; restart the session if Greenroom was upgraded "
                + "while it ran, else install both anew"
        case .isTaken: "another broadcast is connected; the limit is one at a time"
        case .isUnwanted: "the session does not use the offered plugins"
        case .user: "runs as another user; the host accepts its own user and root"
        case .isClosed: "the session is ending"
        case .noGreeting: "no greeting of the broadcast library"
        }
    }
}
