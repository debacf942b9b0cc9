package import Glibc

/// An IP address, and its reach.
package struct NetworkAddress: Hashable, Sendable {
    /// The places from which an address can be reached, the nearest first.
    package enum Reach: Int, Comparable, Sendable {
        /// Reachable from the same machine.
        case machine
        /// Reachable from the same link. IPv6 also needs the name of the network interface.
        case link
        /// Reachable from the same network: RFC 1918, RFC 4193, and carriers' RFC 6598.
        case network
        case everywhere

        package static func < (one: Reach, other: Reach) -> Bool { one.rawValue < other.rawValue }
    }

    /// The address in the form of `inet_ntop`.
    package let text: String
    package let isIPv6: Bool
    package let reach: Reach

    /// - Parameter text: An IPv4 or IPv6 address, without brackets and network interface.
    /// - Returns: The address; nil if the text is not an address, or is a multicast address or the
    ///   address zero.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        var (ip4, ip6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &ip4) == 1 {
            let bytes = withUnsafeBytes(of: ip4) { Array($0) }
            guard bytes[0] != 0, bytes[0] < 224 else { return nil }
            (self.text, isIPv6, reach) = (text, false, Self.reach(ofIPv4: bytes))
            return
        }
        guard inet_pton(AF_INET6, text, &ip6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: ip6) { Array($0) }
        guard bytes[0] != 0xff, bytes.contains(where: { $0 != 0 }) else { return nil }
        var written = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &ip6, &written, socklen_t(written.count)) != nil else {
            return nil
        }
        self.text = String(
            decoding: written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        isIPv6 = true
        if bytes[..<15].allSatisfy({ $0 == 0 }), bytes[15] == 1 {
            reach = .machine
        } else if bytes[0] == 0xfe, bytes[1] & 0xc0 == 0x80 {
            reach = .link
        } else {
            reach = bytes[0] & 0xfe == 0xfc ? .network : .everywhere
        }
    }

    private static func reach(ofIPv4 bytes: [UInt8]) -> Reach {
        switch (bytes[0], bytes[1]) {
        case (127, _): .machine
        case (169, 254): .link
        case (10, _), (172, 16...31), (192, 168), (100, 64...127): .network
        default: .everywhere
        }
    }

    /// The address as the host of a URL.
    package var host: String { isIPv6 ? "[\(text)]" : text }

    // MARK: This machine's

    /// The addresses of this machine, the most usable first: by reach, then IPv4 before IPv6. Omits
    /// loopback and link-local addresses.
    ///
    /// - Parameters:
    ///   - all: The machine's addresses.
    ///   - isIPv6Heard: Whether a server of the machine also listens on IPv6.
    package static func usable(
        _ all: [NetworkAddress], isIPv6Heard: Bool
    ) -> [NetworkAddress] {
        var seen: Set<NetworkAddress> = []
        let usable = all.filter { address in
            address.reach >= .network && (isIPv6Heard || !address.isIPv6)
                && seen.insert(address).inserted
        }
        return usable.enumerated().sorted { one, other in
            if one.element.reach != other.element.reach {
                return one.element.reach > other.element.reach
            }
            if one.element.isIPv6 != other.element.isIPv6 { return !one.element.isIPv6 }
            return one.offset < other.offset
        }.map(\.element)
    }

    /// The addresses of this machine's active network interfaces, in the kernel's order.
    package static var ofMachine: [NetworkAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [NetworkAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_UP) != 0, let address = entry.ifa_addr
            else { continue }
            guard let name = text(of: UnsafePointer(address)) else { continue }
            if let address = NetworkAddress(name.prefix { $0 != "%" }) { found.append(address) }
        }
        return found
    }

    /// An address without its port, in the form of `getnameinfo`; nil if the family is not IPv4 or
    /// IPv6.
    ///
    /// - Parameter address: An IPv4 or IPv6 address.
    package static func text(of address: UnsafePointer<sockaddr>) -> String? {
        let size: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
