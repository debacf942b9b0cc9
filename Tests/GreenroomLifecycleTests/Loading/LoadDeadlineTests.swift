import GreenroomLifecycle
import GreenroomRuntime
import Testing

/// The time limit of loading a library, on an idle and on a busy machine.
@Suite struct LoadDeadlineTests {
    @Test(
        arguments: [
            // delay, end
            (0, 105), (-3, 105), (2, 107), (10, 115), (40, 115),
        ] as [(Int64, Int64)])
    func `a busy machine extends the time of a load by its delay, at most by 10 s`(
        delay: Int64, end: Int64
    ) {
        let second: Int64 = 1_000_000_000
        let deadline = LoadDeadline(5 * second, from: 100 * second)
        #expect(deadline.end(delay: delay * second) == end * second)
    }

    @Test func `a result that exists is returned after the deadline, too`() {
        let deadline = LoadDeadline(1, from: 0)
        #expect(deadline.wait(for: Monitor<Int?>(3)) { 0 } == 3)
        #expect(deadline.wait(for: Monitor<Int?>(nil)) { 0 } == nil)
    }
}
