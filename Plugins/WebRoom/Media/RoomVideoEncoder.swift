import GreenroomPlugin
import RoomDecisions
import Synchronization

/// An encoder of one rendition and codec, for all who watch it.
final class RoomVideoEncoder: Sendable {
    let rendition: Rendition
    let codec: RoomCodec
    let size: FrameSize
    let bitsPerSecond: Int

    var layer: StreamLayer { StreamLayer(rendition: rendition, isForwarded: false) }

    /// Frames that may wait for the encoder; a frame more is dropped.
    private static let longestQueue = 2
    /// Key frames are large: requests within this time get one.
    private static let keyInterval: UInt64 = 300_000_000

    /// The delay of a frame after its time, in nanoseconds: 25 ms after the host has delivered it, because browsers
    /// hold back two audio packets of 20 ms each, and no video.
    static let delay: Int64 = 125_000_000

    private let pipeline: Pipeline
    private let source: Source
    private let sink: Sink
    private let lastKeyRequest = Mutex<UInt64?>(nil)

    /// - Parameter take: Receives the packets, on the encoder's thread.
    init(
        _ rendition: Rendition, _ codec: RoomCodec, _ capability: VideoCapability,
        bitsPerSecond: Int, base: UInt64, onError: @escaping @Sendable (String) -> Void,
        take: @escaping @Sendable (StreamPacket) -> Void
    ) throws(PluginError) {
        (self.rendition, self.codec, size) = (rendition, codec, capability.size)
        self.bitsPerSecond = bitsPerSecond
        let rate = capability.rate
        let caps =
            "video/x-raw,format=I420,width=\(size.width),height=\(size.height),"
            + "framerate=\(rate.numerator)/\(rate.denominator)"
        pipeline = try Pipeline(
            "appsrc name=in format=time is-live=true max-buffers=4 caps=\"\(caps)\""
                + " ! \(Self.encoder(of: codec, bitsPerSecond))"
                + " ! appsink name=out sync=true ts-offset=\(Self.delay) async=false",
            onError: onError)
        do throws(PluginError) {
            let (source, sink) = (try Source("in", of: pipeline), try Sink("out", of: pipeline))
            (self.source, self.sink) = (source, sink)
            sink.onPacket { bytes in bytes.packet(codec, delay: Self.delay).map(take) }
            try pipeline.play(from: base)
        } catch {
            pipeline.stop()
            throw error
        }
    }

    private static func encoder(of codec: RoomCodec, _ bits: Int) -> String {
        switch codec {
        case .vp8:
            "vp8enc deadline=1 cpu-used=-10 threads=1 lag-in-frames=0 end-usage=cbr"
                + " keyframe-max-dist=100000 error-resilient=default buffer-size=1000"
                + " buffer-initial-size=500 buffer-optimal-size=600 target-bitrate=\(bits)"
                + " ! rtpvp8pay mtu=1200 picture-id-mode=15-bit"
        case .h264:
            "openh264enc usage-type=camera complexity=low rate-control=bitrate"
                + " multi-thread=1 gop-size=100000 scene-change-detection=false bitrate=\(bits)"
                + " ! video/x-h264,stream-format=byte-stream,alignment=au"
                + " ! rtph264pay mtu=1200 config-interval=-1 aggregate-mode=zero-latency"
        }
    }

    /// Whether the encoder has room for a frame, which it lacks while it is too slow.
    var isReady: Bool { source.waiting < Self.longestQueue }

    /// Encodes a frame.
    func encode(_ frame: borrowing RawFrame) { source.push(frame) }

    /// Makes the next frame a key frame, unless one was just asked for.
    ///
    /// - Parameter now: On any clock of nanoseconds.
    func requestKey(now: UInt64) {
        let isDue = lastKeyRequest.withLock { last in
            if let last, now < last &+ Self.keyInterval { return false }
            last = now
            return true
        }
        if isDue { sink.requestKey() }
    }

    /// Ends the encoder; not on its thread.
    func stop() { pipeline.stop() }
}
