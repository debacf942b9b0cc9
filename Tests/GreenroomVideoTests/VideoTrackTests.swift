import GreenroomConversion
import GreenroomMedia
@testable import GreenroomModel
@testable import GreenroomRuntime
import Synchronization
import Testing

import GreenroomModel
@testable import GreenroomVideo

@Suite struct VideoTrackTests {
    let pool = FramePool(limit: 64)
    let clock = SessionClock()

    /// A track at 64x48 with one branch for each want.
    private func track(
        _ wants: [VideoWant], _ sinks: [CollectingSink], rate: FrameRate = FrameRate(1000),
        filters: [PreProcessorRunner] = [], duration: Int64? = nil,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) -> VideoTrack {
        let size = FrameSize(width: 64, height: 48)
        var groups: [VideoTrack.Group] = []
        for (want, sink) in zip(wants, sinks) {
            let capability = VideoCapability(size: want.size ?? size, rate: rate)
            let branch = VideoBranch(
                name: "\(want)", capability: capability, want: want,
                endSlot: duration.map(rate.frameCount), sink: sink, clock: clock)
            if let index = groups.firstIndex(where: { $0.want == want }) {
                groups[index].branches.append(branch)
            } else {
                groups.append(VideoTrack.Group(want: want, branches: [branch]))
            }
        }
        return VideoTrack(
            kind: .camera, agreed: VideoCapability(size: size, rate: rate),
            input: VideoTrackInput(clock: clock), pool: pool, filters: filters, groups: groups,
            filterDeadline: 60_000_000_000, duration: duration, tell: tell)
    }

    private func start(_ track: VideoTrack, _ timeline: SessionTimeline) -> [HostThread] {
        return [HostThread(name: "track") { track.run(on: timeline) }]
            + track.branches.map { branch in
                HostThread(name: "branch") { branch.run(on: timeline) { _ in } }
            }
    }

    private func end(_ track: VideoTrack, _ threads: [HostThread], slots: Int64) {
        track.input.close()
        threads.first?.join()
        for branch in track.branches { branch.finish(endSlot: slots) }
        for thread in threads { thread.join() }
        expectSums(track)
    }

    /// Expects that the counters add up.
    private func expectSums(_ track: VideoTrack) {
        let (input, counts) = (track.input.counts, track.counts)
        #expect(
            counts.taken
                == counts.overRate + counts.damaged + counts.unconvertible + counts.withheld
                + counts.carried)
        #expect(input.taken == counts.taken + track.queuedCount - input.waiting)
        for branch in track.branches { #expect(branch.counts.frames == counts.carried) }
    }

    /// Sends NV12 frames of 64x48 through a track with one branch for each want.
    private func run(_ wants: [VideoWant], frames: Int) throws -> (VideoTrack, [CollectingSink]) {
        let sinks = wants.map { _ in CollectingSink() }
        let track = track(wants, sinks)
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        for number in 0..<frames {
            try send(number, to: track, at: timeline.epoch + Int64(number) * 1_000_000)
        }
        end(track, threads, slots: Int64(frames))
        return (track, sinks)
    }

    /// Sends a frame, and waits until the track has processed it.
    private func send(
        _ number: Int, to track: VideoTrack, at moment: Int64,
        _ size: FrameSize = FrameSize(width: 64, height: 48), rotation: Rotation = .none
    ) throws {
        let taken = track.counts.taken
        var frame = try numberedFrame(number, from: pool, .nv12, size)
        frame.info.ptsNanoseconds = moment
        frame.info.rotation = rotation
        track.input.push(frame)
        while track.counts.taken == taken { MonotonicClock.sleep(milliseconds: 1) }
        while track.branches.contains(where: { $0.counts.queued > 8 }) {
            MonotonicClock.sleep(milliseconds: 1)
        }
    }

