package import GreenroomMedia

/// What a broadcast says of itself when it connects, in a number.
package struct BroadcastGreeting: Equatable, Sendable {
    /// ``GreenroomProtocol/version`` of its side.
    package var version: UInt32
    /// What it offers.
    package var kind: PluginKind

    package init(version: UInt32 = GreenroomProtocol.version, kind: PluginKind) {
        self.version = version
        self.kind = kind
    }

    /// Reads a number; nil if it is no greeting.
    package init?(_ number: UInt32) {
        guard let kind = PluginKind(rawValue: number & 0xff) else { return nil }
        self.kind = kind
        version = number >> 8
    }

    /// The number.
    package var number: UInt32 { version << 8 | kind.rawValue }
}

/// Why a host sends a broadcast away.
package enum BroadcastRefusal: UInt32, CaseIterable, Sendable {
    /// It is of another version.
    case version = 1
    /// There is one already.
    case isTaken = 2
    /// The session has no use for what it offers.
    case isUnwanted = 3
    /// It is another user's.
    case user = 4
    /// The session is ending.
    case isClosed = 5
    /// What it said first was no greeting, or it said nothing.
    case noGreeting = 6

    /// For people.
    package var text: String {
        switch self {
        case .version: "it is of another version than the host; install both anew"
        case .isTaken: "there is a broadcast already, and one is let in at a time"
        case .isUnwanted: "the session has no use for what it offers"
        case .user: "it runs as another user than the host, which lets its own in and root"
        case .isClosed: "the session is ending"
        case .noGreeting: "it does not greet as the broadcast library does"
        }
    }
}
