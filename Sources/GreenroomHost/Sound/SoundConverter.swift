import CSpeexDSP
import GreenroomMedia

/// Brings the sound of one source to the session's rate.
struct SoundConverter: ~Copyable, @unchecked Sendable {
    let format: AudioFormat
    private let state: OpaquePointer
    private var output: [Int16]

    init?(from format: AudioFormat) {
        var error: Int32 = 0
        guard
            let state = speex_resampler_init(
                UInt32(format.channels), UInt32(format.sampleRate),
                UInt32(AudioFormat.session.sampleRate), 5, &error)
        else { return nil }
        speex_resampler_skip_zeros(state)
        self.format = format
        self.state = state
        output = [Int16](repeating: 0, count: 9700 * 2)
    }

    deinit { speex_resampler_destroy(state) }

    mutating func convert(_ samples: Span<Int16>, into queue: inout SoundQueue) {
        var consumed = UInt32(samples.count / format.channels)
        var produced = UInt32(output.count / format.channels)
        samples.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                if let from = input.baseAddress, let to = output.baseAddress {
                    speex_resampler_process_interleaved_int(state, from, &consumed, to, &produced)
                }
            }
        }
        queue.append(
            output.span.extracting(..<(Int(produced) * format.channels)),
            channels: format.channels)
    }

    /// Brings out what the resampler's filter holds back of the last samples.
    mutating func drain(into queue: inout SoundQueue) {
        let held = Int(speex_resampler_get_input_latency(state))
        let silence = [Int16](repeating: 0, count: held * format.channels)
        convert(silence.span, into: &queue)
    }
}
