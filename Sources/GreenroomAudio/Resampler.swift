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
    /// Speexdsp stores its position between two input samples as a fraction with the ratio's
    /// denominator in lowest terms. A new ratio continues at the old position only if that
    /// denominator stays the same. A prime stays the same. This value is the largest prime whose
    /// square fits the 32 bits of speexdsp.
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
        // Skip the filter's initial silence, so that the first output sample is the first input
        // sample.
        speex_resampler_skip_zeros(state)
        self.input = input
        self.outputRate = outputRate
        self.state = state
    }

    deinit { speex_resampler_destroy(state) }

    /// The number of output frames that are held back until more input arrives.
    var latencyFrames: Int {
        mutating get { Int(speex_resampler_get_output_latency(state)) }
    }

    /// The number of input frames that are held back. The same number of silent frames drains them.
    package var heldFrames: Int {
        mutating get { Int(speex_resampler_get_input_latency(state)) }
    }

    /// The reciprocal of the largest fraction that an adjustment adds to a block.
    private static let adjustmentShare = 250

    /// Returns the largest number of frames that a block can become when adjusted by up to 3000
    /// ppm.
    package func frameLimit(from frames: Int) -> Int {
        Self.frameLimit(from: frames, at: input.sampleRate, to: outputRate)
    }

    /// Returns the largest number of frames that a block can become at another rate.
    package static func frameLimit(from frames: Int, at inputRate: Int, to outputRate: Int) -> Int {
        let nominal = (frames * outputRate + inputRate - 1) / inputRate
        return nominal + nominal / adjustmentShare + 2
    }

    /// Discards the input so far. The next output sample is the next input sample.
    package mutating func restart() {
        speex_resampler_reset_mem(state)
        speex_resampler_skip_zeros(state)
    }

    /// Resamples as many samples as `output` has room for.
    ///
    /// - Returns: The number of frames taken from the samples, and the number written to the
    ///   beginning of `output`.
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

    /// Stretches or shrinks the output slightly.
    ///
    /// - Parameter ppm: The stretch, in ppm; negative to shrink.
    /// - Returns: The actual stretch, in ppm. The resolution is 15 ppm, or coarser if the rate
    ///   rises.
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
