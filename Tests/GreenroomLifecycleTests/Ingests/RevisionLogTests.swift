import Testing

@testable import GreenroomLifecycle

@Suite struct RevisionLogTests {
    private let second: Int64 = 1_000_000_000

    private func begun() -> RevisionLog {
        var log = RevisionLog()
        log.offered(1)
        log.agreed(1, at: 0)
        return log
    }

    @Test func `frames of an old offer count as stale only after the grace time`() {
        var log = begun()
        log.add(frameOf: 1, at: 100 * second)
        log.offered(2)
        log.add(frameOf: 1, at: 200 * second)
        #expect(log.stale == 0, "the offer has not been answered")
        log.agreed(2, at: 200 * second)
        log.add(frameOf: 1, at: 201 * second)
        #expect(log.stale == 0)
        log.add(frameOf: 1, at: 201 * second + 1)
        log.add(frameOf: 2, at: 300 * second)
        #expect(log.stale == 1)
        #expect(log.newest == 2)
        #expect(log.agreed == 2)
    }

    @Test func `a refused offer makes no frame stale`() {
        var log = begun()
        log.offered(2)
        log.add(frameOf: 1, at: 100 * second)
        log.add(frameOf: 2, at: 100 * second)
        #expect(log.stale == 0)
        #expect(log.newest == 2 && log.agreed == 1)
    }

    @Test func `the grace time starts with the first agreement after the frame's own`() {
        var log = begun()
        log.offered(2)
        log.agreed(2, at: 0)
        log.offered(3)
        log.agreed(3, at: 5 * second)
        log.add(frameOf: 1, at: 5 * second)
        #expect(log.stale == 1)
        log.add(frameOf: 2, at: 6 * second)
        #expect(log.stale == 1)
    }

    @Test func `the log counts frames until each offer is followed`() {
        var log = begun()
        log.add(frameOf: 1, at: 0)
        log.offered(2)
        for _ in 0..<3 { log.add(frameOf: 1, at: 0) }
        #expect(log.followed.map(\.revision) == [1])
        log.offered(3)
        log.add(frameOf: 1, at: 0)
        log.add(frameOf: 3, at: 0)
        // A late frame from a second thread, made for an offer in between.
        log.add(frameOf: 2, at: 0)
        log.add(frameOf: 1, at: 0)
        #expect(log.followed.map(\.revision) == [1, 2, 3])
        #expect(log.followed.map(\.frames) == [0, 4, 1])
    }

    @Test func `a thousand offers neither grow the log nor shorten the grace time`() {
        var log = begun()
        for revision in 2...1000 as ClosedRange<UInt32> {
            log.offered(revision)
            log.agreed(revision, at: Int64(revision))
        }
        log.add(frameOf: 1, at: second)
        #expect(log.stale == 0)
        log.add(frameOf: 1, at: 2 * second)
        #expect(log.stale == 1)
        log.add(frameOf: 1000, at: 2 * second)
        #expect(log.followed.map(\.revision) == [1000])
        #expect(log.followed.map(\.frames) == [2])
    }
}
