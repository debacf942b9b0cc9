import GreenroomPlugin
import PluginEncoding
import Testing

@Suite struct RecordingPausesTests {
    private static let second: Int64 = 1_000_000_000

    /// Pauses in milliseconds of the session; the last one may be open.
    private func pauses(
        _ times: [(start: Int64, end: Int64?)], frames rate: FrameRate? = nil
    ) -> RecordingPauses {
        var pauses = RecordingPauses()
        for (start, end) in times {
            pauses.pause(at: start * 1_000_000)
            if let end { pauses.resume(at: end * 1_000_000, frames: rate) }
        }
        return pauses
    }

    /// The periods of a track at 10 a second, which are recorded, by their numbers in the file.
    private func recorded(
        _ count: Int64, _ times: [(start: Int64, end: Int64?)], origin: Int64 = 0,
        step: Int64 = 1
    ) -> [Int64: Int64] {
        let pauses = pauses(times)
        var track = PausedTrack(origin: origin * 1_000_000, numerator: 10)
        var places: [Int64: Int64] = [:]
        for first in stride(from: 0, to: count, by: Int64.Stride(step)) {
            for run in track.runs(of: first..<first + step, without: pauses) {
                for (offset, period) in run.periods.enumerated() {
                    places[run.index + Int64(offset)] = period
                }
            }
        }
        return places
    }

    @Test(
        arguments: [
            // Nothing is left out.
            ([], 0, Array(0..<20)),
            // A period that has begun is recorded to its end.
            ([(500, 1000)], 0, Array(0..<5) + Array(10..<20)),
            ([(510, 1010)], 0, Array(0..<6) + Array(11..<20)),
            // Half periods add up.
            ([(500, 540), (900, 940)], 0, Array(0..<9) + Array(10..<20)),
            ([(0, 300)], 0, Array(3..<20)),
            ([(500, nil)], 0, Array(0..<5)),
            ([(500, 700), (700, 900)], 0, Array(0..<5) + Array(9..<20)),
            // The track begins at 1 s: in a pause, after one, before one.
            ([(500, 1200)], 1000, Array(2..<20)),
            ([(200, 700)], 1000, Array(0..<20)),
            ([(200, 700), (1100, 1200)], 1000, [0] + Array(2..<20)),
            ([(5000, 6000)], 1000, Array(0..<20)),
        ] as [([(start: Int64, end: Int64?)], Int64, [Int64])])
    func `a file contains the media outside of the pauses, without a gap`(
        times: [(start: Int64, end: Int64?)], origin: Int64, periods: [Int64]
    ) {
        // However the track is delivered: period by period, and as frames that last.
        for step: Int64 in [1, 4, 20] {
            let places = recorded(20, times, origin: origin, step: step)
            #expect(places.sorted { $0.key < $1.key }.map(\.value) == periods)
            #expect(places.keys.sorted() == Array(0..<Int64(periods.count)))
        }
    }

    @Test func `only the first run of periods after a pause is marked as after the pause`() {
        let pauses = pauses([(500, 1000), (1200, 1300)])
        var track = PausedTrack(origin: 0, numerator: 10)
        let runs = (0..<3).flatMap { track.runs(of: $0 * 8..<$0 * 8 + 8, without: pauses) }
        #expect(
            runs == [
                .init(periods: 0..<5, index: 0),
                .init(periods: 10..<12, index: 5, isAfterPause: true),
                .init(periods: 13..<16, index: 7, isAfterPause: true),
                .init(periods: 16..<24, index: 10),
            ])
    }

    @Test func `tracks of several rates stay within half a period after many pauses`() {
        let rate = FrameRate(numerator: 30_000, denominator: 1001) ?? FrameRate(30)
        var random = SystemRandomNumberGenerator()
        var times: [(start: Int64, end: Int64?)] = []
        for second in 0..<500 as Range<Int64> {
            let start = second * 1000 + Int64.random(in: 0..<400, using: &random)
            times.append((start, start + Int64.random(in: 1..<500, using: &random)))
        }
        let pauses = pauses(times, frames: rate)
        let left = pauses.all.reduce(0) { $0 + (($1.end ?? 0) - $1.start) }
        for (numerator, denominator) in [(30_000, 1001), (15, 1), (48_000, 1)] {
            var track = PausedTrack(
                origin: 0, numerator: numerator, denominator: denominator)
            let last = Int64(600 * numerator / denominator)
            let runs = track.runs(of: 0..<last, without: pauses)
            let removed = last - runs.reduce(0) { $0 + Int64($1.periods.count) }
            let exact = Double(left) / 1e9 * Double(numerator) / Double(denominator)
            #expect(abs(Double(removed) - exact) <= 0.501, "\(numerator): \(times)")
        }
    }

    @Test func `a pause lasts a whole number of frames`() {
        let pauses = pauses([(100, 150), (1000, 1100)], frames: FrameRate(30))
        #expect(
            pauses.all == [
                .init(start: 100_000_000, end: 166_666_666),
                .init(start: 1_000_000_000, end: 1_100_000_000),
            ])
    }

    @Test func `a second pause, or a resume without a pause, changes nothing`() {
        var pauses = RecordingPauses()
        pauses.resume(at: 5, frames: nil)
        #expect(pauses.all.isEmpty && !pauses.isPaused)
        pauses.pause(at: 10)
        pauses.pause(at: 20)
        #expect(pauses.all == [.init(start: 10)] && pauses.isPaused)
        pauses.resume(at: .max, frames: FrameRate(30))
        pauses.pause(at: .min)
        #expect(pauses.all.count == 2)
        var track = PausedTrack(origin: .min, numerator: 30)
        #expect(track.runs(of: 0..<5, without: pauses).count == 1)
    }

    @Test(
        arguments: [
            (0, 0, false), (1500, 1500, false), (2000, 2000, true), (2900, 2000, true),
            (3000, 2000, false), (4500, 3500, false), (5000, 4000, true), (60_000, 4000, true),
            (-5, 0, false),
        ] as [(Int64, Int64, Bool)])
    func `a caption's time in a file leaves out the pauses before the caption`(
        time: Int64, written: Int64, isInPause: Bool
    ) {
        let pauses = pauses([(2000, 3000), (5000, nil)])
        #expect(pauses.written(time * 1_000_000) == written * 1_000_000)
        #expect(pauses.has(time * 1_000_000) == isInPause)
    }

    @Test(
        arguments: [
            (1400, 1400, 1500), (1800, nil, nil), (1500, nil, nil), (2400, nil, nil),
            (2500, 1500, 1700),
        ] as [(Int64, Int64?, Int64?)])
    func `a caption ends at a pause, and a caption that begins in a pause is dropped`(
        time: Int64, start: Int64?, end: Int64?
    ) {
        let times = pauses([(2000, 3000)]).inFile(
            from: time * 1_000_000, to: (time + 200) * 1_000_000, origin: 500 * 1_000_000)
        #expect(times?.start == start.map { $0 * 1_000_000 })
        #expect(times?.end == end.map { $0 * 1_000_000 })
    }
}
