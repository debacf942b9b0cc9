import Glibc

/// The origin of a request, as limits count it.
package struct ClientAddress: Hashable, Sendable {
    /// The address. Only the first half of an IPv6 address counts, because a sender controls the
    /// other half.
    package let text: String
    /// Whether the address is this machine's. A program on this machine may act for others.
    package let isLocal: Bool
    /// All bytes of the address.
    private let exact: [UInt8]

    /// - Parameter address: An IPv4 or IPv6 address.
    /// - Returns: The address; nil if the text is not an address.
    package init?(_ address: some StringProtocol) {
        // Drop the network interface of a link-local address.
        let text = String(address.prefix { $0 != "%" })
        var (ip4, ip6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &ip4) == 1 {
            self.init(ip4: withUnsafeBytes(of: ip4) { Array($0) })
            return
        }
        guard inet_pton(AF_INET6, text, &ip6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: ip6) { Array($0) }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            // An IPv4 address, mapped to IPv6.
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

    /// Whether all bytes of two addresses are equal. Addresses in the same IPv6 network differ.
    package func isExactly(_ other: ClientAddress?) -> Bool { exact == other?.exact }

    /// The origin of a request, which may have passed through a proxy.
    ///
    /// - Parameters:
    ///   - peer: The address of the connection's peer.
    ///   - proxy: The trusted proxy; nil if none.
    ///   - forwarded: The value of the header X-Forwarded-For.
    package static func of(
        peer: ClientAddress?, proxy: ClientAddress?, forwarded: String?
    ) -> ClientAddress? {
        guard let proxy, proxy.isExactly(peer) else { return peer }
        // The proxy itself has added the last part. Earlier parts are untrusted.
        guard let last = forwarded?.split(separator: ",").last else { return peer }
        return ClientAddress(last.drop { $0 == " " }.prefix { $0 != " " }) ?? peer
    }
}
