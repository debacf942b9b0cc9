/// A description of a session (SDP, RFC 8866), with the parts that WebRTC needs.
///
/// The description is a value: ``init(_:)`` reads and checks each part of a text, and ``text``
/// writes all parts again. No line of a read text is copied to a written text.
package struct SDPDescription: Equatable, Sendable {
    /// The sides that send a medium.
    package enum Direction: String, Sendable {
        case sendrecv, sendonly, recvonly, inactive

        /// Whether the side that wrote the description sends.
        package var sends: Bool { self == .sendrecv || self == .sendonly }
        /// Whether the side that wrote the description receives.
        package var receives: Bool { self == .sendrecv || self == .recvonly }
    }

    /// The side that opens DTLS (RFC 4145).
    package enum Setup: String, Sendable {
        case actpass, active, passive
    }

    /// The hash of a certificate.
    package struct Fingerprint: Equatable, Sendable {
        /// The name of the hash, such as `sha-256`.
        package var hash: String
        /// Pairs of hexadecimal digits in capitals, with colons.
        package var value: String

        /// The hashes that a certificate is compared by. Weaker hashes prove nothing.
        static let hashes: Set = ["sha-256", "sha-384", "sha-512"]
        /// The maximum number of fingerprints of a transport.
        static let limit = 8
    }

    /// The transport of a medium's packets.
    package struct Transport: Equatable, Sendable {
        package var username: String?
        package var password: String?
        package var fingerprints: [Fingerprint] = []
        package var setup: Setup?
        package var candidates: [Candidate] = []

        /// Whether a connection can be made.
        package var isComplete: Bool {
            username != nil && password != nil && !fingerprints.isEmpty
        }
    }

    /// Feedback by RTCP. Raw values are the values of `a=rtcp-fb`.
    package enum Feedback: String, CaseIterable, Sendable {
        case nack
        case pli = "nack pli"
        case fir = "ccm fir"
        case transportWide = "transport-cc"
    }

    /// A payload type.
    package struct Payload: Equatable, Sendable {
        /// A value of `a=fmtp`.
        package struct Parameter: Equatable, Sendable {
            package var name: String
            package var value: String
        }

        package var number: Int
        /// The name of the codec in capitals; empty if the description has none.
        package var codec = ""
        package var clockRate = 0
        package var channels: Int?
        package var parameters: [Parameter] = []
        package var feedback: Set<Feedback> = []

        /// The value of a parameter.
        ///
        /// - Parameter name: The name in lower case.
        package subscript(name: String) -> String? {
            parameters.first { $0.name == name }?.value
        }
    }

    /// A stream of packets that a side sends.
    package struct Source: Equatable, Sendable {
        /// The stream's SSRC.
        package var number: UInt32
        package var name: String?
    }

    /// A stream, and the stream with its retransmissions.
    package struct SourcePair: Equatable, Sendable {
        package var stream: UInt32
        package var retransmissions: UInt32
    }

    /// A medium: an `m=` line and the lines that follow it.
    package struct Media: Equatable, Sendable {
        /// The name of the kind, such as `audio`.
        package var kind: String
        /// The name of the protocol, such as `UDP/TLS/RTP/SAVPF`.
        package var transportProtocol: String
        /// Whether the line has a port other than 0.
        package var hasPort: Bool
        /// The payload types, the best first. Media other than RTP have a word instead.
        package var formats: [String]
        /// The medium's name, from `a=mid`; nil if absent.
        package var name: String?
        /// Whether a medium without a port shares the port of its group.
        package var isBundleOnly = false
        package var direction = Direction.sendrecv
        package var transport = Transport()
        /// Whether RTP and RTCP share a port.
        package var sharesPort = false
        /// The payload types in the order of ``formats``.
        package var payloads: [Payload] = []
        /// The id of the header extension for congestion control; nil if absent.
        package var transportWide: Int?
        /// The ids of the header extensions that name streams.
        package var extensions: [Simulcast.Extension: Int] = [:]
        /// The names of the layers that the side that wrote the description sends, and receives (simulcast).
        package var sentLayers: [String] = []
        package var receivedLayers: [String] = []
        package var sources: [Source] = []
        package var pairs: [SourcePair] = []
        /// The names of the medium's stream and track; nil if absent.
        package var stream: String?

        /// Whether RTP carries the medium.
        package var isRTP: Bool { transportProtocol.contains("RTP/SAVP") }
        /// Whether the medium is refused or ended.
        package var isDisabled: Bool { !hasPort && !isBundleOnly }
    }

    /// The names of media that share a transport, for each group.
    package var groups: [[String]] = []
    /// Whether the side that wrote the description only answers the checks of ICE.
    package var isLite = false
    /// The room that wrote the description, and the rooms whose audio it sends; empty for another program.
    package var rooms: [String] = []
    package var media: [Media] = []

    /// The attribute with the rooms.
    static let roomsAttribute = "x-greenroom-rooms"
    /// The limit of rooms.
    static let mostRooms = 32

    /// The URI of the header extension for congestion control.
    package static let transportWideURI =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

    /// A description without media.
    package init() {}

    private static func line(of rooms: [String]) -> String {
        "a=\(roomsAttribute):" + rooms.prefix(mostRooms).joined(separator: " ")
    }

    /// The text of a description of webrtcbin with the rooms.
    package static func marked(_ text: String, with rooms: [String]) -> String {
        guard let media = text.firstRange(of: "\r\nm="), !rooms.isEmpty else { return text }
        return text[..<media.lowerBound] + "\r\n" + line(of: rooms) + text[media.lowerBound...]
    }

    /// The description as SDP.
    package var text: String {
        var lines = ["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0"]
        for group in groups { lines.append("a=group:BUNDLE " + group.joined(separator: " ")) }
        if isLite { lines.append("a=ice-lite") }
        if !rooms.isEmpty { lines.append(Self.line(of: rooms)) }
        for medium in media { lines += medium.lines }
        return lines.joined(separator: "\r\n") + "\r\n"
    }
}

