import GreenroomModel
import GreenroomConversion
import GreenroomMedia
import GreenroomNegotiation
@testable import GreenroomRuntime
import Synchronization
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomVideo

@Suite struct FilterChainTests {
    private static let size = FrameSize(width: 64, height: 48)
    private static let frames = VideoCapability(width: 64, height: 48, fps: 30)
    private static let small = VideoCapability(width: 32, height: 24, fps: 15)
    private static let second: Int64 = 1_000_000_000

    /// Events of the filters that hang.
    private final class Hangs: Sendable {
        let count = Atomic(0)
    }

    private let clock = SessionClock()
    private let inputs = FramePool(limit: 8)
    private let converter = FrameConverter()
    private let hangs = Hangs()

    private func chain(
        _ filters: [PreProcessorRunner], hangNanoseconds: Int64 = 60 * Self.second,
        clock: SessionClock? = nil, patience: Int64 = 60 * Self.second
    ) -> FilterChain {
        FilterChain(
            filters, hangNanoseconds: hangNanoseconds, clock: clock ?? self.clock,
            patience: patience)
    }

    /// The events of the filters.
    private var events: SessionEvents {
        let hangs = hangs
        return SessionEvents { event in
            if case .callbackHangs = event {
                hangs.count.add(1, ordering: .relaxed)
            }
        }
    }

    /// The result of a chain.
    private struct Edited: Equatable {
        var mark: UInt8
        var format = PixelFormat.i420
        var size = FilterChainTests.size
    }

    /// Sends a frame through a chain.
    private func edit(
        _ number: Int, _ chain: inout FilterChain, at nanoseconds: Int64 = 0,
        within interval: Int64 = 60 * Self.second, format: PixelFormat = .i420,
        size: FrameSize = Self.size, as frames: VideoCapability = Self.frames
    ) throws -> Edited? {
        let frame = try numberedFrame(number, from: inputs, format, size)
        switch try chain.edit(
            frame, as: frames, at: nanoseconds, with: converter, from: inputs, within: interval)
        {
        case .carried(let edited, isEdited: _):
            return Edited(mark: Self.mark(edited), format: edited.format, size: edited.size)
        case .withheld: return nil
        }
    }

    private static func mark(_ frame: borrowing VideoFrame) -> UInt8 {
        frame.plane(0).unsafeLoad(as: UInt8.self)
    }

    private func waitUntilIdle(_ runner: PreProcessorRunner) {
        while runner.busyNanoseconds != nil { MonotonicClock.sleep(milliseconds: 1) }
    }

    // MARK: Results

    @Test(arguments: [PixelFormat.i420, .nv12])
    func `a filter in its own process edits a copy in its own memory`(format: PixelFormat) throws {
        let filter = FakeFilter(pool: FramePool(limit: 2))
        var chain = chain([try filter.runner(clock, events)])
        let frame = try numberedFrame(7, from: inputs, format, Self.size)
        let kept = frame.share()
        guard
            case .carried(let edited, isEdited: true) = try chain.edit(
                frame, as: Self.frames, at: 0, with: converter, from: inputs,
                within: 60 * Self.second)
        else { throw FakeFilter.Failure(text: "the frame is lost") }
        let marks = [Self.mark(edited), Self.mark(kept)]
        #expect(marks == [107, 7])
        #expect(filter.pool?.aliveCount == 1 && inputs.aliveCount == 1)
        #expect(chain.unprocessed == FilterChain.Unprocessed())
        chain.close()
    }

    @Test func `filters in the host's process and isolated filters edit in order`() throws {
        let filters = [
            FakeFilter(pool: nil, adds: 1), FakeFilter(pool: FramePool(limit: 2), adds: 2),
            FakeFilter(pool: FramePool(limit: 2), adds: 4), FakeFilter(pool: nil, adds: 8),
            FakeFilter(pool: nil, adds: 16),
        ]
        var chain = chain(try filters.map { try $0.runner(clock, events) })
        for number in 0..<20 {
            let large = FrameSize(width: 128, height: 96)
            let edited = try edit(number, &chain, format: .nv12, size: large)
            #expect(edited == Edited(mark: UInt8(number + 31)))
        }
        #expect(chain.unprocessed.total == 0)
        #expect(filters.map(\.callCount) == [20, 20, 20, 20, 20])
        #expect(inputs.aliveCount == 0 && filters.allSatisfy { $0.pool?.aliveCount ?? 0 == 0 })
        chain.close()
    }

