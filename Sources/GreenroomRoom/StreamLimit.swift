/// How much a stream of packets may bring. A stream that brings more takes time and memory from all
/// others: its sender has to go.
package struct StreamLimit: Sendable {
    /// What is allowed.
    package struct Bounds: Sendable {
        /// Packets in ``StreamLimit/span``.
        package var packets: Int
        /// Bytes in ``StreamLimit/span``.
        package var bytes: Int
        /// Frames in ``StreamLimit/span``; nil for a stream without frames.
        package var frames: Int?
        /// Packets and bytes up to the one that ends a frame: a depayloader keeps them all until then.
        package var framePackets = 4000
        package var frameBytes = 2_000_000

        /// A guest's video: twice what a browser sends, and some more for what a network has held back.
        package static let video = Bounds(packets: 8000, bytes: 5_000_000, frames: 150)
        /// A guest's audio: Opus has at most 400 packets and 510 kbit a second.
        package static let audio = Bounds(packets: 1000, bytes: 500_000)
        /// All that one who sends media sends, with retransmissions and reports.
        package static let sender = Bounds(packets: 10_000, bytes: 10_000_000)
        /// What a viewer sends: reports and requests.
        package static let viewer = Bounds(packets: 4000, bytes: 1_000_000)
    }

    /// What is too much.
    package enum Excess: Equatable, Sendable {
        case packets, bytes, frames, endlessFrame
    }

    /// How long packets are counted, in nanoseconds.
    package static let span: UInt64 = 2_000_000_000

    private let bounds: Bounds
    private var (packets, bytes, frames) = (0, 0, 0)
    private var (framePackets, frameBytes) = (0, 0)
    private var begun: UInt64 = 0

    package init(_ bounds: Bounds) { self.bounds = bounds }

    /// Counts packets.
    ///
    /// - Parameters:
    ///   - count: How many packets.
    ///   - bytes: The bytes of all of them.
    ///   - endsFrame: Whether the last one has the marker bit.
    ///   - now: On any clock of nanoseconds.
    /// - Returns: What is too much; nil: nothing.
    package mutating func add(
        packets count: Int = 1, bytes: Int, endsFrame: Bool, at now: UInt64
    ) -> Excess? {
        if now &- begun >= Self.span { (packets, self.bytes, frames, begun) = (0, 0, 0, now) }
        packets += count
        self.bytes += bytes
        if packets > bounds.packets { return .packets }
        if self.bytes > bounds.bytes { return .bytes }
        guard let most = bounds.frames else { return nil }
        framePackets += count
        frameBytes += bytes
        if framePackets > bounds.framePackets || frameBytes > bounds.frameBytes {
            return .endlessFrame
        }
        guard endsFrame else { return nil }
        (framePackets, frameBytes) = (0, 0)
        frames += 1
        return frames > most ? .frames : nil
    }

    /// What is too much, in words.
    package func text(of excess: Excess) -> String {
        let seconds = Int(Self.span / 1_000_000_000)
        return switch excess {
        case .packets: "more than \(bounds.packets / seconds) packets come a second"
        case .bytes: "more than \(bounds.bytes / seconds / 125) kbit come a second"
        case .frames: "more than \((bounds.frames ?? 0) / seconds) frames come a second"
        case .endlessFrame:
            "a frame does not end: it has more than \(bounds.framePackets) packets, or "
                + "\(bounds.frameBytes / 1000) kB"
        }
    }
}
