import Testing

@testable import GreenroomVideo

@Suite struct PreviewTapTests {
    /// A second of stereo, the right channel silent.
    private func write(_ monitor: PreviewTap, _ sample: (Int) -> Int16) {
        let samples = (0..<96_000).map { $0 % 2 == 0 ? sample($0 / 2) : 0 }
        for start in stride(from: 0, to: samples.count, by: 960) {
            monitor.write(samples.span.extracting(start..<start + 960))
        }
    }

    @Test func `loudness covers the audio since the last reading`() throws {
        let monitor = PreviewTap()
        #expect(monitor.takeLoudness() == PreviewTap.Loudness())
        // A square wave's level is its peak; half of the samples are silent.
        write(monitor) { $0 % 96 < 48 ? 16_384 : -16_384 }
        let loud = monitor.takeLoudness()
        #expect(abs(try #require(loud.peakDBFS) + 6.02) < 0.01)
        #expect(abs(try #require(loud.levelDBFS) + 9.03) < 0.01)
        write(monitor) { _ in .min }
        #expect(try #require(monitor.takeLoudness().peakDBFS) == 0)
        write(monitor) { _ in 0 }
        #expect(monitor.takeLoudness() == PreviewTap.Loudness())
    }
}
