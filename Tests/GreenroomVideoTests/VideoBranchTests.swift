@testable import GreenroomAudio
import GreenroomConversion
import GreenroomMedia
@testable import GreenroomRuntime
import Testing

@testable import GreenroomVideo

/// A branch with its thread, on the real clock: no assertion depends on durations.
@Suite struct VideoBranchTests {
    private static let rate = FrameRate(30)
    private let pool = FramePool(limit: 64)
    private let clock = SessionClock()

    private func branch(
        _ sink: CollectingSink, rate: FrameRate = Self.rate, endSlot: Int64?
    ) -> VideoBranch {
        let size = FrameSize(width: 16, height: 16)
        return VideoBranch(
            name: "test", capability: VideoCapability(size: size, rate: rate),
            want: VideoWant(format: .i420, size: size), endSlot: endSlot, sink: sink, clock: clock)
    }

    /// A timeline that started now, or some time ago.
    private func timeline(begunBefore nanoseconds: Int64 = 0) -> SessionTimeline {
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now - nanoseconds)
        return timeline
    }

    private func start(_ branch: VideoBranch, _ timeline: SessionTimeline) -> HostThread {
        return HostThread(name: "branch") { branch.run(on: timeline) { _ in } }
    }

    /// Sends a frame that arrives when it shows.
    private func send(
        _ number: Int, at nanoseconds: Int64, to branch: VideoBranch, _ grid: inout TakingGrid
    ) throws {
        guard let claim = branch.claim(grid.take(nanoseconds), at: nanoseconds) else { return }
        branch.push(try numberedFrame(number, from: pool), claim)
    }

    /// Sends frames with these times through a branch, and ends it.
    private func run(
        _ milliseconds: [Double], endSlot: Int64, isEndKnown: Bool = true
    ) throws -> (periods: [UInt8], counts: VideoBranch.Counts) {
        let sink = CollectingSink()
        var grid = TakingGrid(rate: Self.rate)
        let branch = branch(sink, endSlot: isEndKnown ? endSlot : nil)
        let thread = start(branch, timeline())
        for (number, time) in milliseconds.enumerated() {
            try send(number, at: Int64(time * 1e6), to: branch, &grid)
            // A test sends faster than any camera: wait, or the queue would be full.
            while branch.counts.queued > 4 { MonotonicClock.sleep(milliseconds: 1) }
        }
        branch.finish(endSlot: endSlot)
        thread.join()
        #expect(sink.isFinished)
        #expect(branch.counts.frames == milliseconds.count)
        #expect(branch.counts.periods == sink.periods.count)
        return (sink.periods, branch.counts)
    }

    @Test func `frames in time are written once each`() throws {
        let (periods, counts) = try run((0..<30).map { Double($0) * 1000 / 30 }, endSlot: 30)
        #expect(periods == (0..<30).map(UInt8.init))
        #expect(counts.delivered == 30)
        #expect(counts.repeated == 0)
    }

    @Test func `jitter of less than half a period has no effect`() throws {
        var seed: UInt64 = 7
        let times = (0..<60).map { index in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1
            let jitter = Double(seed >> 40) / Double(1 << 24) * 30 - 15
            return Double(index) * 1000 / 30 + (index == 0 ? 0 : jitter)
        }
        let (periods, counts) = try run(times, endSlot: 60)
        #expect(periods == (0..<60).map(UInt8.init))
        #expect(counts.repeated == 0)
    }

    @Test func `frames halfway between two slots are each shown once`() throws {
        // Half a period late, with a nanosecond of rounding either way.
        let times = (0..<30).map { (index: Int) -> Double in
            let rounding = index % 2 == 0 ? 1e-6 : -1e-6
            return (Double(index) + 0.5) * 1000 / 30 + rounding
        }
        let (_, counts) = try run(times, endSlot: 31)
        #expect(counts.delivered == 30)
        #expect(counts.excess == 0)
    }

    @Test func `a gap repeats the last frame, and the start shows the first frame`() throws {
        let (periods, counts) = try run([100, 200, 233], endSlot: 10)
        #expect(periods == [0, 0, 0, 0, 0, 0, 1, 2, 2, 2])
        #expect(counts.delivered == 3)
        #expect(counts.repeated == 7)
    }

    @Test func `the first of several frames of a period is used`() throws {
        let (periods, counts) = try run((0..<38).map { Double($0) * 1000 / 120 }, endSlot: 10)
        #expect(periods.count == 10)
        #expect(counts.delivered == 10)
        #expect(counts.excess == 28)
    }

    @Test func `frames before the start and after the end are counted`() throws {
        let (periods, counts) = try run([-100, -50, 0, 33, 66, 100, 500], endSlot: 3)
        #expect(periods == [2, 3, 4])
        #expect(counts.beforeStart == 2)
        #expect(counts.afterEnd == 2)
    }

    @Test func `a branch that does not know its end in advance writes every frame`() throws {
        let (periods, counts) = try run([0, 33, 66, 100], endSlot: 2, isEndKnown: false)
        #expect(periods == [0, 1, 2, 3])
        #expect(counts.delivered == 4)
    }

    @Test func `extreme times do not trap`() throws {
        let (periods, counts) = try run([0, 9e12, -9e12], endSlot: 1)
        #expect(periods == [0])
        #expect(counts.afterEnd == 1)
        #expect(counts.excess + counts.beforeStart == 1)
    }

    @Test func `a blocked branch loses only its own frames and keeps its length`() throws {
        let sink = CollectingSink(isOpen: false)
        var grid = TakingGrid(rate: Self.rate)
        let branch = branch(sink, endSlot: 100)
        let thread = start(branch, timeline())
        for number in 0..<100 {
            try send(
                number, at: Self.rate.dueNanoseconds(ofFrame: Int64(number)), to: branch, &grid)
        }
        let stalled = branch.counts
        #expect(stalled.queueFull > 80)
        #expect(stalled.frames == 100 && stalled.queued > 0)
        sink.ingest.change { $0 = true }
        branch.finish(endSlot: 100)
        thread.join()
        #expect(sink.periods.count == 100)
        #expect(sink.periods == sink.periods.sorted())
        #expect(branch.counts.frames == 100 && branch.counts.queued == 0)
        #expect(branch.counts.delivered + branch.counts.queueFull == 100)
    }

    @Test(arguments: [OutputPace.asTheyCome, .onSchedule])
    func `a failed output gets nothing more, and every frame is counted`(
        pace: OutputPace
    ) throws {
        let sink = CollectingSink(pace, failsAfter: 5)
        var grid = TakingGrid(rate: Self.rate)
        let branch = branch(sink, endSlot: 50)
        // A live output has ten seconds to fill, a file nothing yet.
        let past: Int64 = pace == .onSchedule ? 10_000_000_000 : 0
        let thread = start(branch, timeline(begunBefore: past))
        var number = 0
        while branch.failure == nil || number < 50 {
            try send(
                number, at: Self.rate.dueNanoseconds(ofFrame: Int64(number)), to: branch, &grid)
            number += 1
            MonotonicClock.sleep(milliseconds: 1)
        }
        branch.finish(endSlot: 50)
        thread.join()
        #expect(sink.periods.count == 5)
        #expect(!sink.isFinished)
        let counts = branch.counts
        #expect(counts.frames == number && counts.queued == 0 && counts.failed > 0)
        #expect(pool.aliveCount == 0)
    }

    @Test func `an output that fails at its end counts only the frames that it got`() throws {
        // The third write fills the end.
        let sink = CollectingSink(failsAfter: 2)
        var grid = TakingGrid(rate: Self.rate)
        let branch = branch(sink, endSlot: nil)
        for number in 0..<2 {
            try send(
                number, at: Self.rate.dueNanoseconds(ofFrame: Int64(number)), to: branch, &grid)
        }
        branch.finish(endSlot: 10)
        branch.run(on: timeline()) { _ in }
        #expect(branch.failure != nil)
        #expect(branch.counts.delivered == 2)
        #expect(branch.counts.failed == 0)
    }

    @Test func `a still picture is written as time passes, not all of it at the end`() throws {
        let sink = CollectingSink()
        var grid = TakingGrid(rate: Self.rate)
        let branch = branch(sink, endSlot: 90)
        // Three seconds ago: two are past, the last may still get frames.
        try send(1, at: 0, to: branch, &grid)
        let thread = start(branch, timeline(begunBefore: 3_000_000_000))
        while sink.periods.count < 60 { MonotonicClock.sleep(milliseconds: 1) }
        // A filled period takes no more frames: it shows in the next one.
        try send(2, at: 1_000_000_000, to: branch, &grid)
        branch.finish(endSlot: 90)
        thread.join()
        #expect(sink.periods.count == 90)
        #expect(Set(sink.periods.prefix(60)) == [1] && sink.periods.last == 2)
        let counts = branch.counts
        #expect((counts.delivered, counts.delayed, counts.repeated) == (2, 1, 88))
    }

    @Test func `a live output shows no frame too early, up to its end`() throws {
        let sink = CollectingSink(.onSchedule)
        var grid = TakingGrid(rate: Self.rate)
        let branch = branch(sink, rate: FrameRate(100), endSlot: 20)
        let timeline = timeline()
        let thread = start(branch, timeline)
        try send(1, at: 0, to: branch, &grid)
        var seen: [(count: Int, at: Int64)] = []
        while sink.periods.count < 20 {
            // Everything written by then was due.
            let count = sink.periods.count
            seen.append((count, timeline.time(of: clock.now)))
            MonotonicClock.sleep(milliseconds: 1)
        }
        branch.finish(endSlot: 20)
        thread.join()
        for (count, moment) in seen where count > 0 {
            #expect(moment >= Int64(count - 1) * 10_000_000 + SessionTimeline.playoutDelay)
        }
        #expect(sink.isFinished && branch.counts.repeated == 19)
        #expect(branch.departures.count == 19)
        let lateness = try #require(branch.lateness)
        #expect(lateness.count == 20 && lateness.p50 <= lateness.maximum)
    }
}
