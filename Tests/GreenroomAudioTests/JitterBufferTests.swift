import Testing

@testable import GreenroomAudio

@Suite struct JitterBufferTests {
    /// Pulls frames and returns the left samples.
    private func pull(_ queue: inout JitterBuffer, _ frames: Int) -> [Int16] {
        var samples = [Int16](repeating: -1, count: frames * 2)
        var span = samples.mutableSpan
        queue.pull(frames, into: &span)
        for frame in 0..<frames { #expect(samples[frame * 2] == samples[frame * 2 + 1]) }
        return (0..<frames).map { samples[$0 * 2] }
    }

    @Test func `the first sample plays at its time, after silence`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 3)
        queue.append([1, 2, 3].span, channels: 1)
        #expect(pull(&queue, 5) == [0, 0, 0, 1, 2])
        #expect(pull(&queue, 1) == [3])
        #expect(queue.counts.idle == 3)
        #expect(queue.counts.played == 3)
        #expect(queue.counts.concealed == 0)
    }

    @Test
    func `missing audio is silence, counted only while the source sends`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        queue.append([1, 2].span, channels: 1)
        #expect(pull(&queue, 4) == [1, 2, 0, 0])
        #expect(queue.counts.concealed == 2)
        #expect(!queue.isContinuous)
        // The whole gap is a loss, up to the audio that ends it.
        #expect(pull(&queue, 4) == [0, 0, 0, 0])
        queue.begin(at: 10)
        queue.append([3].span, channels: 1)
        #expect(pull(&queue, 3) == [0, 0, 3])
        #expect(queue.counts.concealed == 8)
        queue.finish()
        #expect(pull(&queue, 4) == [0, 0, 0, 0])
        #expect(queue.counts.idle == 4)
    }

    @Test func `audio after a gap plays at its own time`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        queue.append([1].span, channels: 1)
        _ = pull(&queue, 10)
        queue.begin(at: 12)
        queue.append([5].span, channels: 1)
        #expect(pull(&queue, 4) == [0, 0, 5, 0])
    }

    @Test func `audio for a past time plays now`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        _ = pull(&queue, 100)
        queue.begin(at: 50)
        queue.append([7].span, channels: 1)
        #expect(pull(&queue, 2) == [7, 0])
    }

    @Test func `every sample plays once and in order, with any split into blocks and pulls`() {
        var seed: UInt64 = 3
        func random(_ range: Range<Int>) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Int(seed >> 33) % range.count
        }
        for _ in 0..<200 {
            var queue = JitterBuffer()
            queue.start(at: 0)
            queue.begin(at: 0)
            var sent = 0
            var heard: [Int16] = []
            while heard.count < 5000 {
                let block = min(random(1..<900), queue.room)
                let samples = (0..<block).map { Int16(truncatingIfNeeded: sent + $0) }
                queue.append(samples.span, channels: 1)
                sent += block
                let frames = min(random(1..<900), sent - heard.count)
                guard frames > 0 else { continue }
                heard += pull(&queue, frames)
            }
            #expect(heard == heard.indices.map { Int16(truncatingIfNeeded: $0) })
            #expect(queue.counts.played == heard.count)
            #expect(queue.counts.concealed == 0)
        }
    }
}