    @Test(
        arguments: [
            (Status.failed, FilterChain.Unprocessed(refused: 1)),
            (.gone, FilterChain.Unprocessed(lost: 1)),
            (.stopped, FilterChain.Unprocessed(lost: 1)),
        ], [true, false])
    func `a frame refused by a filter continues unchanged`(
        refusal: (status: Status, expected: FilterChain.Unprocessed), isIsolated: Bool
    ) throws {
        let (status, expected) = refusal
        let filter = FakeFilter(pool: isIsolated ? FramePool(limit: 2) : nil)
        var chain = chain([try filter.runner(clock, events)])
        filter.behave(.refuse(status))
        // The filter has spoiled its copy.
        let large = FrameSize(width: 128, height: 96)
        let edited = try edit(7, &chain, format: .nv12, size: large)
        #expect(edited == Edited(mark: 7, format: .nv12, size: large))
        #expect(chain.unprocessed == expected)
        chain.close()
    }

    @Test func `a frame that can't be given to filters is an error`() throws {
        let filter = FakeFilter(pool: FramePool(limit: 2))
        var chain = chain([try filter.runner(clock, events)])
        guard let frame = inputs.take(.mjpeg, Self.size, compressedByteCount: 10) else {
            throw FakeFilter.Failure(text: "no frame")
        }
        var code: ConversionError.Code?
        do throws(ConversionError) {
            _ = try chain.edit(
                frame, as: Self.frames, at: 0, with: converter, from: inputs, within: Self.second)
        } catch {
            code = error.code
        }
        #expect(code == .badData)
        #expect(chain.unprocessed.total == 0)
        chain.close()
    }

    // MARK: Required filters

    @Test
    func `a frame is not delivered if a required filter refuses it, is late or is lost`() throws {
        let filter = FakeFilter(pool: FramePool(limit: 2))
        let later = FakeFilter(pool: nil, adds: 1)
        let runner = try filter.runner(clock, events, isRequired: true)
        var chain = chain([runner, try later.runner(clock, events)])
        #expect(try edit(1, &chain) == Edited(mark: 102))
        filter.behave(.refuse(.failed))
        #expect(try edit(2, &chain) == nil)
        filter.behave(.wait)
        #expect(try edit(3, &chain, within: 1_000_000) == nil)
        #expect(try edit(4, &chain) == nil)
        filter.behave(.edit)
        filter.ingest.change { $0 = true }
        waitUntilIdle(runner)
        #expect(try edit(5, &chain) == Edited(mark: 106))
        runner.instance.giveUp(because: "a test lost it")
        #expect(try edit(6, &chain) == nil)
        #expect(chain.unprocessed == FilterChain.Unprocessed(refused: 1, overdue: 2, lost: 1))
        #expect(later.callCount == 2 && inputs.aliveCount == 0)
        chain.close()
    }

    @Test(arguments: [true, false])
    func `a frame that a required filter refuses is withheld, isolated or not`(isIsolated: Bool)
        throws
    {
        let filter = FakeFilter(pool: isIsolated ? FramePool(limit: 2) : nil)
        var chain = chain([try filter.runner(clock, events, isRequired: true)])
        filter.behave(.refuse(.failed))
        #expect(try edit(1, &chain) == nil)
        filter.behave(.edit)
        #expect(try edit(2, &chain) == Edited(mark: 102))
        chain.close()
    }

    // MARK: The log

