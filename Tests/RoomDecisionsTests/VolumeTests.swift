import RoomDecisions
import Testing

/// Tests the volumes that a page sets for single people, and the mix of such a viewer.
@Suite struct VolumeTests {
    private typealias Wish = PersonVolumes.Wish

    @Test func `a person has the set volume, others 100 %, and nobody hears an own echo`() throws {
        let cases: [(wishes: [Wish], person: UInt32?, leftOut: Set<UInt32>, gain: Float)] = [
            ([], 1, [], 1),
            ([Wish(participant: 1, percent: 50)], 1, [], 0.5),
            ([Wish(participant: 1, percent: 50)], 2, [], 1),
            ([Wish(participant: 1, percent: 50)], nil, [], 1),
            ([Wish(participant: nil, percent: 0)], nil, [], 0),
            ([Wish(participant: nil, percent: 0)], 1, [], 1),
            ([Wish(participant: 1, percent: 200), Wish(participant: 2, percent: 0)], 1, [], 2),
            ([Wish(participant: 1, percent: 200)], 1, [1], 0),
            ([Wish(participant: 1, percent: 200)], nil, [1], 1),
        ]
        for (wishes, person, leftOut, gain) in cases {
            let volumes = try PersonVolumes(wishes)
            #expect(volumes.gain(of: person, leftOut: leftOut) == gain, "\(wishes)")
        }
    }

    @Test func `only volumes other than 100 % need a separate mix, and wrong ones are refused`()
        throws
    {
        #expect(try PersonVolumes([]).isEmpty)
        #expect(try PersonVolumes([Wish(participant: 1, percent: 100)]).isEmpty)
        #expect(try !PersonVolumes([Wish(participant: nil, percent: 90)]).isEmpty)
        let wrong: [([Wish], String)] = [
            ([Wish(participant: 1, percent: 201)], "0 to 200"),
            ([Wish(participant: 1, percent: -1)], "0 to 200"),
            ([Wish(participant: 1, percent: 10), Wish(participant: 1, percent: 20)], "one volume"),
        ]
        for (wishes, words) in wrong {
            do {
                _ = try PersonVolumes(wishes)
                Issue.record("\(wishes)")
            } catch {
                #expect("\(error)".contains(words))
            }
        }
    }

    /// A block of one value for a track, and the blocks of the mix that leave with it: their times in milliseconds, first
    /// and last values.
    private struct Step {
        var track: UInt32
        var milliseconds: Int64
        var value: Int16
        var gain: Float = 1
        var leaves: [[Int]] = []
    }

    @Test func `a mix adds audio of the same time, whatever the order and start of its blocks`() {
        let cases: [[Step]] = [
            // Two people whose blocks begin together.
            [
                Step(track: 1, milliseconds: 0, value: 100),
                Step(track: 2, milliseconds: 0, value: 20, gain: 0.5),
                Step(track: 1, milliseconds: 20, value: 100, leaves: [[0, 110, 110]]),
                Step(track: 2, milliseconds: 20, value: 20, gain: 0.5),
                Step(track: 2, milliseconds: 40, value: 20, gain: 0.5, leaves: [[20, 110, 110]]),
            ],
            // Blocks that begin 10 ms later.
            [
                Step(track: 1, milliseconds: 0, value: 100),
                Step(track: 2, milliseconds: 10, value: 1),
                Step(track: 1, milliseconds: 20, value: 100, leaves: [[0, 100, 101]]),
                Step(track: 2, milliseconds: 30, value: 1),
                Step(track: 1, milliseconds: 40, value: 100, leaves: [[20, 101, 101]]),
            ],
            // The sum is limited.
            [
                Step(track: 1, milliseconds: 0, value: 30_000, gain: 2),
                Step(
                    track: 1, milliseconds: 20, value: -30_000, gain: 2,
                    leaves: [[0, 32_767, 32_767]]),
                Step(track: 1, milliseconds: 40, value: 0, leaves: [[20, -32_768, -32_768]]),
            ],
            // A late block is dropped, and a gap is silent.
            [
                Step(track: 1, milliseconds: 0, value: 5),
                Step(
                    track: 1, milliseconds: 60, value: 7,
                    leaves: [[0, 5, 5], [20, 0, 0], [40, 0, 0]]),
                Step(track: 2, milliseconds: 0, value: 9),
                Step(track: 1, milliseconds: 80, value: 0, leaves: [[60, 7, 7]]),
            ],
            // A change of the gain has no step.
            [
                Step(track: 1, milliseconds: 0, value: 960),
                Step(track: 1, milliseconds: 20, value: 960, gain: 0, leaves: [[0, 960, 960]]),
                Step(track: 1, milliseconds: 40, value: 960, gain: 0, leaves: [[20, 960, 1]]),
            ],
            // The time jumps.
            [
                Step(track: 1, milliseconds: 5000, value: 1),
                Step(track: 1, milliseconds: 0, value: 2),
                Step(track: 1, milliseconds: 20, value: 2, leaves: [[0, 2, 2]]),
                Step(track: 1, milliseconds: -20, value: 2),
            ],
        ]
        for (number, steps) in cases.enumerated() {
            var mix = VolumeMix()
            for (index, step) in steps.enumerated() {
                var leaves: [[Int]] = []
                let samples = [Int16](repeating: step.value, count: 2 * VolumeMix.blockFrames)
                mix.add(
                    samples.span, of: step.track, at: step.milliseconds * 1_000_000, gain: step.gain
                ) { block, time in
                    leaves.append([
                        Int(time / 1_000_000), Int(block[0]), Int(block[block.count - 1]),
                    ])
                }
                #expect(leaves == step.leaves, "case \(number), step \(index)")
            }
        }
    }
}