extension SDPDescription.Media {
    /// The lines of SDP.
    fileprivate var lines: [String] {
        let port = hasPort ? 9 : 0
        var lines = [
            "m=\(kind) \(port) \(transportProtocol) \(formats.joined(separator: " "))",
            "c=IN IP4 0.0.0.0",
        ]
        if let name { lines.append("a=mid:\(name)") }
        if isBundleOnly { lines.append("a=bundle-only") }
        lines.append("a=\(direction.rawValue)")
        lines += transport.lines
        if sharesPort { lines.append("a=rtcp-mux") }
        for payload in payloads { lines += payload.lines }
        if let transportWide {
            lines.append("a=extmap:\(transportWide) \(SDPDescription.transportWideURI)")
        }
        for named in Simulcast.Extension.allCases {
            if let id = extensions[named] { lines.append("a=extmap:\(id) \(named.uri)") }
        }
        for (layers, direction) in [(sentLayers, "send"), (receivedLayers, "recv")]
        where !layers.isEmpty {
            lines += layers.map { "a=rid:\($0) \(direction)" }
            lines.append("a=simulcast:\(direction) " + layers.joined(separator: ";"))
        }
        if let stream { lines.append("a=msid:\(stream) \(stream)") }
        for pair in pairs {
            lines.append("a=ssrc-group:FID \(pair.stream) \(pair.retransmissions)")
        }
        for source in sources {
            lines.append("a=ssrc:\(source.number) cname:\(source.name ?? "-")")
        }
        for candidate in transport.candidates { lines.append("a=\(candidate.text)") }
        return lines
    }
}

extension SDPDescription.Transport {
    /// The lines of SDP without candidates.
    fileprivate var lines: [String] {
        var lines: [String] = []
        if let username { lines.append("a=ice-ufrag:\(username)") }
        if let password { lines.append("a=ice-pwd:\(password)") }
        for fingerprint in fingerprints {
            lines.append("a=fingerprint:\(fingerprint.hash) \(fingerprint.value)")
        }
        if let setup { lines.append("a=setup:\(setup.rawValue)") }
        return lines
    }
}

extension SDPDescription.Payload {
    /// The lines of SDP.
    fileprivate var lines: [String] {
        guard !codec.isEmpty else { return [] }
        // Programs compare the name of Opus as RFC 7587 writes it.
        let name = codec == "OPUS" || codec == "RTX" ? codec.lowercased() : codec
        let channels = channels.map { "/\($0)" } ?? ""
        var lines = ["a=rtpmap:\(number) \(name)/\(clockRate)\(channels)"]
        for kind in SDPDescription.Feedback.allCases where feedback.contains(kind) {
            lines.append("a=rtcp-fb:\(number) \(kind.rawValue)")
        }
        if !parameters.isEmpty {
            let values = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            lines.append("a=fmtp:\(number) \(values)")
        }
        return lines
    }
}

extension SDPDescription {
    /// The fingerprints of all media.
    package var fingerprints: [Fingerprint] {
        media.flatMap(\.transport.fingerprints)
    }
}
