import Glibc

extension SDPDescription {
    /// An address at which a peer can be reached (RFC 8839). The address uses UDP and is numeric,
    /// because resolving a name would need a lookup.
    package struct Candidate: Equatable, Sendable {
        /// The way in which the address was found.
        package enum Kind: String, Sendable {
            case host, srflx, prflx, relay
        }

        /// The foundation. Candidates with the same foundation were found in the same way.
        package var foundation: String
        package var priority: UInt32
        package var address: String
        package var port: UInt16
        package var kind: Kind
        /// The base of this address; nil if absent.
        package var base: Base?

        /// The base of an address (`raddr`, `rport`).
        package struct Base: Equatable, Sendable {
            package var address: String
            package var port: UInt16
        }

        /// Reads the value of a line.
        ///
        /// - Parameter value: The text after `candidate:`.
        /// - Returns: The candidate; nil if the room does not use the address.
        package init?(_ value: String) {
            let words = value.split(separator: " ", omittingEmptySubsequences: false)
                .map(String.init)
            guard words.count >= 8, words[2].lowercased() == "udp", words[6] == "typ",
                Token.isICE(words[0], 1...32),
                // RTP and RTCP share the port of component 1.
                words[1] == "1", let priority = UInt32(words[3]),
                Self.isAddress(words[4]), let port = UInt16(words[5]), port > 0,
                let kind = Kind(rawValue: words[7])
            else { return nil }
            (foundation, self.priority, address) = (words[0], priority, words[4])
            (self.port, self.kind) = (port, kind)
            guard words.count >= 12, words[8] == "raddr", words[10] == "rport",
                Self.isAddress(words[9]), let port = UInt16(words[11])
            else { return }
            base = Base(address: words[9], port: port)
        }

        /// The line, beginning with `candidate:`.
        package var text: String {
            let base = base.map { " raddr \($0.address) rport \($0.port)" } ?? ""
            return
                "candidate:\(foundation) 1 UDP \(priority) \(address) \(port) typ \(kind.rawValue)"
                + base
        }

        private static func isAddress(_ text: String) -> Bool {
            var (ip4, ip6) = (in_addr(), in6_addr())
            return inet_pton(AF_INET, text, &ip4) == 1 || inet_pton(AF_INET6, text, &ip6) == 1
        }
    }
}

/// Checks of SDP words that an answer repeats.
enum Token {
    /// Whether a text is a `token` of RFC 8866.
    static func isToken(_ text: some StringProtocol, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-.^_`{|}~".utf8.contains($0) }
    }

    /// Whether a text consists of `ice-char` of RFC 8839.
    ///
    /// Older browsers write `=`, `-` and `_`, too.
    static func isICE(_ text: some StringProtocol, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || "+/=-_".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
