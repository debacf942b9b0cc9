import GreenroomConversion
import GreenroomMedia
import Testing

@testable import GreenroomHost

@Suite struct VideoLaneTests {
    let pool = FramePool(limit: 64)
    let silent = SessionEvents { _ in }

    /// Sends frames with these times through a lane, and lets it end.
    private func run(
        _ milliseconds: [Double], rate: FrameRate = FrameRate(30), endSlot: Int64,
        isEndKnown: Bool = true
    ) throws -> (periods: [UInt8], counts: VideoLane.Counts) {
        let sink = CollectingSink()
        let lane = VideoLane(
            name: "test", rate: rate, endSlot: isEndKnown ? endSlot : nil, sink: sink)
        let thread = HostThread(name: "lane") { lane.run(events: silent) }
        for (number, time) in milliseconds.enumerated() {
            guard let slot = lane.claim(nanoseconds: Int64(time * 1e6)) else { continue }
            lane.push(try numberedFrame(number, from: pool), slot: slot)
            // A test sends faster than any camera: it waits, or the queue would be full.
            while pool.aliveCount > 4 { MonotonicClock.sleep(milliseconds: 1) }
        }
        lane.finish(endSlot: endSlot)
        thread.join()
        #expect(sink.isFinished)
        return (sink.periods, lane.counts)
    }

    @Test func `frames in time are written once each`() throws {
        let (periods, counts) = try run((0..<30).map { Double($0) * 1000 / 30 }, endSlot: 30)
        #expect(periods == (0..<30).map(UInt8.init))
        #expect(counts.delivered == 30)
        #expect(counts.repeated == 0)
    }

    @Test func `jitter of less than half a period moves nothing`() throws {
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

    @Test func `a source that lies between two slots does not flicker`() throws {
        // Half a period late, and a nanosecond of rounding either way.
        let times = (0..<30).map { (index: Int) -> Double in
            let rounding = index % 2 == 0 ? 1e-6 : -1e-6
            return (Double(index) + 0.5) * 1000 / 30 + rounding
        }
        let (_, counts) = try run(times, endSlot: 31)
        #expect(counts.delivered == 30)
        #expect(counts.excess == 0)
    }

    @Test func `gaps are filled with the frame before, the beginning with the first`() throws {
        let (periods, counts) = try run([100, 200, 233], endSlot: 10)
        #expect(periods == [0, 0, 0, 0, 0, 0, 1, 2, 2, 2])
        #expect(counts.delivered == 3)
        #expect(counts.repeated == 7)
    }

    @Test func `of frames for one period the first is taken`() throws {
        let (periods, counts) = try run((0..<38).map { Double($0) * 1000 / 120 }, endSlot: 10)
        #expect(periods.count == 10)
        #expect(counts.delivered == 10)
        #expect(counts.excess == 28)
    }

    @Test func `what is before the beginning and after the end is counted so`() throws {
        let (periods, counts) = try run([-100, -50, 0, 33, 66, 100, 500], endSlot: 3)
        #expect(periods == [2, 3, 4])
        #expect(counts.early == 2)
        #expect(counts.late == 2)
    }

    @Test func `an end that was not known is that of the session, and loses nothing`() throws {
        let (periods, counts) = try run([0, 33, 66, 100], endSlot: 2, isEndKnown: false)
        #expect(periods == [0, 1, 2, 3])
        #expect(counts.delivered == 4)
    }

    @Test func `times at the ends of the scale do not trap`() throws {
        let (periods, counts) = try run([0, 9e12, -9e12], endSlot: 1)
        #expect(periods == [0])
        #expect(counts.late == 1)
        #expect(counts.excess + counts.early == 1)
    }

    @Test func `a lane that stands still loses its own frames and keeps its length`() throws {
        let sink = CollectingSink(isOpen: false)
        let lane = VideoLane(name: "test", rate: FrameRate(30), endSlot: 100, sink: sink)
        let thread = HostThread(name: "lane") { lane.run(events: silent) }
        for number in 0..<100 {
            let time = FrameRate(30).dueNanoseconds(ofFrame: Int64(number))
            guard let slot = lane.claim(nanoseconds: time) else { continue }
            lane.push(try numberedFrame(number, from: pool), slot: slot)
        }
        let stalled = lane.counts
        #expect(stalled.queueFull > 80)
        sink.gate.change { $0 = true }
        lane.finish(endSlot: 100)
        thread.join()
        #expect(sink.periods.count == 100)
        #expect(sink.periods == sink.periods.sorted())
        let counts = lane.counts
        #expect(counts.delivered + counts.queueFull == 100)
    }

    @Test func `an output that fails gets nothing more, and every frame is counted`() throws {
        let sink = CollectingSink(failsAfter: 5)
        let lane = VideoLane(name: "test", rate: FrameRate(30), endSlot: 50, sink: sink)
        let thread = HostThread(name: "lane") { lane.run(events: silent) }
        for number in 0..<50 {
            let time = FrameRate(30).dueNanoseconds(ofFrame: Int64(number))
            guard let slot = lane.claim(nanoseconds: time) else { continue }
            lane.push(try numberedFrame(number, from: pool), slot: slot)
            while pool.aliveCount > 4, lane.failure == nil { MonotonicClock.sleep(milliseconds: 1) }
        }
        lane.finish(endSlot: 50)
        thread.join()
        let counts = lane.counts
        #expect(lane.failure != nil)
        #expect(sink.periods.count == 5)
        #expect(counts.delivered + counts.failed + counts.queueFull == 50)
        #expect(pool.aliveCount == 0)
    }

    @Test func `an output that fails at its end counts no frame that it did not get`() throws {
        // The third write fills the end.
        let sink = CollectingSink(failsAfter: 2)
        let lane = VideoLane(name: "test", rate: FrameRate(30), endSlot: nil, sink: sink)
        for number in 0..<2 {
            let time = FrameRate(30).dueNanoseconds(ofFrame: Int64(number))
            let slot = try #require(lane.claim(nanoseconds: time))
            lane.push(try numberedFrame(number, from: pool), slot: slot)
        }
        lane.finish(endSlot: 10)
        lane.run(events: silent)
        #expect(lane.failure != nil)
        #expect(lane.counts.delivered == 2)
        #expect(lane.counts.failed == 0)
    }
}
