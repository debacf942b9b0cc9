import GreenroomConversion
import GreenroomMedia
@testable import GreenroomModel
@testable import GreenroomRuntime
import Testing

@testable import GreenroomVideo
@testable import GreenroomPluginInterface

/// A track with its threads on a virtual clock.
@Suite struct VirtualTrackTests {
    /// The complete result of a run.
    private struct Outcome: Equatable {
        var periods: [[UInt8]] = []
        var departures: [IntervalHistogram.Summary] = []
        var lateness: [IntervalHistogram.Summary?] = []
        var counts: [String] = []
        var arrivals = IntervalHistogram.Summary()
    }

    private struct Frame {
        /// Its arrival since the start, in nanoseconds.
        var comes: Int64
        /// The age of its timestamp at the arrival.
        var age: Int64
    }

    /// A source that bursts, stalls, and often sends exactly when slots are due.
    private func wildFrames(seconds: Int, seed: UInt64) -> [Frame] {
        var state = seed
        func random(_ bound: Int64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33) % bound
        }
        var frames: [Frame] = []
        var time: Int64 = 0
        while time < Int64(seconds) * 1_000_000_000 {
            switch random(10) {
            case 0: time += random(2_000_000_000)
            case 1, 2: break
            case 3, 4: time += random(50_000_000)
            default: time = (time * 30 / 1_000_000_000 + 1) * 1_000_000_000 / 30
            }
            let burst = random(8) == 0 ? 12 : 1
            for _ in 0..<burst { frames.append(Frame(comes: time, age: random(300_000_000))) }
        }
        return frames.filter { $0.comes < Int64(seconds) * 1_000_000_000 }
    }

    /// - Parameter isHostile: Whether some frames can't be converted, and the track's capability
    ///   changes sometimes.
    private func run(_ frames: [Frame], seconds: Int, isHostile: Bool) throws -> Outcome {
        let clock = SessionClock(isVirtual: true)
        clock.lead()
        defer { clock.leave() }
        let size = FrameSize(width: 8, height: 8)
        let sinks = [
            CollectingSink(.asTheyCome), CollectingSink(.onSchedule), CollectingSink(.onSchedule),
        ]
        let rates = [30, 30, 50]
        let slots = rates.map { Int64($0 * seconds) }
        let want = VideoWant(format: .i420, size: size)
        let branches = sinks.indices.map { index in
            VideoBranch(
                name: "\(index)",
                capability: VideoCapability(size: size, rate: FrameRate(rates[index])), want: want,
                endSlot: slots[index], sink: sinks[index], clock: clock)
        }
        let pool = FramePool(
            limit: 8 + VideoTrackInput.capacity + BranchQueue.mostFramesInUse * branches.count)
        let track = VideoTrack(
            kind: .camera, agreed: VideoCapability(size: size, rate: FrameRate(30)),
            input: VideoTrackInput(clock: clock), pool: pool, filters: [],
            groups: [VideoTrack.Group(want: want, branches: branches)],
            filterDeadline: 1_000_000_000,
            tell: { _ in })
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)

        let trackThread = HostThread(
            name: "track", clock: clock, as: ClockOrder(part: .track)
        ) { track.run(on: timeline) }
        let laneThreads = branches.enumerated().map { number, branch in
            HostThread(
                name: "branch", clock: clock, as: ClockOrder(part: .output, number: number)
            ) { branch.run(on: timeline) { _ in } }
        }
        let idle = Monitor(())
        let source = HostThread(name: "source", clock: clock, as: .plugin(0)) {
            for (number, next) in frames.enumerated() {
                let moment = timeline.epoch + next.comes
                let _: Void? = clock.wait(for: idle, until: moment, as: .plugin(0)) { _ in nil }
                if isHostile, number % 150 == 0 {
                    track.follow(
                        number % 300 == 0
                            ? track.agreed : VideoCapability(width: 4, height: 6, fps: 15))
                }
                // Not a JPEG image.
                let taken =
                    isHostile && number % 11 == 0
                    ? pool.take(.mjpeg, size, compressedByteCount: 10)
                    : try? numberedFrame(number % 200, from: pool, .i420, size)
                guard var frame = taken else { continue }
                frame.info.ptsNanoseconds = moment - next.age
                track.input.waitForRoom()
                track.input.push(frame)
                if number % 100 == 50 { track.showBlack() }
                if isHostile, number % 40 == 20 {
                    track.showSlate(
                        number % 80 == 20 ? .restarting(.camera) : .lost(.camera),
                        at: clock.now + Int64(number % 3) * 100_000_000)
                }
            }
        }
        let over = timeline.epoch + Int64(seconds) * 1_000_000_000
        let _: Void? = clock.wait(for: idle, until: over) { _ in nil }
        // Time stands still until the branches know their end.
        source.join()
        track.input.close()
        trackThread.join()
        for (branch, end) in zip(branches, slots) { branch.finish(endSlot: end) }
        clock.idling { for thread in laneThreads { thread.join() } }

        var outcome = Outcome()
        outcome.periods = sinks.map(\.periods)
        outcome.departures = branches.map(\.departures)
        outcome.lateness = branches.map(\.lateness)
        outcome.counts =
            branches.map { "\($0.counts)" } + ["\(track.counts)", "\(track.input.counts)"]
        outcome.arrivals = track.input.arrivals
        #expect(track.input.counts.superseded == 0 && track.queuedCount == 0)
        let counts = track.counts
        #expect(counts.taken == frames.count && counts.busyNanoseconds == 0)
        #expect(counts.taken == counts.overRate + counts.damaged + counts.carried)
        #expect((counts.damaged > 0) == isHostile && counts.unconvertible == 0)
        for (branch, sink) in zip(branches, sinks) {
            #expect(branch.counts.frames == counts.carried && branch.counts.queued == 0)
            #expect(branch.counts.queueFull == 0 && branch.counts.periods == sink.periods.count)
            #expect(sink.sizes == [size])
            #expect(branch.counts.unconvertible == 0)
            #expect((branch.counts.slate > 0) == isHostile)
            let rate = try #require(branch.form?.capability.rate.numerator)
            #expect(sink.periods.count == Int(rate) * seconds)
        }
        return outcome
    }

    @Test func `a delay shows frames and black later, and its end returns to the present`() throws {
        let clock = SessionClock(isVirtual: true)
        clock.lead()
        defer { clock.leave() }
        let size = FrameSize(width: 8, height: 8)
        let capability = VideoCapability(size: size, rate: FrameRate(10))
        let want = VideoWant(format: .i420, size: size)
        let sink = CollectingSink(.onSchedule)
        let branch = VideoBranch(
            name: "0", capability: capability, want: want, endSlot: 60, sink: sink, clock: clock)
        // A source has far fewer frames than a delay holds.
        let pool = FramePool(limit: 8 + VideoTrackInput.capacity + BranchQueue.mostFramesInUse)
        let track = VideoTrack(
            kind: .camera, agreed: capability, input: VideoTrackInput(clock: clock), pool: pool,
            filters: [], groups: [VideoTrack.Group(want: want, branches: [branch])],
            filterDeadline: 1_000_000_000, tell: { _ in })
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let trackThread = HostThread(
            name: "track", clock: clock, as: ClockOrder(part: .track)
        ) { track.run(on: timeline) }
        let branchThread = HostThread(
            name: "branch", clock: clock, as: ClockOrder(part: .output, number: 0)
        ) { branch.run(on: timeline) { _ in } }
        let idle = Monitor(())
        let source = HostThread(name: "source", clock: clock, as: .plugin(0)) {
            for number in 0..<60 {
                let moment = timeline.epoch + Int64(number) * 100_000_000
                let _: Void? = clock.wait(for: idle, until: moment, as: .plugin(0)) { _ in nil }
                if number == 10 { track.delay(by: 2_000_000_000) }
                if number == 40 { track.delay(by: 0) }
                if number == 50 { track.delay(by: 500_000_000) }
                if number == 14 { track.showBlack() }
                guard !(14..<18).contains(number),
                    var frame = try? numberedFrame(100 + number, from: pool, .i420, size)
                else { continue }
                frame.info.ptsNanoseconds = moment
                track.input.waitForRoom()
                track.input.push(frame)
            }
        }
        let over = timeline.epoch + 6_000_000_000
        let _: Void? = clock.wait(for: idle, until: over) { _ in nil }
        source.join()
        track.input.close()
        trackThread.join()
        branch.finish(endSlot: 60)
        _ = clock.idling { branchThread.join() }
        let black: UInt8 = 16
        let first = (0..<10).map { UInt8(100 + $0) } + [UInt8](repeating: 109, count: 20)
        let late = (10..<14).map { UInt8(100 + $0) } + [black, black, black, black] + [118, 119]
        let present = (40..<50).map { UInt8(100 + $0) }
        let again = [UInt8](repeating: 149, count: 5) + (50..<55).map { UInt8(100 + $0) }
        #expect(sink.periods == first + late + present + again)
        // The frame that is due at the end was carried; the later ones of the last half second were not.
        #expect(track.input.counts.discarded == 4 && track.queuedCount == 0)
        let counts = track.counts
        #expect(counts.taken == counts.carried + counts.overRate && counts.taken == 52)
    }

    @Test func `a full delay loses the newest frame, and never black`() throws {
        let line = DelayLine()
        let pool = FramePool(limit: 1)
        func append(_ number: Int64) throws {
            let frame = try numberedFrame(1, from: pool)
            try line.append(
                VideoTrackInput.QueuedFrame(
                    frame: frame, nanoseconds: number, limit: nil, ceiling: nil, starts: 0,
                    sentAs: nil))
        }
        for number in 0..<124 { try append(Int64(number)) }
        #expect(throws: ConversionError.self) { try append(124) }
        for number in 125..<130 { line.append(.black, at: Int64(number)) }
        // The fifth needed the place of the oldest frame.
        #expect(line.oldest == 1 && line.frameCount == 123)
        var last: Int64?
        while let oldest = line.oldest {
            _ = line.popFirst()
            last = oldest
        }
        #expect(last == 129 && line.frameCount == 0)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the result is deterministic for every source`(seed: UInt64) throws {
        let frames = wildFrames(seconds: 60, seed: seed)
        let outcome = try run(frames, seconds: 60, isHostile: true)
        for _ in 0..<5 {
            let other = try run(frames, seconds: 60, isHostile: true)
            #expect(other.counts == outcome.counts)
            #expect(other.departures == outcome.departures)
            #expect(other.lateness == outcome.lateness)
            #expect(other.arrivals == outcome.arrivals)
            #expect(other.periods == outcome.periods)
        }
        // Nothing is late or early.
        #expect(outcome.lateness[0] == nil)
        #expect(outcome.lateness.dropFirst().allSatisfy { $0?.maximum == 0 })
        #expect(outcome.departures[1].p50 > 33_000_000 && outcome.departures[1].p99 < 34_000_000)
    }

    @Test func `ten minutes of a regular source show every frame once`() throws {
        let rate = FrameRate(30)
        let frames = (0..<18_000).map { Frame(comes: rate.dueNanoseconds(ofFrame: $0), age: 0) }
        let outcome = try run(frames, seconds: 600, isHostile: false)
        // Black after every hundredth frame has no period of its own to show in.
        let expected = (0..<18_000).map { UInt8($0 % 200) }
        let differing = outcome.periods[1].indices.filter {
            outcome.periods[1][$0] != expected[$0]
        }
        #expect(differing.allSatisfy { ($0 - 51) % 100 == 0 }, "\(differing.prefix(20))")
    }
}
