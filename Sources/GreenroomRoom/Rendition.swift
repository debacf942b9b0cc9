package import GreenroomMedia

/// A quality in which a video track is encoded, for all who get it.
package enum Rendition: Int, CaseIterable, Sendable {
    /// As the track is.
    case full
    /// Half of each side, and a third of the bits.
    case half

    /// Its size, of a track's; even for ``half``.
    package func size(of whole: FrameSize) -> FrameSize {
        switch self {
        case .full: whole
        case .half:
            FrameSize(
                width: max(2, whole.width / 4 * 2), height: max(2, whole.height / 4 * 2))
        }
    }

    /// What looks clean on footage: 2.2 Mbit/s of 720p30. Frames that come seldom change more.
    package func bitsPerSecond(of whole: VideoCapability) -> Int {
        let pixels = Double(whole.size.area) * max(10, whole.rate.framesPerSecond)
        let full = min(max(pixels * 0.08, 200_000), 6_000_000)
        return switch self {
        case .full: Int(full)
        case .half: Int(full / 3)
        }
    }

    /// The fewest bits that a network is given of it, for so many at best.
    package static func fewestBits(of bits: Int) -> Int { min(bits, max(bits / 3, 50_000)) }
}
