import Glibc

/// An SDP offer of a browser or another peer, as far as the room must know it; anybody can send
/// anything.
package struct SessionOffer: Equatable {
    /// A medium that is offered.
    package struct Media: Equatable {
        /// The payload types of codecs, by their names in capitals, as first offered.
        package var payloads: [String: Int] = [:]
        /// The URIs of header extensions, by their ids.
        package var extensions: [Int: String] = [:]
        package var direction = "sendrecv"
        /// Whether it has no port of its own.
        var isPortless = false
        /// Whether it shares the transport of another medium; else one without a port is refused.
        var isBundleOnly = false

        package var sends: Bool { direction == "sendrecv" || direction == "sendonly" }
        package var receives: Bool { direction == "sendrecv" || direction == "recvonly" }
    }

    package var audio: Media?
    package var video: Media?
    /// The offer, without the candidates that only a name or a TCP connection leads to: they are not
    /// looked up.
    package var text: String

    package static let longest = 64_000
    private static let mostLines = 2000
    private static let mostCandidates = 64
    private static let mostMedia = 8

    /// Reads an offer.
    ///
    /// - Throws: What is wrong with it, for the peer's programmer.
    package init(_ offer: String) throws(SignallingError) {
        guard offer.utf8.count <= Self.longest else { throw .tooLarge }
        let lines = offer.split(whereSeparator: \.isNewline).map(String.init)
        guard lines.first == "v=0" else { throw .bad("it does not begin with v=0") }
        guard lines.count <= Self.mostLines else { throw .bad("it has too many lines") }
        var kept: [String] = []
        var media: [(kind: String, media: Media)] = []
        var sessionDirection: String?
        var (hasFingerprint, hasCredentials) = (false, false)
        var candidates = 0
        for line in lines {
            guard line.utf8.count <= 4000, !line.contains("\0") else {
                throw .bad("a line is too long or has a zero")
            }
            guard Self.isPlain(line) else {
                throw .bad("a line is not a small letter, = and a value")
            }
            if line.hasPrefix("a=candidate:") {
                candidates += 1
                guard candidates <= Self.mostCandidates else {
                    throw .bad("it has more than \(Self.mostCandidates) candidates")
                }
                guard Self.isAddress(candidate: line) else { continue }
            }
            kept.append(line)
            if line.hasPrefix("a=fingerprint:") { hasFingerprint = true }
            if line.hasPrefix("a=ice-ufrag:") { hasCredentials = true }
            if line.hasPrefix("m=") {
                guard media.count < Self.mostMedia else {
                    throw .bad("it has more than \(Self.mostMedia) media")
                }
                let words = line.dropFirst(2).split(separator: " ")
                media.append((words.first.map(String.init) ?? "", Media()))
                if let sessionDirection {
                    media[media.count - 1].media.direction = sessionDirection
                }
                guard words.count > 3 else { throw .bad("a medium has no codecs") }
                media[media.count - 1].media.isPortless = words[1] == "0"
            } else if media.isEmpty {
                if let direction = Self.direction(line) { sessionDirection = direction }
            } else {
                media[media.count - 1].media.read(line)
            }
        }
        guard hasFingerprint, hasCredentials else {
            throw .bad("it has no fingerprint or no ICE credentials")
        }
        media.removeAll { $0.media.isPortless && !$0.media.isBundleOnly }
        for (kind, medium) in media {
            switch kind {
            case "audio" where audio == nil: audio = medium
            case "video" where video == nil: video = medium
            default:
                throw .unacceptable(
                    "an offer has at most one video and one audio; ask for others with offers of "
                        + "their own")
            }
        }
        guard !media.isEmpty else { throw .bad("it offers no media") }
        text = kept.joined(separator: "\r\n") + "\r\n"
    }

    package static func direction(_ line: String) -> String? {
        ["a=sendrecv", "a=sendonly", "a=recvonly", "a=inactive"].contains(line)
            ? String(line.dropFirst(2)) : nil
    }

    /// Whether GStreamer's parser reads a line as this one does. It passes over white space at the start
    /// of lines and values, and compares bytes, where Swift compares characters.
    private static func isPlain(_ line: String) -> Bool {
        let bytes = Array(line.utf8)
        let letter = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard bytes.count >= 2, letter.contains(bytes[0]), bytes[1] == UInt8(ascii: "=") else {
            return false
        }
        switch bytes[0] {
        case UInt8(ascii: "s"): return true
        case UInt8(ascii: "a"), UInt8(ascii: "m"):
            guard bytes.allSatisfy({ (32...126).contains($0) }) else { return false }
        default: break
        }
        return bytes.count > 2 && (33...126).contains(bytes[2])
    }

    /// Whether a candidate is a UDP address. A name would be looked up.
    private static func isAddress(candidate: String) -> Bool {
        let words = candidate.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 8, words[2].lowercased() == "udp" else { return false }
        let text = String(words[4])
        var (ip4, ip6) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, text, &ip4) == 1 || inet_pton(AF_INET6, text, &ip6) == 1
    }
}

extension SessionOffer.Media {
    fileprivate mutating func read(_ line: String) {
        if let direction = SessionOffer.direction(line) {
            self.direction = direction
        } else if line == "a=bundle-only" {
            isBundleOnly = true
        } else if let (number, rest) = Self.numbered("a=rtpmap:", line) {
            let name = rest.prefix { $0 != "/" }.uppercased()
            if payloads[name] == nil, (0...127).contains(number) { payloads[name] = number }
        } else if let (number, rest) = Self.numbered("a=extmap:", line) {
            if (1...14).contains(number) { extensions[number] = rest }
        }
    }

    /// `a=NAME:NUMBER REST`.
    private static func numbered(_ prefix: String, _ line: String) -> (Int, String)? {
        guard line.hasPrefix(prefix) else { return nil }
        let words = line.dropFirst(prefix.count).split(separator: " ", maxSplits: 1)
        guard words.count == 2, let number = Int(words[0]) else { return nil }
        return (number, String(words[1]))
    }

    /// The URI of the header extension for congestion control.
    package static let transportWideURI =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

    /// The id of the header extension for congestion control.
    package var transportWide: Int? {
        extensions.filter { $0.value == Self.transportWideURI }.keys.min()
    }
}
