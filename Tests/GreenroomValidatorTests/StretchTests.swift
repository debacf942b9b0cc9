import GreenroomMedia
import Testing

@testable import GreenroomValidator

/// What is found in the frames of a stretch of time.
@Suite struct StretchTests {
    private static let interval = 1.0 / 30

    /// Frames after a pause, at these times in seconds.
    private func sending(_ times: [Double]) -> Sending {
        Sending(frames: times.map { Int64($0 * 1e9) })
    }

    private func burst(_ times: [Double]) -> (count: Int, seconds: Double)? {
        sending(times).burst(beyond: 30 * 1.05)
    }

    @Test func `frames at their rate are no burst, nor are some that a busy machine delays`() {
        let steady = (0..<120).map { Double($0) * Self.interval }
        #expect(burst(steady) == nil)
        // Three come late, with the one that is due.
        var late = steady
        for index in 60..<63 { late[index] = steady[63] }
        #expect(burst(late) == nil)
        #expect(burst([]) == nil)
    }

    @Test(arguments: [1.1, 1.5, 2, 60])
    func `what was missed is a burst, however slowly it comes`(speed: Double) throws {
        let times = (0..<1000).map { Double($0) * Self.interval / speed }.filter { $0 < 4 }
        let found = try #require(burst(times))
        #expect(Double(found.count) > 30 * found.seconds)
    }

    @Test func `a burst is found wherever it is`() throws {
        let steady = (0..<120).map { Double($0) * Self.interval }
        let times = (steady + (0..<20).map { 3 + Double($0) * 0.001 }).sorted()
        let found = try #require(burst(times))
        #expect((20...24).contains(found.count) && found.seconds < 0.2)
    }

    // MARK: Pictures that stand still

    private func frames(_ digests: [UInt64]) -> [Record.Frame] {
        digests.enumerated().map { index, digest in
            Record.Frame(
                format: .i420, size: FrameSize(width: 2, height: 2), info: FrameInfo(),
                arrival: Int64(index) * 100_000_000, digest: digest)
        }
    }

    private func stretch(_ digests: [UInt64]) -> String? {
        let frames = frames(digests)
        return frames.longStretch { frames[$0].digest == frames[$1].digest }
    }

    @Test func `a picture that freezes late is found, and one that pauses is not`() {
        let moving = (0..<140).map { UInt64($0) }
        #expect(stretch(moving) == nil)
        let freezing = moving.map { min($0, 20) }
        #expect(stretch(freezing) == "the pictures from 2.0 s on, for 9.9 s,")
        #expect(stretch(moving.map { min($0, 60) }) == nil)
        #expect(stretch(moving.map { $0 / 50 }) == nil)
    }

    @Test func `the same picture all the time is found however few there are`() {
        #expect(stretch([7, 7, 7]) == "all 3 pictures")
        #expect(stretch([7]) == nil)
        #expect(stretch([]) == nil)
    }
}
