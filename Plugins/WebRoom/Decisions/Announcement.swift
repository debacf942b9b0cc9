import RoomAccess

/// The addresses at which routers forward to the room: the setting `announce`.
///
/// A machine behind a router does not know these addresses, so its descriptions contain only
/// private addresses.
package struct Announcement: Equatable, Sendable {
    private let addresses: [NetworkAddress]
    /// Whether the room also announces an address that a STUN server reports, with the ports of
    /// this machine.
    package let isAuto: Bool

    /// The announcement of no address.
    package static let none = Announcement(addresses: [], isAuto: false)

    private init(addresses: [NetworkAddress], isAuto: Bool) {
        (self.addresses, self.isAuto) = (addresses, isAuto)
    }

    /// - Parameter text: IP addresses, `auto`, or both, separated by spaces.
    /// - Returns: The announcement; nil if a word is neither, or is an address that no other
    ///   machine can use.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        var addresses: [NetworkAddress] = []
        for word in words where word != "auto" {
            guard let address = NetworkAddress(word), address.reach >= .network else { return nil }
            addresses.append(address)
        }
        self.init(addresses: addresses, isAuto: words.contains("auto"))
    }

    /// The type preference that RFC 8445 recommends for server-reflexive candidates.
    private static let preference: UInt32 = 100

    /// The description for other machines: without unusable candidates, and with the announced
    /// addresses.
    ///
    /// - Parameter description: The description that webrtcbin has made.
    package func applied(to description: String) -> String {
        var lines: [String] = []
        var written: Set<String> = []
        var lists: [[SDPDescription.Candidate]] = [[]]
        // Each medium has its own candidates, so a medium's `auto` candidates count for that medium
        // alone.
        let all = description.split(separator: "\r\n", omittingEmptySubsequences: false)
        for line in all {
            if line.hasPrefix("m=") { lists.append([]) }
            if let candidate = Self.candidate(in: line) {
                lists[lists.count - 1].append(candidate)
            }
        }
        var medium = 0
        for line in all {
            if line.hasPrefix("m=") { (medium, written) = (medium + 1, []) }
            guard line.hasPrefix(Self.prefix) else {
                lines.append(String(line))
                continue
            }
            guard let candidate = Self.candidate(in: line) else { continue }
            for candidate in [candidate] + announced(candidate, among: lists[medium])
            where written.insert("\(candidate.address) \(candidate.port)").inserted {
                lines.append("a=\(candidate.text)")
            }
        }
        return lines.joined(separator: "\r\n")
    }

    private static let prefix = "a=candidate:"

    /// The candidate in a line; nil if the line has another kind, or no other machine can use the
    /// candidate.
    private static func candidate(
        in line: Substring
    ) -> SDPDescription.Candidate? {
        guard line.hasPrefix(prefix),
            let candidate = SDPDescription.Candidate(String(line.dropFirst(prefix.count))),
            let address = NetworkAddress(candidate.address), address.reach != .link
        else { return nil }
        return candidate
    }

    /// The candidates at which routers forward to a host candidate.
    private func announced(
        _ candidate: SDPDescription.Candidate, among all: [SDPDescription.Candidate]
    ) -> [SDPDescription.Candidate] {
        guard candidate.kind == .host, let own = NetworkAddress(candidate.address),
            own.reach != .machine
        else { return [] }
        var addresses = addresses
        if isAuto {
            addresses += all.filter { $0.kind == .srflx }
                .compactMap { NetworkAddress($0.address) }
        }
        var seen: Set<NetworkAddress> = [own]
        return addresses.filter { $0.isIPv6 == own.isIPv6 && seen.insert($0).inserted }
            .enumerated().map { index, address in
                var made = candidate
                made.foundation = "\(candidate.foundation.prefix(26))a\(index)"
                made.priority = candidate.priority & 0x00ff_ffff | Self.preference << 24
                made.kind = .srflx
                made.address = address.text
                made.base = .init(address: candidate.address, port: candidate.port)
                return made
            }
    }
}
