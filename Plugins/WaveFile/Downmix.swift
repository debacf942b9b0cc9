import CSndFile

/// Mixes more than two channels to stereo.
///
/// Drops only the effects channel: speech is usually in the centre, which the first two channels
/// lack. Centre and surrounds are 3 dB lower, as in ITU-R BS.775, and the sum is scaled so that it
/// can't clip.
struct Downmix {
    private let left: [Float]
    private let right: [Float]

    /// Plans a mix.
    ///
    /// - Parameter speakers: The speaker of each channel, a `SF_CHANNEL_MAP_` constant.
    init(speakers: [Int]) {
        let gains = speakers.map(Self.gain)
        let loudest = max(gains.reduce(0) { $0 + $1.0 }, gains.reduce(0) { $0 + $1.1 }, 1)
        left = gains.map { $0.0 / loudest }
        right = gains.map { $0.1 / loudest }
    }

    /// Mixes a frame.
    ///
    /// - Parameter sample: Returns the sample of a channel.
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

    /// The usual speakers of a file that does not name them.
    ///
    /// - Parameter isOgg: Whether the channels have the order of Vorbis and Opus instead of WAV and
    ///   FLAC.
    static func usualSpeakers(channels: Int, isOgg: Bool) -> [Int] {
        let front = [SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_RIGHT]
        let centre = [SF_CHANNEL_MAP_CENTER]
        let effects = [SF_CHANNEL_MAP_LFE]
        let rear = [SF_CHANNEL_MAP_REAR_LEFT, SF_CHANNEL_MAP_REAR_RIGHT]
        let rearCentre = [SF_CHANNEL_MAP_REAR_CENTER]
        let side = [SF_CHANNEL_MAP_SIDE_LEFT, SF_CHANNEL_MAP_SIDE_RIGHT]
        // Left, centre, right.
        let oggFront = [SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_CENTER, SF_CHANNEL_MAP_RIGHT]
        return switch (channels, isOgg) {
        case (3, false): front + centre
        case (4, _): front + rear
        case (5, false): front + centre + rear
        case (6, false): front + centre + effects + rear
        case (7, false): front + centre + effects + rearCentre + side
        case (8, false): front + centre + effects + rear + side
        case (3, true): oggFront
        case (5, true): oggFront + rear
        case (6, true): oggFront + rear + effects
        case (7, true): oggFront + side + rearCentre + effects
        case (8, true): oggFront + side + rear + effects
        default: Array(repeating: SF_CHANNEL_MAP_INVALID, count: channels)
        }
    }

    /// Left and right gain of a speaker.
    private static func gain(_ speaker: Int) -> (Float, Float) {
        let lower: Float = 0.707_106_8
        return switch speaker {
        case SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_FRONT_LEFT, SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER:
            (1, 0)
        case SF_CHANNEL_MAP_RIGHT, SF_CHANNEL_MAP_FRONT_RIGHT,
            SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER:
            (0, 1)
        case SF_CHANNEL_MAP_CENTER, SF_CHANNEL_MAP_FRONT_CENTER: (lower, lower)
        case SF_CHANNEL_MAP_LFE: (0, 0)
        case SF_CHANNEL_MAP_REAR_LEFT, SF_CHANNEL_MAP_SIDE_LEFT: (lower, 0)
        case SF_CHANNEL_MAP_REAR_RIGHT, SF_CHANNEL_MAP_SIDE_RIGHT: (0, lower)
        default: (0.5, 0.5)
        }
    }
}
