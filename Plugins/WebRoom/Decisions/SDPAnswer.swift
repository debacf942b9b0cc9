/// The room's answer to an offer, computed from the offer and the room's media.
///
/// The room serves what it can carry. The rest stays inactive in the shared transport, or is rejected with port 0 if
/// it has none.
package struct SDPAnswer: Equatable, Sendable {
    /// A medium that the room serves.
    private struct Served: Equatable, Sendable {
        /// The medium's index in the offer.
        var line: Int
        var stream: MediaStream
        var payload: SDPDescription.Payload
        /// The payload type for retransmissions.
        var retransmission: SDPDescription.Payload?
        var transport: SDPDescription.Transport
    }

    private let offer: SDPDescription
    private let sends: Bool
    private let served: [Served]
    /// The index of the medium whose transport all media share; nil if each has its own.
    private let bundle: Int?

    /// The streams that the room sends or receives, in the order of the offer.
    package var streams: [MediaStream] { served.map(\.stream) }

    /// Answers an offer.
    ///
    /// - Throws: ``RequestError`` with the reason that the room can serve no medium, for the peer's
    ///   programmer.
    package init(
        to offer: SDPDescription, on terms: MediaTerms
    ) throws(RequestError) {
        let group = Self.group(of: offer)
        var chosen: [(line: Int, stream: MediaStream, payload: SDPDescription.Payload)] = []
        for (line, medium) in offer.media.enumerated() {
            guard Self.isCarried(medium, group) else { continue }
            let isVideo = medium.kind == "video"
            let count = chosen.count { ($0.stream.video != nil) == isVideo }
            guard count < (isVideo ? terms.videos : 1) else { continue }
            guard terms.sends ? medium.direction.receives : medium.direction.sends else {
                throw .unacceptable(
                    "the room \(terms.sends ? "sends" : "takes") \(medium.kind), and the offer has "
                        + "a=\(medium.direction.rawValue)")
            }
            if isVideo {
                // One encoder serves all videos of a connection.
                let codec = chosen.lazy.compactMap(\.stream.video).first
                let video = try terms.video(of: medium, codec)
                let isFedBack = video.payload.feedback.contains(.transportWide)
                var stream = MediaStream(
                    video: video.codec, payload: video.payload.number,
                    transportWide: isFedBack ? medium.transportWide : nil)
                // The size of a layer of H.264 is not known in every profile.
                if terms.takesLayers, video.codec == .vp8 {
                    stream.guestLayers = Simulcast.accepted(of: medium)
                }
                if !stream.guestLayers.isEmpty {
                    // webrtcbin has other names of media, and does not need them.
                    stream.extensions = medium.extensions.filter { $0.key != .medium }
                }
                chosen.append((line, stream, video.payload))
            } else {
                let payload = try terms.audio(of: medium)
                chosen.append(
                    (line, MediaStream(video: nil, payload: payload.number), payload))
            }
        }
        guard !chosen.isEmpty else {
            throw .unacceptable("no audio or video in common with the room")
        }
        bundle = group.map { group in
            Self.tagged(
                group, offer.media.indices.filter { Self.isKept(offer.media[$0], group) }, offer)
        }
        (self.offer, sends) = (offer, terms.sends)
        var served: [Served] = []
        for one in chosen {
            let medium = offer.media[one.line]
            let transport = Self.transport(
                of: offer.media[bundle ?? one.line], group: bundle == nil ? nil : group, offer)
            guard transport.isComplete else {
                throw .bad(
                    "missing a=ice-ufrag, a=ice-pwd, or a=fingerprint of sha-256, sha-384 or sha-512"
                )
            }
            served.append(
                Served(
                    line: one.line, stream: one.stream, payload: one.payload,
                    retransmission: one.stream.video == nil
                        ? nil
                        : medium.payloads.first {
                            $0.codec == "RTX" && $0["apt"] == String(one.payload.number)
                        }, transport: transport))
        }
        self.served = served
    }

    /// The names of media that share a transport; nil if none do.
    private static func group(of offer: SDPDescription) -> [String]? {
        guard !offer.groups.isEmpty else { return nil }
        return offer.groups.first { group in
            offer.media.contains { $0.name.map(group.contains) ?? false && isCarried($0, group) }
        } ?? offer.groups[0]
    }

    /// Whether the room can carry a medium. The room rejects media outside the group.
    private static func isCarried(_ medium: SDPDescription.Media, _ group: [String]?) -> Bool {
        guard medium.direction != .inactive else { return false }
        if let group { return isKept(medium, group) }
        return ["audio", "video"].contains(medium.kind) && medium.isRTP && medium.hasPort
    }

    /// Whether a medium of a group stays in it: served or inactive.
    private static func isKept(_ medium: SDPDescription.Media, _ group: [String]) -> Bool {
        ["audio", "video"].contains(medium.kind) && medium.isRTP && !medium.isDisabled
            && medium.name.map(group.contains) ?? false
    }

    /// The medium whose transport the group shares: the first remaining medium, if its offer has transport data.
    private static func tagged(
        _ group: [String], _ lines: [Int], _ offer: SDPDescription
    ) -> Int {
        let ordered = group.compactMap { name in
            lines.first { offer.media[$0].name == name }
        }
        return ordered.first { offer.media[$0].transport.isComplete } ?? ordered.first ?? lines[0]
    }

    /// The transport of a medium. A sender may write the candidates of a shared transport into any
    /// medium.
    private static func transport(
        of medium: SDPDescription.Media, group: [String]?, _ offer: SDPDescription
    ) -> SDPDescription.Transport {
        var transport = medium.transport
        for other in offer.media where other != medium {
            guard let name = other.name, group?.contains(name) ?? false,
                other.transport.username == transport.username
            else { continue }
            for candidate in other.transport.candidates
            where !transport.candidates.contains(candidate) {
                transport.candidates.append(candidate)
            }
        }
        return transport
    }

    // MARK: The offer for webrtcbin

    /// The offer for webrtcbin: the served media, with the room's names.
    package var offerForRoom: SDPDescription {
        var description = SDPDescription()
        description.isLite = offer.isLite
        for (index, one) in served.enumerated() {
            var medium = base(of: one)
            medium.name = String(index)
            medium.direction = sends ? .recvonly : .sendonly
            medium.transport = one.transport
            medium.transport.setup = one.transport.setup ?? .actpass
            if bundle != nil, index > 0 { medium.transport.candidates = [] }
            medium.sharesPort = true
            // webrtcbin's own caps contain the parameters. Other parameters would not match.
            for index in medium.payloads.indices where medium.payloads[index].codec != "RTX" {
                medium.payloads[index].parameters = []
            }
            if !sends {
                let offered = offer.media[one.line]
                medium.sentLayers = one.stream.guestLayers
                medium.sources = offered.sources.map { .init(number: $0.number, name: "guest") }
                medium.pairs = offered.pairs
            }
            description.media.append(medium)
        }
        if bundle != nil { description.groups = [description.media.compactMap(\.name)] }
        return description
    }

    /// The parts of a medium that the offer for webrtcbin and the answer share.
    private func base(of one: Served) -> SDPDescription.Media {
        let offered = offer.media[one.line]
        var medium = SDPDescription.Media(
            kind: offered.kind, transportProtocol: offered.transportProtocol, hasPort: true,
            formats: [])
        medium.payloads = [agreed(one)] + [one.retransmission].compactMap(\.self)
        medium.formats = medium.payloads.map { String($0.number) }
        medium.transportWide = one.stream.transportWide
        medium.extensions = one.stream.extensions
        return medium
    }

    /// A payload type with the parameters that both sides support.
    private func agreed(_ one: Served) -> SDPDescription.Payload {
        var payload = one.payload
        guard one.stream.video != nil else {
            payload.channels = payload.channels ?? 2
            payload.feedback = []
            payload.parameters.removeAll { !Self.parametersOfOpus.contains($0.name) }
            if sends, payload["sprop-stereo"] == nil {
                payload.parameters.append(.init(name: "sprop-stereo", value: "1"))
            }
            return payload
        }
        if one.stream.transportWide == nil { payload.feedback.remove(.transportWide) }
        payload.parameters.removeAll { !Self.parametersOfH264.contains($0.name) }
        return payload
    }

    private static let parametersOfOpus = ["minptime", "useinbandfec", "stereo"]
    private static let parametersOfH264 = [
        "profile-level-id", "packetization-mode", "level-asymmetry-allowed",
    ]

    // MARK: The answer for the far end

    /// The answer.
    ///
    /// - Parameter local: webrtcbin's own answer, with the room's transport and SSRCs.
    /// - Throws: An error if webrtcbin has not answered with the same media.
    package func description(
        with local: SDPDescription
    ) throws(RequestError) -> SDPDescription {
        guard local.media.count == served.count, !local.media.contains(where: \.isDisabled) else {
            throw RequestError(.failed, "The room can't make the connection that it has agreed on.")
        }
        let candidates = local.media.flatMap(\.transport.candidates)
        var description = SDPDescription()
        for (line, offered) in offer.media.enumerated() {
            guard let index = served.firstIndex(where: { $0.line == line }) else {
                var medium = unserved(offered, local.media.first?.transport)
                if line == bundle { medium.transport.candidates = candidates }
                description.media.append(medium)
                continue
            }
            var medium = base(of: served[index])
            let own = local.media[index]
            medium.name = offered.name
            medium.direction = sends ? .sendonly : .recvonly
            medium.transport = own.transport
            if let bundle {
                // Write all candidates into the medium whose transport the media share.
                medium.transport.candidates = line == bundle ? candidates : []
            }
            medium.sharesPort = offered.sharesPort
            if !served[index].stream.guestLayers.isEmpty {
                medium.receivedLayers = served[index].stream.guestLayers
                medium.extensions = offered.extensions
            }
            if sends {
                (medium.sources, medium.pairs) = (own.sources, own.pairs)
                // Give each stream its own name: players synchronize streams of one name, and after
                // an outage the video would stay late.
                medium.stream = "room-\(index)"
            }
            description.media.append(medium)
        }
        if let bundle {
            let names = offer.media.indices.filter { description.media[$0].hasPort }
                .sorted { $0 == bundle && $1 != bundle }.compactMap { offer.media[$0].name }
            description.groups = [names]
        }
        return description
    }

    /// A medium that the room does not serve.
    ///
    /// Audio and video of the group are inactive, with a codec, because aiortc refuses a medium without one. With port 0,
    /// aiortc would wait forever for the transport of a medium that comes before a served one.
    private func unserved(
        _ offered: SDPDescription.Media, _ transport: SDPDescription.Transport?
    ) -> SDPDescription.Media {
        var medium = SDPDescription.Media(
            kind: offered.kind, transportProtocol: offered.transportProtocol, hasPort: false,
            formats: Array(offered.formats.prefix(1)))
        medium.name = offered.name
        medium.direction = .inactive
        guard let transport, let group = Self.group(of: offer), Self.isKept(offered, group) else {
            return medium
        }
        medium.hasPort = true
        medium.transport = transport
        medium.transport.candidates = []
        medium.sharesPort = offered.sharesPort
        medium.payloads = Array(offered.payloads.prefix(1))
        for index in medium.payloads.indices {
            (medium.payloads[index].parameters, medium.payloads[index].feedback) = ([], [])
        }
        return medium
    }

    // MARK: Candidates that follow

    /// The check of candidates that arrive after the offer.
    package var candidateTarget: CandidateTarget {
        var lines: [String: Int] = [:]
        for (index, one) in served.enumerated() {
            guard let name = offer.media[one.line].name else { continue }
            lines[name] = bundle == nil ? index : 0
        }
        // An inactive medium may own the shared transport.
        if let name = bundle.flatMap({ offer.media[$0].name }) { lines[name] = 0 }
        return CandidateTarget(
            usernames: Set(served.compactMap(\.transport.username)), lines: lines,
            rejected: Set(offer.media.compactMap(\.name)).subtracting(lines.keys))
    }
}
