/// The tokens of viewers, guests and operators, and their rights.
package struct Access: Sendable {
    /// The rights of a token. Each role includes the rights of the roles before it.
    package enum Role: String, CaseIterable, Comparable {
        /// Watch and listen.
        case viewer
        /// Join.
        case guest
        /// Remove guests.
        case `operator`

        package static func < (left: Role, right: Role) -> Bool {
            left.order < right.order
        }

        private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The token of each role. Nobody can use a role without a token.
    package let tokens: [Role: String]

    /// The token that can read the metrics and nothing else; nil if none.
    private let metricsToken: String?

    /// Creates the access by tokens.
    package init(tokens: [Role: String], metricsToken: String? = nil) {
        self.tokens = tokens
        self.metricsToken = metricsToken
    }

    /// The role of a bearer token; nil if the token is wrong. Compares every token.
    package func role(of token: some StringProtocol) -> Role? {
        var role: Role?
        for candidate in Role.allCases {
            if Secret.matches(token, tokens[candidate] ?? "") { role = candidate }
        }
        return role
    }

    /// The role of a header `Authorization: Bearer TOKEN`.
    package func role(ofHeader header: String?) -> Role? {
        Self.token(inHeader: header).flatMap { role(of: $0) }
    }

    /// Whether a header has a token that may read the metrics: the operator's or the metrics token.
    package func mayReadMetrics(header: String?) -> Bool {
        guard let token = Self.token(inHeader: header) else { return false }
        let isMetricsToken = Secret.matches(token, metricsToken ?? "")
        return role(of: token) == .operator || isMetricsToken
    }

    private static func token(inHeader header: String?) -> Substring? {
        guard let header, header.utf8.count <= 200 else { return nil }
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return words[1]
    }

    /// Whether a request comes from the room's own page or from no page.
    package static func isSameOrigin(_ origin: String?, host: String?) -> Bool {
        guard let origin else { return true }
        guard let host else { return false }
        let parts = origin.split(separator: "://", maxSplits: 1)
        return parts.count == 2 && parts[1].lowercased() == host.lowercased()
    }
}
