import GreenroomMedia

/// Brings the sound of one source to the session's rate.
struct SoundConverter: ~Copyable, Sendable {
    let format: AudioFormat
    private var resampler: Resampler
    private var output: [Int16]

    init?(from format: AudioFormat) {
        guard let resampler = Resampler(from: format, to: AudioFormat.session.sampleRate) else {
            return nil
        }
        self.format = format
        let longest =
            (format.sampleRate * AudioFormat.longestBlockMilliseconds + 999) / 1000
        output = [Int16](
            repeating: 0, count: resampler.mostFrames(from: longest) * format.channels)
        self.resampler = resampler
    }

    mutating func convert(_ samples: Span<Int16>, into queue: inout SoundQueue) {
        let (_, produced) = resampler.process(samples, into: &output)
        queue.append(
            output.span.extracting(..<(produced * format.channels)), channels: format.channels)
    }

    /// Brings out what the resampler's filter holds back of the last samples.
    mutating func drain(into queue: inout SoundQueue) {
        let silence = [Int16](repeating: 0, count: resampler.heldFrames * format.channels)
        convert(silence.span, into: &queue)
    }
}
