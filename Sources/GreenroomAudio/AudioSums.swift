import GreenroomMedia

/// The sums of 10 ms of tracks, one for each mix that a sink receives.
///
/// Each track is added once: to the sum of the session's tracks or to the participants' sum. A mix
/// that leaves out participants is the sum minus their tracks. 32 bits are enough for an exact result.
///
/// The session's own mix clamps samples above 16 bits. In mixes with participants, who are many and
/// independent of each other, a ``PeakLimiter`` lowers the gain instead.
struct AudioSums: ~Copyable {
    fileprivate struct Output {
        var mix: AudioMixer.Mix
        /// The tracks of the participants whom the mix leaves out; empty if there are none.
        var leftOut: [Int32]
        var limiter = PeakLimiter()
        /// Whether a sink receives the mix now.
        var isWanted = true
        /// The samples in 16 bits.
        var samples: [Int16]
        /// Whether the samples are from this stretch.
        var isMixed = false
    }

    private let silence: [Int16]
    private var count = 0
    /// The session's own tracks.
    private var own: [Int32]
    /// The participants' tracks.
    private var incoming: [Int32]
    /// The mix before its conversion to 16 bits.
    private var sum: [Int32]
    private var outputs: [Output] = []
    /// The number of clamped samples in this stretch.
    private(set) var clamped = 0

    init(sampleCount: Int) {
        silence = [Int16](repeating: 0, count: sampleCount)
        own = [Int32](repeating: 0, count: sampleCount)
        incoming = own
        sum = own
    }

    /// Begins a stretch.
    ///
    /// - Parameters:
    ///   - count: The number of samples.
    ///   - mixes: The mixes that sinks receive. A mix allocates memory at its first use.
    mutating func begin(_ count: Int, for mixes: some Sequence<AudioMixer.Mix>) {
        self.count = count
        clamped = 0
        for index in outputs.indices {
            outputs[index].isWanted = false
            outputs[index].isMixed = false
        }
        for mix in mixes {
            if let index = outputs.firstIndex(where: { $0.mix == mix }) {
                outputs[index].isWanted = true
            } else {
                let leftOut = mix.leftOut.isEmpty ? [] : silence.map(Int32.init)
                outputs.append(Output(mix: mix, leftOut: leftOut, samples: silence))
            }
        }
        outputs.removeAll { !$0.isWanted }
        own.clear()
        incoming.clear()
        for index in outputs.indices { outputs[index].leftOut.clear() }
    }

    /// Adds a track's samples to the mixes that it belongs to.
    ///
    /// - Parameter participant: The participant of the track; nil for the session's own tracks.
    mutating func add(_ samples: Span<Int16>, of participant: UInt32?) {
        let samples = samples.extracting(..<min(count, samples.count))
        guard let participant else { return own.add(samples) }
        incoming.add(samples)
        for index in outputs.indices where outputs[index].mix.leftOut.contains(participant) {
            outputs[index].leftOut.add(samples)
        }
    }

    /// Calls `body` with the samples of a mix, in 16 bits. For a mix without a sink, passes silence
    /// of the same length.
    mutating func withSamples(of mix: AudioMixer.Mix, _ body: (Span<Int16>) -> Void) {
        guard let index = outputs.firstIndex(where: { $0.mix == mix }) else {
            return body(silence.span.extracting(..<count))
        }
        if !outputs[index].isMixed {
            clamped += outputs[index].mixDown(own, incoming, count: count, with: &sum)
        }
        let samples = outputs[index].samples
        body(samples.span.extracting(..<count))
    }
}

