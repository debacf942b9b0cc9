import GreenroomMedia
@testable import GreenroomRuntime
import TestSupport
import Testing

@testable import GreenroomAudio
@testable import GreenroomLifecycle

/// Audio stays on the session clock when the source's clock drifts.
@Suite(.ownThreads) struct AudioClockRecoveryTests {
    private static let stamped: @Sendable (Double) -> Int64 = { Int64($0 * 1e9) }

    @Test(arguments: Nightly.pairs([200.0, -200, 1000, -1000], [8_000, 48_000]))
    func `a drifting card is followed without dropping samples`(ppm: Double, rate: Int) throws {
        var source = AudioSimulation.Source(
            format: AudioFormat(sampleRate: rate, channels: 1), ppm: ppm)
        source.stamp = Self.stamped
        var simulation = AudioSimulation(source)
        let seconds = Nightly.value(300, byDay: 150)
        simulation.run(seconds: Double(seconds))
        let statistics = simulation.ingest.statistics
        #expect(simulation.clicks.count >= seconds - 2)
        let worst = simulation.clicks.map(abs).max() ?? .infinity
        #expect(worst < 10, "\(worst) ms")
        let settled = simulation.worst(ofLast: Nightly.value(150, byDay: 60))
        #expect(settled < 2, "\(settled) ms when it has settled")
        #expect(statistics.queue.concealed == 0)
        #expect(statistics.counts.refused.refused == 0)
        #expect(abs(try #require(statistics.driftPPM) - ppm) < 20)
        #expect(simulation.findings.count == 1, "\(simulation.findings)")
        simulation.expectExact()
    }

    /// By day five minutes.
    @Test func `video and audio stay in sync for an hour, each with its own clock`() {
        let seconds = Nightly.value(3600, byDay: 300)
        // The card is slow; the clock of the camera's timestamps is fast and starts at zero.
        var source = AudioSimulation.Source(
            format: AudioFormat(sampleRate: 8_000, channels: 1), ppm: -150, block: 160)
        source.stamp = Self.stamped
        var simulation = AudioSimulation(source)
        simulation.run(seconds: Double(seconds))
        #expect(simulation.clicks.count >= seconds - 2)
        var follower = TimestampNormalizer()
        var random = SeededGenerator(seed: 3)
        var worst = 0.0
        for frame in 0..<(seconds * 25) {
            let time = Double(frame) / 25
            let lateness = 15 * random.unit() * random.unit()
            let arrival = AudioSimulation.epoch + Int64(time * 1e9 + lateness * 1e6)
            let (moment, _) = follower.follow(Int64(time * 1e9 * 1.000_08), arrival: arrival)
            let second = Int(time) - 1
            guard frame % 25 == 0, simulation.clicks.indices.contains(second) else { continue }
            let picture = Double(moment - AudioSimulation.epoch) / 1e6 - time * 1000
            worst = max(worst, abs(picture - simulation.clicks[second]))
        }
        #expect(worst < 20, "\(worst) ms apart")
        #expect(simulation.ingest.statistics.queue.concealed == 0)
        simulation.expectExact()
    }