    @Test func `equal requested formats share one conversion, other formats have their own`()
        throws
    {
        let small = VideoWant(format: .i420, size: FrameSize(width: 32, height: 24))
        let large = VideoWant(format: .i420, size: FrameSize(width: 128, height: 96))
        let (track, sinks) = try run([small, large, small, small], frames: 20)
        #expect(track.counts.conversions == 40)
        #expect(sinks.map(\.periods.count) == [20, 20, 20, 20])
        #expect(sinks[0].sizes == [FrameSize(width: 32, height: 24)])
        #expect(sinks[1].sizes == [FrameSize(width: 128, height: 96)])
        #expect(pool.aliveCount == 0)
    }

    @Test func `a frame in the wanted format is not converted`() throws {
        let (track, sinks) = try run(
            [VideoWant(format: .nv12), VideoWant(format: .nv12)], frames: 20)
        #expect(track.counts.conversions == 0)
        #expect(track.counts.bytesConverted == 0)
        #expect(sinks[0].periods == (0..<20).map(UInt8.init))
        #expect(sinks[1].periods == sinks[0].periods)
    }

    /// A source sends until its stop-send returns, which may take seconds.
    @Test(arguments: [nil, 10_000_000])
    func `the account ends with the outputs, whatever is sent afterwards`(
        duration: Int64?
    ) throws {
        let track = track([VideoWant(format: .nv12)], [CollectingSink()], duration: duration)
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        func send(_ numbers: Range<Int>) throws {
            for number in numbers {
                try self.send(number, to: track, at: timeline.epoch + Int64(number) * 1_000_000)
            }
        }
        try send(0..<8)
        // On this clock the frames are as late as they are sent: both count what is reached.
        if duration == nil { _ = track.limit(to: 10_000_000) }
        try send(8..<30)
        let end = track.limit(to: 10_000_000)
        self.end(track, threads, slots: FrameRate(1000).frameCount(inNanoseconds: end))
        let counts = track.branches[0].counts
        let shown = counts.delivered + counts.repeated + counts.black + counts.slate
        #expect(track.account(at: end).total == shown)
        #expect(duration == nil || shown == 10 && end == 10_000_000)
    }

    /// How the sender may convert, once a BGRA frame of 64x48 has passed a track.
    private func earlyConversion(_ wants: [VideoWant]) throws -> ColorSpace? {
        let track = track(wants, wants.map { _ in CollectingSink() })
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        let size = FrameSize(width: 64, height: 48)
        var frame = try numberedFrame(0, from: pool, .bgra, size)
        frame.info.color = .bt709Limited
        let form = FrameForm(frame)
        track.input.push(frame)
        while track.counts.taken == 0 { MonotonicClock.sleep(milliseconds: 1) }
        let conversion = track.input.earlyConversion(of: form)
        #expect(track.input.earlyConversion(of: FrameForm(.rgba, size, FrameInfo())) == nil)
        if let conversion {
            // It is counted as if the track had done it.
            let (conversions, bytes) = (track.counts.conversions, track.counts.bytesConverted)
            var early = try numberedFrame(1, from: pool, .i420, size)
            early.info.color = conversion.color
            track.input.push(early, sentAs: form)
            while track.counts.taken == 1 { MonotonicClock.sleep(milliseconds: 1) }
            #expect(track.counts.conversions > conversions)
            #expect(track.counts.bytesConverted >= bytes + 64 * 48 * 3 / 2)
            #expect(track.input.earlyConversion(of: form) == conversion)
            // When outputs take something else, it is decided anew.
            let leaving = try #require(track.branches.first)
            track.change([VideoTrackInput.BranchChange(branch: leaving, form: nil)])
            while !leaving.isResting { MonotonicClock.sleep(milliseconds: 1) }
            #expect(track.input.earlyConversion(of: form) == nil)
        }
        end(track, threads, slots: 2)
        return conversion?.color
    }

    @Test func `the sender converts early only if all outputs begin with that conversion`() throws {
        let plain = VideoWant(format: .i420)
        let small = VideoWant(format: .i420, size: FrameSize(width: 32, height: 24))
        let other = VideoWant(format: .i420, matrix: .bt601)
        #expect(try earlyConversion([plain]) == .bt709Limited)
        #expect(try earlyConversion([plain, small]) == .bt709Limited)
        #expect(try earlyConversion([other]) == .bt601Limited)
        #expect(try earlyConversion([plain, other]) == nil)
        #expect(try earlyConversion([plain, VideoWant(format: .rgba)]) == nil)
        #expect(try earlyConversion([VideoWant(format: .bgra)]) == nil)
    }

