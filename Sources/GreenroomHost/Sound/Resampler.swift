import CSpeexDSP
import GreenroomMedia

/// Changes the rate of 16-bit interleaved sound, block by block, without losing a sample
/// between blocks.
///
/// Sendable without the compiler's proof: nobody else has the state, it can't be copied, and
/// every call on it is `mutating`, so that it has exclusive access.
struct Resampler: ~Copyable, @unchecked Sendable {
    /// What goes in.
    let input: AudioFormat
    /// The rate of what comes out, in hertz.
    let outputRate: Int
    private let state: OpaquePointer
    /// Input and output frames of one ratio, in lowest terms.
    private var ratio: (input: UInt32, output: UInt32)

    /// speexdsp's own middle: transparent for speech, 80 taps.
    private static let quality: Int32 = 5
    /// Speexdsp multiplies two denominators in 32 bits when the ratio changes.
    private static let largestTerm = 65_535

    /// - Returns: nil if there is no memory.
    init?(from input: AudioFormat, to outputRate: Int) {
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
        ratio = (0, 0)
        speex_resampler_get_ratio(state, &ratio.input, &ratio.output)
    }

    deinit { speex_resampler_destroy(state) }

    /// Frames of output that are held back until more comes in.
    var latencyFrames: Int {
        mutating get { Int(speex_resampler_get_output_latency(state)) }
    }

    /// Frames of input that are held back: so much silence brings out what came before it.
    var heldFrames: Int {
        mutating get { Int(speex_resampler_get_input_latency(state)) }
    }

    /// Frames of output that a block becomes at most.
    func mostFrames(from frames: Int) -> Int {
        (frames * outputRate + input.sampleRate - 1) / input.sampleRate + frames / 500 + 2
    }

    /// Resamples as much as there is room for.
    ///
    /// - Returns: Frames taken from the samples, and frames written to the beginning of output.
    mutating func process(
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
    /// - Returns: What it became: steps are up to 16 millionths wide.
    mutating func adjust(ppm: Double) -> Double {
        let nominal = Double(input.sampleRate) / Double(outputRate)
        let (above, below) = Self.fraction(near: nominal / (1 + ppm / 1e6))
        if (above, below) != ratio,
            speex_resampler_set_rate_frac(
                state, above, below, UInt32(input.sampleRate), UInt32(clamping: outputRate)) == 0
        {
            ratio = (above, below)
        }
        return (nominal * Double(ratio.output) / Double(ratio.input) - 1) * 1e6
    }

    /// The fraction nearest to a number with terms that speexdsp can take, by the mediants of
    /// Stern and Brocot, in lowest terms.
    static func fraction(near number: Double) -> (UInt32, UInt32) {
        // Continued fractions come within one step of the nearest in a few rounds.
        var (above, below) = ((previous: 0, last: 1), (previous: 1, last: 0))
        var rest = number
        while true {
            let whole = rest.rounded(.down)
            let room = min(
                above.last > 0 ? (largestTerm - above.previous) / above.last : .max,
                below.last > 0 ? (largestTerm - below.previous) / below.last : .max)
            let term = min(Int(whole), room)
            let next = (
                above: term * above.last + above.previous, below: term * below.last + below.previous
            )
            if term < Int(whole) {
                // A part of the last term is nearer than none of it from its half on.
                if 2 * term > Int(whole) {
                    (above.last, below.last) = (next.above, next.below)
                }
                break
            }
            above = (above.last, next.above)
            below = (below.last, next.below)
            let fraction = rest - whole
            guard fraction > 1e-9 else { break }
            rest = 1 / fraction
            guard rest < 1e9 else { break }
        }
        return (UInt32(clamping: above.last), UInt32(clamping: below.last))
    }
}
