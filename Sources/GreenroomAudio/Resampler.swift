import CSpeexDSP
package import GreenroomMedia

/// Changes the rate of 16-bit interleaved audio, block by block, without losing a sample between
/// blocks.
///
/// Unchecked `Sendable`: the state has one owner and cannot be copied, and every call that uses it
/// is `mutating`, so it has exclusive access.
package struct Resampler: ~Copyable, @unchecked Sendable {
    /// The format of the input.
    package let input: AudioFormat
    /// The rate of the output, in hertz.
    let outputRate: Int
    private let state: OpaquePointer
    /// The number of input frames that become ``denominator`` output frames; nil before an
    /// adjustment.
    private var inputFrames: UInt32?

    /// The medium quality of speexdsp: transparent for speech, 80 taps.
    private static let quality: Int32 = 5
    /// Speexdsp keeps its position between two input samples as a fraction with the ratio's
    /// denominator in lowest terms. Only if that denominator stays the same does a new ratio
    /// continue where the old one was. A prime stays the same; this is the largest one whose square
    /// fits the 32 bits of speexdsp.
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
        // The first sample out is the first sample in, without the filter's initial silence.
        speex_resampler_skip_zeros(state)
        self.input = input
        self.outputRate = outputRate
        self.state = state
    }

    deinit { speex_resampler_destroy(state) }

    /// Output frames that are held back until more input arrives.
    var latencyFrames: Int {
        mutating get { Int(speex_resampler_get_output_latency(state)) }
    }

    /// Input frames that are held back: this much silence brings them out.
    package var heldFrames: Int {
        mutating get { Int(speex_resampler_get_input_latency(state)) }
    }

    /// The reciprocal of the largest fraction that an adjustment adds to a block.
    private static let adjustmentShare = 250

    /// The most frames that a block can become when it is adjusted by up to 3000 ppm.
    package func frameLimit(from frames: Int) -> Int {
        Self.frameLimit(from: frames, at: input.sampleRate, to: outputRate)
    }

    /// The most frames that a block can become when its rate is changed.
    package static func frameLimit(from frames: Int, at inputRate: Int, to outputRate: Int) -> Int {
        let nominal = (frames * outputRate + inputRate - 1) / inputRate
        return nominal + nominal / adjustmentShare + 2
    }

    /// Discards the input so far; the next sample out is the next one in.
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
    /// - Parameter ppm: How much more, in ppm; negative for less.
    /// - Returns: The actual value. A step is 15 ppm, or more if the rate goes up.
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