    @Test func `memory is allocated only during warm-up`() throws {
        let want = VideoWant(format: .i420, size: FrameSize(width: 32, height: 24))
        _ = try run([want], frames: 10)
        let warm = pool.allocationCount
        _ = try run([want], frames: 100)
        // The number of concurrent frames depends on the machine, within the pool.
        #expect(pool.allocationCount - warm <= 12)
    }

    @Test func `a damaged JPEG image is lost for all outputs, and is not real`() throws {
        let wants = [
            VideoWant(format: .i420),
            VideoWant(format: .bgra, size: FrameSize(width: 32, height: 24)),
        ]
        let sinks = wants.map { _ in CollectingSink() }
        let track = track(wants, sinks)
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        try send(1, to: track, at: timeline.epoch)
        for number in 1..<10 {
            guard
                var frame = pool.take(
                    .mjpeg, FrameSize(width: 64, height: 48), compressedByteCount: 10)
            else { continue }
            frame.info.ptsNanoseconds = timeline.epoch + Int64(number) * 1_000_000
            track.input.push(frame)
            while track.counts.taken <= number { MonotonicClock.sleep(milliseconds: 1) }
        }
        end(track, threads, slots: 10)
        #expect(track.counts.damaged == 9 && track.counts.carried == 1)
        #expect(track.branches.allSatisfy { $0.counts.unconvertible == 0 })
        let account = track.account(at: 10_000_000)
        #expect(account.real == 1 && account.repeated >= 9, "\(account)")
    }

    @Test func `a frame that can't be converted is counted by the output`() throws {
        let want = VideoWant(format: .i420, size: FrameSize(width: 33, height: 24), fit: .reject)
        let (track, sinks) = try run([want, VideoWant(format: .nv12)], frames: 10)
        #expect(track.branches[0].counts.unconvertible == 10)
        #expect(track.branches[0].counts.black == 10 && sinks[0].periods.count == 10)
        #expect(sinks[0].sizes == [FrameSize(width: 33, height: 24)])
        #expect(sinks[1].periods.count == 10 && track.branches[1].counts.black == 0)
    }

    @Test func `a stalled output slows neither the track nor another output`() throws {
        let sinks = [CollectingSink(isOpen: false), CollectingSink()]
        let want = VideoWant(format: .nv12)
        let track = track([want, want], sinks)
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        for number in 0..<100 {
            try sendWithoutWaiting(
                number, to: track, at: timeline.epoch + Int64(number) * 1_000_000)
            while track.counts.taken <= number || track.branches[1].counts.queued > 0 {
                MonotonicClock.sleep(milliseconds: 1)
            }
        }
        // All frames have passed while the other one has written nothing.
        #expect(sinks[1].periods == (0..<100).map(UInt8.init))
        #expect(sinks[0].periods.isEmpty)
        #expect(track.branches[0].counts.queueFull > 80 && track.branches[1].counts.queueFull == 0)
        expectSums(track)
        sinks[0].ingest.change { $0 = true }
        end(track, threads, slots: 100)
        #expect(sinks[0].periods.count == 100)
        #expect(pool.aliveCount == 0)
    }

    private func sendWithoutWaiting(_ number: Int, to track: VideoTrack, at moment: Int64) throws {
        var frame = try numberedFrame(
            number, from: pool, .nv12, FrameSize(width: 64, height: 48))
        frame.info.ptsNanoseconds = moment
        track.input.push(frame)
    }