extension AudioSums.Output {
    /// Converts the mix to 16 bits.
    ///
    /// - Parameters:
    ///   - own: The session's own tracks.
    ///   - incoming: The participants' tracks.
    ///   - sum: Memory for the mix.
    /// - Returns: The number of samples that were clamped.
    fileprivate mutating func mixDown(
        _ own: [Int32], _ incoming: [Int32], count: Int, with sum: inout [Int32]
    ) -> Int {
        isMixed = true
        let (own, incoming) = (own.span.extracting(..<count), incoming.span.extracting(..<count))
        var sums = sum.mutableSpan
        for place in incoming.indices { sums[place] = incoming[place] }
        if !leftOut.isEmpty {
            let leftOut = leftOut.span
            for place in incoming.indices { sums[place] &-= leftOut[place] }
        }
        switch mix.tracks {
        case .own: for place in own.indices { sums[place] = own[place] }
        case .incoming: break
        case .all: for place in own.indices { sums[place] &+= own[place] }
        case .split:
            for left in stride(from: 0, to: count - 1, by: 2) {
                sums[left + 1] = (sums[left] &+ sums[left + 1]) / 2
                sums[left] = (own[left] &+ own[left + 1]) / 2
            }
        }
        guard mix.tracks == .own else {
            limiter.limit(sums.span.extracting(..<count), into: &samples)
            return 0
        }
        return samples.clamp(sums.span.extracting(..<count))
    }
}

extension [Int32] {
    fileprivate mutating func clear() {
        var sums = mutableSpan
        for place in sums.indices { sums[place] = 0 }
    }

    fileprivate mutating func add(_ samples: Span<Int16>) {
        var sums = mutableSpan
        for place in 0..<Swift.min(samples.count, sums.count) {
            sums[place] &+= Int32(samples[place])
        }
    }
}

extension [Int16] {
    /// Takes samples, clamped to 16 bits.
    ///
    /// - Returns: The number of clamped samples.
    fileprivate mutating func clamp(_ sums: Span<Int32>) -> Int {
        var samples = mutableSpan
        var clamped = 0
        for place in 0..<Swift.min(sums.count, samples.count) {
            samples[place] = Int16(clamping: sums[place])
            if Int32(samples[place]) != sums[place] { clamped += 1 }
        }
        return clamped
    }
}

extension AudioMixer.Mix {
    /// Whether a track is in the mix.
    ///
    /// - Parameter participant: The participant of the track; nil for the session's own tracks.
    func has(_ participant: UInt32?) -> Bool {
        guard let participant else { return tracks != .incoming }
        return tracks != .own && !leftOut.contains(participant)
    }
}

/// Lowers the gain of a sum while it exceeds 16 bits. Clips only peaks in the first 2 ms after a
/// rise.
///
/// If a stretch has a peak, the gain falls within the first 2 ms of the stretch. The gain returns
/// within about 200 ms. Without peaks the samples do not change.
struct PeakLimiter {
    /// The time in which the gain falls, in samples of both channels: 2 ms.
    private static let attack = 192
    /// The part of the remaining way back to 1 that the gain makes in a stretch of 10 ms.
    private static let release: Float = 0.2
    /// The gain above which the gain becomes 1 again: 0.01 dB.
    private static let whole: Float = 0.999

    private var gain: Float = 1

    /// Limits interleaved stereo samples.
    mutating func limit(_ samples: Span<Int32>, into output: inout [Int16]) {
        var output = output.mutableSpan
        var peak: Int32 = 0
        for index in samples.indices { peak = max(peak, abs(samples[index])) }
        let needed = peak > Int32(Int16.max) ? Float(Int16.max) / Float(peak) : 1
        guard needed < 1 || gain < 1 else {
            for index in samples.indices {
                output[index] = Int16(truncatingIfNeeded: samples[index])
            }
            return
        }
        let begin = gain
        let returned = gain + (1 - gain) * Self.release
        let end = min(needed, returned > Self.whole ? 1 : returned)
        let ramp = end < begin ? min(Self.attack, samples.count) : samples.count
        for index in samples.indices {
            // Both channels of a frame have the same gain.
            let part = min(Float(index / 2 * 2 + 2) / Float(max(ramp, 1)), 1)
            let gain = begin + (end - begin) * part
            output[index] = Int16(clamping: Int32((Float(samples[index]) * gain).rounded()))
        }
        gain = end
    }
}
