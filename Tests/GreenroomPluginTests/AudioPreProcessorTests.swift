import Foundation
import GreenroomABI
import GreenroomPlugin
import TestSupport
import Testing

/// Runs the real shared libraries of the audio filters.
@Suite struct AudioPreProcessorTests {
    private func session(
        _ name: String, _ settings: [(String, Given)] = []
    ) throws -> FakeSession {
        let session = try FakeSession(name, of: bundledEntry(name), settings: settings)
        try #require(session.initializeAudioFilter() == .ok)
        try #require(session.startSend() == .ok)
        return session
    }

    /// A stereo sine of 1 kHz.
    private func sine(_ peak: Double, blocks: Int) -> [Int16] {
        (0..<(blocks * 960)).map {
            Int16((peak * sin(2 * .pi * 1000 * Double($0 / 2) / 48_000)).rounded())
        }
    }

    private func peak(_ samples: ArraySlice<Int16>) -> Int {
        samples.map { abs(Int($0)) }.max() ?? 0
    }

    // MARK: Gain

    @Test func `Gain without settings changes no sample below its limit`() throws {
        let samples = sine(20_000, blocks: 20)
        #expect(try session("Gain").edit(samples) == samples)
    }

    @Test(arguments: [(6.0206, 2.0), (-20.0, 0.1)])
    func `Gain multiplies samples`(decibels: Double, factor: Double) throws {
        let samples = sine(10_000, blocks: 5)
        let edited = try session("Gain", [("level", .number(decibels))]).edit(samples)
        #expect(zip(samples, edited).allSatisfy { abs(Double($0) * factor - Double($1)) <= 1 })
    }

    @Test func `Gain lets no sample exceed its limit, and recovers within 400 ms`() throws {
        let session = try session("Gain", [("level", .number(20)), ("limit", .number(-6))])
        let limit = 32_767 * pow(10, -6.0 / 20)
        #expect(peak(try session.edit(sine(30_000, blocks: 20))[...]) <= Int(limit.rounded()))
        let soft = try session.edit(sine(1000, blocks: 60))
        #expect(abs(peak(soft.suffix(9600)) - 10_000) < 100)
    }

    @Test func `Gain mutes and unmutes within a block, without a step`() throws {
        let session = try session("Gain")
        let level = [Int16](repeating: 10_000, count: 960)
        _ = try session.edit(level)
        #expect(try session.set("mute", .boolean(true)) == .ok)
        let falling = try session.edit(level)
        #expect(falling.first == 9979 && falling.last == 0)
        #expect(zip(falling, falling.dropFirst(2)).allSatisfy { 0...22 ~= $0 - $1 })
        #expect(try session.edit(level).allSatisfy { $0 == 0 })
        #expect(try session.set("mute", .boolean(false)) == .ok)
        #expect(try session.edit(level).last == 10_000)
    }

    // MARK: NoiseSuppression

    /// Debian's voices, mono at 48 kHz, with 700 ms after each word, and where the words are.
    private static let speech: (samples: [Double], words: [Range<Int>]) = {
        var samples = [Double](repeating: 0, count: 96_000)
        var words: [Range<Int>] = []
        let names = [
            "Front_Center", "Front_Left", "Front_Right", "Rear_Center", "Rear_Left", "Rear_Right",
            "Side_Left", "Side_Right",
        ]
        for name in names + names {
            let path = "/usr/share/sounds/alsa/\(name).wav"
            let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
            let word = [UInt8](bytes).samples(
                at: 44, channels: 1, frames: max(bytes.count - 44, 0) / 2)
            words.append(samples.count..<(samples.count + word[0].count))
            samples += word[0] + [Double](repeating: 0, count: 33_600)
        }
        return (samples, words)
    }()

    /// A fan: the sum of two hums and of noise whose high frequencies are weak.
    private func fan(_ count: Int) -> [Double] {
        var random = SeededGenerator(seed: 7)
        var (first, second) = (0.0, 0.0)
        return (0..<count).map { index in
            let noise = Double.random(in: -1...1, using: &random)
            first += 0.08 * (noise - first)
            second += 0.3 * (first - second)
            let time = 2 * .pi * Double(index) / 48_000
            return second * 2600 + 60 * Double.random(in: -1...1, using: &random)
                + 120 * sin(100 * time) + 80 * sin(240 * time)
        }
    }

