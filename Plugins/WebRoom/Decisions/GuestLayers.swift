package import GreenroomMedia

/// The layers in which a guest sends a video (simulcast), or its only stream, which is ``Rendition/full``: the
/// sizes and bit rates, and which layers the guest should send.
package struct GuestLayers: Sendable {
    private struct Layer {
        /// The size in the last key frame; nil before the first one.
        var size: FrameSize?
        /// The last bit rate; nil before the first packet.
        var bitsPerSecond: Int?
        /// Whether packets have arrived in the last second.
        var isArriving = false
        /// Whether the guest should send the layer, and sends nothing: its network carries no more.
        var isMissing = true
        /// The time since which the guest should send the layer; nil if it is paused.
        var asked: UInt64?
        /// The last time at which somebody watched the layer.
        var watched: UInt64
    }

    /// A layer pauses after nobody has watched it for so long, in nanoseconds: each pause and each start costs
    /// key frames.
    private static let longestIdleness: UInt64 = 5_000_000_000
    /// The time that a guest may take to start a layer, in nanoseconds.
    private static let longestStart: UInt64 = 2_000_000_000

    private var layers: [Rendition: Layer] = [:]
    /// The names of the layers; empty if the guest sends one stream.
    package let names: [Rendition: String]

    /// - Parameters:
    ///   - names: The names of the layers in the order of the offer; empty if the guest sends one stream.
    ///   - now: The time in nanoseconds, on any clock.
    package init(_ names: [String], at now: UInt64) {
        self.names = Self.renditions(of: names)
        // A guest begins with all layers.
        for rendition in names.isEmpty ? [.full] : Array(self.names.keys) {
            layers[rendition] = Layer(asked: now, watched: now)
        }
    }

    /// Gives layers their renditions: by the names that the room uses itself, otherwise by their order, because the
    /// first one is the best (RFC 8853).
    private static func renditions(of names: [String]) -> [Rendition: String] {
        let known = Simulcast.offered.filter { names.contains($0.layer) }
        let isKnown = known.count == names.count
        return Dictionary(
            uniqueKeysWithValues: isKnown
                ? known.map { ($0, $0.layer) } : Array(zip(Simulcast.offered, names)))
    }

    /// The renditions of the layers by their names.
    package var renditions: [String: Rendition] {
        Dictionary(uniqueKeysWithValues: names.map { ($0.value, $0.key) })
    }

    // MARK: Arriving layers

    /// A key frame has arrived.
    package mutating func take(_ size: FrameSize, of rendition: Rendition) {
        layers[rendition]?.size = size
        layers[rendition]?.isArriving = true
        layers[rendition]?.isMissing = false
    }

    /// Counts the traffic of a layer since the last call, about a second ago.
    ///
    /// - Parameters:
    ///   - bitsPerSecond: The bit rate of that time; 0 if nothing has arrived.
    ///   - now: The time in nanoseconds, on any clock.
    package mutating func measure(
        _ bitsPerSecond: Int, of rendition: Rendition, at now: UInt64
    ) {
        guard var layer = layers[rendition] else { return }
        layer.isArriving = bitsPerSecond > 0
        let isLate = layer.asked.map { now > $0 && now - $0 >= Self.longestStart } ?? false
        layer.isMissing = !layer.isArriving && (isLate || layer.size == nil)
        // Key frames make peaks. A paused layer keeps its bit rate.
        if layer.isArriving {
            layer.bitsPerSecond = max(bitsPerSecond, (layer.bitsPerSecond ?? 0) / 5 * 4)
        }
        layers[rendition] = layer
    }

    /// The size of a layer; before its first key frame, twice the size of the next smaller layer. nil if no key frame
    /// has arrived.
    package func size(of rendition: Rendition) -> FrameSize? {
        guard let layer = layers[rendition] else { return nil }
        if let size = layer.size { return size }
        let known = layers.filter { $0.value.size != nil }.keys
        let nearest = known.min {
            abs($0.rawValue - rendition.rawValue) < abs($1.rawValue - rendition.rawValue)
        }
        guard let nearest, let size = layers[nearest]?.size else { return nil }
        let steps = rendition.rawValue - nearest.rawValue
        return steps > 0
            ? FrameSize(width: size.width << steps, height: size.height << steps)
            : FrameSize(width: max(2, size.width >> -steps), height: max(2, size.height >> -steps))
    }

    /// The layers that viewers can get; empty before the first key frame.
    package var sent: [Rendition: SlotPlan.SentLayer] {
        var sent: [Rendition: SlotPlan.SentLayer] = [:]
        for (rendition, layer) in layers {
            guard let size = size(of: rendition) else { continue }
            let usual = Rendition.full.bitsPerSecond(
                of: VideoCapability(size: size, rate: FrameRate(30)))
            sent[rendition] = .init(
                bitsPerSecond: layer.bitsPerSecond ?? usual, lines: size.height)
        }
        return sent
    }

    /// The layer to use while another one does not arrive although the guest should send it: the next smaller layer
    /// that arrives, or else the next larger one.
    package func substitute(for rendition: Rendition) -> Rendition {
        guard layers[rendition]?.isMissing ?? false else { return rendition }
        let arriving = layers.filter { $0.value.isArriving }.keys
        return arriving.filter { $0 < rendition }.max() ?? arriving.min() ?? rendition
    }

    // MARK: Requested layers

    /// Records the watched layers.
    ///
    /// - Parameter now: The time in nanoseconds, on any clock.
    /// - Returns: Whether ``wanted`` has changed.
    package mutating func watch(_ watched: Set<Rendition>, at now: UInt64) -> Bool {
        let before = wanted
        for rendition in layers.keys {
            guard var layer = layers[rendition] else { continue }
            if watched.contains(rendition) {
                layer.watched = now
                if layer.asked == nil { (layer.asked, layer.isMissing) = (now, layer.size == nil) }
            } else if now > layer.watched, now - layer.watched >= Self.longestIdleness {
                layer.asked = nil
            }
            layers[rendition] = layer
        }
        return wanted != before
    }

    /// The names of the layers that the guest should send, the best first; nil if the guest sends one stream.
    package var wanted: [String]? {
        guard !names.isEmpty else { return nil }
        return Simulcast.offered.filter { layers[$0]?.asked != nil }.compactMap { names[$0] }
    }
}

extension [Rendition: SlotPlan.SentLayer] {
    /// Returns the smallest layer that fits, or the best layer if none fits; nil without a layer. If layers have equal
    /// lines, returns the best one of them. A layer fits with up to a sixth fewer lines, because nobody sees the
    /// difference.
    package func fitting(lines: Int) -> Rendition? {
        let least = values.map(\.lines).filter { lines * 10 <= $0 * 12 }.min()
        return filter { $0.value.lines == least ?? $0.value.lines }.keys.max()
    }
}
