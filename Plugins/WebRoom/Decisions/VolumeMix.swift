/// Mixes the audio of people for one viewer, with a gain for each. All audio has 48 kHz and two channels.
///
/// Blocks of different people may begin at different times, and one person's may come 20 ms after another's. So a block
/// of the mix leaves 20 ms after its end.
package struct VolumeMix: Sendable {
    package static let blockFrames = 960
    /// The length of the ring, in frames.
    private static let window: Int64 = 3840
    /// The longest gap in the audio, in frames. After a longer one the mix starts again.
    private static let longestGap: Int64 = 48_000

    /// A ring: a frame has the place of its number.
    private var sums = [Int32](repeating: 0, count: 2 * Int(window))
    private var block = [Int16](repeating: 0, count: 2 * blockFrames)
    /// The first frame that has not left; nil before the first block.
    private var next: Int64?
    /// The last gain of each track: a change is spread over a block, because a step is heard as a click.
    private var gains: [UInt32: Float] = [:]

    package init() {}

    /// Adds a block of a person.
    ///
    /// - Parameters:
    ///   - track: The number of the person's track.
    ///   - time: The time of the first frame, in nanoseconds.
    ///   - pass: Receives the blocks of the mix that are complete, and their times.
    package mutating func add<Failure>(
        _ samples: Span<Int16>, of track: UInt32, at time: Int64, gain: Float,
        pass: (_ samples: Span<Int16>, _ time: Int64) throws(Failure) -> Void
    ) throws(Failure) {
        let count = samples.count / 2
        guard time >= 0, count > 0, count <= Self.blockFrames else { return }
        let first = Self.frame(at: time)
        let end = first + Int64(count)
        var next = next ?? first
        if abs(first - next) > Self.longestGap {
            next = first
            for index in sums.indices { sums[index] = 0 }
        }
        self.next = next
        while end > next + Self.window { next = try leave(next, pass) }
        let last = gains.updateValue(gain, forKey: track) ?? gain
        for index in 0..<count where first + Int64(index) >= next {
            let place = 2 * Int((first + Int64(index)) % Self.window)
            let now = last + (gain - last) * Float(index) / Float(count)
            sums[place] &+= Int32((Float(samples[2 * index]) * now).rounded())
            sums[place + 1] &+= Int32((Float(samples[2 * index + 1]) * now).rounded())
        }
        while end >= next + 2 * Int64(Self.blockFrames) { next = try leave(next, pass) }
    }

    /// Forgets a track that has ended.
    package mutating func remove(_ track: UInt32) { gains[track] = nil }

    /// Passes the block from a frame on.
    ///
    /// - Returns: The first frame after it.
    private mutating func leave<Failure>(
        _ first: Int64, _ pass: (_ samples: Span<Int16>, _ time: Int64) throws(Failure) -> Void
    ) throws(Failure) -> Int64 {
        for index in 0..<Self.blockFrames {
            let place = 2 * Int((first + Int64(index)) % Self.window)
            for channel in 0..<2 {
                block[2 * index + channel] = Int16(clamping: sums[place + channel])
                sums[place + channel] = 0
            }
        }
        let after = first + Int64(Self.blockFrames)
        next = after
        try pass(block.span, Self.time(of: first))
        return after
    }

    private static func frame(at time: Int64) -> Int64 {
        let (milliseconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000)
        return milliseconds &* 48 &+ (rest * 48 + 500_000) / 1_000_000
    }

    private static func time(of frame: Int64) -> Int64 {
        let (milliseconds, rest) = frame.quotientAndRemainder(dividingBy: 48)
        return milliseconds &* 1_000_000 &+ rest * 1_000_000 / 48
    }
}
