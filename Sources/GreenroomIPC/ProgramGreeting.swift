package import GreenroomMedia

/// The first message of a program that connects, which fits in a number.
package struct ProgramGreeting: Equatable, Sendable {
    /// The program's ``GreenroomProtocol/version``.
    package var version: UInt32
    /// The kinds of plugins that the program offers.
    package var kinds: Set<PluginKind>

    package init(version: UInt32 = GreenroomProtocol.version, kinds: Set<PluginKind>) {
        self.version = version
        self.kinds = kinds
    }

    /// - Returns: nil if the number is not a greeting.
    package init?(_ number: UInt32) {
        let kinds = PluginKind.allCases.filter { number & 1 << $0.rawValue != 0 }
        let known = kinds.reduce(0) { $0 | 1 << $1.rawValue }
        guard !kinds.isEmpty, number & 0xffff == known else { return nil }
        self.kinds = Set(kinds)
        version = number >> 16
    }

    /// The greeting as a number: the version, and a bit for each kind.
    package var number: UInt32 { kinds.reduce(version << 16) { $0 | 1 << $1.rawValue } }
}

/// The reason why a host refuses a program.
package enum ProgramRefusal: UInt32, CaseIterable, Sendable {
    /// The program has another version of the protocol.
    case version = 1
    /// Another program is connected.
    case isTaken = 2
    /// The session has no plugin of the offered kinds at this socket.
    case isUnwanted = 3
    /// The program runs as another user.
    case user = 4
    /// The session is ending.
    case isClosed = 5
    /// The program's first message was not a greeting, or was too late.
    case noGreeting = 6

    /// The reason in words.
    package var text: String {
        switch self {
        case .version:
            "the version differs from the host's; restart the session if Greenroom was upgraded "
                + "while it ran, else reinstall both"
        case .isTaken: "another program is connected; a socket serves one at a time"
        case .isUnwanted: "the session does not use the offered plugins"
        case .user: "runs as another user; the host accepts its own user and root"
        case .isClosed: "the session is ending"
        case .noGreeting: "no greeting of the client library"
        }
    }
}
