import GreenroomDecisions
import Testing

struct BackoffTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `each loss within a minute delays the restart more, and the sixth is final`() {
        var backoff = Backoff()
        let delays = (0..<6).map { backoff.lost(at: Int64($0) * Self.second) }
        #expect(delays == Backoff.delays.map(Optional.some) + [nil])
        #expect(zip(Backoff.delays, Backoff.delays.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `a loss counts for a minute`() {
        var backoff = Backoff()
        for number in 0..<100 {
            #expect(backoff.lost(at: Int64(number) * 60 * Self.second) == Backoff.delays[0])
        }
        #expect(backoff.lost(at: 99 * 60 * Self.second + 1) == Backoff.delays[1])
    }
}
