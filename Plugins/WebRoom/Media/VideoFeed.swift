import CGStreamer
import RoomDecisions
import Synchronization

/// A viewer's slot for video: which stream it has, in which rendition.
///
/// It changes with a key frame; until that comes, the same stream's other rendition continues. A viewer
/// that is too slow loses frames up to the next key frame. One who keeps asking for key frames
/// waits 1, 2, then 3 s for the next: they cost the other viewers bits.
final class VideoFeed: Sendable {
    /// Which encoders a stream needs.
    struct Needs: OptionSet {
        let rawValue: UInt8

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ rendition: Rendition, _ codec: VideoCodec) {
            rawValue = 1 << (rendition.rawValue + (codec == .vp8 ? 0 : Rendition.allCases.count))
        }
    }

    private struct State {
        var isOpen = false
        var stream: VideoStream?
        /// The intended rendition; nil if none.
        var target: Rendition?
        /// The current rendition; nil before a key frame.
        var current: Rendition?
        /// With which the last buffer has passed.
        var pts: UInt64?
        var rule = KeyFrameRule()
        /// Whether a key frame was granted that has not come yet.
        var isOwed = false
    }

    /// Between two frames, in nanoseconds.
    private static let shortestPeriod: UInt64 = 1_000_000

    let codec: VideoCodec
    private let slots: Slots
    let slot: Int
    private let state = Mutex(State())

    init(_ slots: Slots, slot: Int, codec: VideoCodec) {
        (self.slots, self.slot, self.codec) = (slots, slot, codec)
    }

    /// The viewer is connected.
    func open() {
        state.withLock { $0.isOpen = true }
        begin()
    }

    /// Takes a rendition of a stream from now on; nil: nothing. One call at a time.
    func watch(_ stream: VideoStream?, _ rendition: Rendition?) {
        let stream = rendition == nil ? nil : stream
        let (old, begins) = state.withLock { state -> (VideoStream?, Bool) in
            let old = state.stream
            let begins = state.target != rendition || old !== stream
            state.target = rendition
            if old !== stream {
                state.stream = stream
                state.current = nil
            }
            return (old, begins)
        }
        if old !== stream {
            old?.remove(self)
            stream?.add(self)
        }
        if begins { begin() }
    }

    /// The encoders that it needs.
    var needs: Needs {
        state.withLock { state in
            var needs: Needs = []
            if let target = state.target { needs.insert(Needs(target, codec)) }
            if let current = state.current { needs.insert(Needs(current, codec)) }
            return needs
        }
    }

    /// Passes a buffer on.
    ///
    /// - Returns: Whether a key frame is needed.
    func take(_ buffer: EncodedBuffer, _ rendition: Rendition, of stream: VideoStream) -> Bool {
        let isLate = slots.isLate
        let (pts, needsKey) = state.withLock { state -> (UInt64?, Bool) in
            guard state.isOpen, state.stream === stream,
                rendition == state.target || rendition == state.current
            else {
                return (nil, false)
            }
            guard !isLate else {
                state.current = nil
                return (nil, false)
            }
            let isTarget = rendition == state.target
            if isTarget, buffer.isKey {
                state.rule.satisfy()
                (state.current, state.isOwed) = (rendition, false)
            }
            let isMissed = isTarget && rendition != state.current
            if isTarget, !state.isOwed, isMissed || state.rule.isWaiting {
                // A viewer who got nothing can't ask.
                state.isOwed =
                    state.rule.isWaiting
                    ? state.rule.isDue(at: Self.now) : state.rule.ask(at: Self.now)
            }
            // Asked for again until it is there: a request just before it may have had its key frame
            // before this feed was open.
            let needsKey = isTarget && state.isOwed
            guard !isMissed else { return (nil, needsKey) }
            // One encoder may be behind the other, and time passes.
            let pts = max(buffer.pts, state.pts.map { $0 &+ Self.shortestPeriod } ?? 0)
            state.pts = pts
            return (pts, needsKey)
        }
        if let pts { slots.push(buffer, to: slot, at: pts) }
        return needsKey
    }

    /// The viewer has lost something. [any]
    func requestKey() {
        let (stream, rendition) = state.withLock { state -> (VideoStream?, Rendition?) in
            guard state.isOpen, state.rule.ask(at: Self.now) else { return (nil, nil) }
            state.isOwed = true
            return (state.stream, state.target)
        }
        if let rendition { stream?.requestKey(rendition, codec) }
    }

    /// Begins the new rendition with a key frame.
    private func begin() {
        let (stream, rendition) = state.withLock { state -> (VideoStream?, Rendition?) in
            guard state.isOpen, state.stream != nil else { return (nil, nil) }
            state.isOwed = state.rule.change(at: Self.now)
            return state.isOwed ? (state.stream, state.target) : (nil, nil)
        }
        if let rendition { stream?.requestKey(rendition, codec) }
    }

    private static var now: Double { Double(greenroom_gst_now()) / 1e9 }
}
