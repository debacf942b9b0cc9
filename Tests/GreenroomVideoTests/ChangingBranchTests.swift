import GreenroomConversion
import GreenroomMedia
@testable import GreenroomModel
@testable import GreenroomRuntime
import Synchronization
import TestSupport
import Testing

@testable import GreenroomVideo

/// A branch whose form changes at any time, on a virtual clock.
@Suite struct ChangingBranchTests {
    /// A sink that records which periods it got.
    private final class PlaceSink: VideoSink {
        let pace: OutputPace
        let rate: FrameRate
        private let state = Mutex<(places: [FramePeriods], marks: [UInt8], isFinished: Bool)>(
            ([], [], false))

        init(_ pace: OutputPace, _ rate: FrameRate) {
            self.pace = pace
            self.rate = rate
        }

        var plugin: Int { 7 }
        var places: [FramePeriods] { state.withLock { $0.places } }
        var marks: [UInt8] { state.withLock { $0.marks } }
        var isFinished: Bool { state.withLock { $0.isFinished } }

        func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
            let mark = frame.plane(0).unsafeLoad(as: UInt8.self)
            state.withLock { state in
                state.places.append(periods)
                state.marks.append(mark)
            }
        }

        func finish() throws { state.withLock { $0.isFinished = true } }
    }

    private static let size = FrameSize(width: 8, height: 8)
    private static let seconds: Int64 = 20

    /// What each form of the branch got, and the counters.
    private func run(
        seed: UInt64, shortest: Int
    ) throws -> (sinks: [PlaceSink?], counts: VideoBranch.Counts, carried: Int) {
        let clock = SessionClock(isVirtual: true)
        clock.lead()
        defer { clock.leave() }
        var random = SeededGenerator(seed: seed)
        let pool = FramePool(limit: 100)
        let branch = VideoBranch(name: "changing", plugin: 7, form: nil, clock: clock)
        let track = VideoTrack(
            kind: .camera, agreed: VideoCapability(size: Self.size, rate: FrameRate(30)),
            input: VideoTrackInput(clock: clock), pool: pool, filters: [], groups: [],
            idle: [branch], filterDeadline: 1_000_000_000, tell: { _ in })
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        let threads = [
            HostThread(name: "track", clock: clock, as: ClockOrder(part: .track)) {
                track.run(on: timeline)
            },
            HostThread(name: "branch", clock: clock, as: ClockOrder(part: .output)) {
                branch.run(on: timeline) { _ in }
            },
        ]
        var sinks: [PlaceSink?] = []
        let idle = Monitor(())
        var nextChange = 0
        for number in 0..<Int(Self.seconds) * 30 {
            let moment = timeline.epoch + Int64(number) * 1_000_000_000 / 30
            let _: Void? = clock.wait(for: idle, until: moment) { _ in nil }
            if number >= nextChange {
                nextChange = number + shortest + random.integer(0..<20)
                var form: BranchForm?
                if random.integer(0..<4) > 0 {
                    let rate = FrameRate([5, 15, 30, 50][random.integer(0..<4)])
                    let sink = PlaceSink(
                        random.integer(0..<2) == 0 ? .asTheyCome : .onSchedule, rate)
                    sinks.append(sink)
                    form = BranchForm(
                        capability: VideoCapability(size: Self.size, rate: rate),
                        want: VideoWant(
                            format: random.integer(0..<2) == 0 ? .i420 : .nv12, size: Self.size),
                        endSlot: rate.frameCount(inNanoseconds: Self.seconds * 1_000_000_000),
                        sink: sink)
                } else {
                    sinks.append(nil)
                }
                track.change([VideoTrackInput.BranchChange(branch: branch, form: form)])
            }
            switch random.integer(0..<40) {
            case 0: track.showBlack()
            case 1: track.showSlate(.lost(.camera), at: clock.now)
            case 2...6: break
            default:
                var frame = try numberedFrame(number % 200, from: pool, .i420, Self.size)
                frame.info.ptsNanoseconds = moment
                track.input.waitForRoom()
                track.input.push(frame)
            }
        }
        let over = timeline.epoch + Self.seconds * 1_000_000_000
        let _: Void? = clock.wait(for: idle, until: over) { _ in nil }
        track.input.close()
        threads[0].join()
        branch.finish(at: Self.seconds * 1_000_000_000)
        clock.idling { _ = threads[1].join() }
        let carried = track.counts.carried
        return (sinks, branch.counts(carried: carried), carried)
    }

    @Test func `isolated outputs get new frame memory when one of them joins or leaves`() throws {
        let clock = SessionClock(isVirtual: true)
        clock.lead()
        defer { clock.leave() }
        let pool = FramePool(limit: 100)
        let allocator = BlockAllocator()
        let sinks = (0..<3).map { _ in MemorySink(allocator) }
        let branches = sinks.map { _ in
            VideoBranch(name: "isolated", plugin: 7, form: nil, clock: clock)
        }
        let capability = VideoCapability(size: Self.size, rate: FrameRate(30))
        let track = VideoTrack(
            kind: .camera, agreed: capability, input: VideoTrackInput(clock: clock), pool: pool,
            filters: [], groups: [], idle: branches, filterDeadline: 1_000_000_000,
            tell: { _ in })
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        var threads = [
            HostThread(name: "track", clock: clock, as: ClockOrder(part: .track)) {
                track.run(on: timeline)
            }
        ]
        for branch in branches {
            threads.append(
                HostThread(name: "branch", clock: clock, as: ClockOrder(part: .output)) {
                    branch.run(on: timeline) { _ in }
                })
        }
        func change(_ number: Int, isWanted: Bool) {
            let form = BranchForm(
                capability: capability, want: VideoWant(format: .nv12, size: Self.size),
                endSlot: 120, sink: sinks[number])
            track.change([.init(branch: branches[number], form: isWanted ? form : nil)])
        }
        let idle = Monitor(())
        for number in 0..<120 {
            let moment = timeline.epoch + Int64(number) * 1_000_000_000 / 30
            let _: Void? = clock.wait(for: idle, until: moment) { _ in nil }
            switch number {
            case 0: for number in 0..<2 { change(number, isWanted: true) }
            case 40: change(1, isWanted: false)
            case 80: change(2, isWanted: true)
            default: break
            }
            var frame = try numberedFrame(number, from: pool, .i420, Self.size)
            frame.info.ptsNanoseconds = moment
            track.input.waitForRoom()
            track.input.push(frame)
        }
        let _: Void? = clock.wait(for: idle, until: timeline.epoch + 4_000_000_000) { _ in nil }
        track.input.close()
        threads[0].join()
        for branch in branches { branch.finish(at: 4_000_000_000) }
        clock.idling { for thread in threads.dropFirst() { _ = thread.join() } }
        let (all, left, joined) = (sinks[0].blocks, sinks[1].blocks, sinks[2].blocks)
        #expect(!left.isEmpty && !joined.isEmpty && left.isDisjoint(with: joined))
        #expect(left.union(joined).isStrictSubset(of: all), "\(all) \(left) \(joined)")
    }

    /// - Parameter shortest: The frames between two changes, at least.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64], [0, 8])
    func `each format of a changing output begins where the format before ends`(
        seed: UInt64, shortest: Int
    ) throws {
        let (sinks, counts, carried) = try run(seed: seed, shortest: shortest)
        #expect(counts.frames == carried && counts.queued == 0 && counts.unwanted > 0)
        var periods = 0
        var end: Int64?
        for sink in sinks {
            guard let sink else {
                end = nil
                continue
            }
            guard let first = sink.places.first, let last = sink.places.last else { continue }
            #expect(sink.isFinished)
            var next = first.first
            for place in sink.places {
                #expect(place.first == next)
                next += Int64(place.count)
            }
            periods += Int(next - first.first)
            let begin = sink.rate.dueNanoseconds(ofFrame: first.first)
            if let end {
                #expect(
                    begin >= end && begin - end <= sink.rate.dueNanoseconds(ofFrame: 1),
                    "\(end) \(begin)")
            }
            end = sink.rate.dueNanoseconds(ofFrame: last.first + Int64(last.count))
        }
        #expect(counts.delivered + counts.repeated + counts.black + counts.slate == periods)
        // The last form goes on to the end.
        if let last = sinks.last, let sink = last, let place = sink.places.last {
            #expect(place.first + Int64(place.count) == Self.seconds * Int64(sink.rate.numerator))
        }
        // The same each time.
        let again = try run(seed: seed, shortest: shortest)
        #expect(again.sinks.map { $0?.places } == sinks.map { $0?.places })
        #expect(again.sinks.map { $0?.marks } == sinks.map { $0?.marks })
        #expect("\(again.counts)" == "\(counts)")
    }

    /// What a sink gets of frames that come before the want of its output is known.
    ///
    /// - Parameter answer: The number of frames before the want.
    private func marks(holding milliseconds: Int64?, answer: Int) throws -> [UInt8] {
        let clock = SessionClock(isVirtual: true)
        clock.lead()
        defer { clock.leave() }
        let pool = FramePool(limit: 100)
        let branch = VideoBranch(name: "late", plugin: 7, form: nil, clock: clock)
        let track = VideoTrack(
            kind: .camera, agreed: VideoCapability(size: Self.size, rate: FrameRate(100)),
            input: VideoTrackInput(clock: clock), pool: pool, filters: [], groups: [],
            idle: [branch], filterDeadline: 1_000_000_000, tell: { _ in })
        let timeline = SessionTimeline()
        timeline.begin(at: clock.now)
        if let milliseconds {
            track.input.hold(until: timeline.epoch + milliseconds * 1_000_000)
        }
        let threads = [
            HostThread(name: "track", clock: clock, as: ClockOrder(part: .track)) {
                track.run(on: timeline)
            },
            HostThread(name: "branch", clock: clock, as: ClockOrder(part: .output)) {
                branch.run(on: timeline) { _ in }
            },
        ]
        let sink = PlaceSink(.asTheyCome, FrameRate(100))
        let idle = Monitor(())
        for number in 0..<6 {
            let moment = timeline.epoch + Int64(number) * 10_000_000
            let _: Void? = clock.wait(for: idle, until: moment) { _ in nil }
            if number == answer {
                let form = BranchForm(
                    capability: VideoCapability(size: Self.size, rate: FrameRate(100)),
                    want: VideoWant(format: .i420, size: Self.size), endSlot: nil, sink: sink)
                track.change([VideoTrackInput.BranchChange(branch: branch, form: form)])
                track.input.release()
            }
            var frame = try numberedFrame(number + 20, from: pool, .i420, Self.size)
            frame.info.ptsNanoseconds = moment
            track.input.waitForRoom()
            track.input.push(frame)
        }
        track.input.close()
        threads[0].join()
        branch.finish(at: 60_000_000)
        clock.idling { _ = threads[1].join() }
        return sink.marks
    }

    @Test
    func `a new track holds its frames for a limited time until an output requests them`() throws {
        #expect(try marks(holding: 50, answer: 3) == [20, 21, 22, 23, 24, 25])
        // Without waiting, and with an answer that is too late, the newest one stands for the others.
        #expect(try marks(holding: nil, answer: 3).first != 20)
        #expect(try marks(holding: 20, answer: 3).first != 20)
    }
}
