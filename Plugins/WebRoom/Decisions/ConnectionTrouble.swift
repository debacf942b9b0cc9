import RoomAccess

/// The reason that media do not connect: the tried candidates, and the missing part.
package struct ConnectionTrouble: Equatable, Sendable {
    /// The facts of a connection that waits for its media.
    package struct Facts: Sendable {
        /// The candidates that the room has sent.
        package var local: [SDPDescription.Candidate]
        /// The far end's candidates.
        package var remote: [SDPDescription.Candidate]
        /// The UDP ports that media may use; nil if any.
        package var ports: ClosedRange<UInt16>?
        /// Whether the room has a TURN server.
        package var hasTURN: Bool

        /// Describes a connection.
        package init(
            local: [SDPDescription.Candidate], remote: [SDPDescription.Candidate],
            ports: ClosedRange<UInt16>?, hasTURN: Bool
        ) {
            (self.local, self.remote) = (local, remote)
            (self.ports, self.hasTURN) = (ports, hasTURN)
        }
    }

    /// The time without media after which the room reports the reason, in seconds.
    package static let patience = 8

    /// The reason, in one line.
    package let text: String

    /// Determines the reason from the facts.
    package init(_ facts: Facts) {
        text =
            "media do not connect; tried \(Self.list(facts.local)) of the room with "
            + "\(Self.list(facts.remote)) of the far end. \(Self.reason(facts))"
    }

    private static let most = 6

    private static func list(_ candidates: [SDPDescription.Candidate]) -> String {
        guard !candidates.isEmpty else { return "no address" }
        let names = candidates.prefix(most).map { candidate in
            let host =
                candidate.address.contains(":") ? "[\(candidate.address)]" : candidate.address
            return "\(host):\(candidate.port) (\(candidate.kind.rawValue))"
        }
        let rest = candidates.count - names.count
        return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// The missing part, and the fix.
    private static func reason(_ facts: Facts) -> String {
        let local = facts.local.compactMap { NetworkAddress($0.address) }
        let remote = facts.remote.compactMap { NetworkAddress($0.address) }
        let udp =
            facts.ports.map { "the UDP ports \($0.lowerBound)-\($0.upperBound)" }
            ?? "UDP, all ports"
        if facts.hasTURN, !facts.local.contains(where: { $0.kind == .relay }) {
            return "The TURN server gives the room no address: check turn, turn-username, "
                + "turn-password and turn-secret."
        }
        guard let widest = local.map(\.reach).max() else {
            return "The room has no address: check address, and the machine's network."
        }
        if widest == .machine {
            return "The room's media stay on this machine: set address to 0.0.0.0."
        }
        guard
            remote.isEmpty
                || remote.contains(where: { far in local.contains { $0.isIPv6 == far.isIPv6 } })
        else {
            let (own, other) = local.contains(where: \.isIPv6) ? ("IPv6", "IPv4") : ("IPv4", "IPv6")
            return "The room has only \(own), the far end only \(other): set turn."
        }
        // Treat a browser that hides its addresses as an IPv4 peer on another machine.
        let usable = local.filter { own in
            remote.isEmpty ? !own.isIPv6 : remote.contains { $0.isIPv6 == own.isIPv6 }
        }
        let cure = "set announce to its public address and forward \(udp), or set turn"
        if usable.map(\.reach).max() == .network {
            let isNear = !remote.isEmpty && remote.allSatisfy { $0.reach < .everywhere }
            return "The room has only private addresses: "
                + (isNear
                    ? "on the same network open \(udp); for other networks \(cure)." : "\(cure).")
        }
        guard !remote.isEmpty else {
            return "The far end sent no address, as a browser behind a UDP block does. "
                + "Open \(udp), or set turn."
        }
        return "Packets are blocked: open \(udp), and forward them on the router"
            + (facts.hasTURN ? "; the TURN server does not help." : ", or set turn.")
    }
}
