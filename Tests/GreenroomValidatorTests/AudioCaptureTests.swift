@testable import GreenroomHarness
import GreenroomMedia
import Testing

@testable import GreenroomValidator

/// The results for the blocks of a source.
@Suite struct AudioCaptureTests {
    private func block(
        _ frames: Int, rate: UInt32 = 48_000, digest: UInt64 = 0
    ) -> TracedBlock {
        TracedBlock(
            sampleRate: rate, channels: 1, frames: UInt32(frames), ptsNanoseconds: .min,
            timeoutNanoseconds: 0, digest: digest)
    }

    private func take(
        seconds: Double, _ sends: [(block: TracedBlock, status: Status, time: Double)]
    ) -> AudioCapture {
        AudioCapture(
            sends: sends.map {
                AudioCapture.Send(
                    block: $0.block, status: $0.status, nanoseconds: Int64($0.time * 1e9),
                    thread: .own(3))
            }, begin: 0, end: Int64(seconds * 1e9))
    }

    /// Blocks of 10 ms, each with a number of frames from a function.
    private func blocks(
        seconds: Int, rate: UInt32, _ frames: (Int) -> Int
    ) -> AudioCapture {
        take(
            seconds: Double(seconds),
            (0..<(seconds * 100)).map {
                (block(frames($0), rate: rate), Status.ok, Double($0) / 100)
            })
    }

    @Test func `a block that is retried after a refusal counts as one block`() {
        let take = take(
            seconds: 1,
            [
                (block(480, digest: 1), .ok, 0), (block(480, digest: 2), .queueFull, 0.01),
                (block(480, digest: 2), .queueFull, 0.02), (block(480, digest: 2), .ok, 0.03),
            ])
        #expect(take.offered.map(\.isAccepted) == [true, true])
        #expect(take.offered.map(\.refusals) == [0, 2])
        #expect(take.lostSeconds == 0)
    }

    @Test func `a block replaced by another one is lost`() {
        let take = take(
            seconds: 1,
            [
                (block(480, digest: 1), .queueFull, 0), (block(480, digest: 2), .ok, 0.01),
                (block(480, digest: 3), .queueFull, 0.02),
            ])
        // An attempt at the end may still succeed.
        #expect(take.offered.map(\.isAccepted) == [false, true])
        #expect(take.lostSeconds == 0.01)
    }

    @Test func `accepted blocks with equal audio are distinct`() {
        let take = take(
            seconds: 1, (0..<5).map { (block(480, digest: 7), Status.ok, Double($0) / 100) })
        #expect(take.offered.count == 5)
    }

    /// Blocks of 10 ms of a tone, all alike, that a source tries to send into a queue of 200 ms.
    ///
    /// - Parameter wait: How long it waits after an answer, in milliseconds.
    private func tone(_ wait: (Status) -> Double) -> AudioCapture {
        tone { status, _ in wait(status) }
    }

    /// - Parameter wait: The same, by the number of the block, too.
    private func tone(_ wait: (Status, Int) -> Double) -> AudioCapture {
        var (time, played, queued) = (0.0, 0.0, 0.0)
        var sends: [(block: TracedBlock, status: Status, time: Double)] = []
        while time < 12 {
            queued = max(0, queued - (time - played))
            played = time
            let status = queued + 0.01 <= 0.2 ? Status.ok : .queueFull
            if status == .ok { queued += 0.01 }
            sends.append((block(480, digest: 7), status, time))
            time += wait(status, sends.count) / 1000
        }
        return take(seconds: 12, sends)
    }

    @Test func `blocks of a tone that is sent too fast are not taken for retries`() throws {
        let take = tone { _ in 9 }
        #expect(take.isUniform && take.ignoresRefusals)
        let fault = try #require(Catalogue.haste(of: take))
        #expect(fault.text.contains("11.2 % more"), "\(fault)")
    }

    /// Bursts of blocks, a tenth shorter apart than the audio is long.
    @Test(arguments: [
        (2, "at the same pace"), (5, "at the same pace"), (15, "at the same pace"),
        (25, "does not wait after a refusal"), (100, "does not wait after a refusal"),
    ])
    func `bursts of a tone are not taken for retries`(length: Int, says: String) throws {
        let take = tone { _, number in number % length == 0 ? Double(length) * 9 : 0 }
        let fault = try #require(Catalogue.haste(of: take))
        #expect(fault.outcome == .failed && fault.text.contains(says), "\(fault)")
    }

