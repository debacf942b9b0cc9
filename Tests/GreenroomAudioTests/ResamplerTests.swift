import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomAudio

@Suite(.ownThreads) struct ResamplerTests {
    /// Resamples silence in blocks of varying lengths.
    ///
    /// - Returns: Output frames, and the latency.
    private func resample(
        seconds: Int, from format: AudioFormat, to rate: Int
    ) throws -> (produced: Int, latency: Int) {
        var made = Resampler(from: format, to: rate)
        guard var resampler = made.take() else { throw Missing() }
        let lengths = [1, 2205, 137, 441, 7, 1000, 313]
        let samples = [Int16](repeating: 0, count: 2205 * format.channels)
        var output = [Int16](
            repeating: 0, count: resampler.frameLimit(from: 2205) * format.channels)
        var (left, produced, index) = (seconds * format.sampleRate, 0, 0)
        while left > 0 {
            let frames = min(lengths[index % lengths.count], left)
            let block = samples.span.extracting(..<(frames * format.channels))
            let result = resampler.process(block, into: &output)
            if result.consumed != frames { throw Missing() }
            produced += result.produced
            left -= frames
            index += 1
        }
        return (produced, resampler.latencyFrames)
    }

    private struct Missing: Error {}

    @Test(arguments: [(22_050, 1), (11_025, 2)])
    func `resampling an hour of audio yields an hour of audio`(rate: Int, channels: Int) throws {
        let format = AudioFormat(sampleRate: rate, channels: channels)
        let seconds = Nightly.value(3600, byDay: 120)
        let hour = try resample(seconds: seconds, from: format, to: 48_000)
        #expect(abs(seconds * 48_000 - hour.produced - hour.latency) <= 3)
    }

    @Test func `the first sample is not delayed`() throws {
        var made = Resampler(from: AudioFormat(sampleRate: 24_000, channels: 1), to: 48_000)
        guard var resampler = made.take() else { throw Missing() }
        var input = [Int16](repeating: 0, count: 2000)
        input[100] = 20_000
        var output = [Int16](repeating: 0, count: 5000)
        let (_, produced) = resampler.process(input.span, into: &output)
        let peak = output[..<produced].indices.max { output[$0] < output[$1] }
        #expect(peak == 200)
    }

    @Test(arguments: [-1000.0, 0, 300], [44_100, 48_000, 96_000])
    func `an adjustment by n ppm changes the length by n ppm`(ppm: Double, rate: Int) throws {
        var made = Resampler(from: .session, to: rate)
        guard var resampler = made.take() else { throw Missing() }
        let steps = resampler.adjust(ppm: ppm)
        #expect(abs(steps - ppm) <= 16 * max(1, Double(rate) / 48_000))
        let block = [Int16](repeating: 0, count: 960)
        var output = [Int16](repeating: 0, count: resampler.frameLimit(from: 480) * 2)
        var produced = 0
        for _ in 0..<1_000 { produced += resampler.process(block.span, into: &output).produced }
        let expected = 10 * Double(rate) * (1 + steps / 1e6)
        #expect(abs(Double(produced + resampler.latencyFrames) - expected) <= 4)
    }

    @Test func `adjustments cause no click in a tone`() throws {
        var made = Resampler(from: .session, to: 48_000)
        guard var resampler = made.take() else { throw Missing() }
        var output = [Int16](repeating: 0, count: resampler.frameLimit(from: 480) * 2)
        var (sound, phase) = ([Double](), 0)
        for block in 0..<120 {
            _ = resampler.adjust(ppm: [0, 300, -40, 16][block / 10 % 4])
            let input = (0..<960).map { index in
                Int16(10_000 * sine(Double((phase + index / 2) % 48) / 48))
            }
            phase += 480
            let (_, produced) = resampler.process(input.span, into: &output)
            for frame in 0..<produced { sound.append(Double(output[frame * 2])) }
        }
        // A 1 kHz sine satisfies x[n] = 2 cos(w) x[n-1] - x[n-2].
        let factor = 2 * sine(1.0 / 48 + 0.25)
        let errors = sound.indices.dropFirst(100).map { index in
            abs(sound[index] - factor * sound[index - 1] + sound[index - 2])
        }
        let worst = errors.max() ?? .infinity
        #expect(worst < 30)
    }
}
