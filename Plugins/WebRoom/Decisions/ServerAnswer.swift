/// A media server's answer to an offer of the room, adapted for webrtcbin.
package struct ServerAnswer: Equatable, Sendable {
    /// The answer with the media and names of the offer.
    package let description: SDPDescription
    /// The layers of the video that the server accepts, the best first; empty if it accepts one stream.
    package let layers: [Rendition]
    /// The name of the video, which each packet of a layer has.
    package let video: String?

    /// Checks an answer against its offer.
    ///
    /// - Parameters:
    ///   - answer: The server's answer.
    ///   - offer: The offer of webrtcbin.
    /// - Throws: ``RequestError`` with the fault of the answer.
    package init(
        _ answer: SDPDescription, to offer: SDPDescription
    ) throws(RequestError) {
        guard answer.media.count == offer.media.count else {
            throw .bad(
                "\(answer.media.count) media, but the offer has \(offer.media.count)")
        }
        let pairs = Array(zip(offer.media, answer.media))
        // The room offers one transport for all media. The first served medium contains it.
        guard let first = pairs.firstIndex(where: { Self.payload(of: $1, for: $0) != nil }) else {
            throw .bad("none of the offered media accepted")
        }
        var transport = answer.media[first].transport
        guard transport.isComplete else {
            throw .bad(
                "missing a=ice-ufrag, a=ice-pwd, or a=fingerprint of sha-256, sha-384 or sha-512")
        }
        transport.setup = transport.setup ?? .active
        transport.candidates = []
        var description = SDPDescription()
        description.isLite = answer.isLite
        var layers: [Rendition] = []
        for (line, (offered, answered)) in pairs.enumerated() {
            var medium = offered
            medium.sources = answered.sources.map { .init(number: $0.number, name: "server") }
            (medium.pairs, medium.stream, medium.sentLayers) = (answered.pairs, nil, [])
            (medium.transport, medium.sharesPort) = (transport, true)
            if line == 0 {
                medium.transport.candidates = Array(
                    answer.media.flatMap(\.transport.candidates)
                        .prefix(SDPDescription.mostCandidates))
            }
            if let payload = Self.payload(of: answered, for: offered) {
                // The room offers a separate port only for the first medium.
                (medium.hasPort, medium.isBundleOnly) = (true, false)
                medium.direction = answered.direction
                medium.payloads = offered.payloads.filter { own in
                    own.number == payload.number
                        || own.codec == "RTX"
                            && answered.payloads.contains { $0.number == own.number }
                }
                for index in medium.payloads.indices {
                    medium.payloads[index].feedback.formIntersection(payload.feedback)
                }
                medium.formats = medium.payloads.map { String($0.number) }
                if answered.transportWide != offered.transportWide { medium.transportWide = nil }
                medium.extensions = medium.extensions.filter {
                    answered.extensions[$0.key] == $0.value
                }
                if medium.kind == "video" {
                    layers = try Simulcast.accepted(by: answered, to: offered)
                    if !layers.isEmpty, medium.extensions[.repairedLayer] == nil {
                        // The server would not know which layer a retransmission belongs to.
                        medium.payloads.removeAll { $0.codec == "RTX" }
                        medium.formats = medium.payloads.map { String($0.number) }
                    }
                }
            } else {
                // webrtcbin has the shared transport in the first medium, whether the server accepts that or not.
                (medium.hasPort, medium.isBundleOnly) = (line == 0, false)
                medium.direction = .inactive
            }
            description.media.append(medium)
        }
        description.groups = [description.media.filter(\.hasPort).compactMap(\.name)]
        self.description = description
        self.layers = layers
        video = description.media.first { $0.kind == "video" }?.name
    }

    /// The offered payload type that a server accepts; nil if the server rejects the medium.
    private static func payload(
        of answered: SDPDescription.Media, for offered: SDPDescription.Media
    ) -> SDPDescription.Payload? {
        guard answered.hasPort, answered.kind == offered.kind else { return nil }
        return answered.payloads.first { payload in
            offered.payloads.contains {
                $0.number == payload.number && $0.codec != "RTX"
                    && (payload.codec.isEmpty || payload.codec == $0.codec)
            }
        }
    }

    /// Whether the server accepts each medium, in the order of the offer.
    package var isServed: [Bool] {
        description.media.map { $0.hasPort && $0.direction != .inactive }
    }

    /// Whether the server reports the received packets of the video.
    package var hasFeedback: Bool {
        description.media.contains {
            $0.kind == "video" && $0.hasPort && $0.transportWide != nil
                && $0.payloads.contains { $0.feedback.contains(.transportWide) }
        }
    }
}