    /// Three sources: one waits for a full queue, one polls every 2 ms, one paces itself.
    @Test(arguments: [(0.001, 10.0), (2, 2), (10, 10)])
    func `a tone that waits for room has no fault`(afterOne: Double, afterRefusal: Double) throws {
        let take = tone { $0 == .ok ? afterOne : afterRefusal }
        #expect(take.isUniform)
        let verdict = try Catalogue.backPressure(of: take)
        // The next block sounds like the refused one.
        let isFull = take.refused(with: .queueFull) > 0
        #expect(verdict.outcome == (isFull ? .notProven : .passed), "\(verdict)")
    }

    @Test func `on a busy machine the pacing of a real-time source is not proven`() throws {
        var take = tone { _ in 9 }
        take.isReal = true
        take.delayNanoseconds = 200_000_000
        let verdict = #expect(throws: Verdict.self) { try Catalogue.backPressure(of: take) }
        #expect(verdict?.outcome == .notProven, "\(String(describing: verdict))")
        take.delayNanoseconds = 0
        let fault = #expect(throws: Verdict.self) { try Catalogue.backPressure(of: take) }
        #expect(fault?.outcome == .failed, "\(String(describing: fault))")
    }

    @Test func `blocks that differ are distinguished by their samples`() {
        let take = take(
            seconds: 1,
            (0..<5).map { (block(480, digest: UInt64($0)), Status.ok, Double($0) / 100) })
        #expect(!take.isUniform)
    }

    @Test(arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 192_000])
    func `blocks of two alternating lengths do not count as drift`(rate: Int) {
        let take = blocks(seconds: 60, rate: UInt32(rate)) { index in
            (index + 1) * rate / 100 - index * rate / 100
        }
        #expect(Catalogue.drift(in: take, rate) == nil)
    }

    @Test(arguments: [(22_050, 50.0), (11_025, 25)])
    func `blocks whose length is rounded down count as drift`(rate: Int, aSecond: Double) throws {
        let take = blocks(seconds: 60, rate: UInt32(rate)) { _ in rate / 100 }
        let drift = try #require(Catalogue.drift(in: take, rate))
        #expect(abs(drift + aSecond * 60) < aSecond)
    }

    @Test(arguments: [-1, 1])
    func `one missing sample a second counts as drift`(change: Int) throws {
        let take = blocks(seconds: 60, rate: 48_000) { $0 % 100 == 50 ? 480 + change : 480 }
        let drift = try #require(Catalogue.drift(in: take, 48_000))
        #expect(abs(drift - Double(60 * change)) < 6)
    }

    @Test func `random delays of blocks do not count as drift`() {
        var random = SeededRandom(1)
        let take = take(
            seconds: 60,
            (0..<6000).map {
                (
                    block(480), Status.ok,
                    Double($0) / 100 + Double.random(in: 0...0.009, using: &random)
                )
            })
        #expect(Catalogue.drift(in: take, 48_000) == nil)
    }

    @Test func `pauses do not count as sending time`() {
        let early = (0..<100).map { (block(480), Status.ok, Double($0) / 100) }
        let late = (0..<100).map { (block(480), Status.ok, 5 + Double($0) / 100) }
        let balance = take(seconds: 6, early + late).balance
        #expect(abs(balance.sentSeconds - 2) < 1e-9)
        #expect(abs(balance.activeSeconds - 1.98) < 0.02)
        #expect(abs(balance.pausedSeconds - 4.01) < 0.02)
    }

    // MARK: Levels

    private func level(_ samples: [Int16]) -> HeardLevel { HeardLevel(of: samples.span) }

    @Test func `silence is reported`() {
        #expect(level([Int16](repeating: 0, count: 4800)).findings.count == 1)
        #expect(HeardLevel().findings.count == 1)
    }

    @Test func `an ordinary level is not reported`() {
        let wave = (0..<4800).flatMap { index -> [Int16] in
            let sample = Int16(index % 100 < 50 ? 8000 : -8000)
            return [sample, sample]
        }
        #expect(level(wave).findings.isEmpty)
    }

    @Test(arguments: [(2, false), (3, true)])
    func `runs at full scale are clipping`(length: Int, isTold: Bool) {
        let wave = (0..<4800).flatMap { index -> [Int16] in
            let place = index % 100
            let sample: Int16 =
                place < length ? 32_767 : (50..<(50 + length)).contains(place) ? -32_768 : 0
            return [sample, 0]
        }
        #expect(level(wave).clipped == (isTold ? 2 * length * 48 : 0))
        #expect(level(wave).findings.isEmpty != isTold)
    }

    @Test(arguments: [(300, false), (400, true), (-400, true)])
    func `an offset is reported`(mean: Int, isTold: Bool) {
        let wave = (0..<4800).flatMap { index -> [Int16] in
            [0, Int16(mean + (index % 2 == 0 ? 5000 : -5000))]
        }
        #expect(level(wave).findings.isEmpty != isTold)
        #expect(level(wave).means.right == Double(mean))
    }
}
