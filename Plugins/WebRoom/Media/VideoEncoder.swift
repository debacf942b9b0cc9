import GreenroomPlugin
import Synchronization

/// A VP8 encoder of one size: a rendition, for all who watch it.
final class VideoEncoder: Sendable {
    let size: FrameSize

    /// Frames that may wait for the encoder; a frame more is dropped.
    private static let longestQueue = 2
    /// Key frames are large: requests within this time get one.
    private static let keyInterval: UInt64 = 300_000_000

    private let pipeline: Pipeline
    private let source: Source
    private let sink: Sink
    private let lastKeyRequest = Mutex<UInt64?>(nil)

    /// - Parameter take: Gets what is encoded, on the encoder's thread.
    init(
        _ capability: VideoCapability, base: UInt64,
        onError: @escaping @Sendable (String) -> Void,
        take: @escaping @Sendable (EncodedBuffer) -> Void
    ) throws(PluginError) {
        let rate = capability.rate
        size = capability.size
        let caps =
            "video/x-raw,format=I420,width=\(size.width),height=\(size.height),"
            + "framerate=\(rate.numerator)/\(rate.denominator)"
        pipeline = try Pipeline(
            "appsrc name=in format=time is-live=true max-buffers=4 caps=\"\(caps)\""
                + " ! vp8enc deadline=1 cpu-used=-10 threads=1 lag-in-frames=0 end-usage=cbr"
                + " keyframe-max-dist=100000 error-resilient=default buffer-size=1000"
                + " buffer-initial-size=500 buffer-optimal-size=600"
                + " target-bitrate=\(Self.bitsPerSecond(of: capability))"
                + " ! appsink name=out sync=false async=false", onError: onError)
        do throws(PluginError) {
            let (source, sink) = (try Source("in", of: pipeline), try Sink("out", of: pipeline))
            (self.source, self.sink) = (source, sink)
            sink.onBuffer(take)
            try pipeline.play(from: base)
        } catch {
            pipeline.stop()
            throw error
        }
    }

    /// What looks clean on footage: 2.2 Mbit/s of 720p30.
    static func bitsPerSecond(of capability: VideoCapability) -> Int {
        let pixels = Double(capability.size.area) * capability.rate.framesPerSecond
        return Int(min(max(pixels * 0.08, 200_000), 6_000_000))
    }

    /// Encodes a frame.
    ///
    /// - Returns: Whether it was taken; the encoder may be too slow.
    func encode(_ frame: borrowing OutputFrame, at pts: UInt64, for duration: UInt64) -> Bool {
        guard source.waiting < Self.longestQueue else { return false }
        source.push(frame, at: pts, for: duration)
        return true
    }

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
