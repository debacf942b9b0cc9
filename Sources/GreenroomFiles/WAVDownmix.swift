/// How sound of more than two channels becomes stereo.
///
/// Nothing is thrown away but the effects channel: speech sits in the centre, which the first
/// two channels alone would lose. Centre and surrounds come in 3 dB lower, as ITU-R BS.775
/// says, and the whole is lowered so that it cannot clip.
struct WAVDownmix {
    private let left: [Float]
    private let right: [Float]

    /// Plans a mix.
    ///
    /// - Parameters:
    ///   - channels: 3 or more.
    ///   - speakers: A bit for each channel (`dwChannelMask`), lowest first; 0 for "the usual
    ///     ones".
    init(channels: Int, speakers: UInt32) {
        let mask = speakers.nonzeroBitCount == channels ? speakers : Self.usual[channels] ?? 0
        let bits = (0..<32).filter { mask & 1 << UInt32($0) != 0 }
        let gains = (0..<channels).map {
            bits.indices.contains($0) ? Self.gain(bits[$0]) : (0.5, 0.5)
        }
        let loudest = max(
            gains.reduce(0) { $0 + $1.0 }, gains.reduce(0) { $0 + $1.1 }, 1)
        left = gains.map { $0.0 / loudest }
        right = gains.map { $0.1 / loudest }
    }

    /// Mixes a frame.
    ///
    /// - Parameter sample: Gives the sample of a channel.
    @inline(__always)
    func mix(_ sample: (Int) -> Int16) -> (left: Int16, right: Int16) {
        var sums: (Float, Float) = (0, 0)
        for channel in left.indices {
            let value = Float(sample(channel))
            sums.0 += value * left[channel]
            sums.1 += value * right[channel]
        }
        return (Int16(clamping: Int(sums.0.rounded())), Int16(clamping: Int(sums.1.rounded())))
    }

    /// The loudspeakers that a number of channels usually means.
    private static let usual: [Int: UInt32] = [
        3: 0x007, 4: 0x033, 5: 0x037, 6: 0x03F, 7: 0x70F, 8: 0x63F,
    ]

    /// Left and right share of a loudspeaker, by its bit.
    private static func gain(_ bit: Int) -> (Float, Float) {
        let lower: Float = 0.707_106_8
        return switch bit {
        case 0, 6: (1, 0)  // front left, left of centre
        case 1, 7: (0, 1)  // front right, right of centre
        case 2: (lower, lower)  // front centre
        case 3: (0, 0)  // effects
        case 4, 9: (lower, 0)  // back left, side left
        case 5, 10: (0, lower)  // back right, side right
        default: (0.5, 0.5)
        }
    }
}