    private func samples(_ values: [Double]) -> [Int16] {
        values.map { Int16(max(-32_768, min($0.rounded(), 32_767))) }
    }

    /// The mean power of some ranges, in decibels.
    private func power(_ samples: [Int16], _ ranges: [Range<Int>]) -> Double {
        var (sum, count) = (0.0, 0)
        for range in ranges {
            for index in range { sum += Double(samples[index]) * Double(samples[index]) }
            count += range.count
        }
        return 10 * log10(sum / Double(max(count, 1)) + 1e-9)
    }

    @Test func `a fan between words is at least 10 dB weaker, and words lose at most 1 dB`() throws
    {
        let (speech, words) = Self.speech
        try #require(speech.count > 1_000_000, "apt install alsa-utils")
        let noisy = samples(zip(speech, fan(speech.count)).map { $0 + $1 })
        let edited = try session("NoiseSuppression").edit(noisy)
        // The second time, when the fan is known.
        let heard = Array(words.dropFirst(8).dropLast())
        let pauses = heard.map { ($0.upperBound + 9600)..<($0.upperBound + 28_800) }
        let before = (words: power(noisy, heard), pauses: power(noisy, pauses))
        let after = (words: power(edited, heard), pauses: power(edited, pauses))
        let gained = (after.words - after.pauses) - (before.words - before.pauses)
        #expect(gained >= 10, "\(gained) dB")
        #expect(after.words >= before.words - 1, "\(after.words - before.words) dB")
    }

    @Test(arguments: [("off", 0), ("high", 336)])
    func `NoiseSuppression delays audio as it declares`(suppression: String, delay: Int) throws {
        let session = try session(
            "NoiseSuppression",
            [("suppression", .choice(suppression)), ("high-pass", .boolean(false))])
        #expect(try session.audioFilter().delay_frames == UInt32(delay))
        let voice = samples(Array(Self.speech.samples.prefix(480_000)))
        let edited = try session.edit(voice)
        func likeness(_ delay: Int) -> Double {
            stride(from: 200_000, to: 300_000, by: 11).reduce(0.0) {
                $0 + Double(voice[$1]) * Double(edited[$1 + delay])
            }
        }
        let best = stride(from: 0, to: 800, by: 8).max { likeness($0) < likeness($1) }
        #expect(abs((best ?? 0) - delay) <= 24, "\(String(describing: best))")
    }

    @Test(arguments: [0, 2, 5, 10, 20, 60, 120, 140, 250, 300, 400, 500])
    func `an echo of the incoming audio is at least 40 dB weaker after 2 s`(milliseconds: Int)
        throws
    {
        let voice = Self.speech.samples.dropFirst(96_000).prefix(480_000)
        let delay = milliseconds * 48
        var echo = [Double](repeating: 0, count: voice.count)
        for index in (delay + 97)..<voice.count {
            let first = voice.startIndex + index - delay
            echo[index] = 0.3 * voice[first] + 0.1 * voice[first - 97]
        }
        let session = try session(
            "NoiseSuppression",
            [("suppression", .choice("off")), ("echo-cancellation", .boolean(true))])
        #expect(try session.audioFilter().flags == GR_AUDIO_EDIT_REFERENCE)
        let heard = samples(echo)
        let edited = try session.edit(heard, reference: samples(Array(voice)))
        // The microphone is delayed by 20 ms.
        let rest = [(delay + 96_000)..<edited.count]
        let lower = power(heard, rest) - power(edited, rest)
        #expect(lower >= 40, "\(lower) dB")
    }

    @Test func `a voice that is not in the incoming audio stays`() throws {
        let voice = samples(Array(Self.speech.samples.dropFirst(96_000).prefix(480_000)))
        let silence = [Int16](repeating: 0, count: voice.count)
        let edited = try session(
            "NoiseSuppression", [("echo-cancellation", .boolean(true))]
        ).edit(voice, reference: silence)
        let all = [48_000..<480_000]
        #expect(abs(power(voice, all) - power(edited, all)) < 1)
    }
}