    @Test func `frames above the track's rate are dropped, and no slot is missed`() throws {
        let sink = CollectingSink()
        let track = track([VideoWant(format: .nv12)], [sink], rate: FrameRate(30))
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        // Four times as fast, with some jitter.
        for number in 0..<117 {
            let jitter = Int64(number % 3 - 1) * 1_000_000
            let time = Int64(number) * 1_000_000_000 / 120 + jitter
            try send(number, to: track, at: timeline.epoch + max(time, 0))
        }
        end(track, threads, slots: 30)
        #expect(track.counts.overRate == 87 && track.counts.carried == 30)
        #expect(track.branches[0].counts.repeated == 0 && track.branches[0].counts.delivered == 30)
        #expect(sink.periods == sink.periods.sorted() && sink.periods.count == 30)
    }

    @Test func `a lower ceiling scales frames, without effect on outputs`() throws {
        let wants = [
            VideoWant(format: .i420, size: FrameSize(width: 64, height: 48)),
            VideoWant(format: .i420, size: FrameSize(width: 32, height: 24)),
        ]
        let sinks = [CollectingSink(), CollectingSink()]
        let track = track(wants, sinks, rate: FrameRate(100))
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        func send(_ range: Range<Int>) throws {
            for number in range {
                try self.send(number, to: track, at: timeline.epoch + Int64(number) * 10_000_000)
            }
        }
        try send(0..<20)
        #expect(track.counts.conversions == 40)
        track.follow(
            VideoCapability(size: FrameSize(width: 32, height: 32), rate: FrameRate(50)))
        // Every second one is carried, in 32x24, which the second output takes unchanged.
        try send(20..<40)
        #expect(track.counts.overRate == 10)
        #expect(track.counts.conversions == 60)
        track.follow(track.agreed)
        try send(40..<60)
        end(track, threads, slots: 60)
        #expect(track.counts.conversions == 100)
        #expect(sinks.map(\.sizes) == wants.map { [$0.size ?? FrameSize(width: 0, height: 0)] })
        for (branch, sink) in zip(track.branches, sinks) {
            #expect(branch.counts.delivered == 50 && branch.counts.repeated == 10)
            #expect(sink.periods.count == 60 && sink.periods == sink.periods.sorted())
        }
    }

    @Test func `a ceiling applies to a portrait's unrotated pixels`()
        throws
    {
        let sink = CollectingSink()
        let want = VideoWant(format: .i420, acceptsRotation: true)
        let track = track([want], [sink])
        track.follow(VideoCapability(width: 32, height: 24, fps: 1000))
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        try send(
            1, to: track, at: timeline.epoch, FrameSize(width: 64, height: 48), rotation: .quarter)
        end(track, threads, slots: 1)
        #expect(sink.sizes == [FrameSize(width: 32, height: 24)])
    }

