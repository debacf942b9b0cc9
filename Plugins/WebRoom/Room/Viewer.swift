import GreenroomPlugin
import GreenroomRoom

/// Somebody who watches one stream, hears the room, or both.
final class Viewer: Sendable {
    let id: String
    let peer: Peer
    /// What they watch.
    let stream: VideoStream?
    let video: Feed?
    let audio: Feed?

    /// - Parameters:
    ///   - stream: What to watch; nil for nothing, as if the offer has no video.
    ///   - onGone: Called when the connection is lost, on the pipeline's threads.
    init(
        _ id: String, offer: SessionOffer, stream: VideoStream?, services: RoomServices,
        onGone: @escaping @Sendable (String) -> Void
    ) throws {
        var elements = ""
        if stream != nil, let video = offer.video {
            elements += try Self.video(video)
        }
        if let audio = offer.audio { elements += try Self.audio(audio) }
        guard !elements.isEmpty else {
            throw SignallingError.unacceptable("it asks for nothing that this stream has")
        }
        self.id = id
        self.stream = stream
        let opening = Opening()
        peer = try Peer(
            elements, latencyMilliseconds: 0,
            events: Peer.Events(onConnected: { opening.open() }, onGone: onGone),
            services: services)
        do throws(PluginError) {
            let source = stream == nil ? nil : try Source("video", of: peer.pipeline)
            source?.onKeyRequest { [weak stream] in stream?.requestKey() }
            video = source.map { Feed($0, isVideo: true) }
            audio =
                offer.audio != nil
                ? Feed(try Source("audio", of: peer.pipeline), isVideo: false) : nil
        } catch {
            peer.stop()
            throw error
        }
        opening.set([video, audio].compactMap(\.self), stream)
    }

    /// Elements that send VP8 as the offer wants it.
    private static func video(_ media: SessionOffer.Media) throws(SignallingError) -> String {
        guard media.receives, let payload = media.payloads["VP8"] else {
            throw .unacceptable("the room sends VP8, and its video does not take that")
        }
        let ssrc = UInt32.random(in: 1...UInt32.max)
        return " appsrc name=video format=time is-live=true max-bytes=0 caps=video/x-vp8"
            + " ! rtpvp8pay pt=\(payload) ssrc=\(ssrc) mtu=1200 picture-id-mode=15-bit"
            + " ! application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,"
            + "payload=\(payload),ssrc=(uint)\(ssrc),rtcp-fb-nack-pli=(boolean)true ! peer."
    }

    /// Elements that send Opus as the offer wants it.
    private static func audio(_ media: SessionOffer.Media) throws(SignallingError) -> String {
        guard media.receives, let payload = media.payloads["OPUS"] else {
            throw .unacceptable("the room sends Opus, and its audio does not take that")
        }
        let ssrc = UInt32.random(in: 1...UInt32.max)
        return " appsrc name=audio format=time is-live=true max-bytes=0"
            + " caps=\"audio/x-opus,rate=48000,channels=2,channel-mapping-family=0\""
            + " ! rtpopuspay pt=\(payload) ssrc=\(ssrc)"
            + " ! application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,"
            + "payload=\(payload),ssrc=(uint)\(ssrc),encoding-params=(string)2 ! peer."
    }
}
