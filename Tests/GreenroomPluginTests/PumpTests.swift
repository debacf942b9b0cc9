import Dispatch
import GreenroomPlugin
import Synchronization
import Testing

@Suite struct PumpTests {
    private let second: Int64 = 1_000_000_000
    private let rows = [VideoCapability(width: 16, height: 8, fps: 30)]

    private func camera(_ settings: [(String, Given)] = []) throws -> FakeSession {
        let host = FakeHost()
        let all = settings + [("host", .integer(Int64(host.id)))]
        return try FakeSession("camera", of: testEntry, settings: all, host: host)
    }

    private func microphone(_ settings: [(String, Given)] = []) throws -> FakeSession {
        let host = FakeHost()
        let all = settings + [("host", .integer(Int64(host.id)))]
        return try FakeSession("microphone", of: testEntry, settings: all, host: host)
    }

    private func frames(_ session: FakeSession) -> [SentFrame] {
        session.host.state.withLock { $0.video.committed }
    }

    private func stamps(_ session: FakeSession) -> [Int64] {
        frames(session).map { ($0.info.ptsNanoseconds ?? 0) - second }
    }

    @Test(arguments: ["30", "30000/1001", "7"])
    func `every frame has its exact timestamp`(rate: String) throws {
        let rate = try #require(FrameRate(rate))
        let session = try camera()
        let row = VideoCapability(size: FrameSize(width: 16, height: 8), rate: rate)
        #expect(session.initializeVideo([row]) == .ok)
        #expect(session.run(nanoseconds: 10 * second) == .ok)
        var expected: [Int64] = []
        var next: Int64 = 0
        while next < 10 * second {
            expected.append(next)
            let frames = Int64(expected.count) * Int64(rate.denominator)
            next = frames * second / Int64(rate.numerator)
        }
        #expect(stamps(session) == expected)
        // The pump waited only for those times.
        let waits = session.host.state.withLock { $0.waits.map { $0 - second } }
        #expect(waits == expected)
        #expect(frames(session).enumerated().allSatisfy { $1.planes[0][0] == UInt8($0 % 256) })
    }

    @Test
    func `a pump catches up after a delay of two intervals, and skips frames after more`() throws {
        let interval = second / 30
        for (slowBy, missing) in [
            (interval / 2, []), (interval + interval / 2, []), (2 * interval - 1000, []),
            (2 * interval + interval / 2, [11 as Int64]), (10 * interval + 5000, Array(11...19)),
        ] {
            let session = try camera([
                ("slow-index", .integer(10)), ("slow-by", .integer(slowBy)),
            ])
            #expect(session.initializeVideo(rows) == .ok)
            #expect(session.run(nanoseconds: second) == .ok)
            let drawn = (0..<30 as Range<Int64>).filter { !missing.contains($0) }
            let expected = drawn.map { $0 * second / 30 }
            #expect(stamps(session) == expected, "slow by \(slowBy)")
            let lines = session.host.state.withLock { $0.log.filter { $0.hasPrefix("3 ") } }
            #expect(lines.count == (missing.isEmpty ? 0 : 1))
            #expect(lines.allSatisfy { $0.contains(" \(missing.count) were skipped") })
        }
    }