    @Test(arguments: [true, false])
    func `a filter that misses the deadline is named and counted in every process`(
        isIsolated: Bool
    ) throws {
        let lines = Mutex<[String]>([])
        let events = SessionEvents { event in
            if case .note(_, let text) = event { lines.withLock { $0.append(text) } }
        }
        let filter = FakeFilter(pool: isIsolated ? FramePool(limit: 2) : nil)
        var chain = chain([try filter.runner(clock, events)])
        // A deadline that has passed at once.
        for number in 0..<3 {
            let edited = try edit(number, &chain, within: 0)
            #expect(edited?.mark == UInt8(number) + (isIsolated ? 0 : 100))
        }
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 3))
        #expect(isIsolated || chain.lateNanoseconds > 0)
        let told = lines.withLock { $0 }
        #expect(
            told.count == 1 && told[0].hasPrefix("did not finish a frame within 0.0 ms; "),
            "\(told)")
        chain.close()
    }

    @Test
    func `the log reports when a filter stops editing frames and when it edits again`() throws {
        let lines = Mutex<[String]>([])
        let events = SessionEvents { event in
            if case .note(let role, let text) = event {
                lines.withLock { $0.append("\(role): \(text.prefix { $0 != ":" && $0 != ";" })") }
            }
        }
        let filter = FakeFilter(pool: FramePool(limit: 2))
        var chain = chain([try filter.runner(clock, events)])
        let period = Self.second / 10
        for number in 0..<150 {
            let refuses = number == 3 || (20..<30).contains(number) || (40..<130).contains(number)
            filter.behave(refuses ? .refuse(.failed) : .edit)
            _ = try edit(number, &chain, at: Int64(number) * period)
        }
        // What begins in the ten seconds after the first line is told when they are over.
        let refusal = "camera.pre-processors[0]: refused a frame (FAILED)"
        let recovery = "camera.pre-processors[0]: edits every frame again"
        #expect(lines.withLock { $0 } == [refusal, recovery, refusal, recovery])
        chain.close()
    }

    // MARK: Other sizes

    @Test(arguments: [true, false])
    func `a filter that follows edits frames of the new size`(isIsolated: Bool) throws {
        let filter = FakeFilter(
            pool: isIsolated ? FramePool(limit: 2) : nil, change: .answer(.ok))
        var chain = chain([try filter.runner(clock, events)])
        #expect(try edit(1, &chain) == Edited(mark: 101))
        for number in 2...4 {
            let edited = try edit(number, &chain, size: Self.small.size, as: Self.small)
            #expect(edited == Edited(mark: UInt8(number + 100), size: Self.small.size))
        }
        #expect(try edit(5, &chain) == Edited(mark: 105))
        let told = filter.told.withLock { $0 }
        #expect(told.changes.map(\.suggested) == [Self.small, Self.frames])
        #expect(told.changes.map(\.rows) == [[Self.small], [Self.frames]])
        #expect(told.changes.map(\.revision) == [2, 3])
        #expect(told.changes.map(\.reason) == [.ceilingLowered, .ceilingRaised])
        let small = [FrameSize](repeating: Self.small.size, count: 3)
        #expect(told.sizes == [Self.size] + small + [Self.size])
        #expect(chain.unprocessed.total == 0 && !chain.hasKeptShape)
        chain.close()
    }

    @Test(arguments: [
        (FakeFilter.Change.none, 0), (.answer(.unsupported), 1), (.answer(.failed), 1),
    ])
    func `a filter that does not follow is reported once, and edits frames of the old size`(
        change: FakeFilter.Change, calls: Int
    ) throws {
        let lines = Mutex<[String]>([])
        let events = SessionEvents { event in
            if case .stepFailed(let role, let step, let status, _) = event {
                lines.withLock { $0.append("\(role): \(step) \(status)") }
            }
        }
        let filter = FakeFilter(pool: nil, change: change)
        let runner = try filter.runner(clock, events)
        var chain = chain([runner])
        for number in 1...3 {
            let edited = try edit(number, &chain, size: Self.small.size, as: Self.small)
            #expect(edited == Edited(mark: UInt8(number + 100)))
        }
        let told = filter.told.withLock { $0 }
        #expect(told.changes.count == calls)
        #expect(told.sizes == [Self.size, Self.size, Self.size])
        let isError = if case .answer(.failed) = change { true } else { false }
        #expect(
            lines.withLock { $0 }
                == (isError ? ["camera.pre-processors[0]: property-change FAILED"] : []))
        #expect(runner.instance.lifecycle == .sending && chain.unprocessed.total == 0)
        // Scaled in the same shape, which is no reason for bars.
        #expect(!chain.hasKeptShape)
        let turned = VideoCapability(width: 48, height: 64, fps: 30)
        #expect(chain.follow(turned, within: Self.second) == false)
        #expect(chain.hasKeptShape)
        chain.close()
    }

    @Test(arguments: [true, false])
    func `frames don't wait for a filter that is slow to follow`(isIsolated: Bool) throws {
        let filter = FakeFilter(pool: isIsolated ? FramePool(limit: 2) : nil, change: .wait)
        let runner = try filter.runner(clock, events)
        var chain = chain([runner], patience: 1_000_000)
        for number in 1...3 {
            let edited = try edit(
                number, &chain, within: 1_000_000, size: Self.small.size, as: Self.small)
            #expect(edited == Edited(mark: UInt8(number), size: Self.small.size))
        }
        #expect(chain.follow(Self.small, within: 1_000_000) == nil)
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 3))
        filter.ingest.change { $0 = true }
        let edited = try edit(4, &chain, size: Self.small.size, as: Self.small)
        #expect(edited == Edited(mark: 104, size: Self.small.size))
        #expect(filter.told.withLock { $0.changes.count } == 1)
        #expect(hangs.count.load(ordering: .relaxed) == 0)
        chain.close()
    }

    @Test(arguments: [true, false])
    func `a filter that hangs during a change is abandoned`(isIsolated: Bool) throws {
        let filter = FakeFilter(pool: isIsolated ? FramePool(limit: 2) : nil, change: .wait)
        let runner = try filter.runner(clock, events)
        var chain = chain([runner], hangNanoseconds: 50_000_000)
        let edited = try edit(1, &chain, size: Self.small.size, as: Self.small)
        #expect(edited == Edited(mark: 1, size: Self.small.size))
        #expect(runner.instance.fault == "hangs in property-change")
        #expect(hangs.count.load(ordering: .relaxed) == 1)
        #expect(chain.unprocessed == FilterChain.Unprocessed(lost: 1))
        filter.ingest.change { $0 = true }
        chain.close()
    }

    /// A filter that is in a change until the test ends it.
    private final class ChangingFilter: VideoFilter {
        struct State {
            var frames = FilterChainTests.frames
            var isLost = false
            var follows = false
            var since: Int64?
            var hangs = 0
        }

        let state = Mutex(State())
        private let pool = FramePool(limit: 2)
        let name = "changing"
        let clockOrder = ClockOrder(part: .track, number: 7, owner: 7)
        let isRequired = false

        func deadline(_ session: Int64) -> Int64 { session }
        var editing: FilterEditing? {
            state.withLock {
                $0.isLost ? nil : FilterEditing(.shared(pool), frames: $0.frames)
            }
        }
        var changeNanoseconds: Int64? {
            state.withLock { $0.since }.map { MonotonicClock.now - $0 }
        }

        func change(to frames: VideoCapability, until deadline: Int64) -> Bool? {
            state.withLock { state in
                guard !state.follows else {
                    (state.frames, state.since) = (frames, nil)
                    return true
                }
                state.since = state.since ?? MonotonicClock.now
                return nil
            }
        }

        func process(_ frame: inout VideoFrame) -> Status { .ok }
        func giveUp(hungFor nanoseconds: Int64, in callback: FilterCall) {
            state.withLock { $0.hangs += 1 }
        }
        func tell(_ text: String) {}
    }

    @Test func `a filter that was lost during a change gets the full time limit again`() throws {
        let filter = ChangingFilter()
        let runner = PreProcessorRunner(filter, clock: clock)
        var chain = chain([runner], hangNanoseconds: 400_000_000)
        _ = try edit(1, &chain, within: 1_000_000, size: Self.small.size, as: Self.small)
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 1))
        filter.state.withLock { ($0.isLost, $0.since) = (true, nil) }
        MonotonicClock.sleep(milliseconds: 500)
        _ = try edit(2, &chain, within: 1_000_000, size: Self.small.size, as: Self.small)
        filter.state.withLock { $0.isLost = false }
        _ = try edit(3, &chain, within: 1_000_000, size: Self.small.size, as: Self.small)
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 2, lost: 1))
        filter.state.withLock { $0.follows = true }
        let edited = try edit(4, &chain, size: Self.small.size, as: Self.small)
        #expect(edited?.size == Self.small.size && filter.state.withLock { $0.hangs } == 0)
        chain.close()
    }

    // MARK: Deadlines

    @Test(arguments: [true, false])
    func `no frame waits for a filter that is late`(isIsolated: Bool) throws {
        let pool = FramePool(limit: 2)
        let filter = FakeFilter(pool: isIsolated ? pool : nil)
        let runner = try filter.runner(clock, events)
        var chain = chain([runner], patience: 5_000_000)
        filter.behave(.wait)
        #expect(try edit(1, &chain, within: 5_000_000) == Edited(mark: 1))
        // Waiting would take a minute.
        for number in 2...10 {
            #expect(try edit(number, &chain) == Edited(mark: UInt8(number)))
        }
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 10))
        while filter.callCount == 0 { MonotonicClock.sleep(milliseconds: 1) }
        let memory = isIsolated ? pool : inputs
        #expect(filter.callCount == 1 && memory.aliveCount == 1)

        filter.behave(.edit)
        filter.ingest.change { $0 = true }
        waitUntilIdle(runner)
        // The late result is dropped.
        #expect(memory.aliveCount == 0)
        #expect(try edit(11, &chain) == Edited(mark: 111))
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 10))
        #expect(runner.instance.lifecycle == .sending)
        #expect(hangs.count.load(ordering: .relaxed) == 0)
        chain.close()
    }

    @Test func `all filters of a frame share the frame's deadline`() throws {
        let slow = FakeFilter(pool: nil, adds: 1)
        let second = FakeFilter(pool: FramePool(limit: 2), adds: 2)
        var chain = chain([try slow.runner(clock, events), try second.runner(clock, events)])
        slow.behave(.work(milliseconds: 20))
        // The first one is in the host's process and must be waited for.
        #expect(try edit(0, &chain, within: 5_000_000) == Edited(mark: 1))
        // The first filter edits the frame too late, and the second does not get it.
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 2))
        #expect(second.callCount == 0)
        chain.close()
    }

    @Test func `a filter that stays late counts as hung, and the video continues`() throws {
        let filter = FakeFilter(pool: FramePool(limit: 2))
        let runner = try filter.runner(clock, events)
        var chain = chain([runner], hangNanoseconds: 1_000_000_000)
        filter.behave(.wait)
        #expect(try edit(1, &chain, within: 1_000_000) == Edited(mark: 1))
        while runner.busyNanoseconds ?? 0 < 1_000_000_000 { MonotonicClock.sleep(milliseconds: 1) }
        #expect(runner.instance.fault == nil)
        for number in 2...10 {
            #expect(try edit(number, &chain) == Edited(mark: UInt8(number)))
        }
        #expect(runner.instance.fault == "hangs in process")
        #expect(hangs.count.load(ordering: .relaxed) == 1)
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 2, lost: 8))

        // Its next life gets frames again, after the last one's call has returned.
        filter.behave(.edit)
        filter.ingest.change { $0 = true }
        waitUntilIdle(runner)
        try FakeFilter.start(runner.instance)
        #expect(try edit(11, &chain) == Edited(mark: 111))
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 2, lost: 8))
        chain.close()
    }

    @Test func `a virtual clock waits for a filter until it counts as hung`() throws {
        let clock = SessionClock(isVirtual: true)
        clock.lead()
        defer { clock.leave() }
        let filter = FakeFilter(pool: FramePool(limit: 2))
        let runner = try filter.runner(clock, events)
        var chain = chain([runner], hangNanoseconds: 2 * Self.second, clock: clock)
        filter.behave(.work(milliseconds: 20))
        #expect(try edit(1, &chain, within: 1) == Edited(mark: 101))
        #expect(chain.unprocessed.total == 0)
        filter.behave(.wait)
        #expect(try edit(2, &chain, within: 1) == Edited(mark: 2))
        #expect(runner.instance.fault == "hangs in process")
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 1))
        filter.ingest.change { $0 = true }
        chain.close()
    }

    @Test func `a hung filter in the host's process costs no frame`() throws {
        let filter = FakeFilter(pool: nil)
        let runner = try filter.runner(clock, events)
        var chain = chain([runner], hangNanoseconds: 50_000_000)
        filter.behave(.wait)
        #expect(try edit(1, &chain, within: 1) == Edited(mark: 1))
        #expect(hangs.count.load(ordering: .relaxed) == 1)
        #expect(try edit(2, &chain) == Edited(mark: 2))
        #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 1, lost: 1))
        filter.ingest.change { $0 = true }
        chain.close()
    }

    // MARK: Stopped filters

    @Test(arguments: [true, false])
    func `a stopped filter is skipped, and used again after its start`(isIsolated: Bool) throws {
        let filter = FakeFilter(pool: isIsolated ? FramePool(limit: 2) : nil)
        let runner = try filter.runner(clock, events)
        var chain = chain([runner])
        #expect(try edit(1, &chain, format: .nv12) == Edited(mark: 101))
        try FakeFilter.finish(runner.instance.beginStopSend(), of: runner.instance)
        for number in 2...5 {
            let expected = Edited(mark: UInt8(number), format: .nv12)
            #expect(try edit(number, &chain, format: .nv12) == expected)
        }
        #expect(converter.conversionCount == 1)
        #expect(chain.unprocessed == FilterChain.Unprocessed(lost: 4))
        try FakeFilter.finish(runner.instance.beginStartSend(), of: runner.instance)
        #expect(try edit(6, &chain, format: .nv12) == Edited(mark: 106))
        chain.close()
    }

    @Test func `a filter is skipped while outputs hold its frames`() throws {
        let pool = FramePool(limit: 1)
        let filter = FakeFilter(pool: pool)
        var chain = chain([try filter.runner(clock, events)])
        do {
            let held = try numberedFrame(0, from: pool)
            #expect(try edit(1, &chain) == Edited(mark: 1))
            #expect(chain.unprocessed == FilterChain.Unprocessed(overdue: 1))
            _ = held.planeCount
        }
        #expect(try edit(2, &chain) == Edited(mark: 102))
        chain.close()
    }

    @Test func `a filter never receives a frame in the memory of another life`() throws {
        let filter = FakeFilter(pool: FramePool(limit: 1))
        let runner = try filter.runner(clock, events)
        var frame = try numberedFrame(7, from: inputs)
        #expect(runner.instance.process(&frame) == .gone)
        #expect(filter.callCount == 0)
        runner.close()
    }

    @Test func `steady state allocates nothing`() throws {
        let filters = [
            FakeFilter(pool: FramePool(limit: 3), adds: 1),
            FakeFilter(pool: FramePool(limit: 3), adds: 2),
        ]
        var chain = chain(try filters.map { try $0.runner(clock, events) })
        func allocations() -> [Int] {
            [inputs.allocationCount, converter.scratchAllocationCount]
                + filters.map { $0.pool?.allocationCount ?? 0 }
        }
        for number in 0..<5 { _ = try edit(number, &chain, format: .nv12) }
        let warm = allocations()
        for number in 0..<100 { _ = try edit(number, &chain, format: .nv12) }
        #expect(allocations() == warm)
        chain.close()
    }
}
