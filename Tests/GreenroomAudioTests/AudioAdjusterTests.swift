import Testing

@testable import GreenroomAudio

@Suite struct AudioAdjusterTests {
    /// Blocks of stereo samples whose value is the number of their frame, through an adjuster.
    ///
    /// - Parameter targets: The adjustment of each block of 100 frames.
    private func passed(
        _ targets: [(decibels: Double, delay: Int)], value: (Int) -> Int16 = { Int16($0) }
    ) -> [Int16] {
        var adjuster = AudioAdjuster()
        var output: [Int16] = []
        for (block, target) in targets.enumerated() {
            var samples = (0..<200).map { value(block * 100 + $0 / 2) }
            var adjustment = AudioAdjustment()
            (adjustment.decibels, adjustment.delayFrames) = (target.decibels, target.delay)
            var span = samples.mutableSpan
            adjuster.pass(100, of: &span, to: adjustment)
            output += samples
        }
        return output
    }

    @Test func `audio without an adjustment is unchanged`() {
        #expect(passed([(0, 0), (0, 0)]) == (0..<400).map { Int16($0 / 2) })
    }

    @Test(
        arguments: [(-6.0206, 500), (6.0206, 2000), (-60, 1), (24, 15_849), (0, 1000)]
            as [(Double, Int16)])
    func `a gain reaches its level in one block without a jump, and samples are clamped`(
        decibels: Double, level: Int16
    ) {
        let output = passed([(0, 0), (decibels, 0), (decibels, 0)]) { _ in 1000 }
        #expect(output.suffix(200).allSatisfy { abs($0 - level) <= 1 }, "\(output.suffix(2))")
        // Without a jump: a hundredth of the way with each frame.
        let step = abs(Int(level) - 1000) / 100 + 2
        for (one, next) in zip(output, output.dropFirst()) {
            #expect(abs(Int(next) - Int(one)) <= step)
        }
        let loud = passed([(24, 0), (24, 0)]) { _ in -20_000 }
        #expect(loud.last == Int16.min)
    }

    @Test(arguments: [1, 50, 250, 4800])
    func `a delay plays each sample later by its number of frames, after silence`(frames: Int) {
        let blocks = 60
        let output = passed(Array(repeating: (0, frames), count: blocks)) { Int16($0 + 1) }
        // The first block leads from the present to the past.
        for frame in 100..<blocks * 100 {
            let expected = Int16(max(frame + 1 - frames, 0))
            #expect(output[2 * frame] == expected && output[2 * frame + 1] == expected)
        }
    }

    @Test func `the end of a delay drops the held audio, without a jump`() {
        let targets = Array(repeating: (0.0, 300), count: 10) + Array(repeating: (0.0, 0), count: 3)
        let output = passed(targets)
        #expect(output.suffix(400) == (1100..<1300).flatMap { [Int16($0), Int16($0)] }[...])
        for (one, next) in zip(output.dropFirst(800), output.dropFirst(802)) {
            #expect(abs(Int(next) - Int(one)) <= 5)
        }
    }

    @Test func `the longest delay holds two seconds`() {
        var adjuster = AudioAdjuster()
        var adjustment = AudioAdjustment()
        adjustment.delayFrames = AudioAdjustment.longestDelay
        var last: Int16 = 0
        for block in 0..<250 as Range<Int> {
            var samples = [Int16](repeating: Int16(block), count: 960)
            var span = samples.mutableSpan
            adjuster.pass(480, of: &span, to: adjustment)
            last = samples[959]
        }
        #expect(last == 49)
    }
}
