import Glibc

/// Where a request is from, as limits count it.
package struct ClientAddress: Hashable, Sendable {
    /// The address; of IPv6 its first half, since a sender has all of the other half.
    package let text: String
    /// Whether it is this machine: a program on it may speak for others.
    package let isLocal: Bool
    /// All of it.
    private let exact: [UInt8]

    /// - Parameter address: Of IPv4 or IPv6.
    /// - Returns: nil for another text.
    package init?(_ address: some StringProtocol) {
        // Without the network card of a local address.
        let text = String(address.prefix { $0 != "%" })
        var (ip4, ip6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &ip4) == 1 {
            self.init(ip4: withUnsafeBytes(of: ip4) { Array($0) })
            return
        }
        guard inet_pton(AF_INET6, text, &ip6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: ip6) { Array($0) }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            // IPv4 at a socket of IPv6.
            self.init(ip4: Array(bytes[12...]))
            return
        }
        let words = stride(from: 0, to: 8, by: 2).map { index in
            String(Int(bytes[index]) << 8 | Int(bytes[index + 1]), radix: 16)
        }
        self.init(
            text: words.joined(separator: ":") + "::/64",
            isLocal: bytes == [UInt8](repeating: 0, count: 15) + [1], exact: bytes)
    }

    private init(ip4 bytes: [UInt8]) {
        self.init(
            text: bytes.map { String($0) }.joined(separator: "."), isLocal: bytes.first == 127,
            exact: bytes)
    }

    private init(text: String, isLocal: Bool, exact: [UInt8]) {
        self.text = text
        self.isLocal = isLocal
        self.exact = exact
    }

    package static func == (one: ClientAddress, other: ClientAddress) -> Bool {
        one.text == other.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Whether it is this very address: neighbours of an IPv6 address are not.
    package func isExactly(_ other: ClientAddress?) -> Bool { exact == other?.exact }

    /// Where a request is from that has come through a proxy.
    ///
    /// - Parameters:
    ///   - peer: What the connection is from.
    ///   - proxy: The proxy that is believed; nil: none.
    ///   - forwarded: The header X-Forwarded-For.
    package static func of(
        peer: ClientAddress?, proxy: ClientAddress?, forwarded: String?
    ) -> ClientAddress? {
        guard let proxy, proxy.isExactly(peer) else { return peer }
        // Its last part is the proxy's own word.
        guard let last = forwarded?.split(separator: ",").last else { return peer }
        return ClientAddress(last.drop { $0 == " " }.prefix { $0 != " " }) ?? peer
    }
}
