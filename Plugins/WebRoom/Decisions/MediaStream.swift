import GreenroomMedia

/// A stream that a connection sends or receives, with the negotiated values of its medium.
package struct MediaStream: Equatable, Sendable {
    /// The video codec; nil if the stream is audio, which is Opus.
    package var video: RoomCodec?
    /// The payload type.
    package var payload: Int
    /// The id of the header extension for congestion control; nil if the stream has no
    /// transport-wide feedback.
    package var transportWide: Int?
    /// The layer of a video that the room offers in several; nil if the medium has one stream.
    package var layer: Rendition?
    /// The names of the layers in which a guest sends the video; empty if the medium has one stream.
    package var guestLayers: [String] = []
    /// The ids of the header extensions that name the layers.
    package var extensions: [Simulcast.Extension: Int] = [:]

    /// Describes a stream.
    package init(video: RoomCodec?, payload: Int, transportWide: Int? = nil) {
        (self.video, self.payload, self.transportWide) = (video, payload, transportWide)
    }

    /// The name of the codec.
    package var codec: String { video?.rawValue ?? "OPUS" }

    /// The streams that the room offers to a media server: one video, and audio. Further layers of the video
    /// follow, because the streams before them have the order of the offer's media.
    package static func offered(
        _ video: RoomCodec?, inLayers: Bool = false
    ) -> [MediaStream] {
        let audio = MediaStream(video: nil, payload: 111)
        guard let video else { return [audio] }
        var stream = MediaStream(video: video, payload: 96, transportWide: 3)
        guard inLayers else { return [stream, audio] }
        for named in Simulcast.Extension.allCases { stream.extensions[named] = named.rawValue }
        var layers = Simulcast.offered.map { layer in
            stream.layer = layer
            return stream
        }
        layers.insert(audio, at: 1)
        return layers
    }
}

/// The streams that the room sends to the far end of a connection, or receives from it.
package struct MediaTerms: Equatable, Sendable {
    /// Whether the room sends; otherwise it receives.
    package var sends: Bool
    /// Limit of videos.
    package var videos: Int

    /// Whether the room receives a video in layers, if the offer has them.
    package var takesLayers = false

    /// Limit of videos per connection.
    package static let mostVideos = 12

    /// The media that a guest may send.
    package static let guest = MediaTerms(sends: false, videos: 1, takesLayers: true)

    /// The media that a viewer may receive: audio, and this number of videos.
    package static func viewer(videos: Int) -> MediaTerms {
        MediaTerms(sends: true, videos: videos)
    }

    /// The error for a medium without a usable codec.
    fileprivate func refusal(_ kind: String, _ codecs: String, _ why: String) -> RequestError {
        let (verb, isNot) =
            sends ? ("sends", "does not accept that") : ("accepts", "is in another format")
        return .unacceptable("the room \(verb) \(codecs), but the offer's \(kind) \(isNot)\(why)")
    }

    /// The payload type for Opus.
    func audio(of medium: SDPDescription.Media) throws(RequestError)
        -> SDPDescription.Payload
    {
        guard let found = medium.payloads.first(where: { $0.codec == "OPUS" }) else {
            throw refusal(medium.kind, "Opus", "")
        }
        return found
    }

    /// The payload type for a codec.
    ///
    /// - Parameter codec: The codec; nil to choose the best for the room.
    func video(
        of medium: SDPDescription.Media, _ codec: RoomCodec?
    ) throws(RequestError) -> (codec: RoomCodec, payload: SDPDescription.Payload) {
        var faults: [String] = []
        // Prefer VP8 for guests: an H.264 decoder parses more of a hostile stream.
        let order: [RoomCodec] =
            codec.map { [$0] } ?? (sends ? preferred(of: medium) : [.vp8, .h264])
        for codec in order {
            let all = medium.payloads.filter {
                // GStreamer's payloaders accept only dynamic payload types.
                $0.codec == codec.rawValue && (96...127).contains($0.number)
            }
            let best =
                codec == .vp8 ? all.first : H264Format.best(of: all, sends: sends, &faults)
            if let best { return (codec, best) }
        }
        let codecs = codec.map { $0 == .vp8 ? "VP8" : "H.264" } ?? "VP8 or H.264"
        throw refusal(
            medium.kind, codecs, faults.isEmpty ? "" : ": " + faults.joined(separator: ", "))
    }

    /// The room's codecs in the order of an offer.
    private func preferred(of medium: SDPDescription.Media) -> [RoomCodec] {
        var order: [RoomCodec] = []
        for payload in medium.payloads {
            guard let codec = RoomCodec(rawValue: payload.codec), !order.contains(codec) else {
                continue
            }
            order.append(codec)
        }
        return order
    }
}

/// Chooses among payload types for H.264 (RFC 6184).
enum H264Format {
    /// The profiles with 4:2:0 and 8 bits that the room's decoder accepts: baseline, main and high.
    /// The room sends constrained baseline, which decoders of all three accept.
    private static let profiles = ["42", "4d", "64"]

    /// The best of several payload types.
    ///
    /// - Parameter faults: Receives the faults of the other payload types.
    static func best(
        of payloads: [SDPDescription.Payload], sends: Bool, _ faults: inout [String]
    ) -> SDPDescription.Payload? {
        var best: (payload: SDPDescription.Payload, rank: Int)?
        for payload in payloads {
            switch rank(of: payload, sends: sends) {
            case .success(let rank):
                if rank < best?.rank ?? .max { best = (payload, rank) }
            case .failure(let fault):
                if !faults.contains(fault.description) { faults.append(fault.description) }
            }
        }
        return best?.payload
    }

    /// The rank of a payload type. A lower rank is better.
    private static func rank(
        of payload: SDPDescription.Payload, sends: Bool
    ) -> Result<Int, InvalidValueError> {
        var rank = 0
        if let profile = payload["profile-level-id"]?.lowercased() {
            guard profile.utf8.count == 6, profile.allSatisfy(\.isHexDigit),
                profiles.contains(String(profile.prefix(2)))
            else {
                return .failure(
                    InvalidValueError(
                        "profile-level-id=\(profile) has none of the profiles 42, 4d and 64 "
                            + "(4:2:0 with 8 bits)"))
            }
            if !profile.hasPrefix("42") { rank += 1 }
        }
        switch payload["packetization-mode"] {
        case "1": break
        // Frames of many packets require mode 1. Depayloaders accept it from any sender, and
        // programs made with GStreamer do not declare it.
        case nil: rank += 2
        case "0" where !sends: rank += 4
        case let mode?:
            return .failure(
                InvalidValueError(
                    "packetization-mode=\(mode) is not supported; use packetization-mode=1"))
        }
        return .success(rank)
    }
}
