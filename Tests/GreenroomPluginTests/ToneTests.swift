import GreenroomPlugin
import Synchronization
import Testing

/// Runs the real shared library and checks its audio.
@Suite struct ToneTests {
    private func samples(
        _ settings: [(String, Given)], seconds: Int64 = 1, name: String = "Tone"
    ) throws -> (samples: [Int16], blocks: [FakeHost.SentBlock]) {
        let session = try FakeSession(name, of: bundledEntry("Tone"), settings: settings)
        try #require(session.initializeAudio() == .ok)
        try #require(session.run(nanoseconds: seconds * 1_000_000_000) == .ok)
        let blocks = session.host.state.withLock { $0.blocks }
        return (blocks.flatMap(\.samples), blocks)
    }

    /// The number of rising zero crossings.
    private func risings(_ samples: some Sequence<Int16>) -> Int {
        zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    }

    @Test(arguments: [
        (8_000, 440.0), (11_025, 1_000.5), (22_050, 997), (48_000, 440), (192_000, 20_000),
    ])
    func `a sine has its frequency, level and count at any rate`(
        rate: Int, frequency: Double
    ) throws {
        let (samples, _) = try samples(
            [
                ("rate", .integer(Int64(rate))), ("frequency", .number(frequency)),
                ("level", .number(-6)),
            ], seconds: 2)
        #expect(samples.count == 2 * rate)
        #expect(abs(Double(risings(samples)) - 2 * frequency) <= 1)
        let peak = try #require(samples.map { Int($0.magnitude) }.max())
        // -6 dBFS is 16422; with few samples a turn the peak may be between two.
        #expect(peak <= 16_423)
        #expect(Double(peak) > 16_422 * (Double(rate) / frequency < 12 ? 0.9 : 0.98))
        let mean = samples.reduce(0) { $0 + Int($1) } / samples.count
        #expect(abs(mean) <= 20)
    }

    @Test func `both channels of stereo are equal`() throws {
        let (samples, blocks) = try samples([("channels", .integer(2))])
        #expect(samples.count == 96_000)
        #expect(blocks.allSatisfy { $0.channels == 2 })
        #expect(
            stride(from: 0, to: samples.count, by: 2).allSatisfy { samples[$0] == samples[$0 + 1] })
        #expect(samples.contains { $0 > 3_000 })
    }

    @Test func `a sweep rises, and repeats without a click`() throws {
        let (samples, _) = try samples(
            [("waveform", .choice("sweep")), ("level", .number(-20)), ("rate", .integer(16_000))],
            seconds: 11)
        let seconds = (0..<10).map { risings(samples[($0 * 16_000)...].prefix(16_000)) }
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 })
        #expect((20...40).contains(seconds[0]))
        #expect(seconds[9] > 4_000)
        // At the seam the wave crosses zero, as at the start.
        #expect(samples[160_000] == samples[0])
    }

    @Test func `the waveform silence sends only zero samples`() throws {
        let (samples, _) = try samples([("waveform", .choice("silence"))])
        #expect(samples.count == 48_000)
        #expect(samples.allSatisfy { $0 == 0 })
    }

    @Test func `ToneShareAudio sends the same samples as Tone`() throws {
        #expect(
            try samples([("frequency", .number(300))], name: "ToneShareAudio").samples
                == samples([("frequency", .number(300))]).samples)
    }

    @Test func `a sine above half the rate is refused with the fix`() throws {
        let host = FakeHost()
        let refusal = #expect(throws: FakeHost.Refusal.self) {
            try FakeSession(
                "Tone", of: bundledEntry("Tone"),
                settings: [("rate", .integer(8_000)), ("frequency", .number(4_001))], host: host)
        }
        #expect(refusal?.status == .badSetting)
        let errors = host.state.withLock { $0.errors }
        #expect(errors.count == 1)
        #expect(errors.allSatisfy { $0.contains("raise 'rate'") })
    }
}
