/// Limits the traffic of a stream of packets. The sender of a stream above a fatal limit must be
/// removed, because the stream takes time and memory from all others.
package struct StreamLimit: Sendable {
    /// The allowance within ``StreamLimit/span``: in one burst after a pause of that length,
    /// otherwise evenly.
    package struct Bounds: Sendable {
        package var packets: Int
        package var bytes: Int
        /// Limit of frames; nil if the stream has no frames.
        package var frames: Int?
        /// Limit of packets and bytes per frame. A depayloader keeps them until the last packet of
        /// the frame.
        package var framePackets = 4000
        package var frameBytes = 2_000_000

        /// The limits of a guest's video: twice a browser's traffic, and 60 frames per second that
        /// a network has delayed for two seconds.
        package static let video = Bounds(packets: 8000, bytes: 5_000_000, frames: 150)
        /// The limits of video that the room forwards to each viewer: 10 Mbit/s.
        package static let forwarded = Bounds(packets: 3000, bytes: 2_500_000, frames: 150)
        /// The limits of a guest's audio. Opus has at most 400 packets and 510 kbit per second.
        package static let audio = Bounds(packets: 1000, bytes: 500_000)
        /// The limits of a sender's total traffic, including retransmissions and RTCP reports.
        package static let sender = Bounds(packets: 10_000, bytes: 10_000_000)
        /// The limits of a viewer, which sends reports and requests.
        package static let viewer = Bounds(packets: 4000, bytes: 1_000_000)
    }

    /// The exceeded limit.
    package enum Excess: Equatable, Sendable {
        case packets, bytes, frames, endlessFrame

        /// Whether the sender must be removed. The room drops frames above the limit instead, because a
        /// network may hold frames back for seconds and then deliver all of them together.
        package var isFatal: Bool { self != .frames }
    }

    /// The period of the limits, in nanoseconds.
    package static let span: UInt64 = 2_000_000_000

    /// A leaky bucket that drains evenly within ``StreamLimit/span``.
    private struct Bucket {
        let most: Int
        private var content = 0.0

        init(most: Int) { self.most = most }

        mutating func leak(for nanoseconds: UInt64) {
            content -= Double(most) * Double(nanoseconds) / Double(StreamLimit.span)
            content = max(0, content)
        }

        /// Adds to the bucket.
        ///
        /// - Returns: Whether the content is within the limit.
        mutating func take(_ count: Int) -> Bool {
            // Dropped frames do not count: the stream continues as soon as there is room for one.
            guard content + Double(count) <= Double(most) else { return false }
            content += Double(count)
            return true
        }
    }

    private let bounds: Bounds
    private var packets: Bucket
    private var bytes: Bucket
    private var frames: Bucket?
    private var (framePackets, frameBytes) = (0, 0)
    private var last: UInt64?

    package init(_ bounds: Bounds) {
        self.bounds = bounds
        packets = Bucket(most: bounds.packets)
        bytes = Bucket(most: bounds.bytes)
        frames = bounds.frames.map { Bucket(most: $0) }
    }

    /// Counts packets.
    ///
    /// - Parameters:
    ///   - count: The number of packets.
    ///   - bytes: The total bytes of the packets.
    ///   - endsFrame: Whether the last packet has the marker bit.
    ///   - now: The time in nanoseconds, on any clock.
    /// - Returns: The exceeded limit; nil if none.
    package mutating func add(
        packets count: Int = 1, bytes: Int, endsFrame: Bool, at now: UInt64
    ) -> Excess? {
        let passed = last.map { now > $0 ? now - $0 : 0 } ?? 0
        last = now
        packets.leak(for: passed)
        self.bytes.leak(for: passed)
        frames?.leak(for: passed)
        if !packets.take(count) { return .packets }
        if !self.bytes.take(bytes) { return .bytes }
        guard frames != nil else { return nil }
        framePackets += count
        frameBytes += bytes
        if framePackets > bounds.framePackets || frameBytes > bounds.frameBytes {
            return .endlessFrame
        }
        guard endsFrame else { return nil }
        (framePackets, frameBytes) = (0, 0)
        return frames?.take(1) == false ? .frames : nil
    }

    /// The exceeded limit, in words.
    package func text(of excess: Excess) -> String {
        let seconds = Int(Self.span / 1_000_000_000)
        return switch excess {
        case .packets: "more than \(bounds.packets / seconds) packets/s arrive"
        case .bytes: "more than \(bounds.bytes / seconds / 125) kbit/s arrive"
        case .frames: "more than \((bounds.frames ?? 0) / seconds) frames/s arrive"
        case .endlessFrame:
            "a frame does not end: it has more than \(bounds.framePackets) packets, or "
                + "\(bounds.frameBytes / 1000) kB"
        }
    }
}
