import GreenroomMedia

/// The sums of 10 ms of tracks: one for each mix that something takes.
///
/// The session's own mix clamps what exceeds 16 bits. The mixes with participants, who are many and
/// know nothing of each other, are turned down by a ``PeakLimiter`` instead.
struct AudioSums: ~Copyable {
    fileprivate struct Sum {
        var mix: AudioMixer.Mix
        var samples: [Int32]
        var limiter = PeakLimiter()
        /// Whether something takes it now.
        var isWanted = true
        /// The samples in 16 bits.
        var output: [Int16]
        /// Whether they are those of this stretch.
        var isMixed = false
    }

    private let capacity: Int
    private let silence: [Int16]
    private var count = 0
    private var sums: [Sum] = []
    /// Samples of this stretch that were clamped.
    private(set) var clamped = 0

    init(sampleCount: Int) {
        capacity = sampleCount
        silence = [Int16](repeating: 0, count: sampleCount)
    }

    /// Begins a stretch.
    ///
    /// - Parameters:
    ///   - count: Its samples.
    ///   - mixes: What is taken; a mix that comes for the first time allocates.
    mutating func begin(_ count: Int, for mixes: some Sequence<AudioMixer.Mix>) {
        self.count = count
        clamped = 0
        for index in sums.indices {
            sums[index].isWanted = false
            sums[index].isMixed = false
        }
        for mix in mixes {
            if let index = sums.firstIndex(where: { $0.mix == mix }) {
                sums[index].isWanted = true
            } else {
                sums.append(
                    Sum(
                        mix: mix, samples: [Int32](repeating: 0, count: capacity),
                        output: [Int16](repeating: 0, count: capacity)))
            }
        }
        sums.removeAll { !$0.isWanted }
        for index in sums.indices {
            for sample in 0..<count { sums[index].samples[sample] = 0 }
        }
    }

    /// Adds a track's samples to the mixes that it belongs to.
    ///
    /// - Parameter participant: Whose they are; nil for the session's own.
    mutating func add(_ samples: Span<Int16>, of participant: UInt32?) {
        for index in sums.indices where sums[index].mix.has(participant) {
            for sample in 0..<min(count, samples.count) {
                sums[index].samples[sample] &+= Int32(samples[sample])
            }
        }
    }

    /// Passes the samples of a mix, in 16 bits; silence of the same length for one that nothing takes.
    mutating func withSamples(of mix: AudioMixer.Mix, _ body: (Span<Int16>) -> Void) {
        guard let index = sums.firstIndex(where: { $0.mix == mix }) else {
            return body(silence.span.extracting(..<count))
        }
        if !sums[index].isMixed { clamped += sums[index].mixDown(count) }
        let output = sums[index].output
        body(output.span.extracting(..<count))
    }
}

extension AudioSums.Sum {
    /// Brings the samples into 16 bits.
    ///
    /// - Returns: The number of those that were clamped.
    fileprivate mutating func mixDown(_ count: Int) -> Int {
        isMixed = true
        guard mix == .own else {
            limiter.limit(samples, count: count, into: &output)
            return 0
        }
        var clamped = 0
        for index in 0..<count {
            output[index] = Int16(clamping: samples[index])
            if Int32(output[index]) != samples[index] { clamped += 1 }
        }
        return clamped
    }
}

extension AudioMixer.Mix {
    /// Whether a track is in the mix.
    ///
    /// - Parameter participant: Whose it is; nil for the session's own.
    func has(_ participant: UInt32?) -> Bool {
        switch self {
        case .own: participant == nil
        case .incoming: participant != nil
        case .all: true
        case .without(let other): participant != other
        }
    }
}

/// Turns a sum down while it exceeds 16 bits. Only a peak in the first 2 ms after a rise is clipped.
///
/// The gain falls within the first 2 ms of a stretch in which a peak lies, and returns within about
/// 200 ms. Without peaks the samples stay as they are.
struct PeakLimiter {
    /// How long the gain takes to fall, in samples of both channels: 2 ms.
    private static let attack = 192
    /// The part of the way back to 1 that a stretch of 10 ms makes.
    private static let release: Float = 0.2
    /// Above this the gain is 1 again: 0.01 dB.
    private static let whole: Float = 0.999

    private var gain: Float = 1

    /// Limits interleaved stereo samples.
    mutating func limit(_ samples: [Int32], count: Int, into output: inout [Int16]) {
        var peak: Int32 = 0
        for index in 0..<count { peak = max(peak, abs(samples[index])) }
        let needed = peak > Int32(Int16.max) ? Float(Int16.max) / Float(peak) : 1
        guard needed < 1 || gain < 1 else {
            for index in 0..<count { output[index] = Int16(truncatingIfNeeded: samples[index]) }
            return
        }
        let begin = gain
        let returned = gain + (1 - gain) * Self.release
        let end = min(needed, returned > Self.whole ? 1 : returned)
        let ramp = end < begin ? min(Self.attack, count) : count
        for index in 0..<count {
            // Both channels of a frame get the same gain.
            let part = min(Float(index / 2 * 2 + 2) / Float(max(ramp, 1)), 1)
            let gain = begin + (end - begin) * part
            output[index] = Int16(clamping: Int32((Float(samples[index]) * gain).rounded()))
        }
        gain = end
    }
}
