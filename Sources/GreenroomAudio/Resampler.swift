import CSpeexDSP
package import GreenroomMedia

/// Changes the rate of 16-bit interleaved sound, block by block, without losing a sample
/// between blocks.
///
/// Sendable without the compiler's proof: nobody else has the state, it can't be copied, and
/// every call on it is `mutating`, so that it has exclusive access.
package struct Resampler: ~Copyable, @unchecked Sendable {
    /// What goes in.
    package let input: AudioFormat
    /// The rate of what comes out, in hertz.
    let outputRate: Int
    private let state: OpaquePointer
    /// Input frames that become ``denominator`` frames of output; nil before an adjustment.
    private var inputFrames: UInt32?

    /// speexdsp's own middle: transparent for speech, 80 taps.
    private static let quality: Int32 = 5
    /// Speexdsp keeps its place between two input samples in parts of the ratio's denominator
    /// in lowest terms: only if that stays the same does a new ratio begin where the old one
    /// was. A prime stays; this is the largest whose square fits speexdsp's 32 bits.
    private static let denominator: UInt32 = 65_521

    /// - Returns: nil if there is no memory.
    package init?(from input: AudioFormat, to outputRate: Int) {
        guard input.isLegal, outputRate > 0 else { return nil }
        var error: Int32 = 0
        guard
            let state = speex_resampler_init(
                UInt32(input.channels), UInt32(input.sampleRate), UInt32(clamping: outputRate),
                Self.quality, &error)
        else { return nil }
        // The first sample out is the first sample in, and not the filter's silence before it.
        speex_resampler_skip_zeros(state)
        self.input = input
        self.outputRate = outputRate
        self.state = state
    }

    deinit { speex_resampler_destroy(state) }

    /// Frames of output that are held back until more comes in.
    var latencyFrames: Int {
        mutating get { Int(speex_resampler_get_output_latency(state)) }
    }

    /// Frames of input that are held back: so much silence brings out what came before it.
    package var heldFrames: Int {
        mutating get { Int(speex_resampler_get_input_latency(state)) }
    }

    /// How much an adjustment may add to a block, as a part: one in so many.
    private static let mostAdded = 250

    /// Frames of output that a block becomes at most, when it is adjusted by up to 3000
    /// millionths.
    package func mostFrames(from frames: Int) -> Int {
        Self.mostFrames(from: frames, at: input.sampleRate, to: outputRate)
    }

    /// Frames that a block becomes at most when its rate is changed.
    package static func mostFrames(from frames: Int, at inputRate: Int, to outputRate: Int) -> Int {
        let nominal = (frames * outputRate + inputRate - 1) / inputRate
        return nominal + nominal / mostAdded + 2
    }

    /// Forgets all that was heard; the next sample out is the next one in.
    package mutating func restart() {
        speex_resampler_reset_mem(state)
        speex_resampler_skip_zeros(state)
    }

    /// Resamples as much as there is room for.
    ///
    /// - Returns: Frames taken from the samples, and frames written to the beginning of output.
    package mutating func process(
        _ samples: Span<Int16>, into output: inout [Int16]
    ) -> (consumed: Int, produced: Int) {
        var consumed = UInt32(clamping: samples.count / input.channels)
        var produced = UInt32(clamping: output.count / input.channels)
        let state = state
        samples.withUnsafeBufferPointer { from in
            output.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else {
                    (consumed, produced) = (0, 0)
                    return
                }
                speex_resampler_process_interleaved_int(state, from, &consumed, to, &produced)
            }
        }
        return (Int(consumed), Int(produced))
    }

    /// Makes a little more or less output of the same input.
    ///
    /// - Parameter ppm: Millionths more; negative for less.
    /// - Returns: What it became. A step is 15 millionths wide, or wider if the rate goes up.
    package mutating func adjust(ppm: Double) -> Double {
        let nominal = Double(input.sampleRate) / Double(outputRate)
        let wanted = nominal / (1 + min(max(ppm, -100_000), 100_000) / 1e6)
        var frames = UInt32(max(1, (wanted * Double(Self.denominator)).rounded()))
        if frames % Self.denominator == 0 {
            frames = Double(frames) > wanted * Double(Self.denominator) ? frames - 1 : frames + 1
        }
        if frames != inputFrames,
            speex_resampler_set_rate_frac(
                state, frames, Self.denominator, UInt32(input.sampleRate),
                UInt32(clamping: outputRate)) == 0
        {
            inputFrames = frames
        }
        guard let inputFrames else { return 0 }
        return (nominal * Double(Self.denominator) / Double(inputFrames) - 1) * 1e6
    }
}
