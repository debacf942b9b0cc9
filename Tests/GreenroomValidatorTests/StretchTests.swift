@testable import GreenroomHarness
import GreenroomMedia
import Testing

@testable import GreenroomValidator

/// Findings in the frames of a period.
@Suite struct StretchTests {
    private static let interval = 1.0 / 30

    /// Frames after a pause, at these times in seconds.
    private func sending(_ times: [Double]) -> Sending {
        Sending(frames: times.map { Int64($0 * 1e9) })
    }

    private func burst(_ times: [Double]) -> (count: Int, seconds: Double)? {
        sending(times).burst(beyond: 30 * 1.05)
    }

    @Test func `frames at their rate, or delayed by a busy machine, are no burst`() {
        let steady = (0..<120).map { Double($0) * Self.interval }
        #expect(burst(steady) == nil)
        // Three arrive late, together with the one that is due.
        var late = steady
        for index in 60..<63 { late[index] = steady[63] }
        #expect(burst(late) == nil)
        #expect(burst([]) == nil)
    }

    @Test(arguments: [1.1, 1.5, 2, 60])
    func `catching up is a burst at every speed`(speed: Double) throws {
        let times = (0..<1000).map { Double($0) * Self.interval / speed }.filter { $0 < 4 }
        let found = try #require(burst(times))
        #expect(Double(found.count) > 30 * found.seconds)
    }

    @Test func `a burst is found in the middle of steady frames`() throws {
        let steady = (0..<120).map { Double($0) * Self.interval }
        let times = (steady + (0..<20).map { 3 + Double($0) * 0.001 }).sorted()
        let found = try #require(burst(times))
        #expect((20...24).contains(found.count) && found.seconds < 0.2)
    }

    // MARK: Refused audio

    private static let pause: Range<Int64> = 0..<4_000_000_000

    /// Blocks of 10 ms: digest, status, and time in seconds.
    private func sending(_ blocks: [(digest: UInt64, status: Status, time: Double)]) -> Sending {
        Sending(
            blocks: blocks.map {
                AudioCapture.Send(
                    block: TracedBlock(
                        sampleRate: 48_000, channels: 1, frames: 480, ptsNanoseconds: .min,
                        timeoutNanoseconds: 0, digest: $0.digest),
                    status: $0.status, nanoseconds: Int64($0.time * 1e9), thread: .own(1))
            })
    }

    /// A block each 10 ms after a pause of a second, with a number of refusals before it is
    /// accepted.
    private func steady(_ refusals: Int, isTone: Bool = false) -> [(UInt64, Status, Double)] {
        (100..<400).flatMap { (number: Int) -> [(UInt64, Status, Double)] in
            (0...refusals).map { attempt -> (UInt64, Status, Double) in
                let time = (Double(number) + Double(attempt) / Double(refusals + 1)) / 100
                let digest: UInt64 = isTone ? 7 : UInt64(number)
                return (digest, attempt == refusals ? .ok : .queueFull, time)
            }
        }
    }

    @Test(arguments: [0, 1, 5])
    func `retrying a block until it is accepted is not a burst`(refusals: Int) {
        let quiet = Sending()
        #expect(sending(steady(refusals)).audioBurst(beyond: quiet, in: Self.pause) == nil)
        let tone = sending(steady(refusals, isTone: true))
        #expect(tone.audioBurst(beyond: quiet, in: Self.pause) == nil)
    }

    @Test(arguments: [false, true])
    func `audio sent at once after a gap is a burst, also for a tone`(isTone: Bool)
        throws
    {
        let missed = (0..<100).map { (number: Int) -> (UInt64, Status, Double) in
            let digest: UInt64 = isTone ? 7 : 1000 + UInt64(number)
            return (digest, .queueFull, 1 + Double(number) / 100_000)
        }
        let sending = sending(missed + steady(0, isTone: isTone))
        let burst = try #require(sending.audioBurst(beyond: Sending(), in: Self.pause))
        #expect(abs(burst - 1) < 0.02)
    }

    @Test func `audio of which every fourth block is refused counts as a burst`() {
        let sound = (100..<400).map { (number: Int) -> (UInt64, Status, Double) in
            let status: Status = number % 4 == 0 ? .queueFull : .ok
            return (UInt64(number), status, Double(number) / 100)
        }
        #expect(sending(sound).audioBurst(beyond: Sending(), in: Self.pause) != nil)
        // The same before.
        let before = sending(sound.suffix(50))
        #expect(sending(sound).audioBurst(beyond: before, in: Self.pause) == nil)
    }

    // MARK: Stacks of threads

    @Test func `a thread's stack is writable memory right after its guard page`() {
        let maps = """
            7f0000000000-7f0000001000 ---p 00000000 00:00 0
            7f0000001000-7f0000009000 rw-p 00000000 00:00 0
            7f0000009000-7f000000a000 ---p 00000000 00:00 0
            7f000000a000-7f0000012000 rw-p 00000000 00:00 0
            7f0000020000-7f0000021000 ---p 00000000 00:00 0
            7f0000022000-7f0000023000 rw-p 00000000 00:00 0
            7f0000030000-7f0000031000 r--p 00000000 fe:00 12 /usr/lib/libx.so
            7f0000031000-7f0000032000 rw-p 00001000 fe:00 12 /usr/lib/libx.so
            7f0000032000-7f0000033000 ---p 00002000 fe:00 12 /usr/lib/libx.so
            7f0000033000-7f0000034000 r--p 00002000 fe:00 12 /usr/lib/libx.so
            """
        #expect(ThreadStacks.count(in: maps) == 2)
        #expect(ThreadStacks.count(in: "") == 0)
    }

    // MARK: Frozen pictures

    private func frames(_ digests: [UInt64]) -> [Record.Frame] {
        digests.enumerated().map { index, digest in
            Record.Frame(
                format: .i420, size: FrameSize(width: 2, height: 2), info: FrameInfo(),
                arrival: Int64(index) * 100_000_000, digest: digest)
        }
    }

    private func stretch(_ digests: [UInt64]) -> String? {
        let frames = frames(digests)
        return frames.longStretch { frames[$0].digest == frames[$1].digest }
    }

    @Test func `a picture that freezes is found, one that pauses is not`() {
        let moving = (0..<140).map { UInt64($0) }
        #expect(stretch(moving) == nil)
        let freezing = moving.map { min($0, 20) }
        #expect(stretch(freezing) == "the frames from 2.0 s on, for 9.9 s,")
        #expect(stretch(moving.map { min($0, 60) }) == nil)
        #expect(stretch(moving.map { $0 / 50 }) == nil)
    }

    @Test func `a constant picture is found even with few frames`() {
        #expect(stretch([7, 7, 7]) == "all 3 frames")
        #expect(stretch([7]) == nil)
        #expect(stretch([]) == nil)
    }
}
