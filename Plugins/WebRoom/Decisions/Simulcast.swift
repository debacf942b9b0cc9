/// The layers of a video that the room publishes (simulcast, RFC 8853): each rendition is a stream of packets in
/// one medium. Header extensions name the medium and the layer of each packet.
package enum Simulcast {
    /// The layers that the room offers, the best first.
    package static let offered: [Rendition] = Rendition.allCases.reversed()

    /// A header extension that names streams (RFC 8852, RFC 9143).
    package enum Extension: Int, CaseIterable, Sendable {
        // The raw values are the ids in an offer of the room. 3 is the id of congestion control.
        /// The name of the medium.
        case medium = 4
        /// The name of the layer.
        case layer = 5
        /// The name of the layer that a retransmitted packet belongs to.
        case repairedLayer = 6

        package var uri: String {
            switch self {
            case .medium: "urn:ietf:params:rtp-hdrext:sdes:mid"
            case .layer: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
            case .repairedLayer: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
            }
        }
    }

    /// Adds the layers to an offer of webrtcbin, which has one video and does not know of them.
    package static func offer(_ text: String) -> String {
        guard let video = text.firstRange(of: "\r\nm=video") else { return text }
        let rest = text[video.upperBound...]
        let end = rest.firstRange(of: "\r\nm=")?.lowerBound ?? rest.lastIndex(of: "\r\n")
        let lines =
            offered.map { "\r\na=rid:\($0.layer) send" }
            + ["\r\na=simulcast:send " + offered.map(\.layer).joined(separator: ";")]
        var made = text
        made.insert(contentsOf: lines.joined(), at: end ?? text.endIndex)
        return made
    }

    /// The layers that a server accepts, the best first; empty if it accepts one stream.
    ///
    /// - Throws: ``RequestError`` if the server could not tell the layers apart.
    static func accepted(
        by answered: SDPDescription.Media, to offered: SDPDescription.Media
    ) throws(RequestError) -> [Rendition] {
        let layers = Self.offered.filter { answered.receivedLayers.contains($0.layer) }
        // A line without an offer of layers means nothing.
        guard !layers.isEmpty, offered.extensions[.layer] != nil else { return [] }
        for needed in [Extension.medium, .layer]
        where answered.extensions[needed] != needed.rawValue {
            throw .bad("a=simulcast without a=extmap:\(needed.rawValue) \(needed.uri)")
        }
        return layers
    }

    /// The names of the layers that the room accepts of a guest's video; empty if it accepts one stream. Packets
    /// must name their layer.
    static func accepted(of offered: SDPDescription.Media) -> [String] {
        guard offered.extensions[.layer] != nil, offered.sentLayers.count > 1 else { return [] }
        return Array(offered.sentLayers.prefix(Rendition.allCases.count))
    }

    /// The renditions that each layer may have: the lowest layer falls as far as the network needs, and a higher
    /// layer pauses before it repeats a lower one.
    package static func renditions(
        of layers: [Rendition]
    ) -> [Rendition: ClosedRange<Rendition>] {
        var ranges: [Rendition: ClosedRange<Rendition>] = [:]
        var lowest = Rendition.low.rawValue
        for layer in layers.sorted() {
            ranges[layer] = (Rendition(rawValue: lowest) ?? layer)...layer
            lowest = layer.rawValue + 1
        }
        return ranges
    }
}

extension Rendition {
    /// The name of the layer in simulcast (`rid`). Media servers know these three.
    package var layer: String {
        switch self {
        case .full: "f"
        case .half: "h"
        case .low: "q"
        }
    }
}

extension SDPDescription {
    /// Whether a server answers to an offer of layers.
    package var hasLayers: Bool { media.contains { !$0.receivedLayers.isEmpty } }
}