    @Test func `a frame without a buffer is not drawn, and the pump continues`() throws {
        let session = try camera()
        #expect(session.initializeVideo(rows) == .ok)
        session.host.state.withLock { $0.video.refusals = [.noBuffer, .queueFull] }
        #expect(session.run(nanoseconds: second) == .ok)
        #expect(frames(session).count == 28)
        #expect(stamps(session).first == 2 * second / 30)
        #expect(session.host.state.withLock { $0.givenUp.isEmpty })
        #expect(
            session.host.state.withLock { $0.log.contains { $0.contains("2 had no room") } })
    }

    @Test func `an error while a frame is drawn ends the source with the error's text`() throws {
        let session = try camera([("throws-at", .integer(3))])
        #expect(session.initializeVideo(rows) == .ok)
        #expect(session.startSend() == .ok)
        session.host.waitForEnd()
        session.stopSend()
        #expect(frames(session).count == 3)
        let (leased, abandoned) = session.host.state.withLock {
            ($0.video.leased.count, $0.video.abandoned)
        }
        #expect(leased == 0)
        #expect(abandoned == 1)
        let given = session.host.state.withLock { $0.givenUp }
        #expect(given.map(\.status) == [.badData])
        #expect(given.map(\.text) == ["torn film"])
    }

    @Test func `a permanent refusal ends the source`() throws {
        let session = try camera()
        #expect(session.initializeVideo(rows) == .ok)
        session.host.state.withLock { $0.video.refusals = [.badSize] }
        #expect(session.startSend() == .ok)
        session.host.waitForEnd()
        session.stopSend()
        #expect(session.host.state.withLock { $0.givenUp.map(\.status) } == [.badSize])
    }

    @Test func `stop joins the thread, and a second start begins again`() throws {
        let session = try camera()
        #expect(session.initializeVideo(rows) == .ok)
        for run in 1...2 {
            #expect(session.run(nanoseconds: second) == .ok)
            let count = frames(session).count
            #expect(count == 30 * run)
            // No more frames arrive, though the clock would allow them.
            session.host.state.withLock { $0.end = .max }
            #expect(frames(session).count == count)
        }
        #expect(frames(session)[30].planes[0][0] == 0)
        let log = session.host.state.withLock { $0.log }
        #expect(log == ["1 onStartSend", "1 onStopSend", "1 onStartSend", "1 onStopSend"])
        #expect(session.host.state.withLock { $0.video.abandoned } == 0)
    }

    @Test func `a new offer is followed from the next frame on, with its revision`() throws {
        let session = try camera()
        #expect(session.initializeVideo(rows, revision: 4) == .ok)
        session.host.state.withLock { $0.end = 2 * second }
        #expect(session.startSend() == .ok)
        session.host.waitForEnd()
        let small = VideoCapability(width: 8, height: 6, fps: 10)
        #expect(try session.propertyChange([small], revision: 5) == .ok)
        #expect(session.answerKind == 1)
        session.host.resume(until: 3 * second)
        session.host.waitForEnd()
        session.stopSend()
        let sent = frames(session)
        let before = sent.prefix(30)
        let after = sent.dropFirst(30)
        #expect(before.allSatisfy { $0.size == rows[0].size && $0.info.offerRevision == 4 })
        #expect(after.allSatisfy { $0.size == small.size && $0.info.offerRevision == 5 })
        // The pump waited for frame 30 at the old rate; the others follow it at the new one.
        let expected = (0..<10 as Range<Int64>).map { second + $0 * second / 10 }
        #expect(Array(stamps(session).dropFirst(30)) == expected)
        #expect(sent.last?.planes[0][0] == 39)
    }

    @Test func `a frame in progress during a change of offer belongs to the old offer`() throws {
        let session = try FakeSession("pumping", of: testEntry)
        #expect(session.initializeVideo(rows, revision: 4) == .ok)
        session.host.state.withLock { $0.end = 2 * second }
        #expect(session.startSend() == .ok)
        PumpingCamera.isDrawing.wait()
        let small = VideoCapability(width: 8, height: 6, fps: 10)
        #expect(try session.propertyChange([small], revision: 5) == .ok)
        PumpingCamera.isChanged.signal()
        session.host.waitForEnd()
        session.stopSend()
        let sent = frames(session)
        #expect(sent.prefix(4).allSatisfy { $0.size == rows[0].size && $0.info.offerRevision == 4 })
        #expect(
            sent.dropFirst(4).allSatisfy { $0.size == small.size && $0.info.offerRevision == 5 })
        // 3 / 30 s, and then at the new interval.
        let expected =
            (0..<4 as Range<Int64>).map { $0 * second / 30 }
            + (1...9 as ClosedRange<Int64>).map { second / 10 + $0 * second / 10 }.filter {
                $0 < second
            }
        #expect(stamps(session) == expected)
    }

    @Test func `frames are whole and evenly timed while offers change constantly`()
        throws
    {
        let session = try camera()
        let offers = [
            VideoCapability(width: 16, height: 8, fps: 30),
            VideoCapability(width: 32, height: 18, fps: 50),
            VideoCapability(width: 8, height: 6, fps: 7),
        ]
        #expect(session.initializeVideo([offers[1]], revision: 1) == .ok)
        session.host.state.withLock { $0.end = .max }
        #expect(session.startSend() == .ok)
        // Meanwhile the pump runs at full speed, on a clock that never waits.
        let last: UInt32 = 1000
        for revision in 2...last {
            let row = offers[Int(revision) % 3]
            #expect(try session.propertyChange([row], revision: revision) == .ok)
        }
        session.host.state.withLock { $0.end = $0.now + second }
        session.host.waitForEnd()
        session.stopSend()
        let sent = frames(session)
        #expect(sent.last?.info.offerRevision == last)
        for frame in sent {
            let revision = frame.info.offerRevision
            #expect(
                frame.size == offers[Int(revision) % 3].size || revision == 1,
                "revision \(revision)")
        }
        let revisions = sent.map(\.info.offerRevision)
        #expect(revisions == revisions.sorted())
        #expect(sent.enumerated().allSatisfy { $1.planes[0][0] == UInt8(truncatingIfNeeded: $0) })
        let distances = zip(stamps(session), stamps(session).dropFirst()).map { $1 - $0 }
        // A due time is rounded down to a nanosecond.
        let periods = offers.flatMap { offer in
            let period = second / Int64(offer.rate.numerator)
            return [period, period + 1]
        }
        #expect(distances.allSatisfy { periods.contains($0) })
    }

    @Test func `a camera of one size keeps that size when the offer changes`() throws {
        let session = try camera([("fixed", .boolean(true))])
        #expect(session.initializeVideo(rows) == .ok)
        #expect(session.answerKind == 3)
        #expect(try session.propertyChange(rows, revision: 2) == .ok)
        #expect(session.answerKind == 3)
        #expect(session.run(nanoseconds: second) == .ok)
        #expect(frames(session).count == 24)
        #expect(frames(session).allSatisfy { $0.size == FrameSize(width: 33, height: 19) })
        #expect(frames(session).allSatisfy { $0.info.offerRevision == 2 && $0.isPaddingIntact })
    }

    @Test func `a live setting applies between two frames`() throws {
        let session = try camera()
        #expect(session.initializeVideo(rows) == .ok)
        session.host.state.withLock { $0.end = 2 * second }
        #expect(session.startSend() == .ok)
        session.host.waitForEnd()
        #expect(try session.set("level", .integer(9)) == .ok)
        session.host.resume(until: 3 * second)
        session.host.waitForEnd()
        session.stopSend()
        #expect(frames(session).map { $0.planes[0][1] } == (0..<60).map { $0 < 30 ? 1 : 9 })
    }

    @Test func `a screen source sends in its own format at the offered rate`() throws {
        let session = try FakeSession("screen", of: testEntry)
        #expect(session.initializeVideo(rows) == .ok)
        #expect(session.run(nanoseconds: second) == .ok)
        #expect(frames(session).count == 30)
        #expect(frames(session).allSatisfy { $0.format == .bgra && $0.info.color == .bt709Full })
    }

    @Test(arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 50_400, 192_000])
    func `no sample rate loses a sample`(rate: Int) throws {
        let session = try microphone([("sample-rate", .integer(Int64(rate)))])
        #expect(session.initializeAudio() == .ok)
        #expect(session.run(nanoseconds: 4 * second) == .ok)
        let blocks = session.host.state.withLock { $0.blocks }
        #expect(blocks.count == 400)
        #expect(blocks.reduce(0) { $0 + $1.frames } == 4 * rate)
        var next = 0
        for block in blocks {
            #expect(block.pts == second + Int64(next) * second / Int64(rate))
            #expect(block.samples.first == Int16(truncatingIfNeeded: next))
            #expect(block.timeout < 0)
            next += block.frames
        }
        #expect(Set(blocks.map(\.frames)).count == (rate % 100 == 0 ? 1 : 2))
    }

    @Test func `ten minutes of audio have the exact number of samples`() throws {
        let session = try microphone([("sample-rate", .integer(22_050)), ("level", .integer(0))])
        #expect(session.initializeAudio() == .ok)
        session.host.state.withLock { $0.keepsSamples = false }
        #expect(session.run(nanoseconds: 600 * second) == .ok)
        #expect(session.host.state.withLock { $0.sampleCount } == 600 * 22_050)
    }

    @Test func `stereo is interleaved`() throws {
        let session = try microphone([("channels", .integer(2))])
        #expect(session.initializeAudio() == .ok)
        #expect(session.run(nanoseconds: second / 10) == .ok)
        let blocks = session.host.state.withLock { $0.blocks }
        #expect(blocks.map(\.frames) == [Int](repeating: 480, count: 10))
        #expect(blocks[1].samples.prefix(4) == [480, 480, 481, 481])
    }

    @Test func `a late microphone catches up, and skips after an underrun`() throws {
        for (slowBy, skipped) in [(190, 0), (1000, 48_000 - 480)] as [(Int64, Int)] {
            let session = try microphone([
                ("slow-index", .integer(4_800)), ("slow-by", .integer(slowBy * 1_000_000)),
            ])
            #expect(session.initializeAudio() == .ok)
            #expect(session.run(nanoseconds: 2 * second) == .ok)
            let blocks = session.host.state.withLock { $0.blocks }
            #expect(blocks.reduce(0) { $0 + $1.frames } == 96_000 - skipped)
            #expect(
                blocks.allSatisfy { block in
                    // A block's timestamp is that of its samples, skipped or not.
                    let index = Int((block.pts - second) * 48_000 / second)
                    return block.samples.first == Int16(truncatingIfNeeded: index)
                })
        }
    }

    @Test func `an invalid format fails the start`() throws {
        let session = try microphone([("sample-rate", .integer(7_999))])
        #expect(session.initializeAudio() == .ok)
        #expect(session.startSend() == .failed)
        #expect(
            session.host.state.withLock { $0.errors.first?.contains("8000 to 192000") } == true)
    }
}
