import GreenroomRoom
import Testing

/// The sum of the session's audio and the participants'.
@Suite struct AudioSumTests {
    private func block(_ number: Int64, _ value: Int16) -> AudioSum.Block {
        AudioSum.Block(time: number * 20_000_000, samples: [value, value])
    }

    @Test func `blocks of the same time are added, and clipped`() {
        var sum = AudioSum()
        let sums = [
            sum.add(block(0, 30_000), of: .own), sum.add(block(0, 10_000), of: .incoming),
            sum.add(block(1, -5), of: .incoming), sum.add(block(1, 3), of: .own),
        ]
        #expect(sums == [[], [block(0, .max)], [], [block(1, -2)]])
    }

    @Test func `a track alone is passed on`() {
        var sum = AudioSum()
        let sums = (0..<10).flatMap { sum.add(block($0, 7), of: .own) }
        #expect(sums == (0..<7).map { block($0, 7) })
    }

    @Test func `what comes before the other track begins is not added to it`() {
        var sum = AudioSum()
        _ = sum.add(block(0, 1), of: .own)
        _ = sum.add(block(1, 1), of: .own)
        let sums = sum.add(block(1, 2), of: .incoming)
        #expect(sums == [block(0, 1), block(1, 3)])
    }

    @Test func `a short last block is added to the whole one`() {
        var sum = AudioSum()
        _ = sum.add(AudioSum.Block(time: 0, samples: [1]), of: .own)
        let sums = sum.add(block(0, 2), of: .incoming)
        #expect(sums == [AudioSum.Block(time: 0, samples: [3, 2])])
    }
}