    @Test(arguments: [true, false], [0.0, 5, 30])
    func `48 kHz audio without drift is unchanged`(isStamped: Bool, jitter: Double) {
        var source = AudioSimulation.Source(jitter: jitter)
        if isStamped { source.stamp = Self.stamped }
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 120)
        let statistics = simulation.ingest.statistics
        #expect(statistics.counts.resampled == 0)
        #expect(statistics.driftPPM == nil)
        #expect(simulation.findings.isEmpty, "\(simulation.findings)")
        #expect(statistics.queue.concealed == 0)
        // All clicks arrive unchanged, each at one position.
        #expect(Set(simulation.clicks).count <= 2)
        #expect(simulation.clicks.count >= 118)
        simulation.expectExact()
    }

    /// As those of a jitter buffer are that has not settled yet.
    @Test(arguments: [0.0, 100])
    func `a first timestamp that was too late does not keep the audio late`(ppm: Double) {
        var source = AudioSimulation.Source(ppm: ppm)
        source.stamp = { Int64(($0 + ($0 < 0.3 ? 0.08 : 0)) * 1e9) }
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 20)
        #expect(simulation.clicks.count >= 18)
        let early = simulation.worst(ofLast: 16)
        #expect(early < 10, "\(simulation.clicks)")
        simulation.run(seconds: 280)
        let settled = simulation.worst(ofLast: 100)
        #expect(settled < 2, "\(simulation.clicks)")
        #expect(simulation.ingest.statistics.queue.concealed == 0)
        simulation.expectExact()
    }

    @Test(arguments: [150.0, 190], [0.0, 100])
    func `audio that was held back for a moment does not stay late`(hold: Double, ppm: Double) {
        var source = AudioSimulation.Source(ppm: ppm)
        source.stamp = Self.stamped
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 10)
        simulation.hold(milliseconds: hold)
        simulation.run(seconds: 10)
        let soon = simulation.worst(ofLast: 7)
        #expect(soon < 10, "\(simulation.clicks)")
        simulation.run(seconds: 280)
        let settled = simulation.worst(ofLast: 100)
        #expect(settled < 2, "\(simulation.clicks)")
        simulation.expectExact()
    }

    /// No crystal drifts as much; a source that counts wrongly may.
    @Test(arguments: [1500.0, 2500])
    func `delays that turn out to be drift are not corrected twice`(ppm: Double) {
        var source = AudioSimulation.Source()
        source.stamp = Self.stamped
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 60)
        simulation.change(ppm: ppm)
        simulation.run(seconds: 340)
        let settled = simulation.worst(ofLast: 100)
        #expect(settled < 5, "\(simulation.clicks)")
    }

    @Test func `audio that is held back repeatedly is dropped less and less often`() {
        var source = AudioSimulation.Source(jitter: 0)
        source.stamp = Self.stamped
        var simulation = AudioSimulation(source)
        for _ in 0..<60 {
            simulation.run(seconds: 3)
            simulation.hold(milliseconds: 190)
        }
        // Six seconds of it were 60 times 90 ms.
        #expect(simulation.ingest.statistics.queue.cut < 4 * 9_600)
    }

    /// Its first block of each burst is too late, its last is not: it keeps the time that it needs.
    @Test func `audio in long bursts is cut only once`() {
        var source = AudioSimulation.Source(burst: 160)
        source.stamp = Self.stamped
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 20)
        let before = simulation.ingest.statistics.queue
        simulation.run(seconds: 20)
        let after = simulation.ingest.statistics.queue
        #expect(after.cut == before.cut)
        #expect(after.concealed == before.concealed)
        #expect(after.played > before.played + 19 * 48_000)
    }

    /// A slow device: its audio is older than the session's delay, and plays all the same.
    @Test func `audio that is always late continues after a gap`() {
        var source = AudioSimulation.Source()
        source.stamp = { Int64(($0 - 0.25) * 1e9) }
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 10)
        let played = simulation.ingest.statistics.queue.played
        simulation.skip(milliseconds: 300)
        simulation.run(seconds: 10)
        let after = simulation.ingest.statistics.queue.played - played
        #expect(after > 9 * 48_000, "\(after) frames in 10 s")
    }

    @Test func `audio without timestamps is placed by its arrival`() throws {
        let source = AudioSimulation.Source(
            format: AudioFormat(sampleRate: 16_000, channels: 2), ppm: 300, jitter: 12)
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 300)
        // A block arrives when its last sample is captured: 10 ms after its first.
        let worst = simulation.clicks.map { abs($0 - 10) }.max() ?? .infinity
        #expect(worst < 10, "\(worst) ms")
        #expect(abs(try #require(simulation.ingest.statistics.driftPPM) - 300) < 20)
        #expect(simulation.ingest.statistics.counts.refused.refused == 0)
        #expect(simulation.ingest.statistics.stamps.counts.missing > 0)
        simulation.expectExact()
    }

    @Test(arguments: [nil, 4_410, 1] as [Int?])
    func `a loop paced by the host is never taken for drift`(block: Int?) {
        let source = AudioSimulation.Source(
            format: AudioFormat(sampleRate: block == nil ? 48_000 : 44_100, channels: 1),
            block: block == 1 ? 37 : block, isPatient: true, isGreedy: true)
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 60)
        #expect(simulation.ingest.statistics.driftPPM == nil)
        #expect(simulation.findings.isEmpty, "\(simulation.findings)")
        #expect(simulation.ingest.statistics.queue.concealed == 0)
        simulation.expectExact()
    }

    @Test func `timestamps of the wall clock place audio like those of the session clock`() {
        var source = AudioSimulation.Source(ppm: 0)
        source.stamp = { 1_754_000_000_000_000_000 + Int64($0 * 1e9) }
        var simulation = AudioSimulation(source)
        simulation.run(seconds: 60)
        #expect(simulation.ingest.statistics.stamps.counts.foreign > 5_000)
        #expect(simulation.ingest.statistics.queue.concealed == 0)
        #expect(simulation.findings.count == 1)
        #expect(simulation.findings.first?.text.contains("wall clock") == true)
    }
}
