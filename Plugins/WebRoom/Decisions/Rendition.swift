package import GreenroomMedia

/// A quality in which a video track is encoded, from poorest to best. All viewers of a rendition
/// share one encoder.
package enum Rendition: Int, CaseIterable, Comparable, Sendable {
    /// Half of each side, and a ninth of the bits.
    case low
    /// Half of each side, and a third of the bits.
    case half
    /// The size and bit rate of the track.
    case full

    /// Groups renditions of equal size.
    package static let bySize: [[Rendition]] = [[.full], [.half, .low]]

    /// The size and rate of ``full`` for a track. The session's own video and shares keep their size,
    /// because small text must stay readable. A guest's camera gets the size of a tile, because each
    /// viewer with another codec costs an encoder.
    package static func whole(
        of own: VideoCapability, isGuest: Bool, isShare: Bool
    ) -> VideoCapability {
        let rate = min(own.rate, FrameRate(isGuest ? 20 : 30))
        guard isGuest, !isShare else { return VideoCapability(size: own.size, rate: rate) }
        let factor = min(640 / Double(own.size.width), 360 / Double(own.size.height), 1)
        let size = FrameSize(
            width: max(2, Int(Double(own.size.width) * factor) / 2 * 2),
            height: max(2, Int(Double(own.size.height) * factor) / 2 * 2))
        return VideoCapability(size: size, rate: rate)
    }

    package static func < (left: Rendition, right: Rendition) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The rendition's size for a track's size. Width and height are even except for ``full``.
    package func size(of whole: FrameSize) -> FrameSize {
        switch self {
        case .full: whole
        case .half, .low:
            FrameSize(
                width: max(2, whole.width / 4 * 2), height: max(2, whole.height / 4 * 2))
        }
    }

    /// The bit rate that looks clean on footage: 2.2 Mbit/s for 720p30. At lower frame rates frames
    /// differ more. ``low`` looks blurred in motion.
    package func bitsPerSecond(of whole: VideoCapability) -> Int {
        let pixels = Double(whole.size.area) * max(10, whole.rate.framesPerSecond)
        let full = min(max(pixels * 0.08, 200_000), 6_000_000)
        return switch self {
        case .full: Int(full)
        case .half: Int(full / 3)
        case .low: Int(max(full / 9, 50_000))
        }
    }
}