    @Test func `black follows the frames sent before it`() throws {
        let sink = CollectingSink()
        let track = track([VideoWant(format: .nv12)], [sink])
        for number in 101...103 {
            try sendWithoutWaiting(number, to: track, at: clock.now)
        }
        track.showBlack()
        try sendWithoutWaiting(104, to: track, at: clock.now + 20_000_000)
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now - 10_000_000)
        let threads = start(track, timeline)
        end(track, threads, slots: 1)
        let changes = sink.periods.indices.filter {
            $0 == 0 || sink.periods[$0] != sink.periods[$0 - 1]
        }
        let pictures = changes.map { sink.periods[$0] }
        #expect(pictures.suffix(2) == [16, 104], "\(pictures)")
        #expect(pictures.dropLast(2).allSatisfy { (101...103).contains($0) })
        #expect(track.branches[0].counts.black > 0)
    }

    @Test func `a slate shows on time, in each output's size`() throws {
        let wants = [
            VideoWant(format: .i420, size: FrameSize(width: 320, height: 180)),
            VideoWant(format: .nv12, size: FrameSize(width: 33, height: 24), fit: .reject),
            VideoWant(format: .mjpeg),
        ]
        let sinks = wants.map { _ in CollectingSink() }
        let track = track(wants, sinks, rate: FrameRate(100))
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        try send(101, to: track, at: timeline.epoch)
        // The newest request counts, although the track waits for another time.
        track.showSlate(.lost(.camera), at: timeline.epoch + 60_000_000_000)
        track.showSlate(.restarting(.camera), at: timeline.epoch + 50_000_000)
        while track.branches.prefix(2).contains(where: { $0.counts.slate == 0 }) {
            MonotonicClock.sleep(milliseconds: 5)
        }
        end(track, threads, slots: 120)
        #expect(sinks[0].sizes == [FrameSize(width: 320, height: 180)])
        #expect(sinks[1].sizes == [FrameSize(width: 33, height: 24)])
        // A busy machine shows it late.
        let shown = try #require(sinks[0].periods.firstIndex(of: 34))
        #expect(shown >= 5)
        #expect(sinks[0].periods.prefix(shown).allSatisfy { [16, 101].contains($0) })
        #expect(sinks[0].periods.dropFirst(shown).allSatisfy { $0 == 34 })
        // This one could not get a frame.
        #expect(sinks[1].periods.last == 34 && !sinks[1].periods.contains(101))
        // No slate exists in that format: the output reports it, and the others continue.
        #expect(track.branches[2].failure != nil && track.branches[2].counts.slate == 0)
    }

    @Test func `a pending slate is cancelled when the source returns`() throws {
        let sink = CollectingSink()
        let track = track([VideoWant(format: .nv12)], [sink], rate: FrameRate(100))
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        try send(101, to: track, at: timeline.epoch)
        let lost = clock.now
        track.showSlate(.restarting(.camera), at: lost + 500_000_000)
        try send(102, to: track, at: timeline.epoch + 10_000_000)
        let wasInTime = clock.now < lost + 500_000_000
        while clock.now < lost + 600_000_000 { MonotonicClock.sleep(milliseconds: 5) }
        end(track, threads, slots: 60)
        if wasInTime { #expect(track.branches[0].counts.slate == 0) }
        #expect(sink.periods.last == 102)
    }

    @Test func `frames beyond the input's capacity or after its end are counted`() throws {
        let sink = CollectingSink()
        let track = track([VideoWant(format: .nv12)], [sink])
        for number in 0..<10 { try sendWithoutWaiting(number, to: track, at: clock.now) }
        #expect(track.input.counts.superseded == 6 && track.queuedCount == 4)
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now - 1_000_000_000)
        track.input.close()
        try sendWithoutWaiting(10, to: track, at: clock.now)
        end(track, start(track, timeline), slots: 1)
        let input = track.input.counts
        #expect(input.discarded == 1 && track.queuedCount == 0)
        #expect(input.superseded + input.discarded + track.counts.taken == 11)
        #expect(track.input.arrivals.count == 10)
    }

    @Test func `a lost filter costs no output a frame`() throws {
        let filter = FakeFilter(pool: FramePool(limit: 8))
        let sink = CollectingSink()
        let track = track([VideoWant(format: .i420)], [sink], filters: [try filter.runner(clock)])
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = start(track, timeline)
        func send(_ range: Range<Int>) throws {
            for number in range {
                try self.send(number, to: track, at: timeline.epoch + Int64(number) * 1_000_000)
            }
        }
        filter.behave(.refuse(.failed))
        try send(0..<1)
        let refused = track.counts.unprocessed
        #expect(refused == FilterChain.Unprocessed(refused: 1) || refused.overdue == 1)
        filter.behave(.wait)
        try send(1..<20)
        #expect(track.counts.unprocessed.total == 20 && track.counts.unprocessed.overdue >= 19)
        filter.ingest.change { $0 = true }
        end(track, threads, slots: 20)
        #expect(sink.periods == (0..<20).map(UInt8.init))
        #expect(track.counts.carried == 20)
    }

    @Test func `a track without any frame is reported once`() throws {
        let notes = Mutex<[String]>([])
        let sink = CollectingSink()
        let track = track([VideoWant(format: .i420)], [sink]) { text in
            notes.withLock { $0.append(text) }
        }
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        end(track, start(track, timeline), slots: 3)
        #expect(sink.periods == [16, 16, 16])
        #expect(notes.withLock { $0.count } == 1)
    }
}
