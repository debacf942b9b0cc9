package import GreenroomMedia

/// Converts the audio of one source to the session's rate, and stretches it if the source's clock
/// drifts.
package struct AudioConverter: ~Copyable, Sendable {
    package let format: AudioFormat
    private var resampler: Resampler
    private var output: [Int16]
    private var silence: [Int16]
    /// Whether the filter holds samples.
    private var isHolding = false
    /// The number of output frames to skip, because the queue already has them.
    private var repeated = 0
    /// Frames of the session since the stretch was last updated.
    private var sinceStretch = 0

    package init?(from format: AudioFormat) {
        guard var resampler = Resampler(from: format, to: AudioFormat.session.sampleRate) else {
            return nil
        }
        self.format = format
        let longest =
            (format.sampleRate * AudioFormat.longestBlockMilliseconds + 999) / 1000
        output = [Int16](
            repeating: 0, count: resampler.frameLimit(from: longest) * format.channels)
        silence = [Int16](repeating: 0, count: 4 * resampler.heldFrames * format.channels)
        self.resampler = resampler
    }

    /// Continues audio of the session's rate that was queued unchanged so far.
    ///
    /// - Parameter tail: The last samples of that audio, so that the filter has no edge there.
    package init?(from format: AudioFormat, after tail: Span<Int16>) {
        self.init(from: format)
        _ = resampler.adjust(ppm: 0)
        let frames = tail.count / format.channels
        repeated = frames - resampler.process(tail, into: &output).produced
    }

    /// The number of frames that the filter holds back until it is drained.
    package var heldFrames: Int {
        mutating get { isHolding ? max(resampler.latencyFrames - repeated, 0) : 0 }
    }

    package mutating func convert(_ samples: Span<Int16>, into queue: inout JitterBuffer) {
        isHolding = true
        let (_, produced) = resampler.process(samples, into: &output)
        let left = min(repeated, produced)
        repeated -= left
        sinceStretch += produced
        queue.append(
            output.span.extracting((left * format.channels)..<(produced * format.channels)),
            channels: format.channels)
    }

    /// Updates the stretch, at most once per second of audio.
    package mutating func stretch(_ ppm: () -> Double) {
        guard sinceStretch >= AudioFormat.session.sampleRate else { return }
        sinceStretch = 0
        _ = resampler.adjust(ppm: ppm())
    }

    /// Writes the frames that the filter holds back. The next samples start again.
    package mutating func drain(into queue: inout JitterBuffer) {
        guard isHolding else { return }
        let samples = min(resampler.heldFrames * format.channels, silence.count)
        let silence = silence
        convert(silence.span.extracting(..<samples), into: &queue)
        resampler.restart()
        repeated = 0
        isHolding = false
    }
}
