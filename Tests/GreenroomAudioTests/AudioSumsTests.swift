import GreenroomMedia
import Testing

@testable import GreenroomAudio

/// Every mix equals the direct sum of its tracks, also where sums exceed 16 bits.
@Suite struct AudioSumsTests {
    private static let count = 96

    /// A track: whose it is, and its samples in each stretch.
    private struct Track {
        var participant: UInt32?
        var stretches: [[Int16]]
    }

    private static func tracks(_ random: inout SystemRandomNumberGenerator) -> [Track] {
        // Two tracks of the session, two of participant 1, one of each other.
        let owners: [UInt32?] = [nil, nil, 1, 1, 2, 3, 40]
        return owners.map { owner in
            Track(
                participant: owner,
                stretches: (0..<8).map { stretch in
                    // Quiet, loud and clipped stretches in turn.
                    let peak = [100, 9_000, 32_768, 0][stretch % 4]
                    return (0..<count).map { _ in
                        Int16(clamping: Int.random(in: -peak...peak, using: &random))
                    }
                })
        }
    }

    private static let mixes: [AudioMixer.Mix] = [
        .own, .incoming, .all, .without(1), .without(2), .without(40), .without(7),
        .init(tracks: .incoming, leftOut: [1, 3]), .init(tracks: .all, leftOut: [1, 2]),
        .init(tracks: .incoming, leftOut: [1, 2, 3, 40]),
    ]

    @Test func `each mix equals the limited sum of its tracks`() {
        var random = SystemRandomNumberGenerator()
        let tracks = Self.tracks(&random)
        var sums = AudioSums(sampleCount: Self.count)
        var limiters = Self.mixes.map { _ in PeakLimiter() }
        for stretch in 0..<8 {
            sums.begin(Self.count, for: Self.mixes)
            for track in tracks {
                let samples = track.stretches[stretch]
                sums.add(samples.span, of: track.participant)
            }
            for (index, mix) in Self.mixes.enumerated() {
                var direct = [Int32](repeating: 0, count: Self.count)
                for track in tracks where mix.has(track.participant) {
                    for (place, sample) in track.stretches[stretch].enumerated() {
                        direct[place] += Int32(sample)
                    }
                }
                var expected = direct.map { Int16(clamping: $0) }
                if mix != .own { limiters[index].limit(direct.span, into: &expected) }
                sums.withSamples(of: mix) { samples in
                    #expect(samples.indices.map { samples[$0] } == expected, "\(mix) \(stretch)")
                }
            }
        }
    }

    @Test func `a split mix has the session on the left and the call on the right, in mono`() {
        var sums = AudioSums(sampleCount: 4)
        let tracks: [(samples: [Int16], participant: UInt32?)] = [
            ([100, 300, -40, 40], nil), ([10, 30, 1, -4], 1), ([1000, 1000, 0, 0], 2),
        ]
        sums.begin(4, for: [.split])
        for (samples, participant) in tracks { sums.add(samples.span, of: participant) }
        sums.withSamples(of: .split) { taken in
            #expect(taken.indices.map { taken[$0] } == [200, 1020, 0, -1])
        }
        let alone = AudioMixer.Mix(tracks: .split, leftOut: [2])
        sums.begin(4, for: [alone])
        for (samples, participant) in tracks { sums.add(samples.span, of: participant) }
        sums.withSamples(of: alone) { taken in
            #expect(taken.indices.map { taken[$0] } == [200, 20, 0, -1])
        }
    }

    @Test func `a mix that was not requested is silent`() {
        var sums = AudioSums(sampleCount: 4)
        let samples: [Int16] = [1, 2, 3, 4]
        for (mixes, expected) in [([], [0, 0, 0, 0]), ([AudioMixer.Mix.all], samples)] {
            sums.begin(4, for: mixes)
            sums.add(samples.span, of: 5)
            sums.withSamples(of: .all) { taken in
                #expect(taken.indices.map { taken[$0] } == expected)
            }
        }
    }

    @Test func `a short stretch contains no samples of the stretch before`() {
        var sums = AudioSums(sampleCount: 4)
        let loud: [Int16] = [9, 9, 9, 9]
        let short: [Int16] = [1, 2]
        sums.begin(4, for: [.without(2)])
        sums.add(loud.span, of: 1)
        sums.begin(2, for: [.without(2)])
        sums.add(short.span, of: 1)
        sums.withSamples(of: .without(2)) { taken in
            #expect(taken.indices.map { taken[$0] } == short)
        }
    }
}
