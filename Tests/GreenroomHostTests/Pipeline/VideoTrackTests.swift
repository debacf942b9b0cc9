import GreenroomConversion
import GreenroomMedia
import Testing

@testable import GreenroomHost

@Suite struct VideoTrackTests {
    let pool = FramePool(limit: 64)
    let clock = SessionClock()
    let silent = SessionEvents { _ in }

    /// Sends NV12 frames of 64x48 through a track with one lane for each want.
    private func run(_ wants: [VideoWant], frames: Int) throws -> (VideoTrack, [CollectingSink]) {
        let sinks = wants.map { _ in CollectingSink() }
        let rate = FrameRate(1000)
        var groups: [VideoTrack.Group] = []
        for (want, sink) in zip(wants, sinks) {
            let lane = VideoLane(name: "\(want)", rate: rate, endSlot: nil, sink: sink)
            if let index = groups.firstIndex(where: { $0.want == want }) {
                groups[index].lanes.append(lane)
            } else {
                groups.append(VideoTrack.Group(want: want, lanes: [lane]))
            }
        }
        let input = VideoTrackInput(clock: clock)
        let track = VideoTrack(
            kind: .camera,
            agreed: VideoCapability(size: FrameSize(width: 64, height: 48), rate: rate),
            input: input, pool: pool, filters: [], groups: groups,
            filterDeadline: 1_000_000_000, events: silent)
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads =
            [HostThread(name: "track") { track.run(on: timeline) }]
            + track.lanes.map { lane in
                HostThread(name: "lane") { lane.run(on: timeline, events: silent) }
            }
        for number in 0..<frames {
            var frame = try numberedFrame(
                number, from: pool, .nv12, FrameSize(width: 64, height: 48))
            frame.info.ptsNanoseconds = timeline.epoch + Int64(number) * 1_000_000
            input.push(frame)
            while track.counts.taken <= number { MonotonicClock.sleep(milliseconds: 1) }
        }
        input.close()
        threads[0].join()
        for lane in track.lanes { lane.finish(endSlot: Int64(frames)) }
        for thread in threads { thread.join() }
        return (track, sinks)
    }

    @Test func `equal wants share one conversion, and each distinct want has its own`() throws {
        let small = VideoWant(format: .i420, size: FrameSize(width: 32, height: 24))
        let large = VideoWant(format: .i420, size: FrameSize(width: 128, height: 96))
        let (track, sinks) = try run([small, large, small, small], frames: 20)
        #expect(track.counts.conversions == 40)
        #expect(sinks.map(\.periods.count) == [20, 20, 20, 20])
        #expect(sinks[0].sizes == [FrameSize(width: 32, height: 24)])
        #expect(sinks[1].sizes == [FrameSize(width: 128, height: 96)])
        #expect(pool.aliveCount == 0)
    }

    @Test func `what is wanted as it comes is not converted`() throws {
        let (track, sinks) = try run(
            [VideoWant(format: .nv12), VideoWant(format: .nv12)], frames: 20)
        #expect(track.counts.conversions == 0)
        #expect(track.counts.bytesConverted == 0)
        #expect(sinks[0].periods == (0..<20).map(UInt8.init))
        #expect(sinks[1].periods == sinks[0].periods)
    }

    @Test func `memory is allocated while warming up and no more`() throws {
        let want = VideoWant(format: .i420, size: FrameSize(width: 32, height: 24))
        _ = try run([want], frames: 10)
        let warm = pool.allocationCount
        _ = try run([want], frames: 100)
        // How many frames are under way at once depends on the machine, within the pool.
        #expect(pool.allocationCount - warm <= 12)
    }

    @Test func `a frame that no output can have is counted there`() throws {
        let want = VideoWant(format: .i420, size: FrameSize(width: 33, height: 24), fit: .reject)
        let (track, sinks) = try run([want, VideoWant(format: .nv12)], frames: 10)
        #expect(track.lanes[0].counts.unconvertible == 10)
        #expect(sinks[0].periods.isEmpty)
        #expect(sinks[1].periods.count == 10)
    }
}
